"""Read tensors of a MarianMT checkpoint, from safetensors or PyTorch's own format. Pickled code is never run."""

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from export.marian.limits import SAFETENSORS_HEADER_BYTES, SourceError, check_plain, first_line
from export.marian.names import Foreign

_FLOATS = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
_SAFE_FLOATS = {"F16", "BF16", "F32", "F64"}
_LENGTH_BYTES = 8


class Weights:
    """Named tensors. Their shapes are known before they are loaded."""

    def __init__(self, path: Path, shapes: Mapping[str, tuple[int, ...]], load: Callable[[str], Tensor]) -> None:
        self.path, self.shapes, self._load = path, shapes, load

    def __contains__(self, name: str) -> bool:
        return name in self.shapes

    @property
    def stored_bytes(self) -> int:
        """Size of the file."""
        return self.path.stat().st_size

    def take(self, foreign: Foreign, shape: tuple[int, ...]) -> Tensor:
        """A parameter, float32.

        Raises:
            SourceError: It is missing or of another shape.
        """
        found = self.shapes.get(foreign.name)
        if found is None:
            raise SourceError(f"{self.path} has no {foreign.name}")
        if found != shape:
            raise SourceError(f"{self.path}: {foreign.name} is of shape {found}, not {shape}")
        return self._load(foreign.name).float()


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
    return _open_safetensors(path) if path == safe else _open_pytorch(path)


def _open_safetensors(path: Path) -> Weights:
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
        opened = safe_open(path, framework="pt")
        shapes = {name: tuple(facts["shape"]) for name, facts in header.items() if name != "__metadata__"}
    except Exception as error:  # the library raises exceptions of its own and of Python's
        raise SourceError(f"{path} is damaged: {first_line(error)}") from error
    return Weights(path, shapes, opened.get_tensor)


def _is_float(facts: Any) -> bool:
    return isinstance(facts, dict) and facts.get("dtype") in _SAFE_FLOATS


def _open_pytorch(path: Path) -> Weights:
    """Load with PyTorch's weights-only loader, which refuses every pickle that would call a function."""
    if zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive:
                packed = any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist())
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise SourceError(f"{path} is damaged: {first_line(error)}") from error
        if packed:
            raise SourceError(f"{path} is compressed, which PyTorch's files never are")
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # of many kinds, for damaged files and for refused ones
        raise SourceError(f"{path} can't be loaded as weights alone: {_reason(error)}") from error
    if not isinstance(tensors, dict) or not all(isinstance(name, str) for name in tensors):
        raise SourceError(f"{path} holds no named tensors")
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor) or tensor.dtype not in _FLOATS or tensor.layout != torch.strided:
            raise SourceError(f"{path}: {name:.60} is not a tensor of floating-point numbers")
    return Weights(path, {name: tuple(tensor.shape) for name, tensor in tensors.items()}, tensors.__getitem__)


def _reason(error: Exception) -> str:
    """Replace PyTorch's long message, which explains how to load unsafely, by one short line."""
    if "Weights only load failed" in str(error):
        return "it is not a plain file of weights, or holds code"
    return first_line(error)
