"""How locales write numbers, amounts, percentages, dates and times: CLDR data, read through Babel."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from babel import Locale
from babel.numbers import get_currency_name
from babel.units import format_unit

from languages.language import Language
from languages.neutral import locale_of
from languages.numbers import NumberWords
from languages.registry import language_of

_FIELD = re.compile(r"'(?P<literal>[^']*)'|d+|M+|y+")
_CODES_OF_SYMBOLS = {"€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB"}
_HALF_DAYS = ("AM", "PM")


@dataclass(frozen=True)
class Notation:
    """The notation of one locale.

    Attributes:
        locale: Its name in Babel.
        decimal: The mark between whole number and fraction.
        group: The mark between thousands.
        degree_gap: The space between a number and "°C".
        percent_gap: The space between a number and its percent sign.
        symbol_first: The currency symbol comes before the amount.
        symbol_gap: The space between a currency symbol and the amount.
        code_gap: The space between a currency code such as EUR and the amount.
        date: CLDR's pattern of a date such as ``dd/MM/y``.
        day: CLDR's pattern of a day and a month.
        long_date: CLDR's pattern of a date with the name of the month.
        long_day: CLDR's pattern of a day with the name of the month, without a year.
        months: Names of the months, in the form that follows a day; they replace MMMM in the patterns.
        half_days: Times are written with AM and PM.
        clock: The words after a time of day, such as " Uhr".
        words: The language's words beside numbers.
    """

    locale: str
    decimal: str
    group: str
    degree_gap: str
    percent_gap: str
    symbol_first: bool
    symbol_gap: str
    code_gap: str
    date: str
    day: str
    long_date: str
    long_day: str
    months: tuple[str, ...]
    half_days: bool
    clock: str
    words: NumberWords

    @cached_property
    def _parts(self) -> dict[str, str]:
        """Parts of dates, as regular expressions: names of months, short names too, and what stands beside a day."""
        short = (rf"{name}\b\.?" for name in self.words.short_months)
        return {
            "name": "|".join(map(re.escape, self.months)),
            "short": "|".join((*map(re.escape, self.months), *short)),
            "ordinal": "|".join(self.words.ordinal_endings) or "[.]",
            "link": rf"(?:{'|'.join(f' {word}' for word in self.words.date_links)})?",
            "alone": r"(?<![\w.,:/–-])",
        }

    @cached_property
    def words_of_dates(self) -> re.Pattern[str]:
        """A date whose month is a word: "25. Juli 1982", "25th of July", "July 25, 1982"; it has a day."""
        name, _, ordinal, link, _ = self._parts.values()
        day_first = (
            rf"(?<![\w.,])(?P<day>\d{{1,2}})(?:{ordinal})?{link} (?P<month>{name})(?:,?{link} (?P<year>\d{{4}}))?"
        )
        if not self.long_date.startswith("M"):
            return re.compile(day_first + r"(?!\w)(?P<day2>)(?P<month2>)(?P<year2>)")
        # Without a year, "March 10" may be the beginning of "In March 10 people came".
        return re.compile(
            rf"(?:{day_first}|\b(?P<month2>{name}) (?P<day2>\d{{1,2}})(?P<ordinal>{ordinal})?"
            r"(?:(?:, ?| )(?P<year2>\d{4})|(?=[,;)]|\.?\s*(?:\n|\Z))|(?(ordinal)|(?!))))(?!\w)"
        )

    @cached_property
    def ranges_of_days(self) -> re.Pattern[str]:
        """Two days, whose months are words: "3.–5. Juli 1982", "July 3–5", "20. April – 3. Mai", "Apr. 20–May 3"."""
        _, name, ordinal, link, alone = self._parts.values()
        day, to = rf"\d{{1,2}})(?:{ordinal})?", " ?[–-] ?"
        day_first = rf"{alone}(?P<first>{day}{to}(?P<day>{day}{link} (?P<month>{name})(?:,?{link} (?P<year>\d{{4}}))?"
        month_first = rf"\b(?P<month2>{name}) (?P<first2>{day}{to}(?P<day2>{day}(?:,? (?P<year2>\d{{4}}))?(?![:.,]?\d)"
        months = (rf"(?P<{kind}>{name})" for kind in ("other", "month3"))
        days = (rf"(?P<{kind}>{day}" for kind in ("first3", "day3"))
        order = r"\b{0} {1}" if self.long_date.startswith("M") else alone + "{1} {0}"
        two = to.join(order.format(*each) for each in zip(months, days, strict=True))
        return re.compile(rf"(?:{day_first}|{month_first})(?!\w)|{two}(?:,? (?P<year3>\d{{4}}))?(?![\w–-]|[:.,]?\d)")

    @cached_property
    def days_without_month(self) -> re.Pattern[str]:
        """A day whose month stands behind a second day: "3. bis 5. Juli", "3rd and 5th of July"."""
        name, _, ordinal, link, alone = self._parts.values()
        return re.compile(
            rf"{alone}(?<!\d\., )(?P<day>\d{{1,2}})(?:{ordinal})(?= (?:{'|'.join(self.words.joiners) or '(?!)'}) "
            rf"\d{{1,2}}(?:{ordinal}){link} (?P<month>{name})(?!\w))"
        )

    def month(self, name: str) -> int:
        """The number of a month, whose name may be short."""
        if name in self.months:  # Austria's own "Jänner" has no short form in the room
            return self.months.index(name) + 1
        full = self.words.short_months
        return list(dict.fromkeys(full.values())).index(full[name.removesuffix(".")]) + 1

    def name_behind(self, symbol: str) -> str:
        """A regular expression for the text after a number whose currency or percent sign became a word.

        Without it, a translation that forgot the currency would pass.
        """
        if symbol in ("%", "‰"):
            return rf"(?=\s?(?:{self.words.percent}))" if self.words.percent else ""
        stems = self.currency_names(symbol)
        if not stems:
            return ""
        # Other words may stand between: "57 Millionen US-Dollar", but not "57 oder 58 Dollar".
        guard = rf"(?!(?:{'|'.join(self.words.joiners)})\b)" if self.words.joiners else ""
        between = rf"(?:{guard}[^\W\d]+[\s-]){{0,2}}"
        return rf"(?=[\s-]{between}(?i:{stems}|{re.escape(symbol)}(?!\s?\d)))"

    def currency_names(self, symbol: str) -> str:
        """A regular expression for the beginnings of a currency's names, and its code; "" if CLDR doesn't know it."""
        code = _CODES_OF_SYMBOLS.get(symbol, symbol)
        names = {get_currency_name(code, count, self.locale) for count in (1, 2)}
        stems = sorted({re.escape(re.split(r"[ -]", name)[-1][:4]) for name in names})
        return "" if names == {code} else "|".join((*stems, code))

    def number(self, whole: str, fraction: str, *, grouped: bool) -> str:
        """Write a number given by its digits; an empty fraction is left out."""
        if grouped:
            first = len(whole) % 3 or 3
            whole = self.group.join([whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))])
        return whole + (self.decimal + fraction if fraction else "")

    def amount(self, number: str, currency: str) -> str:
        """Write an amount of money, with the currency's symbol or code on the side that the locale uses."""
        gap = self.code_gap if currency.isalpha() else self.symbol_gap
        return currency + gap + number if self.symbol_first else number + gap + currency

    def calendar_date(self, day: str, month: str, year: str) -> str:
        """Write a date given by its digits, with leading zeros as given; without a year if that is empty."""
        fields = {"d": day, "M": month, "y": year}
        names = self.months[int(month) - 1] if "MMM" in self.date else ""

        def written(field: re.Match[str]) -> str:
            if field["literal"] is not None:
                return field["literal"]
            if names:
                return {"d": day.lstrip("0"), "M": names, "y": year}[field[0][0]]
            return fields[field[0][0]]

        return _FIELD.sub(written, self.date if year else self.day)

    def date_in_words(self, day: int, month: int, year: str) -> str:
        """Write a date with the name of its month; without a year if that is empty."""
        fields = {"d": str(day), "M": self.months[month - 1], "y": year}
        pattern = self.long_date if year else self.long_day
        return _FIELD.sub(lambda field: field["literal"] or fields[field[0][0]], pattern)

    def time(self, hour: int, rest: str, *, is_padded: bool) -> str:
        """Write a time of day.

        Args:
            hour: 0 to 23.
            rest: The digits after the hour, with a colon before each pair; empty for a whole hour.
            is_padded: Write an hour below ten with two digits.
        """
        if self.half_days:
            return f"{hour % 12 or 12}{rest} {_HALF_DAYS[hour >= 12]}"
        rest = rest or ("" if self.clock else ":00")  # "16 Uhr", "16:00"
        return f"{hour:02}{rest}" if is_padded else f"{hour}{rest}"


@lru_cache(maxsize=128)
def notation_of(code: str) -> Notation | None:
    """The notation of a language code such as ``de``, ``en-GB``; None if CLDR doesn't know the language."""
    locale = locale_of(code)
    if locale is None:
        return None
    symbols = locale.number_symbols.get("latn", locale.number_symbols)
    currency = locale.currency_formats["standard"].pattern.split(";")[0]
    percent = locale.percent_formats[None].pattern
    symbol_first = currency.startswith("¤")
    gap = re.sub(r"[^\s]", "", currency)
    language = language_of(code)
    is_ambiguous = language.region is None and _orders_differ(language)
    return Notation(
        locale=str(locale),
        decimal=symbols["decimal"],
        group=symbols["group"],
        degree_gap=format_unit(1, "temperature-celsius", "short", locale=locale)[1:-2],
        percent_gap=re.sub(r"[^\s]", "", percent),
        symbol_first=symbol_first,
        symbol_gap=gap,
        code_gap=gap or "\u00a0",  # CLDR puts a space between letters and digits
        date=locale.date_formats["long"].pattern if is_ambiguous else str(locale.datetime_skeletons["yMd"]),
        day=str(locale.datetime_skeletons["MMMMd" if is_ambiguous else "Md"]),
        long_date=locale.date_formats["long"].pattern,
        long_day=str(locale.datetime_skeletons["MMMMd"]),
        months=tuple(locale.months["format"]["wide"][month] for month in range(1, 13)),
        half_days="h" in locale.time_formats["short"].pattern and not is_ambiguous,
        clock=language.clock.hour_word if language.clock else "",
        words=language.numbers,
    )


def _orders_differ(language: Language) -> bool:
    """Tells whether 04/05/1982 is a day in April in one region and in May in another.

    Without a region, the month is then written as a word.
    """
    locales = (Locale(language.code, region) for region in language.regions)
    return {"d", "M"} <= {str(locale.datetime_skeletons["yMd"])[0] for locale in locales}
