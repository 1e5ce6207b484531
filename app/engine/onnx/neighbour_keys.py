"""Neighbours as the native operators take them, see ``kernels/neighbours.c``. N neighbours, D width."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.neighbours import Neighbours

Array = NDArray[Any]

_STRIP, _LANES = 64, 16  # of kernels/model.h


@dataclass(frozen=True, eq=False)
class Keys:
    """Neighbours in strips of 64, the last one filled up.

    Attributes:
        count: N, without what fills up.
        arrays: Inputs of the decoder graph by name, see ``kernels/operators.c``.
    """

    count: int
    arrays: dict[str, Array]

    @classmethod
    def of(cls, neighbours: Neighbours) -> "Keys":
        """Pack neighbours; at least one."""
        more, deeper = -len(neighbours) % _STRIP, -neighbours.keys.shape[1] % _LANES
        keys = np.pad(neighbours.keys, ((0, more), (0, deeper)))
        numbers = keys.astype(np.int32)
        arrays = {
            "keys": keys.reshape(-1, _STRIP, keys.shape[1] // 4, 4)
            .transpose(0, 2, 1, 3)
            .reshape(len(keys) // _STRIP, -1, 4 * _STRIP),
            "key_scales": np.pad(neighbours.scales, (0, more), constant_values=1.0),
            "key_sums": np.stack([numbers.sum(1), (numbers**2).sum(1)], 1, dtype=np.int32),
            "key_tokens": np.pad(neighbours.tokens, (0, more)),
        }
        return cls(len(neighbours), arrays)


def joined_keys(some: Sequence[Keys | None], width: int) -> dict[str, Array]:
    """The keys of several sentences, one after the other, and the number of each, by the names of the graph's inputs.

    Args:
        some: Of each sentence; None for none.
        width: D.
    """
    given = [each for each in some if each]
    if not given:  # no input may be empty
        return _nothing(width).arrays | {"key_counts": np.zeros(1, np.int64)}
    counts = np.array([each.count if each else 0 for each in some], np.int64)
    joined = {
        name: array if len(given) == 1 else np.concatenate([each.arrays[name] for each in given])
        for name, array in given[0].arrays.items()
    }
    return joined | {"key_counts": counts}


@cache
def _nothing(width: int) -> Keys:
    return Keys.of(Neighbours(np.zeros((1, width), np.int8), np.ones(1, np.float32), np.zeros(1, np.int32)))
