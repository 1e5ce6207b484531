"""What Unicode and CLDR alone say of a language (through Babel): all that a language without a room has.

A room begins with it: ``LANGUAGE = replace(neutral("de"), ...)``.
"""

import re
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from languages import codes
from languages.language import DottedOrdinals, Language


@lru_cache(maxsize=256)
def locale_of(code: str) -> Locale | None:
    """CLDR's data for a code; None if it has none."""
    try:
        return Locale.parse(str(codes.parse(code)), sep="-")
    except (UnknownLocaleError, ValueError):
        return None


def neutral(code: str) -> Language:
    """A language by its code alone."""
    parts = codes.parse(code)
    locale = locale_of(code)
    return Language(
        code=parts.language,
        name=(locale and locale.get_language_name("en")) or parts.language,
        script=parts.script or _likely_script(code),
        right_to_left=locale is not None and locale.character_order == "right-to-left",
        reads_half_days=locale is not None and "h" in locale.time_formats["short"].pattern,
        dotted_ordinals=_dotted_ordinals(locale) if locale else None,
    )


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
