"""Cuts texts into the segments that a model translates, one after the other, as they are asked for."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from app.engine.interface import Splitting
from app.engine.models.tokenizer import Tokenizer
from app.text.budget import checkpoint
from app.text.sentences import break_long, spans

# No text has so many on average. But a mebibyte of white space is one piece, and would take seconds as a segment.
_CHARS_PER_PIECE = 32


class Segment(NamedTuple):
    """A sentence, or a part of one that is too long for the model, with the gap before it.

    Attributes:
        place: Index of its text.
        gap: The text between the previous segment, or the beginning of the text, and this one.
        source: The segment; "" ends a text, and then ``gap`` is the text after the last segment.
        ids: Source ids with the target tag in front and the end of sentence behind; none ends a text.
    """

    place: int
    gap: str
    source: str
    ids: tuple[int, ...]


class Segmenter:
    """Cuts texts into segments.

    Args:
        tokenizer: Tokenizer of the bundle.
        longest_source: Source ids a segment may have, special ids included.
        eos_id: End of sentence.
    """

    def __init__(self, tokenizer: Tokenizer, *, longest_source: int, eos_id: int) -> None:
        self._tokenizer, self._longest_source, self._eos_id = tokenizer, longest_source, eos_id

    def segments(
        self, texts: Sequence[str], *, language: str, splitting: Splitting, prefix: tuple[int, ...]
    ) -> Iterator[Segment]:
        """Yields the segments of each text, and after them its end; a text costs nothing before that.

        Args:
            texts: The texts.
            language: Language of the texts.
            splitting: What ends a sentence.
            prefix: The target tag.
        """
        room = self._longest_source - len(prefix) - 1
        for place, text in enumerate(texts):
            done = 0
            for begin, end, pieces in self._parts(text, _sentences(text, language, splitting), room):
                yield Segment(place, text[done:begin], text[begin:end], (*prefix, *pieces, self._eos_id))
                done = end
            yield Segment(place, text[done:], "", ())

    def _parts(
        self, text: str, sentences: Iterable[tuple[int, int]], room: int
    ) -> Iterator[tuple[int, int, list[int]]]:
        """Begin, end and pieces of each segment, which has at most ``room`` pieces and no white space at its ends."""

        def fits(part: str) -> bool:
            return len(part) <= _CHARS_PER_PIECE * room and len(self._tokenizer.encode(part)) <= room

        for begin, end in sentences:
            checkpoint()
            sentence = text[begin:end]
            for part in [sentence] if fits(sentence) else break_long(sentence, fits=fits):
                segment = part.strip()
                first = begin + len(part) - len(part.lstrip())
                begin += len(part)
                if segment:
                    yield first, first + len(segment), self._tokenizer.encode(segment)


def _sentences(text: str, language: str, splitting: Splitting) -> Iterable[tuple[int, int]]:
    if splitting == "off":
        return [(0, len(text))]
    return spans(text, language=language, newlines=splitting == "sentences")
