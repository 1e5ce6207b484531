"""Read tensors of a file that ``torch.save`` wrote, in both of its formats, without PyTorch. No pickled code is run.

The format since PyTorch 1.6 is a zip file: a pickle that describes the tensors, and a member for each storage. Before,
it was a row of pickles, and behind them the storages. ``torch/serialization.py`` defines both.
"""

import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from export.arrays import Array
from export.marian.floats import FLOATS, as_floats
from export.marian.limits import SourceError, first_line

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_TYPES = {"HalfStorage": "F16", "BFloat16Storage": "BF16", "FloatStorage": "F32", "DoubleStorage": "F64"}
_PICKLE_BYTES = 16 << 20  # of a description; that of a large model has some 100 KB
_COUNT_BYTES = 8


class _Storage(NamedTuple):
    kind: str
    key: str
    length: int


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]


class Unfit(ValueError):
    """Something in the file that can't be read; the message says what."""


Load = Callable[[str], Array]


def open_pickled(path: Path) -> tuple[Mapping[str, tuple[int, ...]], Load]:
    """The shapes of a file's tensors, and a function that loads one, float32.

    Raises:
        SourceError: It holds something else than named tensors of floating-point numbers, or is damaged or hostile.
    """
    try:
        tensors, read = _zipped(path) if zipfile.is_zipfile(path) else _legacy(path)
        named = isinstance(tensors, dict) and all(isinstance(name, str) for name in tensors)
        if not named:
            raise Unfit("it holds no named tensors")
        for name, tensor in tensors.items():
            if not isinstance(tensor, _Tensor):
                raise Unfit(f"{name:.60} is not a tensor of floating-point numbers")
    except Exception as error:  # of the pickle module, of zipfile, and of whatever a damaged pickle does
        reason = str(error) if isinstance(error, Unfit) else first_line(error)
        raise SourceError(f"{path} can't be loaded as weights alone: {reason}") from error

    def load(name: str) -> Array:
        tensor = tensors[name]
        kind = tensor.storage.kind
        try:
            values = np.frombuffer(read(tensor.storage), FLOATS[kind], prod(tensor.shape), tensor.offset)
        except Exception as error:
            raise SourceError(f"{path} is damaged: {first_line(error)}") from error
        return as_floats(values, kind).reshape(tensor.shape)

    return {name: tensor.shape for name, tensor in tensors.items()}, load


class _Unpickler(pickle.Unpickler):
    """Makes nothing but plain values, and descriptions of tensors."""

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): lambda tensor, *_: tensor,
        }
        if module == "torch" and name.endswith("Storage"):
            return name
        if (module, name) not in known:
            raise Unfit("it is not a plain file of weights, or holds code")
        return known[module, name]

    def persistent_load(self, given: Any) -> _Storage:
        what, kind, key, _, length = given[:5]
        is_view = len(given) > 5 and given[5] is not None
        if what != "storage" or not isinstance(key, str) or not isinstance(length, int) or is_view:
            raise Unfit("it has a storage of an unknown kind")
        return _Storage(_TYPES.get(kind, kind), key, length)


def _tensor(storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: Any) -> Any:
    """A tensor; anything else if it has other numbers or isn't contiguous, or isn't inside its storage."""
    if storage.kind not in FLOATS or offset < 0 or any(size < 0 for size in shape):
        return None
    if offset + prod(shape) > storage.length:
        raise Unfit("a tensor is larger than its storage")
    expected = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    if any(size > 1 and found != wanted for size, found, wanted in zip(shape, strides, expected, strict=True)):
        raise Unfit("a tensor is not contiguous")
    size = np.dtype(FLOATS[storage.kind]).itemsize
    return _Tensor(storage, size * offset, tuple(shape))


def _zipped(path: Path) -> tuple[Any, Callable[[_Storage], bytes]]:
    archive = zipfile.ZipFile(path)
    if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
        raise Unfit("it is compressed, which PyTorch's files never are")
    [description] = (member for member in archive.infolist() if member.filename.endswith("/data.pkl"))
    if description.file_size > _PICKLE_BYTES:
        raise Unfit("its description is too long")
    folder = description.filename.removesuffix("data.pkl")
    if f"{folder}byteorder" in archive.namelist() and archive.read(f"{folder}byteorder") != b"little":
        raise Unfit("its numbers are big endian")
    with archive.open(description) as file:
        tensors = _Unpickler(file).load()
    return tensors, lambda storage: archive.read(f"{folder}data/{storage.key}")


def _legacy(path: Path) -> tuple[Any, Callable[[_Storage], bytes]]:
    with path.open("rb") as file:
        magic, protocol, system, tensors, keys = (_Unpickler(_Bounded(file)).load() for _ in range(5))
        if (magic, protocol) != (_MAGIC, _PROTOCOL) or system.get("little_endian") is not True:
            raise Unfit("it is no file of PyTorch's")
        places: dict[str, tuple[int, int]] = {}
        sizes = {each.storage.key: each.storage for each in tensors.values() if isinstance(each, _Tensor)}
        for key in keys:
            length = int.from_bytes(file.read(_COUNT_BYTES), "little")
            if not isinstance(key, str) or key not in sizes or length != sizes[key].length:
                raise Unfit("it has a storage that no tensor of numbers has")
            size = length * np.dtype(FLOATS[sizes[key].kind]).itemsize
            places[key] = (file.tell(), size)
            file.seek(size, 1)

    def read(storage: _Storage) -> bytes:
        begin, size = places[storage.key]
        with path.open("rb") as file:
            file.seek(begin)
            return file.read(size)

    return tensors, read


class _Bounded:
    """A file of which a pickle may read only so much."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, _PICKLE_BYTES

    def read(self, size: int = -1) -> bytes:
        return self._take(self._file.read(min(size, self._left) if size >= 0 else self._left))

    def readline(self) -> bytes:
        return self._take(self._file.readline(self._left))

    def _take(self, data: bytes) -> bytes:
        self._left -= len(data)
        return data
