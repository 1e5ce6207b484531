"""The memory of the native operators' decoder: places that are taken and given back.

Axes: L decoder layers, C places, D width.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

Array = NDArray[Any]

# Places of an empty memory; a memory with more than the second number is freed when nothing is decoded.
_PLACES, _KEPT_PLACES = 1024, 8192


class Places:
    """Keys and values of source and target positions, at places that are taken and given back one by one.

    Attributes:
        array: (2L, C, D) float32.
        value: The same for ONNX Runtime.
    """

    def __init__(self, layers: int, width: int) -> None:
        self._shape = 2 * layers, width
        self.clear()

    def clear(self) -> None:
        """Frees all places; replaces a large array by a small one."""
        if getattr(self, "array", None) is None or self.array.shape[1] > _KEPT_PLACES:
            self._hold(np.empty((self._shape[0], _PLACES, self._shape[1]), np.float32))
        count = self.array.shape[1]
        self._free = np.arange(count - 1, -1, -1, dtype=np.int32)
        self._left = count

    def take(self, count: int) -> Array:
        """Takes free places, (count,) int32."""
        while self._left < count:
            self._grow()
        self._left -= count
        return self._free[self._left : self._left + count][::-1].copy()

    def give_back(self, places: Array) -> None:
        """Gives back places that were taken, each once."""
        self._free[self._left : self._left + places.size] = places.ravel()[::-1]
        self._left += places.size

    def _grow(self) -> None:
        layers, count, width = self.array.shape
        array = np.empty((layers, 2 * count, width), np.float32)
        array[:, :count] = self.array
        free = np.empty(2 * count, np.int32)
        free[:count] = np.arange(2 * count - 1, count - 1, -1)
        free[count : count + self._left] = self._free[: self._left]
        self._free, self._left = free, self._left + count
        self._hold(array)

    def _hold(self, array: Array) -> None:
        self.array, self.value = array, OrtValue.ortvalue_from_numpy(array)
