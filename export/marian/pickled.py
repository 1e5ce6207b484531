"""Read tensors of a file that ``torch.save`` wrote, in both of its formats, without PyTorch. No pickled code is run.

The format since PyTorch 1.6 is a zip file: a pickle that describes the tensors, and a member for each storage. Before,
it was a row of pickles, and behind them the storages. ``torch/serialization.py`` defines both.
"""

import pickle
import pickletools
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from io import BytesIO
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np

from export.arrays import Array
from export.marian.floats import FLOATS, as_floats
from export.marian.limits import SourceError, first_line

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_TYPES = {"HalfStorage": "F16", "BFloat16Storage": "BF16", "FloatStorage": "F32", "DoubleStorage": "F64"}
_PICKLE_BYTES = 16 << 20  # of a description; that of a large model has some 100 KB
_MOST_AXES = 8
_NUMBERING = ("PUT", "BINPUT", "LONG_BINPUT")
_COUNT_BYTES = 8


class _Storage(NamedTuple):
    kind: str
    key: str
    length: int


class _Tensor(NamedTuple):  # which a pickle can't change
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
    """Makes nothing but plain values, and descriptions of tensors.

    What it calls are methods: a pickle could set attributes of functions.
    """

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_parameter"): self._parameter,
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

    def _parameter(self, tensor: object, *_: object) -> object:
        return tensor

    def _tensor(
        self, storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: object
    ) -> _Tensor | None:
        """A tensor; None if it has other numbers or isn't inside its storage."""
        if len(shape) > _MOST_AXES or len(shape) != len(strides):
            raise Unfit("a tensor has too many axes")
        if storage.kind not in FLOATS or offset < 0 or any(size < 0 for size in shape):
            return None
        if offset + prod(shape) > storage.length:
            raise Unfit("a tensor is larger than its storage")
        expected = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
        if any(size > 1 and found != wanted for size, found, wanted in zip(shape, strides, expected, strict=True)):
            raise Unfit("a tensor is not contiguous")
        return _Tensor(storage, np.dtype(FLOATS[storage.kind]).itemsize * offset, tuple(shape))


def _loaded(data: bytes) -> Any:
    """What a pickle describes. Its memo, which the unpickler allocates up to the largest number, is looked at first."""
    for count, (operation, argument, _) in enumerate(pickletools.genops(data)):
        if operation.name in _NUMBERING and not 0 <= cast(int, argument) <= count:
            raise Unfit("it numbers what it doesn't have")
    return _Unpickler(BytesIO(data)).load()


def _zipped(path: Path) -> tuple[Any, Callable[[_Storage], bytes]]:
    with zipfile.ZipFile(path) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise Unfit("it is compressed, which PyTorch's files never are")
        [description] = (member for member in archive.infolist() if member.filename.endswith("/data.pkl"))
        if description.file_size > _PICKLE_BYTES:
            raise Unfit("its description is too long")
        folder = description.filename.removesuffix("data.pkl")
        if f"{folder}byteorder" in archive.namelist() and archive.read(f"{folder}byteorder") != b"little":
            raise Unfit("its numbers are big endian")
        tensors = _loaded(archive.read(description))

    def read(storage: _Storage) -> bytes:
        with zipfile.ZipFile(path) as archive:
            return archive.read(f"{folder}data/{storage.key}")

    return tensors, read


def _legacy(path: Path) -> tuple[Any, Callable[[_Storage], bytes]]:
    with path.open("rb") as file:
        magic, protocol, system, tensors, keys = (_loaded(_next_pickle(file)) for _ in range(5))
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


def _next_pickle(file: IO[bytes]) -> bytes:
    """The bytes of the pickle that begins here; the file is behind it afterwards."""
    begin = file.tell()
    start = file.read(_PICKLE_BYTES)
    *_, (_, _, last) = pickletools.genops(start)
    assert last is not None
    file.seek(begin + last + 1)
    return start[: last + 1]
