"""Gives a translation the first letter's case, the final punctuation and the no-break spaces of its source.

    mirror("Guten Morgen!", "good morning.", "en") == "Good morning!"

Models trained on sentences lose case and punctuation in labels and headings. Endings of ordinals are corrected, too.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from babel import Locale, UnknownLocaleError

from app.text.inline.placement import Edit

_CLOSING = "\"'”“’‘»«›‹)]*"
# The final punctuation, and closing signs after it.
_END = re.compile(rf"(?P<mark>\.{{3}}|[.!?…:]+)?(?P<closing>[{re.escape(_CLOSING)}\s]*)$")
_ASTERISKS = re.compile(r"\*{0,9}$")
_ABBREVIATION = re.compile(
    r"(?:\w\.\s?\w|\b(?:etc|usw|Inc|Ltd|Co|Corp|No|Nr|Mr|Mrs|Dr|St|Str|Jr|Sr|vs|bzw|ca|approx|\d+))\.$"
)
_WRONG_ORDINAL = re.compile(r"(?<![\d.,])(?:\d*[02-9])?([123])th\b")
# German writes "29." and not "29ter".
_GERMAN_ORDINAL = re.compile(r"(?<![\d.,])\d+(te[mnrs]?)(?= \w)")
_LAST = 80  # characters at the end that are looked at
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORTEST_TITLE, _LONGEST_TITLE = 4, 200  # words, characters
_SMALL_WORDS = frozenset(
    "a an and as at by can do for from have he i if in is it my not of on or she that the they this to was we with you"
    " auf aus bei das dass dem den der die ein eine er es für hat ich ihr ist mit nach nicht sie sind und von war wie"
    " wir zu zum zur über um".split()
)
_LISTS = re.compile("[,:;]")
_PART = re.compile(r"[\w.]")  # of 3rd, p.m.
_ALL_WORDS_AFTER = 400  # characters of the source in which the first word of the translation is looked for
# A no-break space, and the word or sign on each side. A match begins where a word does: otherwise a word of 50,000
# letters took 20 s.
_NO_BREAK = re.compile(r"((?<!\w)\w++\.?|[^\w\s])([\u00a0\u202f])(?=(\w+|[^\w\s]))")
# A currency or the like, and another sign behind a space.
_SYMBOL = "[$€£¥₹₩©®™°§]"
_APART = re.compile(rf"(?=({_SYMBOL}) ([^\w\s])|(?P<other>[^\w\s.,;:!?]) (?P<symbol>{_SYMBOL}))")
# A quotation in the marks of the other language, which models copy, and the marks to write.
_QUOTATIONS = {"en": (re.compile("„([^„“”]*)([“”])"), "“”"), "de": (re.compile("“([^„“”]*)(”)"), "„“")}
_QUOTATION_MARK = re.compile("[„“”]")
_MARKS_BETWEEN = {("de", "en"): ("”", str.maketrans("„“", "“”")), ("en", "de"): ("„", str.maketrans("“”", "„“"))}
# Their sentences end with other marks, or open with one.
_OTHER_PUNCTUATION = frozenset("am ar bo dz el es fa he hi hy ja km ko ks lo my ne ps sd th ti ug ur yi zh".split())
# Nouns begin with a capital, whatever the writer of the source does.
_CAPITAL_NOUNS = frozenset({"de", "lb"})


def mirror_edits(source: str, translation: str, target: str, *, is_strict: bool = False) -> list[Edit]:
    """Find what to change in the translation of one sentence, in order.

    Args:
        source: The sentence.
        translation: Its translation.
        target: Code of the language of the translation.
        is_strict: Follow the source even where the target language has a rule of its own: a first letter stays small
            whatever the word is.
    """
    language = target.split("-")[0]
    edits = _capitals_of_title(source, translation) or _first_letter(source, translation, language, is_strict)
    if language == "en":
        edits += _ordinals(source, translation)
    elif language == "de":
        edits += [
            Edit(*found.span(1), ".") for found in _GERMAN_ORDINAL.finditer(translation) if found[0] not in source
        ]
    if language not in _OTHER_PUNCTUATION:
        edits += _final_mark(source, translation, is_strict)
    if not is_strict:
        edits += _quotation_marks(source, translation, language)
    edits += _spaces_between_signs(source, translation) + _footnote_mark(source, translation)
    if _NO_BREAK.search(source):
        edits += _no_break_spaces(source, translation)
    return sorted(edits)


def _capitals_of_title(source: str, translation: str) -> list[Edit]:
    """Capitalises the remaining lower-case words of a title: if the source has none, models forget some capitals."""
    if len(source) > _LONGEST_TITLE or _LISTS.search(source):
        return []
    words = _WORD.findall(source)
    if len(words) < _SHORTEST_TITLE or not all(map(_is_capitalized, words)):
        return []
    # Without such a word, they may be nouns and names.
    if _SMALL_WORDS.isdisjoint(map(str.lower, words)):
        return []
    found = list(_WORD.finditer(translation))
    small = [match.start() for match in found if match[0].islower()]  # not iPhone
    if len(small) > len(found) / 2:
        return []
    letters = [
        (begin, translation[begin].upper()) for begin in small if not _PART.fullmatch(translation, begin - 1, begin)
    ]
    return [Edit(begin, begin + 1, letter) for begin, letter in letters if len(letter) == 1]


def _is_capitalized(word: str) -> bool:
    return word[0].isupper() and (len(word) == 1 or word[1:].islower())


def marks_between(text: str, source: str, target: str) -> Mapping[int, int]:
    """Returns the quotation marks of the target language for those of the source, for what is outside of sentences.

    Args:
        text: The text; if it has marks of the target language, all stay.
        source: Code of its language.
        target: Code of the language of the translation.
    """
    kept, marks = _MARKS_BETWEEN.get((source.split("-")[0], target.split("-")[0]), ("", {}))
    return {} if kept and kept in text else marks


def _quotation_marks(source: str, translation: str, language: str) -> list[Edit]:
    """Writes the quotation marks of the target language in place of the source's."""
    if language not in _QUOTATIONS:
        return []
    quotation, written = _QUOTATIONS[language]
    copied = set(_QUOTATION_MARK.findall(source))
    found = [match for match in quotation.finditer(translation) if copied.issuperset((match[0][0], match[2]))]
    if found:
        return [
            Edit(place, place + 1, mark)
            for match in found
            for place, mark in zip((match.start(), match.start(2)), written, strict=True)
            if translation[place] != mark
        ]
    marks = list(_QUOTATION_MARK.finditer(translation))
    if len(marks) != 1 or marks[0][0] not in copied:
        return []
    # A quotation of several sentences has one mark in its first and one in its last.
    [(begin, end)] = (mark.span() for mark in marks)
    opens, closes = not translation[:begin].strip(), not translation[end:].strip()
    if opens == closes or (closes and translation[begin - 1 : begin].isdigit()):  # 27” is a length
        return []
    return [Edit(begin, end, written[closes])] if translation[begin] != written[closes] else []


def _first_letter(source: str, translation: str, language: str, is_strict: bool) -> list[Edit]:
    here, there = _first_word(source), _first_word(translation)
    if here is None or there is None:
        return []
    first, begin = there[0][0], there.start()
    if here[0][0].isupper() and first.islower():
        is_brand = there[0][1:2].isupper()  # iPhone
        if not is_brand and len(first.upper()) == 1:
            return [Edit(begin, begin + 1, first.upper())]
    elif here[0].islower() and there[0].istitle() and (is_strict or _may_be_small(there[0], source, language)):
        return [Edit(begin, begin + 1, first.lower())]
    return []


def _first_word(text: str) -> re.Match[str] | None:
    """Returns the first word of a text, if only punctuation stands before it."""
    word = _WORD.search(text)
    if word is None or any(not _is_punctuation(character) for character in text[: word.start()]):
        return None
    return word


def _is_punctuation(character: str) -> bool:
    return character.isspace() or character in "\"'„“”‚‘’«»‹›(*_-–—…¿¡#"


def _may_be_small(word: str, source: str, language: str) -> bool:
    """Tells whether the language probably writes the word with a capital only at the beginning of a sentence."""
    if language in _CAPITAL_NOUNS or word.split("'")[0].split("’")[0] in ("I", *_proper_names(language)):
        return False
    return re.search(rf"\b{re.escape(word)}\b", source[:_ALL_WORDS_AFTER], re.IGNORECASE) is None


@lru_cache(maxsize=64)
def _proper_names(language: str) -> frozenset[str]:
    """Returns words that always have a capital: CLDR's languages, countries, months and days of the week."""
    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return frozenset()
    names = [*locale.languages.values(), *locale.territories.values()]
    names += [*locale.months["format"]["wide"].values(), *locale.days["format"]["wide"].values()]
    return frozenset(word for name in names for word in _WORD.findall(name) if word[0].isupper())


def _ordinals(source: str, translation: str) -> list[Edit]:
    """Corrects "22th", which models write because most ordinals end so."""
    wrong = (match for match in _WRONG_ORDINAL.finditer(translation) if match[0] not in source)
    return [Edit(match.end() - 2, match.end(), {"1": "st", "2": "nd", "3": "rd"}[match[1]]) for match in wrong]


def _no_break_spaces(source: str, translation: str) -> list[Edit]:
    """Keeps on one line what the source does, as in "10 €": models know only one kind of space."""
    edits: dict[int, Edit] = {}
    # Equal pairs have the same place; a search for each took time quadratic in the text.
    for left, space, right in dict.fromkeys(_NO_BREAK.findall(source)):
        place = translation.find(f"{left} {right}") + len(left)
        if place < len(left):
            place = _beside(left, right, translation)
        if place >= 0:
            edits.setdefault(place, Edit(place, place + 1, space))
    return list(edits.values())


def _spaces_between_signs(source: str, translation: str) -> list[Edit]:
    """Keeps signs apart that the source keeps apart, as in "10 € / 12 $": models join them."""
    edits = {}
    for first, second, other, symbol in dict.fromkeys(_APART.findall(source)):
        left, right = first or other, second or symbol
        place = translation.find(left + right)
        if place >= 0 and f"{left} {right}" not in translation:
            edits[place + 1] = Edit(place + 1, place + 1, " ")
    return list(edits.values())


def _beside(left: str, right: str, translation: str) -> int:
    """Finds the space beside the number or name that the translation has unchanged; -1 if it has neither."""
    if any(map(str.isdigit, left)):
        found = re.search(rf"(?<![\w.,]){re.escape(left)} (?=\S)", translation)
        return found.end() - 1 if found else -1
    if len(right) > 1 or right.isdigit():
        found = re.search(rf"(?<=\S) {re.escape(right)}(?!\w)", translation)
        return found.start() if found else -1
    return -1


def _footnote_mark(source: str, translation: str) -> list[Edit]:
    """Keeps the asterisks at the end, as in "Preis***": models lose some."""
    here, there = (_ASTERISKS.search(text, max(0, len(text) - _LAST)) for text in (source, translation))
    assert here and there  # both match the empty end
    if not here[0] or translation.count("*") >= source.count("*") or not translation.strip():
        return []
    return [Edit(there.start(), there.end(), here[0])]


def _final_mark(source: str, translation: str, is_strict: bool) -> list[Edit]:
    here, there = _end(source), _end(translation)
    mark, other = here["mark"] or "", there["mark"] or ""
    if _same(mark, other) or not translation.strip():
        return []
    at = len(translation) - len(there[0])
    if mark and not (_ABBREVIATION.search(source.rstrip()[-_LAST:]) and not is_strict):
        if not other and not (here["closing"].strip() and there["closing"].strip()):
            at = len(translation.rstrip())
        return [Edit(at, at + len(other), mark)]
    if not mark and other and not _ABBREVIATION.search(translation[-_LAST:].rstrip()):
        return [Edit(at, at + len(other), "")]
    return []


def _end(text: str) -> re.Match[str]:
    match = _END.search(text, max(0, len(text) - _LAST))
    assert match  # it matches the empty end
    return match


def _same(mark: str, other: str) -> bool:
    return mark.replace("...", "…") == other.replace("...", "…")
