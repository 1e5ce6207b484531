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
from typing import NamedTuple

from app.text.inline.objects import Rewrite
from app.text.numerals.writing import Writer
from app.text.windows import search

_SPACE = "\u00a0\u202f "
_MARK = ".,:/'’\u00a0\u202f–-"  # between two digits of one expression
_SYMBOLS = "€£¥₹₽₩₺₴₪฿₿"
_CODES = "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|INR|BRL|TRY|ZAR"
_CURRENCY = rf"(?:[A-Z]{{1,2}})?\$|[{_SYMBOLS}]"
# Numbers that stay unchanged, even if they look like a notation.
_IDENTIFIER = re.compile(
    rf"""
    # An account number (IBAN), book numbers (ISBN).
    [A-Z]{{2}}\d{{2}}(?:[ ]?[A-Z0-9]{{4}}){{3,7}}(?:[ ]?[A-Z0-9]{{1,3}})?(?!\w)
    | 97[89](?:[ -]?\d){{10}}(?!\w)
    | \d(?:[ -]?\d){{8}}[ -]?X(?!\w)
    # Telephone numbers.
    | (?:\+|(?<![\d.,])00(?=[1-9]))\d{{1,3}}(?:[ ./-]?\(?\d{{1,12}}\)?){{2,7}}(?!\w)
    | \(0?\d{{2,5}}\)[ ]?\d{{2,8}}(?:[ /-]\d{{2,8}}){{0,4}}(?![\w/])
    | 0\d{{1,5}}[ /-]\d{{3,8}}(?:[ -]\d{{2,8}}){{0,4}}(?![\w/])
    # A date and time of ISO 8601.
    | \d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{{1,9}})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)
    # Versions: v2.0.1, Python3.11, 1.2.0-rc1.
    | (?!(?:{_CODES})\d)[A-Za-z]{{1,20}}-?\d{{1,20}}(?:\.\d{{1,20}}){{1,8}}(?:[-+]?[A-Za-z]{{1,8}}[.\d]{{0,8}})?(?!\w)
    | \d{{1,20}}(?:\.\d{{1,20}}){{1,8}}[-+]?(?:rc|beta|alpha|dev|post|a|b)[-.]?\d{{0,8}}(?!\w)
    # 12 500: one number, or two.
    | \d{{1,3}}(?:[ ]\d{{3}}){{1,8}}(?:[.,]\d{{1,20}})?(?!\w)
    """,
    re.VERBOSE,
)
_EXPRESSION = re.compile(
    rf"""
    (?<![\w.,])
    (?P<sign>[+−±-](?=[\d.{_SYMBOLS}$]))?
    (?:(?P<before>{_CURRENCY}|(?:{_CODES})(?=[{_SPACE}]?\d))(?P<gap>[{_SPACE}]?))?
    (?P<digits>(?:\.(?=\d))?\d++(?:[{_MARK}]\d++)*+)
    (?P<behind>,[–—-](?![\w–—-]))?
    (?:[{_SPACE}]?(?P<scale>Tsd|Mio|Mrd|Bio)\.?(?=[{_SPACE}]?(?:{_CURRENCY}|(?:{_CODES})(?!\w))(?![\w$]))
     |(?P<letters>[{_SPACE}]?[bmt]n(?!\w)|[BKMTbkmt](?!\w|[/&]|[ ]&|[–-]\d|[ -][Ss]hirt)))?
    (?:[{_SPACE}]?(?P<after>(?:{_CURRENCY}|%|‰|(?:{_CODES})(?!\w))(?![\w$]))
     |[{_SPACE}]?(?P<half>[aApP]\.?[ ]?[mM]\b\.?)
     |(?P<clock>[{_SPACE}]Uhr)(?!\w)
     |(?P<until>)(?=[ ](?:bis|und)[ ]\d{{1,2}}(?:[.:]\d\d)?[{_SPACE}]Uhr(?!\w))
     |(?P<ending>\.)(?=[ ](?:[a-zäöü(]|\d)|[,;)–-]))?
    """,
    re.VERBOSE,
)
_STARTS = re.compile(
    rf"(?<![\w.,])(?:[+−±-]?(?:(?:{_CURRENCY}|(?:{_CODES})(?=[{_SPACE}]?\d))[{_SPACE}]?)?\.?\d|\(0?\d|[A-Za-z]{{1,20}}-?\d)"
)
_TIME = re.compile(r"([01]?\d|2[0-4])(?:[:.]([0-5]\d)(?:[:.]([0-5]\d))?)?")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_SLASHED_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})")
_PLAIN = re.compile(r"\d{1,4}")
_DIGIT_OR_PART = re.compile(r"\d|\bhal[bf]\b|viertel\b|\bquarter\b", re.IGNORECASE)
_DIGITS_BEHIND = re.compile(rf"[{_SPACE}]?\d")
# The mark of a footnote behind a number or an amount, raised or with a bracket.
_FOOTNOTE = re.compile(r"(?<=[\d%‰€£¥$])[⁻⁺]?[¹²³⁰⁴-⁹][¹²³⁰⁴-⁹,⁻]*+⁾?|(?<=[\d ][€%])\d{1,2}\)")
_LONGEST = 60  # characters of an expression; longer ones are identifiers
# After these words, a number is part of a name and stays unchanged.
_NAMES_NUMBER = re.compile(
    r"""(?:\b(?:versions?|release|build|v|nr|no|kapitel|abschnitt|ziffer|chapter|section|abb|abbildung|fig|figure|table
    |tabelle|python|java|php|node|kernel|linux|ubuntu|debian|windows|android|ios|macos|firefox|chrome|usb|bluetooth|http
    |tls|ssl|postgresql|mysql|gpt)[.:]?|[§\#])[ \u00a0]?$""",
    re.VERBOSE | re.IGNORECASE,
)
_SCALE = re.compile(
    rf"[{_SPACE}]?(?:mi(?:o|ll|rd|a)|mrd|bi(?:o|ll)|tsd|tausend|thousand|trill|bn\b|[mk]\b)", re.IGNORECASE
)
# Before these words, "5m" means millions, not metres.
_CURRENCY_NAME = re.compile(
    rf"[{_SPACE}-](?:(?:US|Australian|Canadian)[ ])?(?:euros?|dollars?|pounds?(?![ ]of)|yen)\b", re.IGNORECASE
)
# "Windows 1.5 billion users", but "Kapitel 3.2 Biologie".
_MILLIONS = re.compile(rf"[{_SPACE}](?:(?:m|b|tr)illion|milliarde)", re.IGNORECASE)
# A version behind the name of a product: HTML 5.0, iOS 17.1, HTTP/1.1, OAuth-2.0, Apache License 2.0, Redis 7.0.
_VERSION = re.compile(r"\d{1,3}\.\d{1,2}")
_PRODUCT = re.compile(
    r"""(?:(?<![\w.-])(?:CC[ ]BY(?:-[A-Z]{2}){0,3}|API|BIOS|BPMN|CSS|CUDA|DDR|DOM|EPUB|FTP|GCC
    |GTK\+?|HDMI|HTML|HTTP|HTTPS|IMAP|IMS|JDK|JSON|JVM|LDAP|LTE|MIDI
    |NFC|NTFS|OIDC|PCI|PDF|PHP|SAML|SATA|SDK|SMB|SNMP|SOAP|SQL|SSH|SSL|SVG|TLS|UEFI|UML|USB|WPA|XHTML|XML|YAML|ZFS|[a-z]{1,4}[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|OAuth
    |(?i:licen[cs]e|licence|lizenz|protocol|protokoll|firmware)
    |Angular|Ansible|Apache|Blender|Bootstrap|Chromium|CentOS|Django|Docker|Drupal|Elasticsearch|Excel|Fedora|Flask|Flutter
    |Git|Gradle|Hadoop|Industrie|Industry|Jenkins|Joomla|Kafka|Kotlin|Kubernetes|Laravel|Maven|Nginx|Nvidia|Oracle|Perl
    |Rails|React|Redis|Ruby|Safari|Scala|Selenium|Spark|Swift|Symfony|Thunderbird|Thunderbolt|Tomcat|Typescript|Unicode
    |Vista|Vue|Web|Wordpress|Xcode)[ \u00a0-]|(?<!\w)[A-Z][\w-]*/)$""",
    re.VERBOSE,
)
# They have a capital inside, but are measured.
_NO_PRODUCT = frozenset({"pH", "MwSt"})
# A number before a unit or another measure is none.
_MEASURE = re.compile(
    rf"""[{_SPACE}-]?(?:per[ ]?cent|prozent|percentage|%|‰|°|degrees?|grad\b|points?\b|punkte?n?\b|times\b|mal\b
    |fold|fach|[kmcdµn]?m[²³23]?\b|[kmµ]?g\b|[mcd]?l\b|[kmgt]i?b(?:it|yte)?s?\b|[kmg]?hz\b|[kmg]?wh?\b|[mk]?v\b|m?ah\b|ppm\b|fm\b
    |metr?e?r?s?\b|meter|(?:kilo|zenti|centi|milli|nano)|miles?\b|meilen?\b|inch|zoll\b|feet\b|foot\b|fu(?:ß|ss)\b|yards?\b
    |acres?\b|hektar|hectares?|lit(?:er|re)s?\b|gallons?\b|tonn?e?s?n?\b|pounds?\b|pfund\b|grams?\b|gramm\b|dollars?\b
    |euros?\b|franken\b|francs?\b|pence\b|cents?\b|years?\b|jahre?n?\b|months?\b|monate?n?\b|weeks?\b|wochen?\b|days?\b
    |tage?n?\b|hours?\b|stunden?\b|minutes?\b|minuten?\b|seconds?\b|sekunden?\b|stars?\b|sterne?n?\b|on[ ]the[ ]richter
    |out[ ]of\b|von[ ]\d|of[ ]\d|uhr\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE = 24  # characters before a number that are searched for such a word


class Numeral(NamedTuple):
    """A numeric expression in a text, and its rewriting; None if it stays unchanged."""

    begin: int
    end: int
    rewrite: Rewrite | None


def may_have_numerals(text: str) -> bool:
    """A quick check: if false, ``localize`` finds nothing in any language."""
    return search(_DIGIT_OR_PART, text, 0) is not None


def localize(text: str, source: str, target: str) -> list[Numeral]:
    """Find the numeric expressions that a model may damage, in order and disjoint.

    Args:
        text: Any string.
        source: Code of its language, with a region if that is known.
        target: Code of the language to write for, with or without a region.
    """
    text = _FOOTNOTE.sub(lambda mark: " " * len(mark[0]), text)
    writer = Writer(text, source, target)
    words = (*writer.dates_in_words(text), *writer.times_in_words(text))
    found = sorted((Numeral(*found) for found in words), key=lambda numeral: numeral.begin)
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
        match = _EXPRESSION.match(text, begin)
        if match is None:  # letters or a bracket before a plain number
            done = start.end()
            continue
        numeral = reader.numeral(match)
        if numeral:
            yield numeral
        done = max(numeral.end if numeral else match.end("digits"), begin + 1)


class _Reader:
    """Classifies the numeric expressions of one text and rewrites them."""

    def __init__(self, text: str, writer: Writer) -> None:
        self._text, self._writer = text, writer

    def identifier(self, match: re.Match[str]) -> Numeral:
        """Returns the rewriting of an identifier, which stays unchanged. The model sees an ISO date in words."""
        date = _ISO_DATE.fullmatch(match[0])
        rewrite = self._writer.unchanged_date(match[0], *date.group(3, 2, 1)) if date else None
        return Numeral(*match.span(), rewrite)

    def numeral(self, match: re.Match[str]) -> Numeral | None:
        """Returns an expression with its rewriting; None if the model translates it."""
        digits, (begin, end) = match["digits"], match.span("digits")
        is_hour = len(digits) <= 2 and (match["half"] or match["clock"] or match["until"] is not None)
        is_short = len(digits) <= 4 and digits.isdecimal()
        is_scaled = match["scale"] or (match["letters"] and self._is_money(match))
        if is_short and not (match["behind"] or is_scaled or is_hour or _currency(match)):
            return None
        if self._writer.can_write and len(digits) <= _LONGEST and not self._is_name(match):
            for read in (self._time, self._date, self._amount):
                numeral = read(match)
                if numeral:
                    return numeral
        if not _needs_care(digits):
            return None
        return Numeral(begin, end, self._writer.number(digits) if re.fullmatch(r"\d+[.,]?\d*", digits) else None)

    def _is_name(self, match: re.Match[str]) -> bool:
        """Tells whether a number is a version or belongs to a name, as a chapter's does."""
        text, begin = self._text, match.start()
        first = max(0, begin - _BEFORE)
        if _NAMES_NUMBER.search(text, first, begin):
            return not _MILLIONS.match(text, match.end("digits"))
        if (
            not _VERSION.fullmatch(match["digits"])
            or match["sign"]
            or match["after"]
            or match["half"]
            or match["clock"]
        ):
            return False
        product = _PRODUCT.search(text, first, begin)
        if not product or product[0][:-1] in _NO_PRODUCT:
            return False
        end = match.end("digits")
        return not (_SCALE.match(text, end) or _MEASURE.match(text, end))

    def _time(self, match: re.Match[str]) -> Numeral | None:
        half = match["half"] if self._writer.source == "en" else None  # in German, "9.30 am Bahnhof" is at the station
        is_clock = match["clock"] or match["until"] is not None
        time = _TIME.fullmatch(match["digits"])
        if not time or not (":" in match["digits"] or half or is_clock):
            return None
        begin, end = match.span("digits")
        hour, minutes = int(time[1]), [part for part in time.groups()[1:] if part]
        if half and 1 <= hour <= 12:
            hour = hour % 12 + 12 * half.lower().startswith("p")
            # The last point of "p.m." may be the sentence's.
            end = match.end("half") - (half.endswith(".") and not self._text[match.end("half") :].strip())
        elif not (minutes or is_clock):
            return None
        elif match["clock"]:
            end = match.end("clock")
        before = re.compile(r"\w+ $").search(self._text, max(0, begin - _BEFORE), begin)
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
        elif short and match["ending"] and self._writer.has_ordinal_dates:
            day, month, year = *short.groups(), ""
            end = match.end("ending")
        else:
            return None
        if not (1 <= int(day) <= 31 and 1 <= int(month) <= 12):
            return Numeral(begin, match.end("digits"), None)
        write = self._writer.date if is_clear else partial(self._writer.unchanged_date, digits)
        return Numeral(begin, end, write(day, month, year))

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
        has_scale = bool(_SCALE.match(self._text, end))
        return Numeral(
            begin, end, self._writer.amount(sign, written, symbol, is_first=bool(before), has_scale=has_scale)
        )

    def _is_money(self, match: re.Match[str]) -> bool:
        """Tells whether letters behind a number count money: "$5m" and "5m euros", but not "3m EUR 12.50"."""
        if match["before"]:
            return True
        if match["after"]:
            return bool(_currency(match)) and not _DIGITS_BEHIND.match(self._text, match.end())
        return bool(_CURRENCY_NAME.match(self._text, match.end()))


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
