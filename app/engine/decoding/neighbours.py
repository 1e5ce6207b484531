"""The datastore of nearest-neighbour machine translation (Khandelwal et al. 2021), for one sentence.

For each token of a few translations, it has the state that the decoder was in before it. While a sentence is decoded,
the tokens behind the states most like its own get a share of the probability; ``kernels/neighbours.c`` has the formula.
So a translation takes up the words and phrases of similar ones. Where nothing is alike, nothing changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class ExampleIds(NamedTuple):
    """A translation to learn from, as ids.

    Attributes:
        source: Special ids included.
        target: Without start and end.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Tokens and the states before them.

    Attributes:
        keys: (N, D) int8 states.
        scales: (N,) float32: a state is its int8 numbers times this.
        tokens: (N,) int32.
    """

    keys: Array
    scales: Array
    tokens: Array

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return int(self.keys.nbytes + self.scales.nbytes + self.tokens.nbytes)

    def copy(self) -> "Neighbours":
        """Return a copy in memory of its own."""
        return Neighbours(self.keys.copy(), self.scales.copy(), self.tokens.copy())

    @staticmethod
    def joined(some: Sequence["Neighbours"]) -> "Neighbours":
        """All of them in one, in order; at least one."""
        return Neighbours(
            np.concatenate([each.keys for each in some]),
            np.concatenate([each.scales for each in some]),
            np.concatenate([each.tokens for each in some]),
        )
