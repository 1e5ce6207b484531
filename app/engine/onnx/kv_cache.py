"""The self-attention keys and values of the rows so far, between two runs of a decoder graph.

They are the only arrays that grow with every token, so what matters is how often they are copied. Axes: R live rows, P
target positions of the cache, D width, L decoder layers.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

from app.engine.decoding.padding import POSITIONS, pad_to_multiple
from app.engine.onnx.sessions import Sessions

Array = NDArray[Any]


class KeyValueCache:
    """2L values, see ``Sessions.past_shape``; their contents after a row's position are meaningless.

    The graph itself gathers the rows, from one set of arrays into another: the past never leaves the device.
    """

    def __init__(self, model: Sessions) -> None:
        self._model = model
        nothing = np.zeros(model.past_shape(1, POSITIONS), model.dtype)
        self._values = [model.value(nothing) for _ in model.past]
        self._memory = _DoubleBuffer(model)

    def arrange(self, parents: Sequence[int], cache_length: int) -> tuple[list[OrtValue], list[OrtValue]]:
        """Prepare the next run.

        Args:
            parents: (R,) the row of the last run that each row continues; -1 for one that continues none.
            cache_length: Positions needed, P, in whole blocks.

        Returns:
            The values that the graph reads, and the values that it writes.
        """
        if self._values[0].shape()[-2] != cache_length:
            self._values = [self._model.value(_fitted(value.numpy(), cache_length)) for value in self._values]
        past, self._values = self._values, self._memory.values(len(parents), cache_length)
        return past, self._values

    def append(self, pasts: Sequence[tuple[Array, ...]]) -> list[int]:
        """Add rows to those of the last run, each with 2L arrays (positions, D); returns their numbers."""
        rows, cache_length = self._values[0].shape()[:2]
        cache_length = max(cache_length, *(pad_to_multiple(len(past[0])) for past in pasts))
        grown = []
        for layer, value in enumerate(self._values):
            block = np.zeros((rows + len(pasts), cache_length, value.shape()[-1]), self._model.dtype)
            block[:rows] = _fitted(value.numpy(), cache_length)
            for row, past in enumerate(pasts, start=rows):
                block[row, : len(past[layer])] = past[layer]
            grown.append(self._model.value(block))
        self._values = grown
        return list(range(rows, rows + len(pasts)))

    def read(self, row: int, begin: int, end: int) -> tuple[Array, ...]:
        """Copies of a row's positions after the last run, 2L arrays (end - begin, D)."""
        return tuple(value.numpy()[row, begin:end].copy() for value in self._values)


class _DoubleBuffer:
    """Double buffer: two blocks that are used in turn; each is valid until the call after the next.

    New memory for each step would fragment the heap, and the process would grow to twice the size.
    """

    def __init__(self, model: Sessions) -> None:
        self._model = model
        self._blocks = [np.empty(0, model.dtype) for _ in range(2)]
        self._lent: list[list[OrtValue]] = [[], []]
        self._shape = (0, 0)

    def block(self, rows: int, cache_length: int) -> Array:
        """Return 2L uninitialised arrays in one block."""
        self._blocks.reverse()
        shape = (len(self._model.past), *self._model.past_shape(rows, cache_length))
        size = math.prod(shape)
        if self._blocks[0].size < size:
            self._blocks[0] = np.empty(size * 5 // 4, self._model.dtype)
        return self._blocks[0][:size].reshape(shape)

    def values(self, rows: int, cache_length: int) -> list[OrtValue]:
        """Return 2L uninitialised values on the model's device."""
        model = self._model
        if model.device != "cpu":  # only in main memory can a part of a block be lent
            shape = model.past_shape(rows, cache_length)
            return [OrtValue.ortvalue_from_shape_and_type(shape, model.dtype, model.device) for _ in model.past]
        block = self.block(rows, cache_length)
        if (rows, cache_length) != self._shape:
            self._shape, self._lent = (rows, cache_length), [[], []]
        self._lent.reverse()
        if not self._lent[0]:
            self._lent[0] = _values(block)
        return self._lent[0]


def _values(block: Array) -> list[OrtValue]:
    return [OrtValue.ortvalue_from_numpy(array) for array in block]


def _fitted(block: Array, cache_length: int) -> Array:
    """Change P of (..., P, D): pad with zeros, or cut off unused positions."""
    fitted = np.zeros((*block.shape[:-2], cache_length, block.shape[-1]), block.dtype)
    common = min(cache_length, block.shape[-2])
    fitted[..., :common, :] = block[..., :common, :]
    return fitted
