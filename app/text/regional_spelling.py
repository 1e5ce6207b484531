"""Spelling of a region: "colour" or "color", as the target's locale wants it."""

import re
from collections.abc import Iterable
from itertools import takewhile

from app.text.inline.placement import Edit
from languages.language import Language

_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_WORDS = re.compile(r"[\s\"'“”‘’(\[–—-]*")
_SENTENCE_END = re.compile(r"[.!?…:]")


def spelling_edits(source: str, translation: str, language: Language) -> list[Edit]:
    """Finds what to change in a sentence so that it is spelled as in a region, in order.

    Only the letters that differ are changed, so letter case stays. Names keep their spelling: words with a capital
    inside a sentence, and words that the source has, too.

    Args:
        source: The sentence that it translates.
        translation: The sentence.
        language: Its language; nothing is changed without a region.
    """
    table = language.spelling(language.region) if language.region else {}
    if not table:
        return []
    edits = []
    for match in _WORD.finditer(translation):
        word = match[0]
        wanted = table.get(word.lower())
        if wanted is None or not (word.islower() or word.isupper() or _begins(translation, match.start())):
            continue
        if re.search(rf"\b{word}\b", source):
            continue
        edits.append(_difference(match.start(), word, wanted.upper() if word.isupper() else wanted))
    return edits


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
