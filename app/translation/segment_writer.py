"""Puts the translations of a batch's segments together, sentence by sentence, in order."""

from collections.abc import Sequence

from app.translation.assembly import ItemBuilder, Place, places
from app.translation.passages import Batch, Segment
from app.translation.restoring import RestoredSentence
from app.translation.rules.marks import marks_between
from app.translation.rules.pair import Direction
from app.translation.sentence import SentenceEvent, TextKey
from app.translation.text_builder import TextBuilder


class SegmentWriter:
    """Stores the translation of each segment in it, as soon as the next one begins.

    Args:
        batch: The passages.
        items: What there is of the request's items.
        direction: The languages, for the marks between sentences; None keeps them.
    """

    def __init__(self, batch: Batch, items: Sequence[ItemBuilder], direction: Direction | None) -> None:
        self._places, self._direction, self._index = places(batch, items), direction, -1
        self._open: _OpenSegment | None = None

    def at(self, index: int) -> tuple[Segment, TextKey]:
        """Stores the segments before this one; returns it, and the key of its events."""
        while self._index < index:
            self._close()
            self._open = _OpenSegment(*next(self._places), self._direction)
            self._index += 1
        assert self._open
        return self._open.segment, self._open.place.key

    def add(self, sentence: RestoredSentence) -> SentenceEvent:
        """Adds the next sentence of the segment; returns it with its place in the client's text."""
        assert self._open
        return self._open.add(sentence)

    def finish(self) -> None:
        """Stores all other segments."""
        self._close()
        for segment, place in self._places:
            _OpenSegment(segment, place, self._direction).close()

    def _close(self) -> None:
        if self._open:
            self._open.close()
            self._open = None


class _OpenSegment:
    """The segment that is being put together, with its place in the client's text."""

    def __init__(self, segment: Segment, place: Place, direction: Direction | None) -> None:
        self.segment, self.place = segment, place
        protected, marks = segment.protected, {} if direction is None else marks_between(segment.text, direction)
        if protected and any(span.translate(marks) != span for span in protected.spans):
            marks = {}  # such a span may stand between two sentences
        edits = protected.rewrites() if protected else ()
        self._builder = TextBuilder(protected.source if protected else segment.text, marks, edits)
        self._unrestored = TextBuilder(segment.text, marks) if protected else None
        self._lost: list[str] = []

    def add(self, sentence: RestoredSentence) -> SentenceEvent:
        self._lost += sentence.lost
        if self._unrestored:
            self._unrestored.add(sentence.unrestored)
        return SentenceEvent(self.place.key, self.place.moved(self._builder.add(sentence.restored)))

    def close(self) -> None:
        segment = self.segment
        segment.restored = self._builder.finish()
        segment.translation = self._unrestored.finish() if self._unrestored else segment.restored
        segment.lost = tuple(self._lost)
