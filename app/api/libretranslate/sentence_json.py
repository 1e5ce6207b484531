"""The sentences of an answer as JSON: places, scores, verdicts, word alignment."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from app.text.inline.objects import TOKEN
from app.text.inline.target_tokens import Link
from app.translation.sentence import SentenceTranslation


def sentence_body(sentence: SentenceTranslation) -> dict[str, Any]:
    """Writes one sentence; all positions are code points in the text that contains it."""
    source_begin, target_begin = sentence.source_begin, sentence.target_begin
    return {
        "source": _place(sentence.source, source_begin),
        "target": _place(sentence.text, target_begin),
        "score": round(sentence.score, 4),
        "confidence": None if sentence.confidence is None else round(sentence.confidence, 3),
        "tier": sentence.tier,
        "verdicts": [verdict.value for verdict in sentence.verdicts],
        "alternatives": [{"text": other.text, "score": round(other.score, 4)} for other in sentence.alternatives],
        "alignment": [
            {
                "source": [link.source_begin + source_begin, link.source_end + source_begin],
                "target": [link.target_begin + target_begin, link.target_end + target_begin],
            }
            for link in word_links(sentence.source, sentence.text, sentence.alignment)
        ],
    }


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


def _place(text: str, begin: int) -> dict[str, Any]:
    return {"text": text, "begin": begin, "end": begin + len(text)}
