"""Sentences that are in the target language already."""

import re

from app.translation.rules.pair import Direction

_WORD = re.compile(r"(?!\w\.)[^\W\d_]+(?:['’][a-z]+)?")  # not the letters of "a. a. O."
_FEWEST_WORDS, _FEWEST_COMMON = 4, 2
_SHARE = 4  # one word of so many is a common one


def is_translated(sentence: str, direction: Direction) -> bool:
    """Tells whether a sentence is clearly in the target language, and no name or title that only looks like it.

    It has at least two words that are common in the target language and unknown to the other, a quarter of all, and
    none that is common in the source language. Both languages need a list of common words.
    """
    here, there = direction.here.common_words, direction.there.common_words
    if not (here and there) or direction.here.code == direction.there.code:
        return False
    words = _WORD.findall(sentence.lower())
    if len(words) < _FEWEST_WORDS or not here.isdisjoint(words):
        return False
    common = sum(word in there for word in words)
    return common >= _FEWEST_COMMON and common * _SHARE >= len(words)
