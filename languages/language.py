"""A language as the rules of translation see it: small tables, each with a default that no language objects to.

A room is a module that holds everything of one language and gives it as ``LANGUAGE``; ``languages.german`` is one. The
defaults below are those of a language without a room, to which ``languages.neutral`` adds what Unicode and CLDR say.
"""

from dataclasses import dataclass


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
        common_words: Words in small letters that (nearly) no other language has; they tell it in short texts.
    """

    code: str
    name: str
    script: str = ""
    region: str | None = None
    regions: tuple[str, ...] = ()
    right_to_left: bool = False
    common_words: frozenset[str] = frozenset()
