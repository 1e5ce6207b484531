"""Hypotheses to text: detokenised, judged, aligned by characters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Alternative, SentenceTranslation
from app.engine.models.bundle import Confidence
from app.engine.models.tokenizer import Tokenizer
from app.engine.request.segmentation import Unit
from app.text.inline.target_tokens import Link
from app.text.protection.protected import Protected, Restored, protect_ranges
from app.text.quality_checks import Verdict, judge, loops

# Numbers that all languages write alike. Numbers with a point or a comma differ, so the model translates them.
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[:/-]\d+)*(?![.,]?\d)")
_NO_CHARACTER = "\ufffd"


class Numbered(NamedTuple):
    """A unit in which placeholders stand in for its numbers, and what they stand for."""

    unit: Unit
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


class Renderer:
    """Turns hypotheses into text."""

    def __init__(
        self, tokenizer: Tokenizer, confidence: Confidence | None = None, placeholders: Sequence[str] = ()
    ) -> None:
        """All are the bundle's."""
        self._tokenizer, self._confidence = tokenizer, confidence
        self._placeholders = {placeholder: tokenizer.piece_id(placeholder) for placeholder in placeholders}

    def prefix(self, unit: Unit, tokens: Sequence[int]) -> str:
        """The beginning of a unit's translation, as far as it can't change any more."""
        invented = self._invented(unit)
        tokens = [token for token in tokens if token not in invented]
        # Further bytes may complete a character, and the sentence's own ends have no white space.
        return self._tokenizer.decode(tokens).replace(_NO_CHARACTER, "").strip()

    def versions(self, unit: Unit, hypotheses: Sequence[Hypothesis]) -> list[Version]:
        """The different texts of the hypotheses, in order, at least one."""
        found: dict[str, Hypothesis] = {}
        for hypothesis in (self._meaningful(unit, hypothesis) for hypothesis in hypotheses):
            found.setdefault(self._tokenizer.decode(hypothesis.tokens).strip(), hypothesis)
        # An empty translation must not swallow text: use another hypothesis, or else the source.
        silence = found.pop("", None)
        if silence and not found:
            return [_copy(unit, silence)]
        return [
            Version(text, hypothesis, judge(unit.source, text, truncated=hypothesis.truncated))
            for text, hypothesis in found.items()
        ]

    def last_resort(self, unit: Unit, best: Version) -> Version | None:
        """The source, if the best that the model has found is a loop."""
        return _copy(unit, best.hypothesis) if loops(unit.source, best.text) else None

    def _invented(self, unit: Unit) -> set[int]:
        """Placeholders that the source doesn't have: they mean nothing to anybody."""
        return set(self._placeholders.values()) - set(unit.ids)

    def _meaningful(self, unit: Unit, hypothesis: Hypothesis) -> Hypothesis:
        """Without placeholders that the source doesn't have, and without bytes that make no character."""
        tokens, attended = hypothesis.tokens, hypothesis.attended
        invented = self._invented(unit)
        broken = _NO_CHARACTER not in unit.source and _NO_CHARACTER in self._tokenizer.decode(tokens)
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

    def numbered(self, unit: Unit) -> Numbered | None:
        """The unit with placeholders for its numbers; None if it has no numbers, or the model no placeholders."""
        free = [placeholder for placeholder in self._placeholders if placeholder not in unit.source]
        ranges = [match.span() for match in _NUMBER.finditer(unit.source)][: len(free)]
        if not ranges:
            return None
        protected = protect_ranges(unit.source, ranges, free)
        tag = unit.ids[: len(unit.ids) - len(self._tokenizer.encode(unit.source)) - 1]
        ids = (*tag, *self._tokenizer.encode(protected.text), unit.ids[-1])
        return Numbered(unit._replace(source=protected.text, ids=ids), protected)

    def numbered_versions(self, unit: Unit, numbered: Numbered, hypotheses: Sequence[Hypothesis]) -> list[Version]:
        """Those hypotheses for the numbered unit that kept every placeholder, as texts for the unit itself."""
        found = []
        for hypothesis in (self._meaningful(numbered.unit, hypothesis) for hypothesis in hypotheses):
            restored = numbered.protected.restore(self._tokenizer.decode(hypothesis.tokens).strip())
            if not restored.lost:
                verdicts = judge(unit.source, restored.text, truncated=hypothesis.truncated)
                found.append(Version(restored.text, hypothesis, verdicts, numbered, restored))
        return found

    def sentence(self, unit: Unit, versions: Sequence[Version], *, n_best: int, alignment: bool) -> SentenceTranslation:
        """The translation of a unit, as if it stood at the beginning of its text.

        Args:
            unit: The unit.
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
            source=unit.source,
            source_begin=0,
            text=best.text,
            target_begin=0,
            score=best.hypothesis.score,
            alternatives=tuple(alternatives[: n_best - 1]),
            confidence=self._chance(best.hypothesis),
            verdicts=best.verdicts,
            alignment=self._links_of(unit, best) if alignment and best.hypothesis.attended else (),
        )

    def _chance(self, best: Hypothesis) -> float | None:
        if self._confidence is None:
            return None
        # Silence is never good, however sure.
        return self._confidence.chance(best.log_probability, len(best.tokens) + 1) if best.tokens else 0.0

    def _links_of(self, unit: Unit, best: Version) -> tuple[Link, ...]:
        if best.numbered is None or best.restored is None:
            return self.links(unit, best.hypothesis)
        links = self.links(best.numbered.unit, best.hypothesis)
        return best.numbered.protected.restore_links(links, best.restored)

    def links(self, unit: Unit, best: Hypothesis) -> tuple[Link, ...]:
        """Character ranges that the pieces of a hypothesis translate; a piece that looks at no text has none."""
        spans = self._tokenizer.encode_with_spans(unit.source).spans
        tag_length = len(unit.ids) - len(spans) - 1
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
                source_begin += len(unit.source[source_begin:source_end]) - len(
                    unit.source[source_begin:source_end].lstrip()
                )
                if source_begin < source_end:
                    links.append(Link(source_begin, source_end, begin, end))
        return tuple(links)


def _copy(unit: Unit, instead_of: Hypothesis) -> Version:
    """The source, for lack of a translation."""
    return Version(unit.source, replace(instead_of, tokens=(), attended=()), (Verdict.COPIED_SOURCE,))
