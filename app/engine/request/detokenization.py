"""Hypotheses to text: detokenised, judged, aligned by characters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Alternative, SentenceTranslation
from app.engine.models.bundle import Confidence
from app.engine.models.tokenizer import Tokenizer
from app.engine.request.segmentation import Segment
from app.text.inline.target_tokens import Link
from app.text.protection.protected import Protected, Restored, protect_ranges
from app.text.quality_checks import Verdict, judge, loops

# Numbers that all languages write alike. Numbers with a point or a comma differ, so the model translates them.
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[:/-]\d+)*(?![.,]?\d)")
_NO_CHARACTER = "\ufffd"


class Numbered(NamedTuple):
    """A segment with placeholders instead of its numbers, and the numbers."""

    segment: Segment
    protected: Protected


@dataclass(frozen=True)
class Version:
    """A text that one or more hypotheses of a segment produce, with the verdicts on it.

    Attributes:
        text: The text.
        hypothesis: A hypothesis that produces it.
        verdicts: Failed quality checks.
        numbered: The segment with placeholders for numbers, if that was translated instead.
        restored: The translation of ``numbered`` with its numbers put back.
    """

    text: str
    hypothesis: Hypothesis
    verdicts: tuple[Verdict, ...]
    numbered: Numbered | None = None
    restored: Restored | None = None


class Detokenizer:
    """Turns hypotheses into text."""

    def __init__(
        self, tokenizer: Tokenizer, confidence: Confidence | None = None, placeholders: Sequence[str] = ()
    ) -> None:
        """All are the bundle's."""
        self._tokenizer, self._confidence = tokenizer, confidence
        self._placeholders = {placeholder: tokenizer.piece_id(placeholder) for placeholder in placeholders}

    def prefix(self, segment: Segment, tokens: Sequence[int]) -> str:
        """Return the stable beginning of a segment's translation, which can't change any more."""
        invented = self._invented(segment)
        tokens = [token for token in tokens if token not in invented]
        # Further bytes may complete a character, and the sentence's own ends have no white space.
        return self._tokenizer.decode(tokens).replace(_NO_CHARACTER, "").strip()

    def versions(self, segment: Segment, hypotheses: Sequence[Hypothesis]) -> list[Version]:
        """The different texts of the hypotheses, in order, at least one."""
        found: dict[str, Hypothesis] = {}
        for hypothesis in (self._meaningful(segment, hypothesis) for hypothesis in hypotheses):
            found.setdefault(self._tokenizer.decode(hypothesis.tokens).strip(), hypothesis)
        # An empty translation must not swallow text: use another hypothesis, or else the source.
        silence = found.pop("", None)
        if silence and not found:
            return [_copy(segment, silence)]
        return [
            Version(text, hypothesis, judge(segment.source, text, truncated=hypothesis.truncated))
            for text, hypothesis in found.items()
        ]

    def last_resort(self, segment: Segment, best: Version) -> Version | None:
        """The source, if the best that the model has found is a loop."""
        return _copy(segment, best.hypothesis) if loops(segment.source, best.text) else None

    def _invented(self, segment: Segment) -> set[int]:
        """Placeholders that the source doesn't have: they mean nothing to anybody."""
        return set(self._placeholders.values()) - set(segment.ids)

    def _meaningful(self, segment: Segment, hypothesis: Hypothesis) -> Hypothesis:
        """Without placeholders that the source doesn't have, and without bytes that make no character."""
        tokens, attended = hypothesis.tokens, hypothesis.attended
        invented = self._invented(segment)
        broken = _NO_CHARACTER not in segment.source and _NO_CHARACTER in self._tokenizer.decode(tokens)
        if invented.isdisjoint(tokens) and not broken:
            return hypothesis
        text, places = self._tokenizer.decode_with_spans(tokens)
        kept = [
            index
            for index, (begin, end) in enumerate(places)
            if tokens[index] not in invented and not (broken and text[begin:end] == _NO_CHARACTER)
        ]
        return replace(
            hypothesis,
            tokens=tuple(tokens[index] for index in kept),
            attended=tuple(attended[index] for index in kept) if attended else attended,
        )

    def numbered(self, segment: Segment) -> Numbered | None:
        """The segment with placeholders for its numbers; None if it has no numbers, or the model no placeholders."""
        free = [placeholder for placeholder in self._placeholders if placeholder not in segment.source]
        ranges = [match.span() for match in _NUMBER.finditer(segment.source)][: len(free)]
        if not ranges:
            return None
        protected = protect_ranges(segment.source, ranges, free)
        tag = segment.ids[: len(segment.ids) - len(self._tokenizer.encode(segment.source)) - 1]
        ids = (*tag, *self._tokenizer.encode(protected.text), segment.ids[-1])
        return Numbered(segment._replace(source=protected.text, ids=ids), protected)

    def numbered_versions(
        self, segment: Segment, numbered: Numbered, hypotheses: Sequence[Hypothesis]
    ) -> list[Version]:
        """Those hypotheses for the numbered segment that kept every placeholder, as texts for the segment itself."""
        found = []
        for hypothesis in (self._meaningful(numbered.segment, hypothesis) for hypothesis in hypotheses):
            restored = numbered.protected.restore(self._tokenizer.decode(hypothesis.tokens).strip())
            if not restored.lost:
                verdicts = judge(segment.source, restored.text, truncated=hypothesis.truncated)
                found.append(Version(restored.text, hypothesis, verdicts, numbered, restored))
        return found

    def sentence(
        self, segment: Segment, versions: Sequence[Version], *, n_best: int, alignment: bool
    ) -> SentenceTranslation:
        """The translation of a segment, as if it stood at the beginning of its text.

        Args:
            segment: The segment.
            versions: Its translations, best first.
            n_best: How many of them are wanted.
            alignment: Whether the best is aligned.
        """
        best = versions[0]
        others = {
            version.text: version.hypothesis.score for version in reversed(versions[1:]) if version.text != best.text
        }
        alternatives = [Alternative(text, score) for text, score in reversed(others.items())]
        return SentenceTranslation(
            source=segment.source,
            source_begin=0,
            text=best.text,
            target_begin=0,
            score=best.hypothesis.score,
            alternatives=tuple(alternatives[: n_best - 1]),
            confidence=self._chance(best.hypothesis),
            verdicts=best.verdicts,
            alignment=self._links_of(segment, best) if alignment and best.hypothesis.attended else (),
        )

    def _chance(self, best: Hypothesis) -> float | None:
        if self._confidence is None:
            return None
        # Silence is never good, however sure.
        return self._confidence.chance(best.log_probability, len(best.tokens) + 1) if best.tokens else 0.0

    def _links_of(self, segment: Segment, best: Version) -> tuple[Link, ...]:
        if best.numbered is None or best.restored is None:
            return self.links(segment, best.hypothesis)
        links = self.links(best.numbered.segment, best.hypothesis)
        return best.numbered.protected.restore_links(links, best.restored)

    def links(self, segment: Segment, best: Hypothesis) -> tuple[Link, ...]:
        """Character ranges that the pieces of a hypothesis translate; a piece that looks at no text has none."""
        spans = self._tokenizer.encode_with_spans(segment.source).spans
        tag_length = len(segment.ids) - len(spans) - 1
        text, places = self._tokenizer.decode_with_spans(best.tokens)
        stripped = len(text) - len(text.lstrip())
        length = len(text.strip())
        links = []
        for (begin, end), position in zip(places, best.attended, strict=True):
            # White space in front belongs to the piece, and is not part of the word.
            begin += len(text[begin:end]) - len(text[begin:end].lstrip())
            begin, end = max(0, begin - stripped), min(end - stripped, length)
            piece = position - tag_length
            if begin < end and 0 <= piece < len(spans):
                source_begin, source_end = spans[piece]
                source_begin += len(segment.source[source_begin:source_end]) - len(
                    segment.source[source_begin:source_end].lstrip()
                )
                if source_begin < source_end:
                    links.append(Link(source_begin, source_end, begin, end))
        return tuple(links)


def _copy(segment: Segment, instead_of: Hypothesis) -> Version:
    """The source, for lack of a translation."""
    return Version(segment.source, replace(instead_of, tokens=(), attended=()), (Verdict.COPIED_SOURCE,))
