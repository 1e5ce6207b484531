"""BCP 47 codes of languages (RFC 5646): language, script and region, in any letter case."""

import re
from functools import lru_cache
from typing import NamedTuple

_CODE = re.compile(
    r"(?P<language>[a-z]{2,8})(?:-[a-z]{3}){0,3}(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?(?:-.*)?",
    re.IGNORECASE | re.DOTALL,
)


class Code(NamedTuple):
    """The parts of a code that the rules for languages go by.

    Attributes:
        language: In small letters: ``de``, ``zh``.
        script: ``Hant``; None if the code has none.
        region: ``AT``, ``419``; None if the code has none.
    """

    language: str
    script: str | None = None
    region: str | None = None

    def __str__(self) -> str:
        """The code in the letter case that BCP 47 recommends: ``zh-Hant-TW``."""
        return "-".join(filter(None, self))


@lru_cache(maxsize=1024)
def parse(code: str) -> Code:
    """Reads a code such as ``de``, ``en-gb``, ``zh_Hant``.

    Other subtags (variants, extensions) are left out. What is no code at all is a language of its own, in small
    letters, so that every string has a reading.
    """
    found = _CODE.fullmatch(code.replace("_", "-"))
    if found is None:
        return Code(code.lower())
    script, region = found["script"], found["region"]
    return Code(found["language"].lower(), script and script.title(), region and region.upper())


def base(code: str) -> str:
    """The language of a code without script and region: ``de`` for ``de-AT``."""
    return parse(code).language


def as_named(named: str, language: str) -> str:
    """The code by which a file names its language, if that is the language or a region of it; else the language.

    So ``en_US`` stays for ``en``, and becomes ``en-GB`` for ``en-GB``.
    """
    return named if base(named) == language else language
