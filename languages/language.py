"""A language as the rules of translation see it: small tables, each with a default that no language objects to.

A room is a module that holds everything of one language and gives it as ``LANGUAGE``; ``languages.german`` is one. The
defaults below are those of a language without a room, to which ``languages.neutral`` adds what Unicode and CLDR say.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from languages.clock import Clock
from languages.numbers import NumberWords


class DottedOrdinals(NamedTuple):
    """How to tell "3." for "third" from a number at the end of a sentence.

    Attributes:
        before: Words, in small letters, behind which a number of two digits with a dot is an ordinal.
        after: Words that stand behind an ordinal, or their beginnings, as a regular expression.
    """

    before: tuple[str, ...]
    after: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Language:
    """One language, perhaps of one region.

    Attributes:
        code: Its code without script and region: ``de``.
        name: Its English name: ``German``.
        script: The script it is written in, as ISO 15924 has it: ``Latn``; "" if that is unknown.
        region: The region that was asked for: ``AT``; None for none.
        regions: Regions whose notation of numbers and dates, or whose spelling, a client may ask for.
        right_to_left: It is written from right to left.
        abbreviations: Words whose full stop hardly ever ends a sentence, without that stop: "approx". One in small
            letters may begin with a capital; a space in one may be missing ("z. Hd").
        abbreviations_before_small: Words whose full stop ends no sentence where a small letter follows.
        dotted_ordinals: If ordinals are written with a full stop ("3. Mai"), how to tell them; None if they aren't.
        conjunctions: Words before which a sentence too long for a model may be cut.
        numbers: Words beside numbers, or for them.
        clock: How the time is told; None if that isn't known.
        reads_half_days: "9.30 am" and "5 p.m." are times.
        common_words: Words in small letters that (nearly) no other language has; they tell it in short texts.
    """

    code: str
    name: str
    script: str = ""
    region: str | None = None
    regions: tuple[str, ...] = ()
    right_to_left: bool = False
    abbreviations: tuple[str, ...] = ()
    abbreviations_before_small: tuple[str, ...] = ()
    dotted_ordinals: DottedOrdinals | None = None
    conjunctions: tuple[str, ...] = ()
    numbers: NumberWords = field(default_factory=NumberWords)
    clock: Clock | None = None
    reads_half_days: bool = False
    common_words: frozenset[str] = frozenset()
