"""Hypotheses to text: detokenised, aligned by characters."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Draft, Version
from app.engine.models.manifest import Confidence
from app.engine.models.tokenizer import Tokenizer
from app.engine.request.segmentation import Segment
from app.text.inline.target_tokens import Link

_NO_CHARACTER = "\ufffd"


class Detokenizer:
    """Turns hypotheses into text.

    Args:
        tokenizer: The bundle's.
        confidence: How the bundle computes the confidence; None if it can't.
        placeholders: Characters that the model copies.

    Attributes:
        tokenizer: As above.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        confidence: Confidence | None = None,
        placeholders: Sequence[str] = (),
    ) -> None:
        self.tokenizer, self._confidence = tokenizer, confidence
        self._placeholders = frozenset(map(tokenizer.piece_id, placeholders))

    def prefix(self, segment: Segment, tokens: Sequence[int]) -> str:
        """Return the stable beginning of a segment's translation, which can't change any more."""
        invented = self._invented(segment)
        tokens = [token for token in tokens if token not in invented]
        # Further bytes may complete a character, and the sentence's own ends have no white space.
        return self.tokenizer.decode(tokens).replace(_NO_CHARACTER, "").strip()

    def draft(self, segment: Segment, hypotheses: Sequence[Hypothesis], *, alignment: bool) -> Draft:
        """The draft of a segment.

        Args:
            segment: The segment.
            hypotheses: Its translations, best first, at least one; those with the same text count once.
            alignment: Whether the translations are aligned.
        """
        found: dict[str, Hypothesis] = {}
        for hypothesis in hypotheses:
            text = self.tokenizer.decode(hypothesis.tokens)
            if self._is_broken(segment, text) or not self._invented(segment).isdisjoint(hypothesis.tokens):
                hypothesis = self._cleaned(segment, hypothesis)
                text = self.tokenizer.decode(hypothesis.tokens)
            found.setdefault(text.strip(), hypothesis)
        # An empty translation must not swallow text, if there is another one.
        silence = found.pop("", None)
        if silence and not found:
            found = {"": replace(silence, tokens=(), attended=())}
        versions = (self._version(segment, *version, alignment=alignment) for version in found.items())
        return Draft(segment.text_index, segment.begin, segment.source, tuple(versions))

    def _version(self, segment: Segment, text: str, hypothesis: Hypothesis, *, alignment: bool) -> Version:
        tokens = hypothesis.tokens
        confidence = None
        if self._confidence is not None:
            # Silence is never good, however sure.
            confidence = self._confidence.chance(hypothesis.log_probability, len(tokens) + 1) if tokens else 0.0
        links = self.links(segment, hypothesis) if alignment and hypothesis.attended else ()
        return Version(text, hypothesis.score, confidence, hypothesis.truncated, links)

    def _invented(self, segment: Segment) -> frozenset[int]:
        """Return the placeholders that the source doesn't have and that the model made up."""
        return self._placeholders.difference(segment.ids)

    def _is_broken(self, segment: Segment, text: str) -> bool:
        """Tell whether the text has bytes that form no character."""
        return _NO_CHARACTER in text and _NO_CHARACTER not in segment.source

    def _cleaned(self, segment: Segment, hypothesis: Hypothesis) -> Hypothesis:
        """Remove placeholders that the source doesn't have, and bytes that form no character."""
        tokens, attended = hypothesis.tokens, hypothesis.attended
        invented = self._invented(segment)
        text, places = self.tokenizer.decode_with_spans(tokens)
        broken = self._is_broken(segment, text)
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

    def links(self, segment: Segment, best: Hypothesis) -> tuple[Link, ...]:
        """Character ranges that the pieces of a hypothesis translate; a piece that looks at no text has none."""
        spans = self.tokenizer.encode_with_spans(segment.source).spans
        tag_length = len(segment.ids) - len(spans) - 1
        text, places = self.tokenizer.decode_with_spans(best.tokens)
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
