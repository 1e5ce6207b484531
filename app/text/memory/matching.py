"""Looks texts up in a translation memory: the same text, one that differs in its numbers, or a similar one."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import NamedTuple, Protocol

from app.fairness.budget import checkpoint
from app.text.memory.entries import MAX_ENTRY_CHARS
from app.text.memory.index import ChangedIndex, FuzzyIndex, Similar
from app.text.memory.placeables import patched

DEFAULT_THRESHOLD = 75
"""Minimum score of a match, unless a request says otherwise; DeepL's."""

_AT_ONCE = 500  # texts that are looked up in the database together
_TRIED = 8  # similar entries of a text
_EXAMPLES = 16  # for a sentence; with 64 it learns no more (research/2026-11-28-adaptation.md)


class Entry(Protocol):
    """An entry of a translation memory."""

    @property
    def source(self) -> str:
        """The text."""

    @property
    def target(self) -> str:
        """Its translation."""


class Match(NamedTuple):
    """An entry of a translation memory that matches a text.

    Attributes:
        segment: The text.
        score: How similar the entry's text is, from 0 to 100. 100 is the same text; white space doesn't count.
        source: The entry's text.
        target: The entry's translation.
        applied: The translation of the text: the entry's, with other numbers if these are all that differs. None if
            the entry is only offered.
    """

    segment: str
    score: int
    source: str
    target: str
    applied: str | None


class TranslationMemory:
    """A translation memory for one pair of languages.

    Args:
        exact: Finds the entries with these texts, by text.
        by_ids: Finds the entries with these numbers, by number.
        index: The index of all texts, also of some that are gone; may be None if only the same texts are wanted.
        language: Code of the language of its texts.
        threshold: Minimum score of a match.
        adapts: Sentences without a match are to learn from its entries.

    Attributes:
        adapts: See above.
    """

    def __init__(
        self,
        exact: Callable[[Collection[str]], Mapping[str, Entry]],
        by_ids: Callable[[Collection[int]], Mapping[int, Entry]],
        index: FuzzyIndex | ChangedIndex | None,
        *,
        language: str,
        threshold: int,
        adapts: bool = False,
    ) -> None:
        self.adapts = adapts and index is not None
        self._exact, self._by_ids, self._index = exact, by_ids, index
        self._language, self._threshold = language, threshold

    def find(self, texts: Iterable[str], locale: str) -> dict[str, Match]:
        """Returns the best match of each text that has one, by text.

        Args:
            texts: Any strings.
            locale: Code of the target language, with or without a region, for which numbers are written.
        """
        found: dict[str, Match] = {}
        remaining = iter(dict.fromkeys(texts))
        while part := list(islice(remaining, _AT_ONCE)):
            checkpoint()
            short = [text for text in part if len(text) <= 2 * MAX_ENTRY_CHARS]  # with white space, which doesn't count
            same = self._exact(short)
            found |= {text: Match(text, 100, entry.source, entry.target, entry.target) for text, entry in same.items()}
            if self._index is not None and self._threshold < 100:
                found |= self._similar([text for text in short if text not in same], self._index, locale)
        return found

    def alike(self, texts: Collection[str]) -> dict[str, list[Entry]]:
        """Returns the entries that share most with each text, the likest first; none without an index."""
        if self._index is None:
            return {text: [] for text in texts}
        ids = {}
        for text in texts:
            checkpoint()
            ids[text] = [similar.id for similar in self._index.alike(text, _EXAMPLES)]
        entries = self._by_ids(sorted({number for own in ids.values() for number in own}))
        return {text: [entries[number] for number in own if number in entries] for text, own in ids.items()}

    def _similar(self, texts: Iterable[str], index: FuzzyIndex | ChangedIndex, locale: str) -> dict[str, Match]:
        candidates: dict[str, list[Similar]] = {}
        for text in texts:
            checkpoint()
            candidates[text] = index.find(text, self._threshold / 100)[:_TRIED]
        entries = self._by_ids([similar.id for each in candidates.values() for similar in each])
        found = {}
        for text, similars in candidates.items():
            checkpoint()
            matches = (
                self._match(text, entries[similar.id], similar, locale) for similar in similars if similar.id in entries
            )
            best = next(matches, None)
            if best:
                found[text] = best if best.applied else next((match for match in matches if match.applied), best)
        return found

    def _match(self, text: str, entry: Entry, similar: Similar, locale: str) -> Match:
        score = min(99, int(100 * similar.similarity))
        applied = patched(text, entry.source, entry.target, self._language, locale)
        return Match(text, score, entry.source, entry.target, applied)
