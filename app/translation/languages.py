"""Language codes as the contracts spell them, and their English names."""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from app.errors import UnsupportedPair, shortened
from languages import codes
from languages.registry import language_of

if TYPE_CHECKING:
    from app.text.detection import Detection

# Where LibreTranslate's names differ from CLDR's.
_NAMES = {
    "bn": "Bengali",
    "nb": "Norwegian",
    "pt-br": "Portuguese (Brazil)",
    "tl": "Tagalog",
    "zh-hans": "Chinese",
    "zh-hant": "Chinese (traditional)",
}
# Codes for one language, the short ones LibreTranslate's.
_SYNONYMS = (("zh", "zh-hans", "zh-cn"), ("zt", "zh-hant", "zh-tw"), ("pb", "pt-br"), ("nb", "no"))


def name_of(code: str) -> str:
    """Returns the English name of a language, or its code if its name is unknown."""
    if code in _NAMES:
        return _NAMES[code]
    return language_of(code).name if codes.base(code) == code else code


def refuse_foreign(foreign: "Detection | None", subject: str) -> None:
    """Refuses a text in a language that is not served; None is no such language.

    Raises:
        UnsupportedPair: There is one. The message begins with the subject, "text" or "document".
    """
    if foreign:
        code = foreign.language
        raise UnsupportedPair(
            f"The {subject} seems to be in {name_of(code)} ({code}), which is not supported; "
            "name its language if this is wrong."
        )


def languages_of(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Every code that occurs in the pairs, sorted."""
    return list(_languages_of(frozenset(pairs)))


@lru_cache(maxsize=4)  # the same pairs at every request
def _languages_of(pairs: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted({code for pair in pairs for code in pair}))


def spelled(code: str) -> str:
    """Spells a code as clients know it: ``zh-Hans``, ``pt-BR``."""
    return str(codes.parse(code))


def find_served(code: str, served: Collection[str]) -> str | None:
    """Finds the served language of a client's code; None if there is none. Letter case and "_" for "-" don't matter.

    A code with a region stands for the language without it, unless the region is served as such: ``en-AU`` for ``en``.
    The language alone stands for a region of it if nothing else of it is served: ``pt`` for ``pt-br``.
    Not so for Chinese, whose script goes by the region.
    """
    code = code.lower().replace("_", "-")
    synonyms = next((each for each in _SYNONYMS if code in each), ())
    language, script, region = codes.parse(code)
    without_region = (language,) if region and not script and language != "zh" else ()
    found = next((one for one in (code, *synonyms, *without_region) if one in served), None)
    if found or language != code or language == "zh":
        return found
    return next((one for one in sorted(served) if codes.base(one) == language), None)


def locale_of(code: str) -> str | None:
    """Returns the locale of a client's code that has a known region, such as ``en-GB``; None for other codes."""
    language, script, region = codes.parse(code)
    return f"{language}-{region}" if not script and region in language_of(language).regions else None


def served_language(code: str, served: Collection[str]) -> str:
    """Returns the served language for a client's code.

    Raises:
        UnsupportedPair: It isn't served.
    """
    found = find_served(code, served)
    if found is None:
        raise UnsupportedPair(f"{shortened(code)} is not supported")
    return found


def check_pair(source: str, target: str, pairs: frozenset[tuple[str, str]]) -> None:
    """Refuses a pair that no model translates. A language into itself needs no model.

    Raises:
        UnsupportedPair: With the LibreTranslate contract's text.
    """
    if source != target and (source, target) not in pairs:
        raise UnsupportedPair(
            f"{name_of(target)} ({target}) is not available as a target language from {name_of(source)} ({source})"
        )
