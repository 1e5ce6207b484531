"""What stays untranslated on purpose, and why: the one description of it for texts, markup and documents."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Why something stays as it is."""

    PROTECTED = "protected"
    """A client's pattern, an address, a variable, an identifier, code, an emoji, a character unknown to the model."""
    MARKUP = "markup"
    """An element or block that markup keeps: code, ``translate="no"``, class ``notranslate``, ignored tags, ruby."""
    TARGET_LANGUAGE = "target_language"
    """A sentence that is in the target language already."""
    IDENTIFIER = "identifier"
    """A value of JSON, XML, an attribute or front matter that programs read."""


class Untranslated(NamedTuple):
    """A range of a text that stays as it is.

    Attributes:
        begin: Where it begins, in code points of the text; in a block of markup, of the plain text of the block.
        end: Where it ends.
        reason: Why.
        block: Index of the block of markup; 0 in plain text; None for what is in no translated block of the markup.
            Such a range counts in the markup itself.
    """

    begin: int
    end: int
    reason: Reason
    block: int | None = 0


def counted(reasons: Iterable[Reason]) -> dict[str, int]:
    """Returns how often each reason occurs, in the order of ``Reason``, without the reasons that don't occur."""
    counts = Counter(reasons)
    return {reason.value: counts[reason] for reason in Reason if counts[reason]}
