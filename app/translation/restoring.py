"""Puts protected spans back into translated sentences."""

from collections.abc import Callable
from dataclasses import replace

from app.engine.interface import Alternative, SentenceTranslation, TextTranslation
from app.engine.text_builder import TextBuilder
from app.text.inline.placement import Edit, apply
from app.text.protection.protected import Offsets, Protected, moved

Mirror = Callable[[str, str], list[Edit]]


class Restorer:
    """Restores the sentences of one text as they come.

    Args:
        text: The text as the model sees it.
        protected: What stands in it for what; None if nothing does.
        mirror: What to change in the translation of a sentence, given both, so that it begins and ends like it.

    Attributes:
        lost: The spans so far that the model lost; they were put where they probably belong.
    """

    def __init__(self, text: str, protected: Protected | None, mirror: Mirror) -> None:
        self.lost: list[str] = []
        self._text, self._protected = text, protected
        self._mirror = mirror
        self._builder, self._unrestored = TextBuilder(), TextBuilder()
        self._done = self._unrestored_done = 0  # characters of the original text, and of the text with stand-ins

    def add(self, sentence: SentenceTranslation) -> SentenceTranslation:
        """The next sentence, with its spans, and with places in the text as it was and in its translation."""
        part = None
        if self._protected:
            part = self._protected.part(sentence.source_begin, sentence.source_begin + len(sentence.source))
        if sentence.stored is None:
            sentence = self._mirrored(sentence)
        gap = self._text[self._unrestored_done : sentence.source_begin]
        self._unrestored_done = sentence.source_begin + len(sentence.source)
        unrestored = self._unrestored.add(gap, sentence)
        if not (self._protected and part):
            return unrestored
        begin = self._protected.offsets.begin(sentence.source_begin)
        gap = self._protected.source[self._done : begin]
        self._done = begin + len(part.source)
        if sentence.stored is not None:
            stored = replace(sentence, source=part.source, text=sentence.stored, alignment=())
            return self._builder.add(gap, stored)
        restored = part.restore(sentence.text, sentence.alignment)
        self.lost += restored.lost
        alternatives = {part.restore(other.text).text: other.score for other in reversed(sentence.alternatives)}
        alternatives.pop(restored.text, None)
        return self._builder.add(
            gap,
            replace(
                sentence,
                source=part.source,
                text=restored.text,
                alternatives=tuple(Alternative(*other) for other in reversed(alternatives.items())),
                alignment=part.restore_links(sentence.alignment, restored),
            ),
        )

    def finish(self) -> tuple[TextTranslation, TextTranslation]:
        """Returns the whole translation with stand-ins, and with spans, after all its sentences."""
        unrestored = self._unrestored.finish(self._text[self._unrestored_done :])
        if self._protected is None:
            return unrestored, unrestored
        return unrestored, self._builder.finish(self._protected.source[self._done :])

    def _mirrored(self, sentence: SentenceTranslation) -> SentenceTranslation:
        edits = self._mirror(sentence.source, sentence.text)
        text = apply(edits, sentence.text)
        moves = Offsets((begin, end, len(new)) for begin, end, new in edits)
        alternatives = {
            apply(self._mirror(sentence.source, other.text), other.text): other.score
            for other in reversed(sentence.alternatives)
        }
        alternatives.pop(text, None)
        links = moved(sentence.alignment, Offsets(()), moves) if edits else sentence.alignment
        return replace(
            sentence,
            text=text,
            alternatives=tuple(Alternative(*other) for other in reversed(alternatives.items())),
            alignment=tuple(link for link in links if link.target_begin < link.target_end),  # a mark may be gone
        )
