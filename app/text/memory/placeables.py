"""The placeables of a text: numbers, dates, amounts, addresses and variables, which a translation has in its notation.

patched("Seite 7 von 9", "Seite 3 von 10", "page 3 of 10", "de", "en")  # "page 7 of 9"
"""

import re
from bisect import bisect_right
from collections import Counter
from typing import NamedTuple

from app.text.inline.placement import apply
from app.text.numerals.writing import read_number
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import find_all
from languages.neutral import plural_category
from languages.notation import notation_of
from languages.registry import language_of

_PLAIN_NUMBER = re.compile(r"(?<![\w.,:/-])\d++(?!\w|[.,:/-]\d)")
_DIGITS = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d+)*+")
_LAST_WORD = re.compile(r"([^\W\d_]+) $")
_WORD_CHARS = 40


class Placeable(NamedTuple):
    """A placeable.

    Attributes:
        begin: Its first character, in code points.
        end: The one after its last.
        written: As the text has it.
        translated: As a translation has it.
    """

    begin: int
    end: int
    written: str
    translated: str


def placeables(text: str, source: str, target: str) -> list[Placeable]:
    """Finds the placeables of a text, in order and disjoint.

    Args:
        text: Any string.
        source: Code of its language.
        target: Code of the language to write for, with or without a region.
    """
    patterns = untranslatable(text, frozenset())._replace(numerals=(source, target))
    ranges, rewrites, _ = find_all(text, patterns, with_marks=False)
    begins = [begin for begin, _ in ranges]
    found = []
    for begin, end in ranges:
        rewrite = rewrites.get((begin, end))
        found.append(Placeable(begin, end, text[begin:end], rewrite.text if rewrite else text[begin:end]))
    for match in _PLAIN_NUMBER.finditer(text):
        before = bisect_right(begins, match.start()) - 1
        if before < 0 or ranges[before][1] <= match.start():
            found.append(Placeable(*match.span(), match[0], match[0]))
    return sorted(found)


def patched(text: str, source: str, target: str, language: str, locale: str) -> str | None:
    """The translation of a text that differs from another text in placeables only; None if that is not certain.

    It is certain if the other text's translation has the same placeables as that text, and if none of the new ones
    needs another form of the words around it: "1 file", "5 files".

    Args:
        text: The text.
        source: The other text.
        target: Its translation.
        language: Code of the language of both texts.
        locale: Code of the language of the translation, with or without a region.
    """
    new, old = placeables(text, language, locale), placeables(source, language, locale)
    if _skeleton(text, new) != _skeleton(source, old):
        return None
    there = placeables(target, locale, locale)
    if Counter(each.translated for each in there) != Counter(each.translated for each in old):
        return None
    changes: dict[str, Placeable] = {}
    for before, after in zip(old, new, strict=True):
        if changes.setdefault(before.translated, after).translated != after.translated:
            return None  # "2 of 2" became "1 of 2"
        if _plural(before.written, language, locale) != _plural(after.written, language, locale):
            return None
    pieces: list[str] = []
    done = 0
    for place in there:
        after = changes[place.translated]
        if after.translated != place.translated:
            before_it = _LAST_WORD.search(target[max(0, place.begin - _WORD_CHARS) : place.begin])
            if before_it and before_it[1].lower() in language_of(locale).sounded_articles:
                return None  # "an 8", but "a 9"
            pieces += target[done : place.begin], after.translated
            done = place.end
    return "".join(pieces) + target[done:]


def _skeleton(text: str, found: list[Placeable]) -> str:
    return " ".join(apply(((each.begin, each.end, "\0") for each in found), text).split())


def _plural(written: str, language: str, locale: str) -> str | None:
    """Returns the plural category of a number in a language (CLDR); None if the text is not a number."""
    digits, notation = _DIGITS.search(written), notation_of(language)
    number = read_number(digits[0], notation.decimal, notation.group) if digits and notation else None
    return plural_category(locale, number.value) if number else None
