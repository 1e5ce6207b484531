"""Cuts texts into the segments that a model translates, one after the other, as they are asked for."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from app.engine.decoding.word_trees import RareWord
from app.engine.interface import Splitting
from app.engine.models.labels import Labels
from app.engine.models.lexicon import FoundWord, Lexicon
from app.engine.models.ligatures import without_ligatures
from app.engine.models.tokenizer import Tokenizer
from app.fairness.budget import checkpoint
from app.text.long_sentences import break_long
from app.text.sentences import spans
from app.text.separators import separators

# No text has so many on average. But a mebibyte of white space is one piece, and would take seconds as a segment.
_CHARS_PER_PIECE = 32
_BESIDE = 240  # characters on each side of a label that are looked at
_WORD = re.compile(r"[^\W\d_]{2}|(?![a-zA-Z])[^\W\d_]")  # "b." before an item is none
# Of a name: most words that the model knows have fewer.
_FEWEST_PIECES = 3

CONTEXT = -1

Range = tuple[int, int]


class Segment(NamedTuple):
    """A sentence, or a part of one that is too long for the model.

    Attributes:
        text_index: Index of its text in the call; ``CONTEXT`` for one of the context, whose translation nobody reads.
        begin: Where the segment begins in its text.
        source: The segment.
        ids: Source ids with the target tag in front and the end of sentence behind.
        rare_words: Its words that the lexicon has.
        label: Target ids of its translation, if it stands alone and the bundle lists it as a label.
    """

    text_index: int
    begin: int
    source: str
    ids: tuple[int, ...]
    rare_words: tuple[RareWord, ...] = ()
    label: tuple[int, ...] = ()


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
        self,
        texts: Sequence[str],
        *,
        language: str,
        splitting: Splitting,
        prefix: tuple[int, ...],
        whole: Sequence[Sequence[Range]] = (),
        lexicon: Lexicon | None = None,
        labels: Labels | None = None,
    ) -> Iterator[Segment]:
        """Yields the segments of each text; a text costs nothing before that.

        Args:
            texts: The texts.
            language: Language of the texts.
            splitting: What ends a sentence.
            prefix: The target tag.
            whole: See ``TranslationCall``.
            lexicon: The lexicon of the direction, if there is one.
            labels: The labels of the direction, if there are any.
        """
        max_pieces = self._longest_source - len(prefix) - 1
        max_chars = _CHARS_PER_PIECE * max_pieces
        for index, text in enumerate(texts):
            kept = _Whole(whole[index] if whole else ())
            sentences = _sentences(text, language, splitting)
            for first, last in kept.joined(sentences) if kept else sentences:
                checkpoint()
                pieces = self._tokenizer.encode(text[first:last]) if last - first <= max_chars else None
                parts: Iterable[tuple[int, int, list[int]]] = [(first, last, pieces or [])]
                if pieces is None or len(pieces) > max_pieces:
                    parts = self._parts(text, first, last, max_pieces, language, kept)
                for begin, end, pieces in parts:
                    source, ids = text[begin:end], (*prefix, *pieces, self._eos_id)
                    rare_words = self.rare_words(source, lexicon, len(prefix)) if lexicon else ()
                    label = self._label(text, begin, end, labels) if labels else ()
                    yield Segment(index, begin, source, ids, rare_words, label)

    def _label(self, text: str, begin: int, end: int, labels: Labels) -> tuple[int, ...]:
        """Returns the target ids of a label's translation; () if the segment is none, or other text is beside it."""
        if not (found := labels.find(text[begin:end])) or not _is_alone(text, begin, end):
            return ()
        tokens = self._tokenizer.encode_target(found)
        return tuple(tokens) if self._tokenizer.decode(tokens).strip() == found else ()

    def rare_words(self, source: str, lexicon: Lexicon, prefix_length: int) -> tuple[RareWord, ...]:
        """Returns the words of a segment that the lexicon has, and the words that look like names.

        Args:
            source: The segment.
            lexicon: The lexicon of the direction.
            prefix_length: Source ids before the segment's.
        """
        source = without_ligatures(source)
        found = lexicon.find(source)
        names = lexicon.names(source, found)
        if not (found or names):
            return ()
        spans = self._tokenizer.encode_with_spans(source).spans
        rare = [
            RareWord(self._positions(word, spans, prefix_length), self._tokens(word.translations)) for word in found
        ]
        for word in names:
            positions = self._positions(word, spans, prefix_length)
            if len(positions) >= _FEWEST_PIECES:
                rare.append(RareWord(positions, self._tokens(word.translations), is_name=True))
        return tuple(word for word in rare if word.translations)

    def _positions(self, word: FoundWord, spans: Sequence[tuple[int, int]], prefix_length: int) -> tuple[int, ...]:
        return tuple(
            index + prefix_length for index, (first, last) in enumerate(spans) if first < word.end and word.begin < last
        )

    def _tokens(self, translations: Sequence[str]) -> tuple[tuple[int, ...], ...]:
        sequences = (tuple(self._tokenizer.encode_target(translation)) for translation in translations)
        return tuple(filter(None, sequences))

    def context(self, text: str, *, language: str, prefix: tuple[int, ...], enough: int) -> list[Segment]:
        """Returns the last segments of a text that together have this many source ids, or all segments."""
        segments = list(self.segments([text], language=language, splitting="sentences", prefix=prefix))
        kept: list[Segment] = []
        while segments and sum(len(segment.ids) for segment in kept) < enough:
            kept.insert(0, segments.pop()._replace(text_index=CONTEXT))
        return kept

    def _parts(
        self, text: str, begin: int, end: int, max_pieces: int, language: str, kept: "_Whole"
    ) -> Iterator[tuple[int, int, list[int]]]:
        """Yields begin, end and pieces of each part of a sentence that has too many pieces for the model."""

        def fits(part: str) -> bool:
            return len(part) <= _CHARS_PER_PIECE * max_pieces and len(self._tokenizer.encode(part)) <= max_pieces

        def inside(place: int) -> bool:
            return kept.has_inside(start + place)

        start = begin
        for part in break_long(text[begin:end], language=language, fits=fits, inside=inside):
            segment = part.strip()
            first = begin + len(part) - len(part.lstrip())
            begin += len(part)
            if segment:
                yield first, first + len(segment), self._tokenizer.encode(segment)


class _Whole:
    """Ranges of a text that must stay whole, in order and disjoint."""

    def __init__(self, ranges: Sequence[Range]) -> None:
        self._begins, self._ends = [begin for begin, _ in ranges], [end for _, end in ranges]

    def __bool__(self) -> bool:
        return bool(self._begins)

    def has_inside(self, place: int) -> bool:
        """Tells whether a place is inside of a range: behind its begin, and before its end."""
        index = bisect_left(self._begins, place) - 1
        return index >= 0 and place < self._ends[index]

    def joined(self, sentences: Iterable[Range]) -> Iterator[Range]:
        """Joins two sentences if the first ends inside of a range."""
        first, last = 0, -1
        for begin, end in sentences:
            if not self.has_inside(last):
                if last >= 0:
                    yield first, last
                first = begin
            last = end
        if last >= 0:
            yield first, last


def _sentences(text: str, language: str, splitting: Splitting) -> Iterable[tuple[int, int]]:
    """Begin and end of each sentence, without white space at its ends."""
    if splitting == "off":
        begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return [(begin, end)] if begin < end else []
    return spans(text, language=language, newlines=splitting == "sentences")


def _is_alone(text: str, begin: int, end: int) -> bool:
    """Tells whether no words are beside a part of a text in its line, or in its cell of a row."""
    before = text[max(0, begin - _BESIDE) : begin].rpartition("\n")[2]
    behind = text[end : end + _BESIDE].partition("\n")[0]
    if _WORD.search(before + "\n" + behind):
        for first, last in separators(before + text[begin:end] + behind):
            if last <= len(before):
                before = " " * last + before[last:]
            elif first >= len(before) + end - begin:
                behind = behind[: first - len(before) - end + begin]
                break
    return _WORD.search(before + "\n" + behind) is None
