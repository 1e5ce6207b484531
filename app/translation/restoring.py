"""Puts protected spans back into translated sentences."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from app.engine.interface import Alternative, SentenceTranslation, TextTranslation
from app.engine.text_builder import TextBuilder
from app.text.inline.placement import Edit, apply
from app.text.protection.protected import Offsets, Protected, moved

Mirror = Callable[[str, str], list[Edit]]


class RestoredSentence(NamedTuple):
    """A sentence with its spans.

    Attributes:
        unrestored: With stand-ins, at its place in the text with stand-ins.
        restored: With the spans; the same if there are none.
        lost: Spans that the model lost; they were put where they probably belong.
    """

    unrestored: SentenceTranslation
    restored: SentenceTranslation
    lost: tuple[str, ...] = ()


def restore(sentence: SentenceTranslation, protected: Protected | None, mirror: Mirror) -> RestoredSentence:
    """Puts the protected spans of a sentence back; other sentences of its text may still be missing.

    Args:
        sentence: Its translation, at its place in the text with stand-ins.
        protected: The whole text, and what stands in it for what; None if nothing does.
        mirror: What to change in the translation of a sentence, given both, so that it begins and ends like it.
    """
    sentence = sentence if sentence.stored is not None else _mirrored(sentence, mirror)
    if protected is None:
        return RestoredSentence(sentence, sentence)
    part = protected.part(sentence.source_begin, sentence.source_begin + len(sentence.source))
    if sentence.stored is not None:
        stored = replace(sentence, source=part.source, text=sentence.stored, alignment=())
        return RestoredSentence(sentence, stored)
    found = part.restore(sentence.text, sentence.alignment)
    alternatives = {part.restore(other.text).text: other.score for other in reversed(sentence.alternatives)}
    alternatives.pop(found.text, None)
    restored = replace(
        sentence,
        source=part.source,
        text=found.text,
        alternatives=tuple(Alternative(*other) for other in reversed(alternatives.items())),
        alignment=part.restore_links(sentence.alignment, found),
    )
    return RestoredSentence(sentence, restored, tuple(found.lost))


class Restorer:
    """Puts the sentences of one text together as they come.

    Args:
        text: The text as the model sees it.
        protected: What stands in it for what; None if nothing does.
        marks: What characters between the sentences become, see ``str.translate``.

    Attributes:
        lost: The spans so far that the model lost.
    """

    def __init__(self, text: str, protected: Protected | None, marks: Mapping[int, str]) -> None:
        self.lost: list[str] = []
        self._text, self._protected, self._marks = text, protected, marks
        if protected and any(span.translate(marks) != span for span in protected.spans):
            self._marks = {}  # such a span may stand between two sentences
        self._builder, self._unrestored = TextBuilder(), TextBuilder()
        self._done = self._unrestored_done = 0  # characters of the original text, and of the text with stand-ins

    def add(self, sentence: RestoredSentence) -> SentenceTranslation:
        """Adds the next sentence; returns it with offsets in the original text and in its translation."""
        begin = sentence.unrestored.source_begin
        gap = self._text[self._unrestored_done : begin].translate(self._marks)
        self._unrestored_done = begin + len(sentence.unrestored.source)
        unrestored = self._unrestored.add(gap, sentence.unrestored)
        if self._protected is None:
            return unrestored
        begin = self._protected.offsets.begin(begin)
        gap = self._protected.source[self._done : begin].translate(self._marks)
        self._done = begin + len(sentence.restored.source)
        self.lost += sentence.lost
        return self._builder.add(gap, sentence.restored)

    def finish(self) -> tuple[TextTranslation, TextTranslation]:
        """Returns the whole translation with stand-ins, and with spans, after all its sentences."""
        unrestored = self._unrestored.finish(self._text[self._unrestored_done :].translate(self._marks))
        if self._protected is None:
            return unrestored, unrestored
        return unrestored, self._builder.finish(self._protected.source[self._done :].translate(self._marks))


def _mirrored(sentence: SentenceTranslation, mirror: Mirror) -> SentenceTranslation:
    """Changes all translations; an alternative is left out if it fails a check and the best translation passes it."""
    sound = [other for other in sentence.alternatives if set(other.verdicts) <= set(sentence.verdicts)]
    edits = mirror(sentence.source, sentence.text)
    text = apply(edits, sentence.text)
    moves = Offsets((begin, end, len(new)) for begin, end, new in edits)
    alternatives = {apply(mirror(sentence.source, other.text), other.text): other.score for other in reversed(sound)}
    alternatives.pop(text, None)
    links = moved(sentence.alignment, Offsets(()), moves) if edits else sentence.alignment
    return replace(
        sentence,
        text=text,
        alternatives=tuple(Alternative(*other) for other in reversed(alternatives.items())),
        alignment=tuple(link for link in links if link.target_begin < link.target_end),  # a mark may be gone
    )
