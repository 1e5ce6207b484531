"""Puts the translation of a text together, sentence by sentence."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from app.text.inline.placement import Edit
from app.translation.sentence import SentenceTranslation, TextTranslation

_NO_MARKS: Mapping[int, str] = MappingProxyType({})


class TextBuilder:
    """Puts the translation of one text together.

    Args:
        source: The text.
        marks: What characters between the sentences become, see ``str.translate``.
        edits: What else is written anew between the sentences, in order: times alone in a cell.
    """

    def __init__(self, source: str, marks: Mapping[int, str] = _NO_MARKS, edits: Iterable[Edit] = ()) -> None:
        self._source, self._marks = source, marks
        self._edits = deque(edits)
        self._versions: list[tuple[str, ...]] = []
        self._sentences: list[SentenceTranslation] = []
        self._source_end = self._target_end = 0

    def add(self, sentence: SentenceTranslation) -> SentenceTranslation:
        """Adds the next sentence and what stands before it; returns the sentence with its place in the translation."""
        gap = self._gap(sentence.source_begin)
        sentence = sentence.moved(0, self._target_end + len(gap) - sentence.target_begin)
        self._versions += (gap,), (sentence.text, *(other.text for other in sentence.alternatives))
        self._sentences.append(sentence)
        self._source_end = sentence.source_begin + len(sentence.source)
        self._target_end = sentence.target_begin + len(sentence.text)
        return sentence

    def finish(self) -> TextTranslation:
        """The whole text, after all its sentences."""
        text, *alternatives = joined_versions([*self._versions, (self._gap(len(self._source)),)])
        return TextTranslation(text=text, alternatives=tuple(alternatives), sentences=tuple(self._sentences))

    def _gap(self, end: int) -> str:
        begin, parts = self._source_end, list[str]()
        while self._edits and self._edits[0].end <= end:
            edit = self._edits.popleft()
            if edit.begin >= begin:
                parts += (self._source[begin : edit.begin], edit.replacement)
                begin = edit.end
        gap = "".join((*parts, self._source[begin:end]))
        return gap.translate(self._marks) if self._marks else gap


def joined_versions(versions: Sequence[tuple[str, ...]]) -> list[str]:
    """The versions of a whole text, best first and unique, given those of its parts.

    A part with fewer versions than others repeats its last.
    """
    ranks = max(map(len, versions), default=1)
    return list(dict.fromkeys("".join(texts[: rank + 1][-1] for texts in versions) for rank in range(ranks)))
