"""Lexical shortlists: the few target pieces that a sentence's translation is made of (Jean et al. 2015, section 3.2).

The projection onto the vocabulary, its softmax and the search for the best are a quarter of a decoding step; over a
shortlist they are almost nothing.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.errors import BundleError

Array = NDArray[Any]


class Shortlist:
    """For each source piece, the target pieces it was aligned with; for a tag, its language's most frequent pieces."""

    def __init__(self, offsets: Array, pieces: Array) -> None:
        """Piece n of V allows ``pieces[offsets[n]:offsets[n + 1]]``; offsets (V + 1,), pieces (N,)."""
        self._offsets, self._pieces = offsets.astype(np.int64), pieces.astype(np.int32)  # a million of them

    @classmethod
    def read(cls, path: Path) -> "Shortlist":
        """Read the file that ``save`` wrote.

        Raises:
            BundleError: The file is damaged, or names pieces that the vocabulary doesn't have.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                offsets, pieces = file["offsets"].astype(np.int64), file["pieces"].astype(np.int64)
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise BundleError(f"{path} is not a shortlist") from error
        vocabulary = len(offsets) - 1
        rising = offsets.ndim == pieces.ndim == 1 and np.all(np.diff(offsets) >= 0)
        if vocabulary < 1 or not rising or offsets[0] or offsets[-1] != len(pieces):
            raise BundleError(f"{path} is not a shortlist")
        if np.any((pieces < 0) | (pieces >= vocabulary)):
            raise BundleError(f"{path} names pieces that the vocabulary doesn't have")
        return cls(offsets, pieces)

    def save(self, path: Path) -> None:
        """Write a compressed ``.npz`` file."""
        np.savez_compressed(path, offsets=self._offsets.astype(np.int32), pieces=self._pieces.astype(np.int32))

    def of(self, source: Sequence[int]) -> Array:
        """Source ids, special ids included -> target ids, ascending (C,) int64. A source piece may always be copied."""
        offsets, pieces = self._offsets, self._pieces
        found = [pieces[offsets[index] : offsets[index + 1]] for index in source]
        return np.unique(np.concatenate([np.asarray(source, dtype=np.int64), *found]))
