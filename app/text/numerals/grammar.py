"""Finds the numeric expressions of a text that a model may damage, and tells how another language writes them.

    [numeral] = localize("Es kostet 6.917.892,40 Euro.", "de", "en")
    numeral.rewrite.text == "6,917,892.40"

A number with separators, an amount of money, a numeric date and a time are written in the target's notation if they
have only one meaning. Identifiers and ambiguous expressions stay unchanged: versions, telephone and account numbers,
ISBNs, scores, ``04/05/1982``. Small whole numbers and years are left to the model, which copies them and translates the
sentence better with them. In place of a numeric expression, the model sees a simpler one that it copies reliably and
that keeps the grammar of the sentence: "Es kostet 57 Euro.", "am 25. Juli 1982" for "am 25.07.1982".

All regular expressions are bounded or possessive, so the time is proportional to the length of the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

from app.fairness.windows import search
from app.text.inline.objects import Rewrite
from app.text.numerals.words import CODES, CURRENCY, NO_PRODUCTS, words_of
from app.text.numerals.writing import Writer
from app.text.protection.footnotes import FOOTNOTE
from languages import keyboard
from languages.registry import language_of
from languages.signs import SPACES

# Numbers that stay unchanged, even if they look like a notation.
_IDENTIFIER = re.compile(
    rf"""
    # An account number (IBAN), book numbers (ISBN).
    [A-Z]{{2}}\d{{2}}(?:[ ]?[A-Z0-9]{{4}}){{3,7}}(?:[ ]?[A-Z0-9]{{1,3}})?(?!\w)
    | 97[89](?:[ -]?\d){{10}}(?!\w)
    | \d(?:[ -]?\d){{8}}[ -]?X(?!\w)
    # A number for the value-added tax: DE 123 456 789.
    | [A-Z]{{2}}[ ]\d{{3}}[ ]\d{{3}}[ ]\d{{3}}(?!\w)
    # Telephone numbers; "+14.6" is none.
    | (?!\+\d{{1,3}}[.,]\d{{1,3}}(?![\d./-]|[ ]\d))
      (?:\+|(?<![\d.,])00(?=[1-9]))\d{{1,3}}(?:[ ./-]?\(?\d{{1,12}}\)?){{2,7}}(?!\w)
    | \(0?\d{{2,5}}\)[ ]?\d{{2,8}}(?:[ /-]\d{{2,8}}){{0,4}}(?![\w/])
    | 0\d{{1,5}}[ /-]\d{{3,8}}(?:[ -]\d{{2,8}}){{0,4}}(?![\w/])
    # A date and time of ISO 8601, and a time with a fraction, as in logs.
    | \d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{{1,9}})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)
    | \d\d:\d\d:\d\d[.,]\d{{1,9}}(?!\w)
    # Feet and inches.
    | \d{{1,2}}['’′][ ]?\d{{1,2}}(?:["”″]|''|′′)
    # Versions: v2.0.1, Python3.11, 1.2.0-rc1.
    | (?!(?:{CODES})\d)[A-Za-z]{{1,20}}-?\d{{1,20}}(?:\.\d{{1,20}}){{1,8}}(?:[-+]?[A-Za-z]{{1,8}}[.\d]{{0,8}})?(?!\w)
    | \d{{1,20}}(?:\.\d{{1,20}}){{1,8}}[-+]?(?:rc|beta|alpha|dev|post|a|b)[-.]?\d{{0,8}}(?!\w)
    # Durations: 2 h 45 min.
    | (?:\d{{1,3}}[ ]?h[ ]?\d{{1,2}}[ ]?min|\d{{1,3}}[ ]?min[ ]?\d{{1,2}}[ ]?s)(?!\w)
    # 12 500: one number, or two.
    | \d{{1,3}}(?:[ ]\d{{3}}){{1,8}}(?:[.,]\d{{1,20}})?(?!\w)
    """,
    re.VERBOSE,
)
_STARTS = re.compile(
    rf"(?<![\w.,])(?:[+−±-]?(?:(?:{CURRENCY}|(?:{CODES})(?=[{SPACES}]?\d))[{SPACES}]?)?\.?\d|\(0?\d"
    r"|[A-Za-z]{1,20}-?\d|[A-Z]{2} \d{3} \d)"
)
_TIME = re.compile(r"([01]?\d|2[0-4])(?:[:.]([0-5]\d)(?:[:.]([0-5]\d))?)?")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.([12]\d{3})")
_SLASHED_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})")
_PADDED_DAY = re.compile(r"0[1-9]\.[01]\d|[0-3]\d\.0[1-9]")
_LINE_ENDS = re.compile(r"\.[^\S\n]{0,80}+(?:\n|\Z)")
_LINE_BEGINS, _WORD_BEFORE = re.compile(r"(?:\A|\n)\s*$"), re.compile(r"\w+ $")
_VERSION = re.compile(r"\d{1,3}\.\d{1,2}")
# What the name of a clause or version has, and no date: "3.2", "3.4–3.6".
_NAME = re.compile(r"(?!\d{1,2}\.\d{1,2}\.\d{4}\Z)\d+(?:\.\d+)*+(?:[–-]\d+(?:\.\d+)*+)?")
_POINTS = re.compile(r"\d+(?:\.\d+)*|\d+,\d+")
_TO = re.compile(r"[–-](?=\S)")
_CELL_BEGINS, _CELL_ENDS = re.compile(r".?[\n\t]|\s\s|.?\|| ?|\| "), re.compile(r"\s*(?:\n|\Z)|\t|  | ?\|")
_PLAIN = re.compile(r"\d{1,4}")
_DIGIT = re.compile(r"\d")
_DIGITS_BEHIND = re.compile(rf"[{SPACES}]?\d")
_LONGEST = 60  # characters of an expression; longer ones are identifiers
_BEFORE = 24  # characters before a number that are searched for words such as "chapter"


class Numeral(NamedTuple):
    """A numeric expression in a text, and its rewriting; None if it stays unchanged."""

    begin: int
    end: int
    rewrite: Rewrite | None


def may_have_numerals(text: str, source: str) -> bool:
    """A quick check of a text in a language: if false, ``localize`` finds nothing."""
    if search(_DIGIT, text, 0):
        return True
    language = language_of(source)
    if language.clock and search(language.clock.hint, text, 0):
        return True
    return bool(language.keys) and search(keyboard.HINT, text, 0) is not None


def localize(text: str, source: str, target: str) -> list[Numeral]:
    """Find the numeric expressions that a model may damage, in order and disjoint.

    Args:
        text: Any string.
        source: Code of its language, with a region if that is known.
        target: Code of the language to write for, with or without a region.
    """
    text = FOOTNOTE.sub(lambda mark: " " * len(mark[0]), text)
    writer = Writer(text, source, target)
    here, there = language_of(source), language_of(target)
    others = chain(here.references(text, target), keyboard.combinations(text, here.keys, there.keys))
    rewritten = ((begin, end, Rewrite(new)) for begin, end, new in others)
    words = chain(writer.expressions_in_words(text), rewritten)
    found = list[Numeral]()
    for numeral in sorted((Numeral(*each) for each in words), key=lambda numeral: numeral.begin):
        if not found or numeral.begin >= found[-1].end:
            found.append(numeral)
    ends = [0, *(numeral.end for numeral in found)]
    for numeral in _numerals(text, _Reader(text, writer)):
        before = bisect_right(ends, numeral.begin) - 1
        if before == len(ends) - 1 or numeral.end <= found[before].begin:
            found.append(numeral)
    return sorted(found, key=lambda numeral: numeral.begin)


def _numerals(text: str, reader: "_Reader") -> Iterator[Numeral]:
    done = 0
    while start := search(_STARTS, text, done):
        begin = start.start()
        identifier = _IDENTIFIER.match(text, begin)
        if identifier:
            yield reader.identifier(identifier)
            done = identifier.end()
            continue
        # A sentence behind the number of a clause is translated without it: see ``app.text.sentences``.
        is_first = _LINE_BEGINS.search(text, max(0, begin - _BEFORE), begin)
        done = reader.words.end_of_clause(text, begin, len(text)) if is_first else begin
        match = reader.words.expression.match(text, begin) if done == begin else None
        if match is None:  # a bracket or letters before a number
            done = max(done, begin + 1 if text[begin] == "(" else start.end())
            continue
        numeral = reader.numeral(match)
        if numeral:
            yield numeral
        done = max(numeral.end if numeral else match.end("digits"), begin + 1)


class _Reader:
    """Classifies the numeric expressions of one text and rewrites them.

    Attributes:
        words: What the text's language has beside numbers.
    """

    def __init__(self, text: str, writer: Writer) -> None:
        self._text, self._writer, self.words = text, writer, words_of(writer.source.code)
        self._name_end = -1

    def identifier(self, match: re.Match[str]) -> Numeral:
        """Returns the rewriting of an identifier, which stays unchanged. The model sees an ISO date in words."""
        date = _ISO_DATE.fullmatch(match[0])
        rewrite = self._writer.unchanged_date(match[0], *date.group(3, 2, 1)) if date else None
        return Numeral(*match.span(), rewrite)

    def numeral(self, match: re.Match[str]) -> Numeral | None:
        """Returns an expression with its rewriting; None if the model translates it."""
        found = self._number(match)
        return self._seconds(match) or self._rate(match, found) or self._range_of_amounts(match, found) or found

    def _number(self, match: re.Match[str]) -> Numeral | None:
        digits, (begin, end) = match["digits"], match.span("digits")
        if "/" in digits and self._text[end : end + 1].isalpha():  # "1/1,000th"
            return None
        is_hour = len(digits) <= 2 and (match["half"] or match["clock"] or match["until"] is not None)
        is_short = len(digits) <= 4 and digits.isdecimal()
        is_scaled = match["scale"] or (match["letters"] and self._is_money(match))
        is_percent_alone = match["after"] and self._is_alone(match)
        if is_short and not (match["behind"] or is_scaled or is_hour or _currency(match) or is_percent_alone):
            return None
        if self._writer.can_write and len(digits) <= _LONGEST and not self._is_name(match):
            for read in (self._time, self._date, self._amount):
                numeral = read(match)
                if numeral:
                    return numeral
        if not _needs_care(digits):
            return None
        return Numeral(begin, end, self._writer.number(digits) if _POINTS.fullmatch(digits) else None)

    def _range_of_amounts(self, match: re.Match[str], first: Numeral | None) -> Numeral | None:
        """Returns an amount and one up to which it goes, "$120K–$150K": models mix up the two."""
        symbol = match["before"]
        to = _TO.match(self._text, first.end) if first and first.rewrite and symbol else None
        other = self.words.expression.match(self._text, to.end()) if to else None
        last = self.numeral(other) if other and other["before"] == symbol else None
        if not (first and first.rewrite and to and last and last.rewrite):
            return None
        if first.rewrite.text.startswith(symbol) != last.rewrite.text.startswith(symbol):  # "$2–$3 million"
            return None
        return Numeral(first.begin, last.end, self._writer.rate(first.rewrite, symbol, to[0] + last.rewrite.text))

    def _seconds(self, match: re.Match[str]) -> Numeral | None:
        """Returns a number with "s" for seconds, or "ms"; None for a decade."""
        (begin, end), digits = match.span("digits"), match["digits"]
        unit = self.words.time_unit.match(self._text, end)
        if not (unit and self._writer.can_write) or not (written := self._writer.converted(digits)):
            return None
        is_sure = len(unit[0]) > 1 or self.words.duration.search(self._text, max(0, begin - _BEFORE), begin)
        return Numeral(begin, unit.end(), Rewrite(written + unit[0])) if is_sure else None

    def _rate(self, match: re.Match[str], amount: Numeral | None) -> Numeral | None:
        """Returns an amount with what it is for, "$9.99/month"; None if all of that are signs of units."""
        rate = self.words.rate.match(self._text, match.end())
        is_amount = self._writer.can_write and not (match["clock"] or match["half"])
        if rate is None or not is_amount or self._writer.converted(match["digits"]) is None:
            return None
        words = rate["units"].replace("./", "/").split("/")
        units = [self._unit(word) for word in words]
        is_money = _currency(match) is not None
        if None in units or (words[0] and (is_money or units == words)) or (amount and amount.end != match.end()):
            return None
        begin = amount.begin if amount else match.start("digits")
        written = amount.rewrite if amount and amount.rewrite else Rewrite(self._text[begin : match.end()])
        # A full stop may end the sentence.
        end = rate.end("units" if rate["dot"] and self._may_end(begin, rate, words[-1]) else 0)
        symbol = match["before"] or match["after"]
        return Numeral(begin, end, self._writer.rate(written, symbol, "/".join(map(str, units))))

    def _unit(self, word: str) -> str | None:
        """Writes a unit for the target; None if it has no word for it. Signs stay."""
        name = self.words.units.get(word.lower())
        return self._writer.unit(name) if name and not self.words.sign.fullmatch(word) else word

    def _is_name(self, match: re.Match[str]) -> bool:
        """Tells whether a number is a version or belongs to a name, as a chapter's does."""
        text, (begin, end) = self._text, match.span("digits")
        first = max(0, begin - _BEFORE)
        if _currency(match) or self.words.large_number.match(text, end):
            return False
        in_brackets = text[begin - 1 : begin] == "("
        if in_brackets and text[end : end + 1] == ")" and _LINE_BEGINS.search(text, first, begin - 1):
            return _VERSION.fullmatch(match["digits"]) is not None  # "(1.1) The tenant"
        before = begin - in_brackets
        is_named = bool(_NAME.fullmatch(match["digits"]) and self.words.named.search(text, first, before))
        if not is_named and (
            not _VERSION.fullmatch(match["digits"])
            or any(match[group] for group in ("sign", "after", "half", "clock"))
            or self.words.scale.match(text, end)
        ):
            return False
        if self.words.measure.match(text, end) or not (is_named or self._is_version(first, begin, end)):
            return False
        self._name_end = end
        return True

    def _is_version(self, first: int, begin: int, end: int) -> bool:
        """Tells whether digits with a point are a version, or the number of a clause."""
        product = self.words.product.search(self._text, first, begin)
        if product:
            return product[0][:-1] not in NO_PRODUCTS
        if self.words.pointing.match(self._text, end):
            return True
        return bool(0 <= self._name_end < begin and self.words.joiner.fullmatch(self._text, self._name_end, begin))

    def _time(self, match: re.Match[str]) -> Numeral | None:
        half = match["half"] if self._writer.source.reads_half_days else None  # not "9.30 am Bahnhof"
        is_clock = match["clock"] or match["until"] is not None
        time = _TIME.fullmatch(match["digits"])
        if not time or not (":" in match["digits"] or half or is_clock):
            return None
        begin, end = match.span("digits")
        hour, minutes = int(time[1]), [part for part in time.groups()[1:] if part]
        if half and 1 <= hour <= 12:
            hour = hour % 12 + 12 * half.lower().startswith("p")
            end = self.words.end_of_half(self._text, begin, match.end("half"))
        elif not (minutes or is_clock):
            return None
        elif match["clock"]:
            end = match.end("clock")
            if not minutes and (behind := self.words.minutes_behind.match(self._text, end)):
                minutes, end = [behind["minutes"]], behind.end()
        before = _WORD_BEFORE.search(self._text, max(0, begin - _BEFORE), begin)
        preposition = self._writer.preposition_of_time(before[0].strip()) if before else None
        if end == match.end("digits") and not (preposition or is_clock):  # a score, perhaps
            return Numeral(begin, end, None)
        is_padded = bool(minutes) and (len(time[1]) == 2 or bool(half))
        written = self._writer.time(hour % 24, "".join(f":{part}" for part in minutes), is_padded=is_padded)
        if before and preposition:
            return Numeral(before.start(), end, Rewrite(f"{preposition} {written}"))
        return Numeral(begin, end, Rewrite(written))

    def _date(self, match: re.Match[str]) -> Numeral | None:
        digits, (begin, end) = match["digits"], match.span("digits")
        dotted, slashed, short = (form.fullmatch(digits) for form in (_DOTTED_DATE, _SLASHED_DATE, _DAY))
        is_clear = True
        if dotted:
            day, month, year = dotted.groups()
        elif slashed:
            first, second, year = slashed.groups()
            is_clear = self._writer.knows_order or first == second or max(int(first), int(second)) > 12
            is_day_first = int(second) <= 12 and (int(first) > 12 or self._writer.is_day_first)
            day, month = (first, second) if is_day_first else (second, first)
        elif short and self._writer.has_ordinal_dates and self._is_day(match, end):
            day, month, year = *short.groups(), ""
            end = max(end, match.end("ending"))
        else:
            return None
        if not (1 <= int(day) <= 31 and 1 <= int(month) <= 12):
            return Numeral(begin, match.end("digits"), None)
        write = self._writer.date if is_clear else partial(self._writer.unchanged_date, digits)
        return Numeral(begin, end, write(day, month, year))

    def _may_end(self, begin: int, rate: re.Match[str], word: str) -> bool:
        """Tells whether the full stop behind a unit may be that of a sentence."""
        if not self.words.is_short(word):
            return True
        before = self._text[max(0, begin - _BEFORE) : begin].rpartition("\n")[2]
        behind = self._text[rate.end() : rate.end() + _BEFORE].partition("\n")[0]
        if behind.strip():
            return behind[0].isspace() and not behind.lstrip()[0].islower()
        return any(map(str.isalpha, before))

    def _is_day(self, match: re.Match[str], end: int) -> bool:
        """Tells a day of a month from a number: "25.07. kam er"; "bis 05.09.", but not "Raum 05.09.", ends a line."""
        if match["ending"]:
            behind = match.end("ending") + 1
            return not self._text[behind : behind + 1].isupper()
        if not _LINE_ENDS.match(self._text, end) or not _PADDED_DAY.fullmatch(match["digits"]):
            return False
        before = _WORD_BEFORE.search(self._text, max(0, match.start() - _BEFORE), match.start())
        ordinals = self._writer.source.dotted_ordinals
        return bool(before and ordinals and before[0].rstrip().lower() in ordinals.before)

    def _amount(self, match: re.Match[str]) -> Numeral | None:
        digits = match["digits"]
        letters = match["letters"] if self._is_money(match) else None
        scale = self._writer.scale(match["scale"] or (letters or "").strip())
        if match["scale"] and scale is None:  # the model sees "58 Mio. €"
            rewrite = self._writer.number(self._writer.converted(digits) or digits)
            return Numeral(*match.span("digits"), rewrite) if _needs_care(digits) else None
        # Letters that the target has no word for part the number from what follows them.
        is_parted = match["letters"] and scale is None
        sign, before, after = match["sign"] or "", match["before"], None if is_parted else match["after"]
        needs_writing = _needs_care(digits) or match["behind"] or scale or before or (after and _currency(match))
        needs_writing = needs_writing or (after and self._is_alone(match))
        written = self._writer.converted(digits) if needs_writing else None
        if written is None:
            return None
        written += scale or ""
        number_end = match.end("letters" if letters and scale else "digits")
        begin = match.start() if before or sign else match.start("digits")
        end = match.end("after") if after else match.end("behind") if match["behind"] else number_end
        symbol = before or after
        if before and after:  # $5.50 USD
            begin, end, sign, symbol = match.start("digits"), number_end, "", None
        if symbol is None:
            return Numeral(begin, end, self._writer.number(sign + written))
        has_scale = bool(self.words.scale.match(self._text, end))
        return Numeral(
            begin, end, self._writer.amount(sign, written, symbol, is_first=bool(before), has_scale=has_scale)
        )

    def _is_alone(self, match: re.Match[str]) -> bool:
        """Tells whether nothing else is in the cell of a number: no model writes it."""
        before = self._text[max(0, match.start() - 2) : match.start()]
        return bool(_CELL_BEGINS.fullmatch(before) and _CELL_ENDS.match(self._text, match.end()))

    def _is_money(self, match: re.Match[str]) -> bool:
        """Tells whether letters behind a number count money: "$5m" and "5m euros", but not "3m EUR 12.50"."""
        if match["before"]:
            return True
        if match["after"]:
            return bool(_currency(match)) and not _DIGITS_BEHIND.match(self._text, match.end())
        return bool(self.words.currency.match(self._text, match.end()))


def _currency(match: re.Match[str]) -> str | None:
    """Finds the currency of an amount. Models omit it or give it to another number: "$3 or €5"."""
    return match["before"] or (match["after"] if match["after"] not in ("%", "‰") else None)


def _needs_care(digits: str) -> bool:
    """Tells whether a model may damage a number: it has separators or more than four digits.

    A range or ratio of plain numbers counts as without separators.
    """
    parts = re.split(r"[–-]", digits)
    if len(parts) <= 2 and all(_PLAIN.fullmatch(part) and not part.startswith("0") for part in parts):
        return False
    return len(digits) > 4 or not digits.isdecimal()
