"""Read tensors of a MarianMT checkpoint, from safetensors or PyTorch's own format. Pickled code is never run."""

import json
from collections.abc import Callable, Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open

from export.arrays import Array
from export.marian.floats import FLOATS, as_floats
from export.marian.limits import SAFETENSORS_HEADER_BYTES, SourceError, check_plain, first_line
from export.marian.names import Foreign
from export.marian.pickled import open_pickled

_LENGTH_BYTES = 8


class Weights:
    """Named tensors. Their shapes are known before they are loaded."""

    def __init__(self, path: Path, shapes: Mapping[str, tuple[int, ...]], load: Callable[[str], Array]) -> None:
        self.path, self.shapes, self._load = path, shapes, load

    def __contains__(self, name: str) -> bool:
        return name in self.shapes

    @property
    def stored_bytes(self) -> int:
        """Size of the file."""
        return self.path.stat().st_size

    def take(self, foreign: Foreign, shape: tuple[int, ...]) -> Array:
        """A parameter, float32.

        Raises:
            SourceError: It is missing or of another shape.
        """
        found = self.shapes.get(foreign.name)
        if found is None:
            raise SourceError(f"{self.path} has no {foreign.name}")
        if found != shape:
            raise SourceError(f"{self.path}: {foreign.name} is of shape {found}, not {shape}")
        return self._load(foreign.name)


def open_weights(folder: Path) -> Weights:
    """Open the weights of a MarianMT folder; safetensors are preferred.

    Raises:
        SourceError: There are none, or they are damaged or hostile.
    """
    safe, pickled = folder / "model.safetensors", folder / "pytorch_model.bin"
    path = safe if safe.exists() else pickled
    if not path.exists():
        raise SourceError(f"{folder} has neither model.safetensors nor pytorch_model.bin")
    check_plain(path)
    return Weights(path, *(_open_safetensors(path) if path == safe else open_pickled(path)))


def _open_safetensors(path: Path) -> tuple[Mapping[str, tuple[int, ...]], Callable[[str], Array]]:
    """Check the header; the library checks everything else when it reads the file."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        room = path.stat().st_size - _LENGTH_BYTES
        if not 0 < length <= min(room, SAFETENSORS_HEADER_BYTES):
            raise SourceError(f"{path} is damaged: it claims a header of {length:,} bytes")
        try:
            header: dict[str, Any] = json.loads(file.read(length))
            wrong = [name for name, facts in header.items() if name != "__metadata__" and not _is_float(facts)]
        except (ValueError, AttributeError, RecursionError) as error:
            raise SourceError(f"{path} is damaged: its header is not a JSON object") from error
    if wrong:
        raise SourceError(f"{path}: {wrong[0]:.60} is not of floating-point numbers")
    try:
        with safe_open(path, framework="numpy"):
            facts = {name: each for name, each in header.items() if name != "__metadata__"}
    except Exception as error:  # the library raises exceptions of its own and of Python's
        raise SourceError(f"{path} is damaged: {first_line(error)}") from error

    def load(name: str) -> Array:  # the library checked the places, but has no bfloat16 for numpy
        kind, shape, (begin, _) = (facts[name][key] for key in ("dtype", "shape", "data_offsets"))
        values = np.fromfile(path, FLOATS[kind], prod(shape), offset=_LENGTH_BYTES + length + begin)
        return as_floats(values, kind).reshape(shape)

    return {name: tuple(each["shape"]) for name, each in facts.items()}, load


def _is_float(facts: Any) -> bool:
    return isinstance(facts, dict) and facts.get("dtype") in FLOATS
