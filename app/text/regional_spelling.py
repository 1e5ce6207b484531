"""Spelling of a region: "colour" or "color", "Straße" or "Strasse", as the target's locale wants it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from app.text.inline.placement import Edit
from languages.language import Language

_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_WORDS = re.compile(r"[\s\"'“”‘’(\[–—-]*")
_SENTENCE_END = re.compile(r"[.!?…:]")


def spelling_edits(source: str, translation: str, language: Language) -> list[Edit]:
    """Finds what to change in a sentence so that it is spelled as in a region, in order.

    Only the letters that differ are changed, so letter case stays. Words that the source has, too, keep their spelling:
    they are names. So do English words with a capital inside a sentence.

    Args:
        source: The sentence that it translates.
        translation: The sentence.
        language: Its language, as it is in a region.
    """
    table, letters = language.spelling(), language.letters
    if not table and letters.keys().isdisjoint(translation):
        return []
    edits = []
    for match in _WORD.finditer(translation):
        word = match[0]
        wanted = table.get(word.lower())
        has_usual_case = word.islower() or word.isupper() or _begins(translation, match.start())
        is_other = (wanted and has_usual_case) or not letters.keys().isdisjoint(word)
        if not is_other or re.search(rf"\b{word}\b", source):
            continue
        if wanted:
            edits.append(_difference(match.start(), word, wanted.upper() if word.isupper() else wanted))
        else:
            edits += _without_letters(match.start(), word, letters)
    return edits


def _without_letters(begin: int, word: str, letters: Mapping[str, str]) -> Iterator[Edit]:
    is_upper = word.isupper() or "".join(letter for letter in word if letter not in letters).isupper()
    for offset, letter in enumerate(word, begin):
        if letter in letters:
            yield Edit(offset, offset + 1, letters[letter].upper() if is_upper else letters[letter])


def _begins(text: str, offset: int) -> bool:
    """A sentence begins at the offset."""
    end = offset
    while end and _BEFORE_WORDS.fullmatch(text[end - 1]):
        end -= 1
    return not end or bool(_SENTENCE_END.match(text[end - 1]))


def _difference(begin: int, word: str, wanted: str) -> Edit:
    """The change of one word into another, without the letters that they have in common at both ends."""
    old, new = word.lower(), wanted.lower()
    head = _common(old, new)
    tail = _common(reversed(old[head:]), reversed(new[head:]))
    return Edit(begin + head, begin + len(word) - tail, wanted[head : len(wanted) - tail])


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """How many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
