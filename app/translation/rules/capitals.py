"""Capitals: those of a title, and the first letter of a sentence."""

import re
from functools import lru_cache

from app.text.inline.placement import Edit
from app.translation.rules.pair import Pair
from languages.neutral import locale_of
from languages.registry import language_of

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORTEST_TITLE, _LONGEST_TITLE = 4, 200  # words, characters
_LISTS = re.compile("[,:;]")
_PART = re.compile(r"[\w.]")  # of 3rd, p.m.
_ALL_WORDS_AFTER = 400  # characters of the source in which the first word of the translation is looked for


def capitals(pair: Pair) -> list[Edit]:
    """Capitalises the words of a title, or gives the first letter the case of the source's."""
    return _of_title(pair) or _first_letter(pair)


def _of_title(pair: Pair) -> list[Edit]:
    """Capitalises the remaining lower-case words of a title: if the source has none, models forget some capitals."""
    source, translation = pair.source, pair.translation
    if len(source) > _LONGEST_TITLE:
        return []
    parts = [_WORD.findall(part) for part in _LISTS.split(source)]
    words = [word for part in parts for word in part]
    if len(words) < _SHORTEST_TITLE or not all(map(_is_capitalized, words)):
        return []
    # Without a small word, they may be nouns and names. Items of a list may begin with one: "The Dog, The Cat".
    telling = words if len(parts) == 1 else [word for part in parts for word in part[1:]]
    if pair.here.writing.small_words.isdisjoint(map(str.lower, telling)):
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


def _first_letter(pair: Pair) -> list[Edit]:
    here, there = _first_word(pair.source), _first_word(pair.translation)
    if here is None or there is None:
        return []
    first, begin = there[0][0], there.start()
    if here[0][0].isupper() and first.islower():
        is_brand = there[0][1:2].isupper()  # iPhone
        if not is_brand and len(first.upper()) == 1:
            return [Edit(begin, begin + 1, first.upper())]
    elif (
        here[0].islower()
        and there[0].istitle()
        and (pair.options.preserves_formatting or _may_be_small(there[0], pair))
    ):
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


def _may_be_small(word: str, pair: Pair) -> bool:
    """Tells whether the language probably writes the word with a capital only at the beginning of a sentence."""
    if re.split("['’]", word)[0] in _with_capitals(pair.there.code):
        return False
    if pair.there.writing.capital_nouns and word.lower() not in pair.there.common_words:
        return False
    return re.search(rf"\b{re.escape(word)}\b", pair.source[:_ALL_WORDS_AFTER], re.IGNORECASE) is None


@lru_cache(maxsize=64)
def _with_capitals(code: str) -> frozenset[str]:
    """Returns words that always have a capital: CLDR's languages, countries, months and days, and some of the room."""
    own, locale = language_of(code).writing.always_capital, locale_of(code)
    if locale is None:
        return own
    names = [*locale.languages.values(), *locale.territories.values()]
    names += [*locale.months["format"]["wide"].values(), *locale.days["format"]["wide"].values()]
    return own.union(word for name in names for word in _WORD.findall(name) if word[0].isupper())
