"""The regular expressions of numeric expressions that have words of a language in them, made from its room."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache

from babel.numbers import get_currency_name

from languages.language import Language
from languages.neutral import locale_of
from languages.registry import language_of
from languages.signs import CLOSING, CURRENCIES, OPENING, SPACES, UNIT

MARKS = ".,:/'’\u00a0\u202f–-"
"""What stands between two digits of one expression."""
CODES = "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|NZD|INR|BRL|TRY|ZAR"
CURRENCY = rf"(?:[A-Z]{{1,2}})?\$|(?!\$)[{CURRENCIES}]"
NO_PRODUCTS = frozenset({"pH", "MwSt"})
"""They have a capital inside, but are measured."""

# Names that a number belongs to, and a version behind the name of a product: HTML 5.0, iOS 17.1, HTTP/1.1, OAuth-2.0.
_NAMED = """python|java|php|node|kernel|linux|ubuntu|debian|windows|android|ios|macos|firefox|chrome|usb|bluetooth|http
    |tls|ssl|postgresql|mysql|gpt"""
_PRODUCTS = r"""CC[ ]BY(?:-[A-Z]{2}){0,3}|API|BIOS|BPMN|CSS|CUDA|DDR|DOM|EPUB|FTP|GCC
    |GTK\+?|HDMI|HTML|HTTP|HTTPS|IMAP|IMS|JDK|JSON|JVM|LDAP|LTE|MIDI
    |NFC|NTFS|OIDC|PCI|PDF|PHP|SAML|SATA|SDK|SMB|SNMP|SOAP|SQL|SSH|SSL|SVG|TLS|UEFI|UML|USB|WPA|XHTML|XML|YAML|ZFS|[a-z]{1,4}[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|OAuth
    |Angular|Ansible|Apache|Blender|Bootstrap|Chromium|CentOS|Django|Docker|Drupal|Elasticsearch|Excel|Fedora|Flask|Flutter
    |Git|Gradle|Hadoop|Jenkins|Joomla|Kafka|Kotlin|Kubernetes|Laravel|Maven|Nginx|Nvidia|Oracle|Perl
    |Rails|React|Redis|Ruby|Safari|Scala|Selenium|Spark|Swift|Symfony|Thunderbird|Thunderbolt|Tomcat|Typescript|Unicode
    |Vista|Vue|Web|Wordpress|Xcode"""
_UNITS = r"""%|‰|°
    |[kmcdµn]?m[²³23]?\b|[kmµ]?g\b|[mcd]?l\b|[kmgt]i?b(?:it|yte)?s?\b|[kmg]?hz\b|[kmg]?wh?\b|[mk]?v\b|m?ah\b|ppm\b
    |fm\b"""
_NEVER = "(?!)"
_BEFORE = 24  # characters before a time that are searched for other words


class NumeralWords:
    """The expressions of one language; each is compiled when it is needed.

    Args:
        language: The language.
    """

    def __init__(self, language: Language) -> None:
        self._language, self._words = language, language.numbers

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """A number, with the signs, letters and words that belong to it."""
        scales = "|".join(word for word in self._words.scales if len(word) > 2) or _NEVER
        hour = re.escape(self._language.clock.hour_word.strip()) if self._language.clock else ""
        joiners = "|".join(self._words.joiners)
        clock = rf"[{SPACES}]{hour}" if hour else _NEVER
        # "9" in "9 bis 17 Uhr"
        until = rf"(?=[ ](?:{joiners})[ ]\d{{1,2}}(?:[.:]\d\d)?{clock}(?!\w))" if hour and joiners else _NEVER
        return re.compile(
            rf"""
            (?<![\w.,])
            (?P<sign>[+−±-](?=[\d.{CURRENCIES}]))?
            (?:(?P<before>{CURRENCY}|(?:{CODES})(?=[{SPACES}]?\d))(?P<gap>[{SPACES}]?))?
            (?P<digits>(?:\.(?=\d))?\d++(?:[{MARKS}]\d++)*+)
            (?P<behind>,(?:--|[–—-])(?![\w–—-]))?
            (?:[{SPACES}]?(?P<scale>{scales})\.?(?=[{SPACES}]?(?:{CURRENCY}|(?:{CODES})(?!\w))(?![\w$]))
             |(?P<letters>[{SPACES}]?(?:[bmt]n|[bmt]ln|trn)(?!\w)
              |[BKMTbkmt](?!\w|[ ]&|[–-]\d|[ -][Ss]hirt|(?(before)/(?![^\W\d_]{{2}})|[/&]))))?
            (?:[{SPACES}]?(?P<after>(?:{CURRENCY}|%|‰|(?:{CODES})(?!\w))(?![\w$]))
             |[{SPACES}]?(?P<half>[aApP]\.?[{SPACES}]?[mM]\b\.?)
             |(?P<clock>{clock})(?!\w)
             |(?P<until>){until}
             |(?P<ending>\.)(?=[ ](?:[^\W_]|\()|[,;)–-]))?
            """,
            re.VERBOSE,
        )

    @cached_property
    def hours(self) -> re.Pattern[str]:
        """Opening hours: "14:00–17:30 Uhr", "10–12 und 15–18 Uhr", "9am–5pm"."""
        time, to = r"\d{1,2}(?:[.:]\d\d)?", f"[{SPACES}]?[–-][{SPACES}]?"
        if self._language.clock and (word := self._language.clock.hour_word.strip()):
            span = rf"{time}(?:[ ]?{word})?{to}{time}"
            both = "|".join(self._words.joiners[1:2])
            return _verbose(rf"(?<![\w.,:/–-])(?:{span}(?:,[ ]|[ ](?:{both})[ ])){{0,3}}{span}[ ]?{word}(?![\w/])")
        if self._language.reads_half_days:
            half = rf"(?:[{SPACES}]?[ap]\.?m(?!\w)\.?)"
            return _verbose(rf"(?<![\w.,:/–-]){time}{half}?{to}{time}{half}")
        return re.compile(_NEVER)

    @cached_property
    def first_hour(self) -> re.Pattern[str]:
        """The first time in "from 2 to 5 pm"; elsewhere, "2" may be no hour: "on June 3 to 5 pm"."""
        before = self._language.clock.before_first if self._language.clock else ""
        joiners = "|".join(self._words.joiners)
        return re.compile(
            rf"\b(?:{before or _NEVER}) (?P<time>(?P<hour>\d{{1,2}})(?::(?P<minutes>[0-5]\d))?)"
            rf"(?= (?:{joiners or _NEVER}) (?P<last>\d{{1,2}})(?::(?P<last_minutes>[0-5]\d))?[{SPACES}]?[pP]\.?[mM]\b)"
        )

    def end_of_half(self, text: str, begin: int, end: int) -> int:
        """Returns the end of a time of half a day, "5 p.m.", without a full stop that may be its sentence's.

        That of "p.m." behind a label, "Sunset: 5 p.m.", or without other words in its line or cell is none.
        """
        if text[end - 1] != ".":
            return end
        before = self._cell_begin.split(text[max(0, begin - _BEFORE) : begin])[-1]
        if self._line_end.match(text, end):
            is_label = text[end - 3] == "." and (before.endswith(": ") or not any(map(str.isalpha, before)))
            return end if is_label else end - 1
        return end - bool(self._new_sentence.match(text, end) and not self._before_half.search(before))

    _cell_begin = re.compile(r"[\n\t|]|  ")
    _line_end = re.compile(rf"[{CLOSING}]*(?:\s*(?:\n|\Z)|\t|  | ?\|)")

    @cached_property
    def _new_sentence(self) -> re.Pattern[str]:
        """What begins a sentence behind "p.m."; a day or time zone doesn't."""
        goes_on = self._language.clock.behind_half if self._language.clock else ""
        return re.compile(rf"[\"”’]?\s+(?!(?x:{goes_on or _NEVER})\b)[\"'“‘]?[^\W\d_a-z]")

    @cached_property
    def _before_half(self) -> re.Pattern[str]:
        words = self._language.clock.before_half if self._language.clock else ""
        return re.compile(rf"\b(?:{words or _NEVER}) $", re.IGNORECASE)

    @cached_property
    def minutes_behind(self) -> re.Pattern[str]:
        """The minutes behind the word for a clock, "7 Uhr 30", but not "um 7 Uhr 30 Leute"."""
        joiners = "|".join(self._words.joiners) or _NEVER
        return re.compile(rf"[ ](?P<minutes>[0-5]\d)(?=[.,;!?)]?(?:\s*$|[.,;!?)]\s)|[ ](?:{joiners})[ ])", re.MULTILINE)

    @cached_property
    def named(self) -> re.Pattern[str]:
        """What stands before a number that is part of a name and stays unchanged."""
        words = f"{self._words.named}|{_NAMED}" if self._words.named else _NAMED
        return _verbose(rf"(?:\b(?:{words})[.:]?|[§\#])[ \u00a0]?$")

    @cached_property
    def product(self) -> re.Pattern[str]:
        """What stands before a version."""
        own = f"|(?i:{self._words.versioned})" if self._words.versioned else ""
        return re.compile(rf"(?:(?<![\w.-])(?:{_PRODUCTS}{own})[ \u00a0-]|(?<!\w)[A-Z][\w-]*/)$", re.VERBOSE)

    @cached_property
    def measure(self) -> re.Pattern[str]:
        """What stands behind a number that is no version."""
        own = f"|{self._words.measures}" if self._words.measures else ""
        return _verbose(rf"[{SPACES}-]?(?:{_UNITS}{own})")

    @cached_property
    def scale(self) -> re.Pattern[str]:
        """A word such as "million", or its abbreviation, behind a number."""
        return _verbose(rf"[{SPACES}]?(?:{'|'.join(self._scales())})")

    def _scales(self) -> tuple[str, ...]:
        abbreviations = (word for word in self._words.scales if len(word) > 2)
        return *abbreviations, *self._words.large_numbers, r"bn\b", r"[mk]\b"

    @cached_property
    def pointing(self) -> re.Pattern[str]:
        """What stands behind the number of a clause: "see 4.2 above"."""
        return _verbose(rf"[ ](?:{self._words.pointing or _NEVER})(?=[^\w\s]|\Z)")

    def end_of_clause(self, text: str, begin: int, end: int) -> int:
        """Returns the end of the number of a clause at the beginning of its line; ``begin`` if there is none.

        "2.3 The tenant" and "2.3 Tenants" have one, and "2.5 Million" hasn't.
        """
        clause = self._clause.match(text, begin, end)
        return clause.end("number") if clause and (clause["letter"] or "A").isupper() else begin

    @cached_property
    def _clause(self) -> re.Pattern[str]:
        measures = "|".join(filter(None, (_UNITS, self._words.measures, *self._scales())))
        # "25.07." is a date where ordinals have a full stop.
        marked = rf"\.[{SPACES}\t]|" if self._language.dotted_ordinals is None else ""
        return _verbose(
            rf"(?P<number>\d{{1,2}}(?:\.\d{{1,2}}){{1,4}}+)(?:{marked}(?![{SPACES}-]?(?:{measures}))[{SPACES}\t]+"
            rf"(?:\(?[a-z]{{1,3}}\)|[{OPENING}]*(?P<letter>[^\W\d_])))"
        )

    @cached_property
    def joiner(self) -> re.Pattern[str]:
        """What stands between two numbers of a list or range."""
        return _verbose(rf"(?:,|,?[ ](?:{'|'.join(self._words.joiners) or _NEVER}))[ ]|[–-]")

    @cached_property
    def time_unit(self) -> re.Pattern[str]:
        """The sign of a unit of time that touches its number: "500ms", "30s"."""
        return re.compile(r"[mµn]?s(?![\w/-])")

    @cached_property
    def duration(self) -> re.Pattern[str]:
        """What stands before a number of seconds."""
        return _verbose(rf"\b(?:{self._words.durations or _NEVER})[ ]$")

    @cached_property
    def sign(self) -> re.Pattern[str]:
        """The sign of a unit, with the space before it."""
        return re.compile(rf"[{SPACES}]?(?:{UNIT})|")

    @cached_property
    def units(self) -> Mapping[str, str]:
        """The shared names of units, by their words in small letters."""
        return {word.lower(): name for name, unit in self._words.units.items() for word in unit.words}

    def is_short(self, unit: str) -> bool:
        """Tells whether a word for a unit is a short form of it."""
        name = self.units.get(unit.lower())
        return name is not None and unit not in self._words.units[name][:2]

    @cached_property
    def rate(self) -> re.Pattern[str]:
        """What follows an amount for each of something: "/month", " mg/kg/day", "/kWh"."""
        words = "|".join(map(re.escape, sorted(self.units, key=len, reverse=True))) or _NEVER
        return re.compile(
            rf"(?P<units>(?:[{SPACES}]?{UNIT})?(?:/(?:{UNIT}|(?i:{words}))(?:(?![^\W\d_])|\.(?=/)))+)"
            r"(?P<dot>\.?)(?![\w/]|\./)"
        )

    @cached_property
    def length(self) -> re.Pattern[str]:
        """Feet and inches, one length or from one to another: "4 ft 11 in – 6 ft 7 in"."""
        units = self._words.units
        foot, inch = ("|".join(units[name].words) if name in units else _NEVER for name in ("foot", "inch"))
        one = rf"\d{{1,3}}[{SPACES}]?(?:{foot})[{SPACES}]\d{{1,2}}[{SPACES}]?(?:{inch})(?!\w)"
        return re.compile(rf"(?<![\w.,]){one}(?:[{SPACES}]?[–-][{SPACES}]?{one})?", re.IGNORECASE)

    @cached_property
    def large_number(self) -> re.Pattern[str]:
        """A large number's word: "Windows 1.5 billion users", but "Kapitel 3.2 Biologie"."""
        return _verbose(rf"[{SPACES}](?:{'|'.join(self._words.large_numbers) or _NEVER})")

    @cached_property
    def currency(self) -> re.Pattern[str]:
        """The name of a currency; before one, "5m" means millions, not metres."""
        names = self._words.currencies or _currency_names(self._language.code)
        return _verbose(rf"[{SPACES}-](?:{names})\b")


@lru_cache(maxsize=64)
def words_of(code: str) -> NumeralWords:
    """The expressions of a language."""
    return NumeralWords(language_of(code))


def _currency_names(code: str) -> str:
    locale = locale_of(code)
    if locale is None:
        return _NEVER
    names = [
        get_currency_name(currency, count, locale) for currency in ("EUR", "USD", "GBP", "JPY") for count in (1, 2)
    ]
    return "|".join(
        sorted({re.escape(part) for name in names for part in (name, re.split(r"[ -]", name)[-1])}, reverse=True)
    )


def _verbose(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.VERBOSE | re.IGNORECASE)
