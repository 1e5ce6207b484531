"""Writes numbers, amounts, dates and times in a locale's notation, and chooses stand-ins for the model."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from app.fairness.windows import finditer, search
from app.text.inline.objects import Form, Rewrite
from app.text.numerals.words import words_of
from languages.notation import notation_of
from languages.registry import language_of

# Numbers that mean the same in every notation: with apostrophes or narrow spaces, or with both marks.
_UNAMBIGUOUS = (
    re.compile(r"(?P<whole>[1-9]\d{0,2}(?:['’\u00a0\u202f]\d{3})+)(?:[.,](?P<fraction>\d+))?"),
    re.compile(r"(?P<whole>[1-9]\d{0,2}(?P<mark>[.,])\d{3}(?:(?P=mark)\d{3})*+)(?!(?P=mark))[.,](?P<fraction>\d+)"),
)
# Models copy numbers of two digits reliably and seldom write them as words.
_STAND_INS = tuple(str(number) for number in range(57, 99)) + tuple(str(number) for number in range(23, 57))
# "1:0", and the minutes behind a name: "Müller (23., 90.+3)".
_SCORE = re.compile(r"(?<![\w:])\d{1,2}:\d{1,2}(?![\w:])")
_MINUTE = re.compile(r"(\d{1,3})\.(\+\d{1,2})?")
_MINUTES = re.compile(rf"(?<=[^\W\d_] \(){_MINUTE.pattern}(?:, {_MINUTE.pattern}){{0,9}}+(?=[,)])")
_UNIT_OF_LENGTH = re.compile(r"\s?(?P<word>[^\W\d_]+)")
_DAYS = re.compile(
    r"(?<![\w.,:/–-])(?P<first>\d{1,2})\.(?:(?P<other>\d{1,2})\.)?\s?[–-]\s?"
    r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})?(?![\w.])"
)
_FRACTION = re.compile(r"[1-9]\d?[/:]\d{1,3}(?:[.,]\d{3})+\Z")  # "1/10.000", "1:25.000"
_HOUR = re.compile(r"(?P<hour>\d{1,2})(?:[.:](?P<minutes>\d\d))?(?:\s?(?P<half>[ap])\.?m\.?)?", re.IGNORECASE)
_TWO_DIGITS = re.compile(r"(?<!\d)\d\d(?!\d)")


class Number(NamedTuple):
    """The digits of a number, and whether a mark stands between its thousands."""

    whole: str
    fraction: str
    grouped: bool

    @property
    def value(self) -> Decimal:
        """The number, with as many decimals as it has."""
        return Decimal(f"{self.whole}.{self.fraction}")


class Writer:
    """Writes the numeric expressions of one text for another language.

    Args:
        text: The text; its own numbers are not used as stand-ins.
        source: Code of its language, perhaps with a region.
        target: Code of the other language, perhaps with a region.

    Attributes:
        source: The text's language.
        can_write: The notations of both languages are known.
        knows_order: The source's region tells whether day or month comes first.
        is_day_first: The source writes the day before the month in numeric dates.
        has_ordinal_dates: In the source language, "25.07." is a date.
    """

    def __init__(self, text: str, source: str, target: str) -> None:
        self._here, self._there = notation_of(source), notation_of(target)
        self.can_write = self._here is not None and self._there is not None
        self.source, self._target = language_of(source), language_of(target)
        self.knows_order = self._here is not None and "/" in self._here.date
        self.is_day_first = self._here is not None and self._here.date.startswith("d")
        self.has_ordinal_dates = self._here is not None and self._here.date.startswith("d.")
        taken = {match[0] for match in finditer(_TWO_DIGITS, text)}
        self._free = [number for number in _STAND_INS if number not in taken]
        self._used = 0

    def converted(self, digits: str) -> str | None:
        """Writes a number, or both ends of a range, in the target's notation; None if the source has no such number."""
        assert self._here and self._there
        for mark in ("–", "-", "/", ":"):
            if mark in digits:
                parts = [self.converted(part) for part in digits.split(mark)]
                is_range = len(parts) == 2 and None not in parts and (mark in "–-" or _FRACTION.match(digits))
                return mark.join(part for part in parts if part) if is_range else None
        if digits.isdecimal():
            return digits
        number = read_number(digits, self._here.decimal, self._here.group)
        return number and self._there.number(number.whole, number.fraction, grouped=number.grouped)

    def number(self, written: str) -> Rewrite:
        """Returns the rewriting of a number that becomes ``written``."""
        stand_in = self._next_stand_in()
        return Rewrite(written, stand_in, (Form(_bare(stand_in), written),) if stand_in else ())

    def amount(self, sign: str, number: str, symbol: str, *, is_first: bool, has_scale: bool) -> Rewrite:
        """Rewrites a number with a currency or percent sign; the translation may have a word for the sign.

        Args:
            sign: The plus or minus sign before the amount, or nothing.
            number: The number in the target's notation.
            symbol: The currency or percent sign.
            is_first: The source has the symbol before the number.
            has_scale: A word such as "million" follows the number.
        """
        assert self._there
        if symbol in ("%", "‰"):
            written = number + self._there.percent_gap + symbol
        elif has_scale and is_first:  # "$3.5 million" is not "3,5 $ Millionen"
            written = symbol + number
        else:
            written = self._there.amount(number, symbol)
        stand_in = self._next_stand_in()
        if not stand_in:
            return Rewrite(sign + written)
        mark = re.escape(symbol)
        forms = (
            Form(rf"{mark}\s?{_bare(stand_in)}|{_bare(stand_in)}\s?{mark}(?!\w)", sign + written),
            Form(_bare(stand_in) + self._there.name_behind(symbol), sign + number),
        )
        gap = " " if symbol.isalpha() else ""
        return Rewrite(sign + written, symbol + gap + stand_in if is_first else f"{stand_in} {symbol}", forms)

    def rate(self, amount: Rewrite, symbol: str | None, units: str) -> Rewrite:
        """Rewrites an amount and the units that it is for: "/month". The model sees the amount, if it has a symbol."""
        written = amount.text + units
        if self._there is None or symbol is None or not amount.forms:
            return Rewrite(written)
        names = self._there.words.percent if symbol in ("%", "‰") else self._there.currency_names(symbol)
        named = rf"{_bare(amount.stand_in.strip(f' {symbol}'))}[\s-]?(?:{names or '(?!)'})\w*"
        return Rewrite(written, amount.stand_in, (amount.forms[0]._replace(written=written), Form(named, written)))

    def date(self, day: str, month: str, year: str) -> Rewrite | None:
        """Rewrites a date given by its digits; without a year if that is empty."""
        assert self._there
        return self.unchanged_date(self._there.calendar_date(day, month, year), day, month, year)

    def unchanged_date(self, written: str, day: str, month: str, year: str) -> Rewrite | None:
        """Rewrites a date as ``written``. The model sees the month as a word, and so finds the right preposition."""
        if not (self._here and self._there and 1 <= int(month) <= 12):
            return None
        return self._date_in_words(written, self._here.date_in_words(int(day), int(month), year), day, month, year)

    def expressions_in_words(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites all that has words in it; of two that overlap, the one that begins first, or is found first."""
        yield from self.ranges_of_days(text)
        yield from self.hours(text)
        yield from self.first_hours(text)
        yield from self.dates_in_words(text)
        yield from self.times_in_words(text)
        yield from self.lengths(text)
        yield from self.minutes(text)

    def ranges_of_days(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites "3.–5. Juni", "03.–05.06.2024", "3. bis 5. Juni", of which models translate the last date alone."""
        if not (self._here and self._there):
            return
        for match in finditer(self._here.ranges_of_days, text):
            kinds = {
                kind: match[kind] or match[f"{kind}2"] or match[f"{kind}3"]
                for kind in ("first", "day", "month", "year")
            }
            month = self._here.month(kinds["month"])
            other = self._here.month(match["other"]) if match["other"] else month
            yield from self._range(match, int(kinds["first"]), other, int(kinds["day"]), month, kinds["year"] or "")
        for match in finditer(_DAYS, text) if self.has_ordinal_dates else ():
            month = int(match["month"])
            other = int(match["other"] or month)
            yield from self._range(match, int(match["first"]), other, int(match["day"]), month, match["year"] or "")
        for match in finditer(self._here.days_without_month, text) if self.has_ordinal_dates else ():
            day, month = int(match["day"]), self._here.months.index(match["month"]) + 1
            if 1 <= day <= 31:
                written, shown = (each.date_in_words(day, month, "") for each in (self._there, self._here))
                yield *match.span(), self._date_in_words(written, shown, str(day), str(month), "")

    def _range(
        self, match: re.Match[str], first: int, other: int, day: int, month: int, year: str
    ) -> Iterator[tuple[int, int, Rewrite]]:
        assert self._here and self._there
        if not all(1 <= each <= 31 for each in (first, day)) or not all(1 <= each <= 12 for each in (other, month)):
            return
        written = self._there.date_in_words(day, month, year)
        if other != month:
            written = f"{self._there.date_in_words(first, other, '')} – {written}"
        elif first < day:
            written = re.sub(rf"(?<!\d){day}(\.?)(?!\d)", rf"{first}\1–{day}\1", written, count=1)
        else:
            return
        stand_in = self._here.date_in_words(day, month, year)
        yield *match.span(), self._date_in_words(written, stand_in, str(day), str(month), year)

    def hours(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites opening hours, "14:00–17:30 Uhr": models give the word for a clock, or half a day to one time."""
        if not (self._here and self._there):
            return
        words = words_of(self.source.code)
        for match in finditer(words.hours, text):
            times = list(_HOUR.finditer(match[0]))
            if any(int(time["hour"]) > 24 or int(time["minutes"] or 0) > 59 for time in times):
                continue
            written = ""
            for index, time in enumerate(times):
                half, last = time["half"] or times[-1]["half"], times[-1]["hour"] if not time["half"] else time["hour"]
                hour = _hour_of_half(int(time["hour"]), half, int(last)) if half else int(time["hour"]) % 24
                rest = f":{time['minutes']}" if time["minutes"] else ""
                if index % 2:
                    written += "–"
                elif index:
                    written += ", "
                written += self._there.time(hour, rest, is_padded=len(time["hour"]) == 2 and bool(rest))
            end = words.end_of_half(text, match.start(), match.end()) if times[-1]["half"] else match.end()
            yield match.start(), end, Rewrite(written + self._there.clock)

    def first_hours(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites the hour in "from 2 to 5 pm", to which models give no half of the day: "von 2 bis 17 Uhr".

        Only that of an afternoon is certain: "from 11 to 2 am" may begin in the morning, or at night.
        """
        if not self._there:
            return
        for match in finditer(words_of(self.source.code).first_hour, text):
            hour, minutes = int(match["hour"]), match["minutes"] or ""
            last = int(match["last"]), match["last_minutes"] or ""
            if (1, "") <= (hour, minutes) < last < (12, ""):
                rest = f":{minutes}" if minutes else ""
                yield *match.span("time"), self.number(self._there.time(hour + 12, rest, is_padded=bool(minutes)))

    def dates_in_words(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites the dates whose month is a word: models translate the month but may drop the day."""
        if not (self._here and self._there):
            return
        for match in finditer(self._here.words_of_dates, text):
            day, name, year = (
                match["day"] or match["day2"],
                match["month"] or match["month2"],
                match["year"] or match["year2"] or "",
            )
            month = self._here.months.index(name) + 1
            if 1 <= int(day) <= 31:
                written = self._there.date_in_words(int(day), month, year)
                yield *match.span(), self._date_in_words(written, match[0], day, str(month), year)

    def _date_in_words(self, written: str, stand_in: str, day: str, month: str, year: str) -> Rewrite:
        assert self._there
        name = re.escape(self._there.months[int(month) - 1])
        number = rf"0?{int(day)}"
        end = rf",? {year}" if year else ""
        words = self._target.numbers
        ordinal = _either(words.ordinal_endings)
        of = _either(f" {word}" for word in words.date_links)
        the = _either(f"(?i:{word}) " for word in words.date_articles)
        patterns = (
            rf"(?:\b(?:{the}|{name} ))?(?<![\w.,]){number}(?:{ordinal}|\.)?(?:{of})? {name}(?:{of})?{end}(?!\w)",
            # Behind a month, a full stop ends the sentence: "on May 3."
            rf"\b{name} (?:{the})?{number}(?:{ordinal})?{end}(?!\w)",
        )
        return Rewrite(written, stand_in, tuple(Form(pattern, written) for pattern in (*patterns, re.escape(stand_in))))

    def time(self, hour: int, rest: str, *, is_padded: bool) -> str:
        """Rewrites a time of day; see ``Notation.time``."""
        assert self._there
        return self._there.time(hour, rest, is_padded=is_padded) + self._there.clock

    def unit(self, name: str) -> str | None:
        """Writes one of a unit, given by the name that all languages share; None if the target has no word for it."""
        unit = self._target.numbers.units.get(name)
        return unit.one if unit else None

    def lengths(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites feet and inches in words: "4 ft 11 in". Models take "in" for the preposition."""
        there = self._target.numbers.units
        if not {"foot", "inch"} <= there.keys():
            return
        words = words_of(self.source.code)
        for match in finditer(words.length, text):
            written = _UNIT_OF_LENGTH.sub(lambda unit: f" {there[words.units[unit['word'].lower()]].several}", match[0])
            yield *match.span(), Rewrite(written)

    def minutes(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites the minutes of goals, for languages that don't write "(23.)" for the 23rd: "1:0 Kroos (23.)"."""
        if not self.source.dotted_ordinals or self._target.dotted_ordinals or not search(_SCORE, text, 0):
            return
        for match in finditer(_MINUTES, text):
            yield *match.span(), Rewrite(_MINUTE.sub(r"\1\2'", match[0]))

    def times_in_words(self, text: str) -> Iterator[tuple[int, int, Rewrite]]:
        """Rewrites times such as "halb acht" and "Viertel nach 8".

        Models are often wrong by an hour, and take "nach" for "to".
        """
        here, there = self.source.clock, self._target.clock
        for found in here.read(text, finditer) if here and there else ():
            written = there.write(found.time) if there else None
            if written:
                yield found.begin, found.end, Rewrite(_capital(written) if found.is_capital else written)

    def scale(self, abbreviation: str | None) -> str | None:
        """Returns the target's word for an abbreviation after a number, such as Mio or bn; None if it has none."""
        power = self.source.numbers.scales.get(abbreviation or "")
        if power is None or abbreviation in self._target.numbers.scale_letters:
            return None if power is None else abbreviation
        return self._target.numbers.scale_words.get(power)

    def preposition_of_time(self, word: str) -> str | None:
        """Translates the preposition before a time of day; None if the word is no such preposition."""
        here, there = self.source.clock, self._target.clock
        if not (here and there) or word.lower() != here.at:
            return None
        return _capital(there.at) if word[0].isupper() else there.at

    def _next_stand_in(self) -> str:
        """Returns a stand-in that the text doesn't contain; "" if it contains all of them."""
        self._used += 1
        return self._free[self._used % len(self._free)] if self._free else ""


def _hour_of_half(hour: int, half: str, last: int) -> int:
    """The hour of a time of half a day, "a" or "p", that goes up to a last one: "9 to 5 pm" begins in the morning."""
    return hour % 12 + 12 * (half.lower() == "p" and hour % 12 <= last % 12)


def _either(words: Iterable[str]) -> str:
    return "|".join(words)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _bare(stand_in: str) -> str:
    return rf"(?<![\w.,]){stand_in}(?![\d_]|[.,]\d)"  # "5,5km" is shown as "58km" where markup is


def read_number(digits: str, decimal: str, group: str) -> Number | None:
    """Read a number in a notation, or one that every notation reads alike; None if it is not a number.

    In German, "1.234" is a number above a thousand; "2.5" is not a number, but may be a version.

    Args:
        digits: Digits and marks.
        decimal: The notation's decimal mark.
        group: The notation's mark between thousands.
    """
    decimal, group = re.escape(decimal), re.escape(group)
    own = re.compile(rf"(?P<whole>\d*|[1-9]\d{{0,2}}(?:{group}\d{{3}})+)(?:{decimal}(?P<fraction>\d+))?")
    for form in (own, *_UNAMBIGUOUS):
        match = form.fullmatch(digits)
        if match:
            whole = re.sub(r"\D", "", match["whole"])
            return Number(whole or "0", match["fraction"] or "", grouped=whole != match["whole"])
    return None
