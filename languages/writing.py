"""How a language is set: its quotation marks, the spaces beside its marks, and slips of models that it corrects."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# CLDR's alternate marks, by the usual ones.
_INNER = {"„“": "‚‘", "„”": "‚’", "«»": "“”", "””": "’’", "”“": "’‘", "「」": "『』"}


class Quotes(NamedTuple):
    """Quotation marks.

    Attributes:
        opening: The mark before a quotation.
        closing: The mark behind it.
        gap: The space inside of both: French has a no-break space.
    """

    opening: str
    closing: str
    gap: str = ""

    @property
    def opened(self) -> str:
        """The opening mark and its space."""
        return self.opening + self.gap

    @property
    def closed(self) -> str:
        """The closing mark and its space."""
        return self.gap + self.closing

    @property
    def inner(self) -> "Quotes":
        """The marks of a quotation inside a quotation."""
        return Quotes(*_INNER.get(self.opening + self.closing, "‘’"))


class OrdinalSlip(NamedTuple):
    """A wrong ordinal that models write, such as "22th".

    Attributes:
        pattern: Finds it, with its digits; the group ``ending`` is wrong.
        ending: The right ending.
    """

    pattern: re.Pattern[str]
    ending: str


USUAL_QUOTES = Quotes("“", "”")


@dataclass(frozen=True, eq=False, kw_only=True)
class Writing:
    r"""The conventions of texts.

    Attributes:
        quotes: The quotation marks; None if they are also apostrophes, which can't be told from them.
        space_before: Spaces before marks at the end of a sentence or clause: ``{"?": "\u202f"}``.
        own_marks: Sentences end or begin with other marks than ". ! ?", which stay as the model writes them.
        capital_nouns: Nouns begin with a capital, whatever the source does.
        always_capital: Words with a capital that are no names.
        small_words: Words, in small letters, that have a capital only where a title gives one to all its words.
        final_abbreviations: Words whose full stop isn't the sentence's, although they often stand at its end.
        ordinal_slips: Wrong ordinals that models write.
        doubled: Words that may well stand twice in a row: "had had".
    """

    quotes: Quotes | None = USUAL_QUOTES
    space_before: Mapping[str, str] = field(default_factory=dict)
    own_marks: bool = False
    capital_nouns: bool = False
    always_capital: frozenset[str] = frozenset()
    small_words: frozenset[str] = frozenset()
    final_abbreviations: tuple[str, ...] = ()
    ordinal_slips: tuple[OrdinalSlip, ...] = ()
    doubled: frozenset[str] = frozenset()
