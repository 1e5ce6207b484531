"""Floating-point numbers of foreign files."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from export.arrays import Array

FLOATS = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}
"""What numpy reads them as, by safetensors' names. It has no bfloat16, which is the upper half of a float32."""


def as_floats(values: NDArray[Any], kind: str) -> Array:
    """Numbers as float32."""
    return (values.astype(np.uint32) << 16).view(np.float32) if kind == "BF16" else values.astype(np.float32)
