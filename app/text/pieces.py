"""Cuts long texts into pieces that are processed one by one, so that memory doesn't grow with the text.

What is known of a text, such as its tokens and stand-ins, takes up to 800 bytes a character.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from app.fairness.budget import checkpoint
from app.text.sentences import spans

PIECE_CHARS = 16_384
"""Pieces have at most as many characters, and where sentences end at least half as many."""

_LINE_BREAK = re.compile(r"\n")
_SPACE = re.compile(r"\s(?=\S)")
# A cut inside a reference such as "&amp;" would make another text of it. HTML's longest name has 31 letters.
_LONGEST_REFERENCE = 40
_ATTEMPTS = 100

Range = tuple[int, int]


def pieces(
    text: str,
    *,
    language: str = "",
    newlines: bool = True,
    begin: int = 0,
    end: int | None = None,
    kept: Callable[[str], Sequence[Range]] | None = None,
) -> Iterator[Range]:
    """Yields begin and end of each piece; together they are the text.

    A piece ends behind a sentence, if possible at a line break; else at a line break or a space; else anywhere.

    Args:
        text: Any string.
        language: Code of its language, for ends of sentences.
        newlines: Whether a line break ends a sentence.
        begin: Where to begin in the text.
        end: Where to end; None for the text's end.
        kept: Finds what must not be cut in a text, in order and disjoint; None if there is no such thing.
    """
    end = len(text) if end is None else end
    while end - begin > PIECE_CHARS:
        checkpoint()
        taboo = kept(text[begin : min(end, begin + 2 * PIECE_CHARS)]) if kept else ()
        places = _ends(text[begin : begin + PIECE_CHARS], language, newlines)
        place = next((place for place in places if not _is_inside(taboo, place)), PIECE_CHARS)
        yield begin, begin + place
        begin += place
    if begin < end:
        yield begin, end


def _ends(window: str, language: str, newlines: bool) -> Iterator[int]:
    """Yields the positions where a piece from the window's start may end, best first; a position may come twice."""
    least = len(window) // 2
    sentences = spans(window, language=language, newlines=newlines)
    # The last sentence may go on behind the window.
    ends = [last for (_, last), _ in pairwise(sentences) if last >= least][-_ATTEMPTS:]
    yield from (last for last in reversed(ends) if window[last] == "\n")
    yield from reversed(ends)
    for expression in (_LINE_BREAK, _SPACE):
        places = [match.start() for match in expression.finditer(window, least)]
        yield from reversed(places[-_ATTEMPTS:])
    reference = window.rfind("&", len(window) - _LONGEST_REFERENCE)
    if reference > 0 and ";" not in window[reference:]:
        yield reference


def _is_inside(ranges: Sequence[Range], place: int) -> bool:
    """Tells whether a cut at this position would split one of the ranges."""
    before = bisect_left(ranges, (place,)) - 1
    return before >= 0 and place < ranges[before][1]
