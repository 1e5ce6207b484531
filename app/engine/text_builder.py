"""Puts the translation of a text together, sentence by sentence. Standard library only."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.interface import SentenceTranslation, TextTranslation


class TextBuilder:
    """Puts the translation of one text together, unit by unit."""

    def __init__(self) -> None:
        self._gaps: list[str] = []
        self._sentences: list[SentenceTranslation] = []
        self._source_end = self._target_end = 0

    def add(self, gap: str, sentence: SentenceTranslation) -> SentenceTranslation:
        """Append a gap and a sentence; returns the sentence with its places in the whole text."""
        sentence = replace(sentence, source_begin=self._source_end + len(gap), target_begin=self._target_end + len(gap))
        self._gaps.append(gap)
        self._sentences.append(sentence)
        self._source_end = sentence.source_begin + len(sentence.source)
        self._target_end = sentence.target_begin + len(sentence.text)
        return sentence

    def finish(self, gap: str) -> TextTranslation:
        """The whole text, whose last gap this is."""
        versions = [(sentence.text, *(other.text for other in sentence.alternatives)) for sentence in self._sentences]
        ranks = max(map(len, versions), default=1)
        texts = [self._join([texts[: rank + 1][-1] for texts in versions], gap) for rank in range(ranks)]
        text, *alternatives = dict.fromkeys(texts)
        return TextTranslation(text=text, alternatives=tuple(alternatives), sentences=tuple(self._sentences))

    def _join(self, texts: Sequence[str], gap: str) -> str:
        return "".join(part for pair in zip(self._gaps, texts, strict=True) for part in pair) + gap
