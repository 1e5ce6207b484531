"""Short forms that models don't know, written out: "3 Std." as "3 Stunden", "fig. 2" as "figure 2".

A model knows only the commonest short forms, and makes other words of the rest: the shipped one had "3 million" for "3
Min.", and "nein. 5" for "no. 5".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

_NUMBER = r"[\d½¼¾⅓⅔⅛\ue000-\uf8ff]"  # the private ones are stand-ins of numbers
_SPACE = r"[ \u00a0\u202f]"
_AMOUNT = re.compile(rf"{_NUMBER}{_SPACE}?$")
_LONGEST_AMOUNT = 16  # characters that are looked at
_ONE = re.compile(rf"(?<![\d.,\ue000-\uf8ff/])(?<!\d{_SPACE})(?:1|\d/\d{{1,2}}|1?[½¼¾⅓⅔⅛]){_SPACE}?$")
_MAY_HAVE = rf"{_NUMBER}{_SPACE}?[^\W\d_]|[^\W\d_]\.|[^\W\d_](?= ?[-–/&] ?[^\W\d_])"
_DATE = rf"\d{{1,2}}\.{_SPACE}?(?:0?[1-9]|1[0-2])\."  # not "Fr. 25.50", which is Swiss money
_NAME = re.compile(rf"{_SPACE}[A-Z]")
_END = re.compile(r"[\"'”“’‘»«]*\s*\Z")


class ShortForms:
    """The short forms of one language, in tables of "short: full" line by line.

    A full stop behind a short form may be missing where the table has none. It stays if it ends the sentence. A short
    form in small letters may have a capital, unless it is a unit, or the table has that one, too. A form whose full
    form is itself stays: models know it, or it is a name.

    Args:
        units: What stands behind a number, or behind one of ``rates``; full forms of one and of several, with a slash
            between them if they differ.
        rates: Words before a unit of which there is one: "per".
        references: What stands before a number.
        words: What may stand anywhere. The spaces between its parts may be missing.
        months: What stands beside a number, with a full stop.
        days: What stands in a range or pair of days, or with a full stop before a date or an hour.
        until: The word between the first and the last of several days.
        both: The word between two days.
        hour: An expression of what stands behind the number of an hour.
        never: An expression; in sentences that match it, the references may mean something else.

    Attributes:
        before_small: The short forms that may have a full stop, without it: it ends no sentence before a small letter.
    """

    def __init__(
        self,
        *,
        units: str,
        rates: Iterable[str],
        references: str,
        words: str,
        months: str,
        days: str,
        until: str,
        both: str,
        hour: str,
        never: str = "(?!)",
    ) -> None:
        tables = {"unit": units, "reference": references, "word": words, "month": months, "day": days}
        self._tables = {kind: _table(lines) for kind, lines in tables.items()}
        full = {kind: {_key(short): each for short, each in table.items()} for kind, table in self._tables.items()}
        self._full = full | {"behind": full["month"]}
        self._rates, self._hour, self._never = tuple(rates), hour, never
        self._between = {"-": until, "–": until, until: until, "/": both, "&": both, both: both}
        dotless = (re.escape(each) for each in (*self._tables["word"], *self._rates) if "." not in each)
        self._may_have = re.compile("|".join((_MAY_HAVE, *(rf"\b{each}\b" for each in dotless))), re.IGNORECASE)
        forms = (short for short in self._tables["word"] if short.endswith("."))
        dotted = (*self._tables["unit"], *self._tables["reference"], *forms)
        self.before_small = tuple(short.removesuffix(".") for short in dotted)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Matches all short forms, each in the group of its kind; takes 10 ms to compile."""
        unit, reference, word = (_either(self._tables[kind]) for kind in ("unit", "reference", "word"))
        month, day = (_either(self._tables[kind], full_stop="") for kind in ("month", "day"))
        rate = "".join(
            rf"|(?<=\b[{one[0].upper()}{one[0]}]{one[1:]}{_SPACE})(?!\S+{_SPACE}{_NUMBER})" for one in self._rates
        )
        time = (
            rf"{_DATE}|\d{{1,2}}\.{_SPACE}?[^\W\d_]|(?:{month})\b"
            rf"|\d[\d.:]{{0,4}}(?:{_SPACE}?[-–]{_SPACE}?\d[\d.:]{{0,4}})?{_SPACE}?(?:{self._hour})"
        )
        signs = "|".join(map(re.escape, self._between))
        words = "|".join(sign for sign in self._between if sign.isalpha())
        self._day = re.compile(rf"(?P<sign>{_SPACE}?(?:{signs}){_SPACE}?)?(?P<day>{day})\b\.?+")
        return re.compile(
            rf"(?:(?<={_NUMBER}){_SPACE}?|(?<=[\d€$£]/)(?!\w\b){rate})(?P<unit>{unit})(?!\w|[-.]\w)"
            rf"|(?<![\w.-])(?:(?P<reference>{reference})(?={_SPACE}(?!(?:19|20)\d\d\b){_NUMBER})"
            rf"|(?P<word>{word})(?!\w|-\w)"
            rf"|(?P<month>{month})\.(?={_SPACE}\d)"
            rf"|(?P<days>(?:{day})\b\.?+(?:{_SPACE}?(?:{signs}){_SPACE}?(?:{day})\b\.?+){{1,6}}+)(?!\w|-)"
            rf"|(?P<day>{day})\.(?=,?{_SPACE}(?:{time})|,{_SPACE}(?:\d|(?:{day})\b)"
            rf"|{_SPACE}(?:{words}){_SPACE}[^\W\d_A-Z]))"
            rf"|(?<=\d{_SPACE})(?P<behind>{month})\.(?!\w)"
        )

    def written_out(self, sentence: str) -> Iterator[tuple[int, int, str]]:
        """Yields begin and end of each short form, and what to write instead, in order."""
        if not self._may_have.search(sentence):
            return
        is_other = re.search(self._never, sentence) is not None
        for match in self._pattern.finditer(sentence):
            kind = match.lastgroup
            assert kind
            begin, end = match.start(kind), match.end()
            if (is_other and kind == "reference") or not self._is_meant(match, kind, sentence):
                continue
            full = self._several(match[kind]) if kind == "days" else _found(self._full[kind], match[kind])
            if kind == "unit":
                full = _counted(full, sentence[max(0, begin - _LONGEST_AMOUNT) : begin])
            if full == match[kind]:
                continue
            if sentence[end - 1] == "." and _END.match(sentence, end):
                end -= 1
            yield begin, end, full

    def _several(self, days: str) -> str:
        """The full forms of days, with words for the signs between them."""
        return "".join(
            (f" {self._between[match['sign'].strip()]} " if match["sign"] else "")
            + _found(self._full["day"], match["day"])
            for match in self._day.finditer(days)
        )

    def _is_meant(self, match: re.Match[str], kind: str, sentence: str) -> bool:
        """Tells whether a match is no other word or name: "UX 250h", "ASAP Rocky"."""
        short = match[kind]
        if kind == "unit":
            is_close = len(_key(short)) == 1 and not sentence[match.start(kind) - 1].isspace()
            return not is_close and (not short[0].isupper() or _key(short) in self._full[kind])
        if kind == "days":
            named = [match["day"] for match in self._day.finditer(short)]
            return len(set(named)) == len(named)
        return not (kind == "word" and short.isupper() and _NAME.match(sentence, match.end()))


def _counted(full: str, before: str) -> str:
    """The full form of a unit for what is before it, with a space if there is none."""
    one, _, several = full.partition("/")
    is_rate = not _AMOUNT.search(before)
    counted = one if not several or is_rate or _ONE.search(before) else several
    return counted if before[-1:].isspace() or before[-1:] == "/" else f" {counted}"


def _table(lines: str) -> dict[str, str]:
    pairs = (line.split(": ") for line in lines.strip().splitlines())
    return {short.strip(): full.strip() for short, full in pairs}


def _either(table: Mapping[str, str], full_stop: str = r"\.?+") -> str:
    """Returns an expression that matches each short form; if one has no full stop, ``full_stop`` may follow it."""
    return "|".join(
        (f"[{short[0].upper()}{short[0]}]" if short[0].islower() else re.escape(short[0]))
        + re.escape(short[1:]).replace(r"\ ", f"{_SPACE}?")
        + ("" if short.endswith(".") else full_stop)
        for short in sorted(table, key=len, reverse=True)
    )


def _key(short: str) -> str:
    return "".join(short.split()).removesuffix(".")


def _found(full_forms: Mapping[str, str], short: str) -> str:
    """The full form; with a capital if the short form has one that the table's hasn't."""
    key = _key(short)
    if key in full_forms:
        return full_forms[key]
    full = full_forms[key[0].lower() + key[1:]]
    return full[0].upper() + full[1:]
