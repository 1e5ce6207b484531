"""The words of a language that stand beside numbers, or for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple


class Unit(NamedTuple):
    """What amounts are for, or counted in.

    Attributes:
        one: The word for one.
        several: The word for several.
        short: Short forms, as of ``languages.short_forms``.
        rates: Short forms behind a slash alone: "/in".
        before_noun: Those of ``short`` that stand before the name of what is counted: "2 Stk. Papier".
    """

    one: str
    several: str
    short: tuple[str, ...]
    rates: tuple[str, ...]
    before_noun: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, without the full stop at the end."""
        return self.one, self.several, *(short.removesuffix(".") for short in (*self.short, *self.rates))


def units_of(lines: str) -> dict[str, Unit]:
    """Reads units from lines of a name that all languages share, the word for one and for several, and short forms.

    A short form has "/" before it if it stands behind a slash alone, and "+" if the name of what is counted may follow:
    "piece: Stück: +Stk, St., /st", "foot: foot/feet: ft".
    """
    found = {}
    for line in lines.strip().splitlines():
        name, full, shorts = map(str.strip, f"{line}:".split(":")[:3])
        one, _, several = full.partition("/")
        forms = [form.strip() for form in shorts.split(",") if form.strip()]
        found[name] = Unit(
            one,
            several or one,
            tuple(form.lstrip("+") for form in forms if form[0] != "/"),
            tuple(form[1:] for form in forms if form[0] == "/"),
            tuple(form[1:] for form in forms if form[0] == "+"),
        )
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberWords:
    """Words for numbers and what they count. All are matched in any letter case, except those of ``scales``.

    Attributes:
        cardinals: The words for 1 to 12, as a clock's hours are told; () if they aren't known.
        traces: For each number from 2 to 12 a regular expression that matches whatever a sentence may have for it
            ("two", "both", "pair"); () if they aren't known. A number without a trace in a translation is lost.
        scales: Powers of ten by abbreviation: ``{"Mio": 6}``.
        scale_words: How to write a power of ten behind a number, with the space before it: ``{6: " million"}``.
        scale_letters: Letters among ``scales`` of other languages that are written as they are: "65k".
        large_numbers: Words such as "million" and "thousand", or their beginnings.
        joiners: Words between two numbers: "9 to 5"; second the one for "and".
        percent: Words for "%", as a regular expression.
        currencies: Names of currencies, as a regular expression; "" takes CLDR's.
        named: Words behind which a number is a name and stays as it is ("Chapter 3.2"), as a regular expression.
        pointing: Words behind the number of a clause ("see 4.2 above"), as a regular expression.
        versioned: Words behind which digits with a point are a version ("License 2.0"), as a regular expression.
        measures: Words behind a number that tell it from such a version ("5.0 metres"), as a regular expression.
        durations: Words before a number whose "s" means seconds ("after 30s"), where it may mean a decade ("the 30s").
        units: What amounts are for, or counted in, by a name that all languages share.
        ordinal_endings: What is written behind the figures of an ordinal: "th".
        short_months: Short names of months, without full stop, with the full ones.
        date_links: Words between a day and a month, or a month and a year: "of".
        date_articles: Words before a day and a month: "the".
    """

    cardinals: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    scales: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"k": 3, "K": 3, "M": 6}))
    scale_words: Mapping[int, str] = field(default_factory=dict)
    scale_letters: frozenset[str] = frozenset()
    large_numbers: tuple[str, ...] = ()
    joiners: tuple[str, ...] = ()
    percent: str = ""
    currencies: str = ""
    named: str = ""
    pointing: str = ""
    versioned: str = ""
    measures: str = ""
    durations: str = ""
    units: Mapping[str, Unit] = field(default_factory=dict)
    ordinal_endings: tuple[str, ...] = ()
    short_months: Mapping[str, str] = field(default_factory=dict)
    date_links: tuple[str, ...] = ()
    date_articles: tuple[str, ...] = ()
