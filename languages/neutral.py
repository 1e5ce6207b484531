"""What Unicode and CLDR alone say of a language (through Babel): all that a language without a room has.

A room begins with it: ``LANGUAGE = replace(neutral("de"), ...)``.
"""

import re
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from languages import codes
from languages.language import DottedOrdinals, Language
from languages.writing import USUAL_QUOTES, Quotes, Writing

# CLDR's delimiters, which Babel leaves out; "“”" where a language isn't named. Single marks are also apostrophes.
_QUOTES = {
    code: Quotes(*marks) if marks else None
    for marks, codes_ in {
        "„“": "bg cs de et hr is ka lb lt mk sk sl sr",
        "„”": "hu pl ro",
        "«»": "be ca el es fa fr hy it nb nn no ru uk",
        "””": "fi sv",
        "”“": "ar ur",
        "「」": "ja",
        "": "nl",
    }.items()
    for code in codes_.split()
}
# Their sentences end with other marks, or open with one.
_OWN_MARKS = frozenset("am ar bo dz el es fa he hi hy ja km ko ks lo my ne ps sd th ti ug ur yi zh".split())


@lru_cache(maxsize=256)
def locale_of(code: str) -> Locale | None:
    """CLDR's data for a code; None if it has none."""
    try:
        return Locale.parse(str(codes.parse(code)), sep="-")
    except (UnknownLocaleError, ValueError):
        return None


def plural_category(code: str, number: Decimal) -> str:
    """CLDR's plural category of a number, such as "one"; as in English where CLDR doesn't have the language."""
    return str((locale_of(code) or Locale("en")).plural_form(number))


def neutral(code: str) -> Language:
    """A language by its code alone."""
    parts = codes.parse(code)
    locale = locale_of(code)
    return Language(
        code=parts.language,
        name=(locale and locale.get_language_name("en")) or parts.language,
        script=parts.script or _likely_script(code),
        right_to_left=locale is not None and locale.character_order == "right-to-left",
        writing=writing_of(parts.language),
        reads_half_days=locale is not None and "h" in locale.time_formats["short"].pattern,
        dotted_ordinals=_dotted_ordinals(locale) if locale else None,
    )


def writing_of(code: str) -> Writing:
    """The conventions of a language given by its code without a region."""
    return Writing(quotes=_QUOTES.get(code, USUAL_QUOTES), own_marks=code in _OWN_MARKS)


def _likely_script(code: str) -> str:
    likely = get_global("likely_subtags").get(codes.base(code), "")
    return codes.parse(likely).script or ""


def _dotted_ordinals(locale: Locale) -> DottedOrdinals | None:
    """A language that writes "3. října" has a dot in CLDR's dates; the names of its months follow ordinals."""
    if "d. MMM" not in locale.date_formats["long"].pattern:
        return None
    months = locale.months["format"]
    names = {name for width in ("wide", "abbreviated") for name in months[width].values()}
    return DottedOrdinals((), "|".join(sorted(map(re.escape, names))))
