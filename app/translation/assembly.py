"""Puts the translation of an item together, passage by passage, and forgets each passage afterwards."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from app.errors import UnsupportedPair
from app.text.detection import Detection
from app.text.markup.extraction import Rebuilt, joined
from app.text.memory.matching import Match
from app.text.quality_checks import Verdict
from app.text.terms.glossary import TermUse, uses
from app.text.untranslated import Reason, Untranslated
from app.text.well_formed import is_malformed_markup
from app.translation.passages import Batch, Passage, Segment
from app.translation.request import ItemTranslation, TranslationRequest
from app.translation.rules.pair import Direction
from app.translation.rules.target_language import is_translated
from app.translation.sentence import SentenceTranslation, TextKey
from app.translation.text_builder import joined_versions
from languages.registry import language_of


class ItemBuilder:
    """Puts the translation of one item together.

    Args:
        wanted: The request.

    Attributes:
        target_begin: Where the next passage of a plain text begins in the translation.
    """

    def __init__(self, wanted: TranslationRequest) -> None:
        self._wanted = wanted
        self.target_begin = 0
        self._versions: list[tuple[str, ...]] = []
        self._parts: list[Rebuilt] = []
        self._blocks: list[tuple[SentenceTranslation, ...]] = []
        self._lost: list[str] = []
        self._verdicts: Counter[Verdict] = Counter()
        self._tiers: Counter[int] = Counter()
        self._untranslated: list[Untranslated] = []
        self._terms: list[TermUse] = []
        self._matches: list[Match] = []
        self._pivot: str | None = None

    def add(self, passage: Passage) -> None:
        """Adds a passage whose segments are translated."""
        if passage.document:
            translations = [segment.translation for segment in passage.segments]
            texts = [translation.text for translation in translations]
            rebuilt = passage.document.rebuild(texts, [each.alignment for each in translations])
            self._parts.append(rebuilt._replace(runs=()))
            self._untranslated += passage.document.kept
            for segment, run in zip(passage.segments, rebuilt.runs, strict=True):
                self._check(segment, *run)
        else:
            [segment] = passage.segments
            self._versions.append((segment.restored.text, *segment.restored.alternatives[: self._wanted.alternatives]))
            self._lost += segment.lost
        for segment in passage.segments:
            self._add_sentences(segment)

    def _check(self, segment: Segment, run: str, written: str) -> None:
        """Adds a verdict to a block of markup whose tags or values are damaged, if none of its sentences has it."""
        sentences = segment.restored.sentences
        if not sentences or any(Verdict.MALFORMED in sentence.verdicts for sentence in sentences):
            return
        here, there = language_of(segment.language), language_of(self._wanted.locale or self._wanted.target)
        if self._wanted.markup and is_malformed_markup(run, written, here, there, self._wanted.markup.syntax):
            first, *others = sentences
            first = replace(first, verdicts=(*first.verdicts, Verdict.MALFORMED))
            segment.restored = replace(segment.restored, sentences=(first, *others))

    def _untranslated_in(self, segment: Segment) -> Iterator[Untranslated]:
        """Yields the ranges of a segment that stay as they are, in the order of their reasons."""
        block = segment.key.block if self._wanted.markup else 0
        direction = Direction(language_of(segment.language), language_of(self._wanted.target))
        whole = []
        for sentence in segment.restored.sentences:
            begin, end = sentence.source_begin, sentence.source_begin + len(sentence.source)
            if sentence.text == sentence.source and is_translated(sentence.source, direction):
                whole.append((begin, end))
                yield Untranslated(begin + segment.begin, end + segment.begin, Reason.TARGET_LANGUAGE, block)
        if segment.protected is None:
            return
        for begin, end in segment.protected.kept():
            is_element = self._wanted.markup is not None and segment.protected.source[begin] in "<`"
            if not any(first <= begin < last for first, last in whole):
                reason = Reason.MARKUP if is_element else Reason.PROTECTED
                yield Untranslated(begin + segment.begin, end + segment.begin, reason, block)

    def _add_sentences(self, segment: Segment) -> None:
        sentences = segment.restored.sentences
        self._untranslated += self._untranslated_in(segment)
        self._pivot = self._pivot or segment.pivot
        self._matches += segment.matches
        for sentence in sentences:
            self._verdicts.update(sentence.verdicts)
            if sentence.stored is None:
                self._tiers[sentence.tier] += 1
            self._terms += uses(sentence.text, sentence.terms)
        if self._wanted.markup:
            self._blocks.append(sentences if self._wanted.details else ())
            return
        if self._wanted.details:
            moved = tuple(map(Place(segment.key, segment.begin, self.target_begin).moved, sentences))
            self._blocks[:] = [(*self._blocks[0], *moved) if self._blocks else moved]
        self.target_begin += len(segment.restored.text)

    def finish(self, detection: Detection | None, refusal: UnsupportedPair | None) -> ItemTranslation:
        """Returns the whole translation; ``detection`` and ``refusal`` as of ``ItemTranslation``."""
        alternatives: tuple[str, ...] = ()
        if self._wanted.markup:
            text, lost, *_ = joined(self._wanted.markup, self._parts)
        else:
            text, *others = joined_versions(self._versions)
            alternatives, lost = tuple(others), tuple(self._lost)
        return ItemTranslation(
            text=text,
            alternatives=alternatives,
            detection=detection,
            blocks=tuple(self._blocks),
            verdicts=self._verdicts,
            tiers=self._tiers,
            lost=lost,
            pivot=self._pivot,
            terms=tuple(self._terms),
            matches=tuple(self._matches),
            untranslated=tuple(self._untranslated),
            refusal=refusal,
        )


class Place(NamedTuple):
    """The position of a segment, as clients see it.

    Attributes:
        key: Its item and block; a plain text is one block.
        source_begin: Where it begins in the block.
        target_begin: Where its translation begins in that of the block.
    """

    key: TextKey
    source_begin: int = 0
    target_begin: int = 0

    def moved(self, sentence: SentenceTranslation) -> SentenceTranslation:
        """Returns a sentence of the segment with its offsets in the block."""
        return sentence.moved(self.source_begin, self.target_begin)


def places(batch: Batch, items: Sequence[ItemBuilder]) -> Iterator[tuple[Segment, Place]]:
    """Yields each segment for the model and its position; all segments before it must be translated by then."""
    begins = {passage.item: items[passage.item].target_begin for passage in batch}
    for passage in batch:
        for segment in passage.segments:
            if segment.needs_model and passage.document:
                yield segment, Place(segment.key)
            elif segment.needs_model:
                yield segment, Place(TextKey(passage.item), segment.begin, begins[passage.item])
            begins[passage.item] += len(segment.restored.text)
