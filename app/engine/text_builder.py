"""Puts the translation of a text together, sentence by sentence. Standard library only."""

from collections.abc import Sequence
from dataclasses import replace

from app.engine.interface import SentenceTranslation, TextTranslation


class TextBuilder:
    """Puts the translation of one text together, segment by segment."""

    def __init__(self) -> None:
        self._versions: list[tuple[str, ...]] = []
        self._sentences: list[SentenceTranslation] = []
        self._source_end = self._target_end = 0

    def add(self, gap: str, sentence: SentenceTranslation) -> SentenceTranslation:
        """Append a gap and a sentence; returns the sentence with its places in the whole text."""
        sentence = replace(sentence, source_begin=self._source_end + len(gap), target_begin=self._target_end + len(gap))
        self._versions += (gap,), (sentence.text, *(other.text for other in sentence.alternatives))
        self._sentences.append(sentence)
        self._source_end = sentence.source_begin + len(sentence.source)
        self._target_end = sentence.target_begin + len(sentence.text)
        return sentence

    def finish(self, gap: str) -> TextTranslation:
        """The whole text, whose last gap this is."""
        text, *alternatives = joined_versions([*self._versions, (gap,)])
        return TextTranslation(text=text, alternatives=tuple(alternatives), sentences=tuple(self._sentences))


def joined_versions(versions: Sequence[tuple[str, ...]]) -> list[str]:
    """The versions of a whole text, best first and unique, given those of its parts.

    A part with fewer versions than others repeats its last.
    """
    ranks = max(map(len, versions), default=1)
    return list(dict.fromkeys("".join(texts[: rank + 1][-1] for texts in versions) for rank in range(ranks)))
