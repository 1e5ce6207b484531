"""Short forms that models don't know, written out: "3 Std." as "3 Stunden", "fig. 2" as "figure 2".

A model knows only the commonest short forms, and makes other words of the rest: the shipped one had "3 million" for "3
Min.", and "nein. 5" for "no. 5".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from types import MappingProxyType

from languages.numbers import Unit
from languages.signs import CLOSING_QUOTES, CURRENCIES, FRACTIONS, NUMBER, SPACES, STAND_INS

_NUMBER, _SPACE = f"[{NUMBER}]", f"[{SPACES}]"
_AMOUNT = re.compile(rf"{_NUMBER}\+?{_SPACE}?$")
_LONGEST_AMOUNT = 16  # characters that are looked at
_ONE = re.compile(rf"(?<![\d.,{STAND_INS}/])(?<!\d{_SPACE})(?:1|\d/\d{{1,2}}|1?[{FRACTIONS}]){_SPACE}?$")
_MAY_HAVE = rf"{_NUMBER}\+?{_SPACE}?[^\W\d_]|[^\W\d_]\.|[^\W\d_](?= ?[-–/&] ?[^\W\d_]|{_SPACE}['’]?\d)"
_SHORT_RATE = r"(?<=\w\w\w\./)(?<!(?i:max)\./)"  # "Std./Wo.", not "Max./Min."
_DATE = rf"\d{{1,2}}\.{_SPACE}?(?:0?[1-9]|1[0-2])\."  # not "Fr. 25.50", which is Swiss money
_NAME = re.compile(rf"{_SPACE}(?!I\b)[A-Z]")
_CAPITAL = re.compile(rf"{_SPACE}[A-ZÄÖÜ]")
_END = re.compile(rf"[{CLOSING_QUOTES}]*\s*\Z")
# "incl. 5 pcs.", "5 pcs."
_NO_SENTENCE = re.compile(r"[a-zäöü]|[\d\W]+\Z")
_NAMED = rf"(?={_SPACE}[{STAND_INS}]|{_SPACE}(?:[A-Z]\.{_SPACE}?)*+(?:v\.{_SPACE})?[A-ZÄÖÜ][^\W\d_])"

Rewritings = Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]
"""Expressions of what else is written out, each with what is written instead. A group "span" is what is replaced."""


def rewritten(sentence: str, rewritings: Rewritings) -> Iterator[tuple[int, int, str]]:
    """Yields begin and end of all matches, and what to write instead."""
    for expression, written in rewritings:
        for match in expression.finditer(sentence):
            span = match.span("span" if "span" in expression.groupindex else 0)
            yield *span, written if isinstance(written, str) else written(match)


class ShortForms:
    """The short forms of one language, in tables of "short: full" line by line.

    A full stop behind a short form may be missing where the table has none. It stays if it ends a sentence; a text that
    begins with a small letter, or has nothing but an amount, is none. References, words and what is leading may have a
    capital for a small letter, unless the table has both. A form whose full form is itself stays: models know it, or it
    is a name.

    Args:
        units: What stands behind a number, or behind one of ``rates``.
        rates: Words before a unit of which there is one: "per".
        references: What stands before a number.
        dated: What stands before a date or a year.
        titles: What stands before a name, or another word with a capital.
        links: What stands before a word, and is part of other short forms: "u.", which "u. U." has, too.
        leading: What may stand anywhere, but ends no sentence; the full forms before other words and before one with a
            capital, with a slash between them if they differ.
        words: What may stand anywhere. The spaces behind its full stops may be missing.
        months: What stands beside a number, with a full stop; before a year; in a range or pair of months.
        days: What stands in a range or list of days, before a date, or with a full stop before an hour.
        before_days: Words before a day, in small letters: "until Fri".
        until: The word between the first and the last of several days.
        both: The word between two days.
        capital_nouns: A noun behind a day has a capital, as a new sentence has elsewhere: "am Fr. Abend".
        hour: An expression of what stands behind the number of an hour.
        daytimes: An expression of what stands behind a day: "evening".
        day_behind: A month without a full stop may have its day behind it: "Jan 9".
        never: By short form, an expression; in sentences that match it, the form may mean something else.

    Attributes:
        months: Short names of months, without full stop, with the full ones.
        days: Likewise of days.
        inside: The short forms whose full stop ends no sentence; without this full stop.
        before_noun: The quantities, without a full stop: behind a number, it ends no sentence before a noun.
    """

    def __init__(
        self,
        *,
        units: Iterable[Unit],
        rates: Iterable[str],
        references: str,
        dated: str = "",
        titles: str = "",
        links: str = "",
        leading: str,
        words: str,
        months: str,
        days: str,
        before_days: Iterable[str] = (),
        until: str,
        both: str,
        capital_nouns: bool = False,
        hour: str,
        daytimes: str = "(?!)",
        day_behind: bool = False,
        never: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        units = tuple(units)
        tables = {
            "leading": leading,
            "word": words,
            "reference": references,
            "dated": dated,
            "title": titles,
            "link": links,
            "month": months,
            "day": days,
        }
        self._tables = {kind: _table(lines) for kind, lines in tables.items()}
        self._tables["unit"] = {short: f"{unit.one}/{unit.several}" for unit in units for short in unit.short}
        full = {kind: {_key(short): each for short, each in table.items()} for kind, table in self._tables.items()}
        self.months, self.days = self._tables["month"], self._tables["day"]
        self._full = full | {"behind": full["month"], **dict.fromkeys(("dotless", "appointed"), full["day"])}
        self._before_days, self._rates, self._hour, self._daytimes = tuple(before_days), tuple(rates), hour, daytimes
        self._month_goes_on = r"|\d{1,2}(?![\w%]|[.:,]\d)" if day_behind else ""
        self._capital_nouns = capital_nouns
        self._never = {_key(short): re.compile(pattern) for short, pattern in never.items()}
        self._between = {"-": until, "–": until, until: until, "/": both, "&": both, both: both, ",": ","}
        inside = _without_stop(*(self._tables[kind] for kind in ("dated", "title", "leading")))
        self.inside = tuple(short for short in inside if len(short) > 1)  # one letter: "plan B."
        self.before_noun = _without_stop(short for unit in units for short in unit.before_noun)

    @cached_property
    def before_small(self) -> tuple[str, ...]:
        """The short forms whose full stop ends no sentence before a small letter; without this full stop."""
        words = self._tables["word"]
        begun = (short.partition(" ")[0] for short in (*self._tables["leading"], *words) if " " in short)
        return _without_stop(
            self._tables["unit"],
            self._tables["reference"],
            (short for short in words if short.endswith(".")),
            (each for each in begun if each[2:].endswith(".")),
        )

    @cached_property
    def _may_have(self) -> re.Pattern[str]:
        """Matches where a sentence may have a short form: a quick look."""
        forms = (*(short for kind in ("word", "leading", "title") for short in self._tables[kind]), *self._rates)
        dotless = "|".join(re.escape(short) for short in forms if "." not in short)
        before = "|".join((self._between["-"], self._between["&"], *self._before_days))
        day = rf"(?:,|(?<!\w)(?:{before})){_SPACE}(?:{'|'.join(self._tables['day'])})"
        return re.compile(rf"{_MAY_HAVE}|(?:(?<!\w)(?:{dotless})|{day})(?!\w)", re.IGNORECASE)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Matches all short forms, each in the group of its kind; long to compile, so only when it is needed."""
        unit = _either(self._tables["unit"])
        month, day = ("|".join(sorted(self._tables[kind], key=len, reverse=True)) for kind in ("month", "day"))
        rate = "".join(
            rf"|(?<=\b[{one[0].upper()}{one[0]}]{one[1:]}{_SPACE})(?!\S+{_SPACE}{_NUMBER})" for one in self._rates
        )
        date = rf"{_DATE}|\d{{1,2}}(?:\.|st|nd|rd|th)?{_SPACE}(?:{month})|(?:{month})[^\W\d_]*\.?{_SPACE}\d"
        time = (
            rf"{_DATE}|\d{{1,2}}\.{_SPACE}?[^\W\d_]|(?:{month})\b|(?:{self._daytimes})\b|[{STAND_INS}]"
            rf"|\d[\d.:]{{0,4}}(?:{_SPACE}?[-–]{_SPACE}?\d[\d.:]{{0,4}})?{_SPACE}?(?:{self._hour})"
        )
        before_day = "|".join(rf"(?<=\b[{word[0].upper()}{word[0]}]{word[1:]}{_SPACE})" for word in self._before_days)
        # "on Fri. we", "on Fri", but not "on Sat Nav"
        stop = r"\.(?!\w)" if self._capital_nouns else rf"\.(?!\w|{_SPACE}[A-Z])"
        no_name = rf"(?![\w-]|\.\w|{_NAME.pattern})"
        signs = "|".join(map(re.escape, self._between))
        words = "|".join(sign for sign in self._between if sign.isalpha())
        self._day = re.compile(rf"(?P<sign>{_SPACE}?(?:{signs}){_SPACE}?)?(?P<day>{day}|{month})\b\.?+")
        parts = (
            *(self._followed(kind, r"(?!\w|-\w)") for kind in ("leading", "word")),
            self._followed("reference", rf"(?={_SPACE}(?!(?:19|20)\d\d\b){_NUMBER})"),
            self._followed("dated", rf"(?={_SPACE}(?:{date}|[12]\d{{3}}\b|[{STAND_INS}]))"),
            rf"(?P<month>{month})(?:\.(?={_SPACE}\d)|(?={_SPACE}(?:\d{{1,2}},?{_SPACE}\d{{4}}\b"
            rf"|(?:19|20)\d\d(?![\w-])|['’]\d\d\b{self._month_goes_on})))",
            rf"(?P<months>(?:{month})\.?{_SPACE}?[-–/]{_SPACE}?(?:{month})\b\.?)(?![\w-])",
            # not "So, Fr. Müller", which has a word and a title
            rf"(?!(?:{day}),{_SPACE}(?:{day})\.{_CAPITAL.pattern})(?P<days>(?:{day})\b\.?+(?:{_SPACE}?(?:{signs}){_SPACE}?(?:{day})\b\.?+){{1,6}}+)(?!\w|-)",
            rf"(?P<day>{day})\.(?=,?{_SPACE}(?:{time})|,{_SPACE}(?:\d|(?:{day})\b)"
            rf"|{_SPACE}(?:{words}){_SPACE}[^\W\d_A-Z])",
            rf"(?P<dotless>{day})(?=,?{_SPACE}(?:{date}))",
            rf"(?:{before_day or '(?!)'})(?P<appointed>{day})(?:{stop}|{no_name})",
            rf"(?<!{_NUMBER}{_SPACE})" + self._followed("title", _NAMED),
            rf"(?:(?<=[^\W\d_]{_SPACE})|(?<=[^\W\d_]{{2}}\.{_SPACE})|(?<=\d{_SPACE}[A-Z]\.{_SPACE}))"
            + self._followed("link", rf"(?={_SPACE}(?:[^\W_]{{2}}|{_NUMBER}))"),
        )
        return re.compile(
            rf"(?:(?<={_NUMBER})\+?{_SPACE}?|(?:(?<=[\d{CURRENCIES}]/)|{_SHORT_RATE})(?!\w\b){rate})(?P<unit>{unit})(?!\w|[-.]\w)"
            rf"|(?<![\w.-])(?:{'|'.join(parts)})"
            rf"|(?:(?<=\d{_SPACE})|(?<=\d\.{_SPACE}))(?P<behind>{month})(?:\.(?!\w)|(?=,?{_SPACE}\d{{4}}\b))"
        )

    def _followed(self, kind: str, behind: str) -> str:
        """An expression that matches the short forms of a kind before something."""
        table = self._tables[kind]
        return (
            rf"(?P<{kind}>{_either(table, may_have_capital=kind in ('leading', 'word', 'reference'))}){behind}"
            if table
            else "(?!)"
        )

    def written_out(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """Yields begin and end of each short form, and what to write instead, in order."""
        if not self._may_have.search(sentence):
            return
        barred: dict[str, bool] = {}
        for match in self._pattern.finditer(sentence):
            kind = match.lastgroup
            assert kind
            begin, end = match.start(kind), match.end()
            key = _key(match[kind])
            if key not in barred:  # each expression is searched for once: the sentence may be long
                never = self._never.get(key)
                barred[key] = never is not None and never.search(sentence) is not None
            if barred[key] or not self._is_meant(match, kind, sentence):
                continue
            several = kind in ("days", "months")
            full = self._several(match[kind]) if several else _found(self._full[kind], match[kind])
            if kind == "unit":
                full = _counted(full, sentence[max(0, begin - _LONGEST_AMOUNT) : begin])
            elif kind == "leading":
                first, _, before_capital = full.partition("/")
                full = before_capital if before_capital and _CAPITAL.match(sentence, end) else first
            if full == match[kind]:
                continue
            if kind == "unit" and sentence[begin - 2 : begin] == "./":  # "38 Std./Wo."
                begin, full = begin - 1, f" {self._rates[0]} {full}"
            if full.endswith("."):  # "loc. cit."
                yield begin, end, full
                continue
            if sentence[end - 1] == "." and _END.match(sentence, end) and not _NO_SENTENCE.match(sentence, 0, begin):
                end -= 1
            yield begin, end, full

    def _several(self, days: str) -> str:
        """The full forms of days or months, with words for the signs between them."""
        full = self._full["month"] | self._full["day"]
        return "".join(
            (f" {self._between[match['sign'].strip()]} ".replace(" ,", ",") if match["sign"] else "")
            + _found(full, match["day"])
            for match in self._day.finditer(days)
        )

    def _is_meant(self, match: re.Match[str], kind: str, sentence: str) -> bool:
        """Tells whether a match is no other word or name: "UX 250h", "ASAP Rocky"."""
        short = match[kind]
        if kind == "unit":
            is_close = len(_key(short)) == 1 and not sentence[match.start(kind) - 1].isspace()
            return not is_close and (not short[0].isupper() or _key(short) in self._full[kind])
        if kind in ("days", "months"):
            named = [match["day"] for match in self._day.finditer(short)]
            is_full = kind == "months" and all(self.months.get(name, name) == name for name in named)
            return len(set(named)) == len(named) and not is_full
        return not (kind in ("word", "leading") and short.isupper() and _NAME.match(sentence, match.end()))


def _counted(full: str, before: str) -> str:
    """The full form of a unit for what is before it, with a space if there is none."""
    one, _, several = full.partition("/")
    is_rate = not _AMOUNT.search(before)
    counted = one if not several or is_rate or _ONE.search(before) else several
    return counted if before[-1:].isspace() or before[-1:] == "/" else f" {counted}"


def _table(lines: str) -> dict[str, str]:
    """Reads a table: "ggf., ggfs.: gegebenenfalls"; with "=" before "imo", "Imo" is written as it is."""
    table = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        shorts, _, full = line.partition(": ")
        for short in shorts.split(", "):
            table[short.removeprefix("=")] = full
            if short[0] == "=":
                capital = short[1].upper() + short[2:]
                table[capital] = capital
    return table


def _without_stop(*tables: Iterable[str]) -> tuple[str, ...]:
    return tuple(short.removesuffix(".") for table in tables for short in table)


def _either(table: Mapping[str, str], *, may_have_capital: bool = True) -> str:
    """Returns an expression that matches each short form; a form without a full stop may have one.

    The forms are grouped by their first letter, so that most words are looked at once for each letter only.
    """

    def form(short: str) -> str:
        first = f"[{short[0].upper()}{short[0]}]" if may_have_capital and short[0].islower() else re.escape(short[0])
        rest = re.escape(short[1:]).replace(r"\.\ ", rf"\.{_SPACE}?").replace(r"\ ", _SPACE)
        if short.endswith("/"):  # "w/", but no phoneme "/w/"
            return rf"(?<!/){first}{rest}(?={_SPACE})"
        return first + rest + ("" if short.endswith(".") else r"\.?+")

    groups = groupby(
        sorted(table, key=lambda short: (short[0].lower(), -len(short))), key=lambda short: short[0].lower()
    )
    return "|".join(f"(?=[{letter}{letter.upper()}])(?:{'|'.join(map(form, shorts))})" for letter, shorts in groups)


def _key(short: str) -> str:
    return "".join(short.split()).removesuffix(".")


def _found(full_forms: Mapping[str, str], short: str) -> str:
    """The full form; with a capital if the short form has one that the table's hasn't."""
    key = _key(short)
    if key in full_forms:
        return full_forms[key]
    full = full_forms[key[0].lower() + key[1:]]
    return "/".join(part[0].upper() + part[1:] for part in full.split("/"))
