"""Finds the texts of a translation memory that are like another text.

    index = FuzzyIndex([(7, "Bitte öffnen Sie das Fenster."), (8, "Guten Morgen!")])
    index.find("Bitte öffnen Sie alle Fenster.", 0.75)  # [Similar(id=7, similarity=0.9)]

Texts that share many trigrams are compared by their edit distance (Levenshtein). All numbers count as the same. Of
100,000 texts of 64 characters, a search takes 3 ms, and the index 38 MB and 0.4 s to build (``make bench-memory``).
"""

import re
from collections.abc import Iterable
from importlib.util import find_spec
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from app.errors import ExtraMissing
from app.fairness.budget import checkpoint
from app.text.memory.entries import MAX_ENTRY_CHARS

EXTRA = "memory"
_AT_ONCE = 5_000  # texts
_BUCKETS = 1 << 16  # of trigrams; two that share one cost a comparison
_MOST_POSTINGS = 1_000_000  # looked at for a text: its rarest trigrams go first
_COMPARED = 200
# Share of trigrams (Dice) that an example has at least. Without a bound, everyday sentences lose 0.3 BLEU by a manual's
# memory; with 0.5, a manual's own gain falls from 3 to 1 (research/2026-11-28-adaptation.md).
_ALIKE = 0.4
_NUMBER = re.compile(r"\d(?:[\d.,:/'’\u00a0\u202f-]*\d)?")


class Similar(NamedTuple):
    """A text of the index and its similarity, from 0 to 1."""

    id: int
    similarity: float


class FuzzyIndex:
    """An index of texts.

    Args:
        texts: Numbers and texts.

    Attributes:
        ids: The numbers.

    Raises:
        ExtraMissing: The library that compares texts is not installed.
    """

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        check_installed()
        self.ids: list[int] = []
        self._texts: list[str] = []
        remaining = iter(texts)
        codes, owners = [np.empty(0, np.uint16)], [np.empty(0, np.int32)]
        while part := list(islice(remaining, _AT_ONCE)):
            checkpoint()
            first = len(self.ids)
            self.ids += [number for number, _ in part]
            self._texts += [_simplified(text) for _, text in part]
            found, text_of = _trigrams(self._texts[first:])
            codes.append(found)
            owners.append((text_of + first).astype(np.int32))
        all_codes = np.concatenate(codes)
        self._postings = np.concatenate(owners)[np.argsort(all_codes, kind="stable")]
        self._begins = np.concatenate([[0], np.cumsum(np.bincount(all_codes, minlength=_BUCKETS))])
        self._lengths = np.array([len(text) for text in self._texts], np.int32)

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, text: str, least: float) -> list[Similar]:
        """Finds the texts with at least this similarity, the most similar first.

        Args:
            text: Any string; for one that is longer than an entry may be, there are none.
            least: From 0 to 1.
        """
        from rapidfuzz.distance import Levenshtein

        simple = _simplified(text[: MAX_ENTRY_CHARS + 1])
        if not self.ids or len(text) > MAX_ENTRY_CHARS:
            return []
        likely = self._shared(simple) / (self._lengths + len(simple))  # half of Dice's coefficient
        likely[(self._lengths < least * len(simple)) | (self._lengths * least > len(simple))] = 0
        most = min(_COMPARED, len(likely))
        best = np.argpartition(likely, -most)[-most:]
        found = []
        for place in best[likely[best] > 0].tolist():
            similarity = Levenshtein.normalized_similarity(simple, self._texts[place], score_cutoff=least)
            if similarity >= least and similarity > 0:
                found.append(Similar(self.ids[place], similarity))
        return sorted(found, key=_rank)

    def alike(self, text: str, most: int) -> list[Similar]:
        """Finds the texts that share most trigrams with this one, by Dice's coefficient, the most similar first."""
        if not self.ids:
            return []
        simple = _simplified(text[:MAX_ENTRY_CHARS])
        likely = self._shared(simple) / np.maximum(1, self._lengths + len(simple))
        best = np.argpartition(likely, -min(most, len(likely)))[-most:]
        found = [Similar(self.ids[place], float(2 * likely[place])) for place in best.tolist()]
        return sorted((each for each in found if each.similarity >= _ALIKE), key=_rank)

    def _shared(self, text: str) -> npt.NDArray[np.int64]:
        """Counts the trigrams that each text shares with this one, without the most frequent trigrams."""
        codes = np.unique(_trigrams([text])[0]).astype(np.int64)  # 65,535 + 1 is no uint16
        sizes = self._begins[codes + 1] - self._begins[codes]
        order = np.argsort(sizes, kind="stable")
        kept = codes[order][np.cumsum(sizes[order]) <= _MOST_POSTINGS]
        lists = [self._postings[self._begins[code] : self._begins[code + 1]] for code in kept]
        return np.bincount(np.concatenate(lists) if lists else [], minlength=len(self.ids))


class ChangedIndex:
    """An index after some changes of its texts, which cost less than to build it again.

    Args:
        base: The index as it was. A text that was deleted since is still found.
        changed: Numbers and texts that are new, or other texts than before.
    """

    def __init__(self, base: FuzzyIndex, changed: Iterable[tuple[int, str]]) -> None:
        self._base, self._changed = base, FuzzyIndex(changed)
        self._changed_ids = frozenset(self._changed.ids)

    def __len__(self) -> int:
        return len(self._changed_ids.union(self._base.ids))

    def find(self, text: str, least: float) -> list[Similar]:
        """See ``FuzzyIndex.find``."""
        unchanged = [similar for similar in self._base.find(text, least) if similar.id not in self._changed_ids]
        return sorted(unchanged + self._changed.find(text, least), key=_rank)

    def alike(self, text: str, most: int) -> list[Similar]:
        """See ``FuzzyIndex.alike``."""
        unchanged = [similar for similar in self._base.alike(text, most) if similar.id not in self._changed_ids]
        return sorted(unchanged + self._changed.alike(text, most), key=_rank)[:most]


def check_installed() -> None:
    """Raises an error unless the library that compares texts is installed.

    Raises:
        ExtraMissing: The library that does it is not installed.
    """
    if not is_installed():
        raise ExtraMissing.needed_by("Finding similar texts in a translation memory", EXTRA)


def is_installed() -> bool:
    """Tells whether the library that compares texts is installed."""
    return find_spec("rapidfuzz") is not None


def _rank(similar: Similar) -> tuple[float, int]:
    return -similar.similarity, similar.id


def _simplified(text: str) -> str:
    """Normalises white space and replaces each number by one character."""
    return _NUMBER.sub("0", " ".join(text.split()))


def _trigrams(texts: list[str]) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]:
    """The buckets of all trigrams, and the index of the text that each is in."""
    padded = [f" {text.casefold()} \0" for text in texts]
    signs = np.frombuffer("".join(padded).encode("utf-32-le", "surrogatepass"), np.uint32)
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in padded])
    first, second, third = signs[:-2], signs[1:-1], signs[2:]
    mixed = ((first * 31 + second) * 31 + third) * np.uint32(2_654_435_761)  # Knuth's multiplicative hashing
    whole = (first != 0) & (second != 0) & (third != 0)
    return (mixed >> np.uint32(16)).astype(np.uint16)[whole], owners[:-2][whole]
