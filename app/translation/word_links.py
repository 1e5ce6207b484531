"""The alignment of words, from that of pieces."""

from bisect import bisect_right
from collections.abc import Sequence

from app.text.inline.objects import TOKEN
from app.text.inline.target_tokens import Link


def word_links(source: str, target: str, links: Sequence[Link]) -> list[Link]:
    """Returns the pairs of words that translate each other, from links between pieces; each once, in target order."""
    source_words, target_words = ([match.span() for match in TOKEN.finditer(text)] for text in (source, target))
    pairs = {
        (
            *_widened(target_words, link.target_begin, link.target_end),
            *_widened(source_words, link.source_begin, link.source_end),
        )
        for link in links
    }
    return [Link(source_begin, source_end, begin, end) for begin, end, source_begin, source_end in sorted(pairs)]


def _widened(words: Sequence[tuple[int, int]], begin: int, end: int) -> tuple[int, int]:
    """Extends a range to the ends of the words that it overlaps."""
    first = bisect_right(words, begin, key=lambda word: word[1])
    last = bisect_right(words, end - 1, key=lambda word: word[0]) - 1
    return (words[first][0], words[last][1]) if first <= last else (begin, end)
