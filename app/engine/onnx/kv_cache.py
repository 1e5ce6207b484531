"""The self-attention keys and values of the rows so far, between two runs of a decoder graph.

They are the only arrays that grow with every token, so what matters is how often they are copied. Axes: R live rows, P
target positions of the cache, D width, H heads of E channels, L decoder layers.
"""

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

from app.engine.decoding.padding import POSITIONS, pad_to_multiple
from app.engine.onnx.sessions import Sessions

Array = NDArray[Any]


class KeyValueCache(Protocol):
    """2L values, see ``Sessions.past_shape``; their contents after a row's position are meaningless."""

    def arrange(self, parents: Sequence[int], cache_length: int) -> tuple[list[OrtValue], list[OrtValue]]:
        """Prepare the next run.

        Args:
            parents: (R,) the row of the last run that each row continues; -1 for one that continues none.
            cache_length: Positions needed, P, in whole blocks.

        Returns:
            The values that the graph reads, and the values that it writes.
        """

    def append(self, pasts: Sequence[tuple[Array, ...]]) -> list[int]:
        """Add rows to those of the last run, each with 2L arrays (positions, D); returns their numbers."""
        raise AssertionError("a graph that appends in place has no memory")

    def read(self, row: int, begin: int, end: int) -> tuple[Array, ...]:
        """Copies of a row's positions after the last run, 2L arrays (end - begin, D)."""
        raise AssertionError("a graph that appends in place has no memory")


class GatheredCache(KeyValueCache):
    """The graph itself gathers the rows, from one set of arrays into another: the past never leaves the device."""

    def __init__(self, model: Sessions) -> None:
        self._model = model
        nothing = np.zeros(model.past_shape(1, POSITIONS), model.dtype)
        self._values = [model.value(nothing) for _ in model.past]
        self._memory = _DoubleBuffer(model)

    def arrange(self, parents: Sequence[int], cache_length: int) -> tuple[list[OrtValue], list[OrtValue]]:
        """See ``KeyValueCache``."""
        if self._values[0].shape()[-2] != cache_length:
            self._values = [self._model.value(_fitted(value.numpy(), cache_length)) for value in self._values]
        past, self._values = self._values, self._memory.values(len(parents), cache_length)
        return past, self._values

    def append(self, pasts: Sequence[tuple[Array, ...]]) -> list[int]:
        """See ``KeyValueCache``."""
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
        """See ``KeyValueCache``."""
        return tuple(value.numpy()[row, begin:end].copy() for value in self._values)


class InPlaceCache(KeyValueCache):
    """One block of memory, (2L, C, H, P, E), that the graph appends to in place; the first R of C rows are live.

    Only rows that continue another row are copied. Every row is copied when the capacity or the length changes, or when
    copying in place would overwrite a row that is still needed.
    """

    def __init__(self, model: Sessions) -> None:
        self._memory = _DoubleBuffer(model)
        self._block = np.zeros((len(model.past), *model.past_shape(1, POSITIONS)), model.dtype)
        self._values = _values(self._block)

    def arrange(self, parents: Sequence[int], cache_length: int) -> tuple[list[OrtValue], list[OrtValue]]:
        """See ``KeyValueCache``."""
        _, capacity, _, old_length, _ = self._block.shape
        rows = len(parents)
        moved = [(row, parent) for row, parent in enumerate(parents) if 0 <= parent != row]
        if (
            rows > capacity
            or cache_length != old_length
            or not {row for row, _ in moved}.isdisjoint(p for _, p in moved)
        ):
            self._move(rows, moved, cache_length)
        else:
            _copy_rows(self._block, self._block, moved)
            if rows != self._values[0].shape()[0]:
                self._values = _values(self._block[:, :rows])
        return self._values, self._values

    def _move(self, rows: int, moved: Sequence[tuple[int, int]], cache_length: int) -> None:
        """Move the rows to another block."""
        old = self._block
        common = min(cache_length, old.shape[3])
        self._block = block = self._memory.block(rows + rows // 4, cache_length)
        staying = min(rows, old.shape[1])
        block[:, :staying, :, :common] = old[:, :staying, :, :common]
        _copy_rows(old[..., :common, :], block[..., :common, :], moved)
        self._values = _values(block[:, :rows])


def _copy_rows(old: Array, new: Array, moved: Sequence[tuple[int, int]]) -> None:
    """Copy rows between blocks (2L, C, H, P, E): ``moved`` has pairs of target row and source row."""
    # One by one: an index of many rows would copy each twice.
    for source, target in zip(old, new, strict=True):
        for row, parent in moved:
            target[row] = source[parent]


def empty_past(sessions: Sessions) -> KeyValueCache:
    """For rows at their first position."""
    return InPlaceCache(sessions) if sessions.in_place else GatheredCache(sessions)


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
