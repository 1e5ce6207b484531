"""Read Marian's binary file of weights (``.bin``): float32, float16, and the 8 and 16-bit integers of intgemm.

Little endian: version and number of tensors; for each tensor the length of its name, type, number of dimensions and
bytes; all names, all shapes, padding; then all data in the same order. Marian's ``binary.cpp`` defines it.
"""

import io
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from export.marian.limits import MODEL_BYTES, SMALL_BYTES, SourceError, check_plain, parse_yaml
from export.marian.npz import OPTIONS

_VERSION = 1
_TENSORS = 10_000
_NAME_BYTES = 256
_DIMENSIONS = 4
_LONGEST = 1 << 31  # of a dimension; then the product is checked against the file
_PADDING = 1 << 16
_INT8 = 0x0101  # of bytes that are text
_FLOATS = {0x0404: "<f4", 0x0402: "<f2"}
_INTEGERS = {0x4101: "<i1", 0x4102: "<i2"}
_PACKED = {0x0802: "FBGEMM's 16 bits", 0x1801: "FBGEMM's 8 bits for AVX2", 0x2801: "FBGEMM's 8 bits for AVX-512"}
_QUANTISED = "_QuantMultA"  # the multiplier of the inputs of a matrix; the operators here find one for each row

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class _Header:
    """A tensor in the file: its type and shape, and where its data is."""

    kind: int
    shape: tuple[int, ...]
    begin: int
    size: int


class BinaryWeights:
    """The tensors of a ``.bin`` file. All headers are checked before a tensor is read.

    Attributes:
        path: The file.
        options: Options of the training, from the tensor ``OPTIONS``.
    """

    def __init__(self, path: Path) -> None:
        """Read all headers and the options.

        Raises:
            SourceError: It is no such file, is damaged or hostile, or is of a type that can't be read.
        """
        self.path = path
        check_plain(path)
        with path.open("rb") as file:
            self._headers = _headers(file, path)
        self.options = self._read_options()
        self._taken = {OPTIONS}

    @property
    def parameters(self) -> int:
        """Numbers in all tensors."""
        return sum(math.prod(header.shape) for header in self._headers.values())

    def __contains__(self, name: str) -> bool:
        return name in self._headers

    def rows(self, name: str) -> int:
        """Rows of a matrix.

        Raises:
            SourceError: It is missing or no matrix.
        """
        header = self._headers.get(name)
        if header is None or len(header.shape) != 2:
            raise SourceError(f"{self.path} has no matrix {name}")
        return header.shape[0]

    def take(self, name: str, shape: tuple[int, ...]) -> Floats:
        """A tensor in the layout that its shape says. Marian's vectors have a leading axis of one row.

        Raises:
            SourceError: It is missing, of another shape, or not finite.
        """
        header = self._headers.get(name)
        if header is None:
            raise SourceError(f"{self.path} has no {name}")
        if header.shape not in (shape, (1, *shape)):
            raise SourceError(f"{self.path}: {name} is of shape {header.shape}, not {shape}")
        self._taken.add(name)
        values = self._values(name, header)
        if not np.isfinite(values).all():
            raise SourceError(f"{self.path}: {name} has numbers that are not finite")
        return values.reshape(shape)

    def check_all_taken(self) -> None:
        """Refuse a file with parameters that nobody has taken.

        Raises:
            SourceError: The message names one.
        """
        left = sorted(name for name in self._headers.keys() - self._taken if not name.endswith(_QUANTISED))
        if left:
            raise SourceError(f"{self.path}: {left[0]:.60} is an unknown parameter")

    def _values(self, name: str, header: _Header) -> Floats:
        data = self._data(header)
        count = math.prod(header.shape)
        if header.kind in _FLOATS:
            return np.frombuffer(data, _FLOATS[header.kind], count).astype(np.float32).reshape(header.shape)
        dtype = np.dtype(_INTEGERS[header.kind])
        (multiplier,) = struct.unpack_from("<f", data, count * dtype.itemsize)
        if not (math.isfinite(multiplier) and multiplier > 0):
            raise SourceError(f"{self.path}: the multiplier of {name} is {multiplier}")
        integers = np.frombuffer(data, dtype, count)
        # Matrices lie transposed, whatever their shape says; embeddings don't.
        stored = integers.reshape(header.shape) if "Wemb" in name else integers.reshape(header.shape[::-1]).T
        return stored.astype(np.float32) / np.float32(multiplier)

    def _data(self, header: _Header) -> bytes:
        with self.path.open("rb") as file:
            file.seek(header.begin)
            return _exactly(file, header.size, self.path)

    def _read_options(self) -> dict[str, Any]:
        header = self._headers.get(OPTIONS)
        if header is None or header.kind != _INT8 or header.size > SMALL_BYTES:
            raise SourceError(f"{self.path} holds no options of a Marian model")
        try:
            text = self._data(header).partition(b"\0")[0].decode()
        except UnicodeDecodeError as error:
            raise SourceError(f"{self.path}: its options are not UTF-8 text") from error
        return parse_yaml(text, f"{self.path}: {OPTIONS}")


def is_binary_weights(path: Path) -> bool:
    """Whether a file begins as Marian's ``.bin`` does."""
    with path.open("rb") as file:
        start = file.read(16)
    if len(start) < 16:
        return False
    version, count = struct.unpack("<QQ", start)
    return bool(version == _VERSION and 0 < count <= _TENSORS)


def _headers(file: BinaryIO, path: Path) -> dict[str, _Header]:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    version, count = struct.unpack("<QQ", _exactly(file, 16, path))
    if version != _VERSION or not 0 < count <= _TENSORS:
        raise SourceError(f"{path} is not a Marian model: it begins with version {version} of {count} tensors")
    records = [struct.unpack("<QQQQ", _exactly(file, 32, path)) for _ in range(count)]
    for length, kind, dimensions, _ in records:
        if not 1 < length <= _NAME_BYTES or not 1 <= dimensions <= _DIMENSIONS:
            raise SourceError(f"{path}: a tensor has a name of {length} bytes and {dimensions} dimensions")
        if kind in _PACKED:
            raise SourceError(f"{path} is packed as {_PACKED[kind]}; models in intgemm's 8 bits or floats can be read")
        if kind not in (*_FLOATS, *_INTEGERS, _INT8):
            raise SourceError(f"{path}: a tensor is of type {kind:#x}, which is not supported")
    names = [_name(_exactly(file, length, path), path) for length, _, _, _ in records]
    shapes = [struct.unpack(f"<{n}i", _exactly(file, 4 * n, path)) for _, _, n, _ in records]
    (padding,) = struct.unpack("<Q", _exactly(file, 8, path))
    if padding > _PADDING:
        raise SourceError(f"{path} has {padding:,} bytes of padding")
    begin, found = file.tell() + padding, dict[str, _Header]()
    for name, shape, (_, kind, _, held) in zip(names, shapes, records, strict=True):
        if name in found:
            raise SourceError(f"{path}: {name:.60} is there twice")
        if held > MODEL_BYTES or begin + held > size or held < _needed(kind, shape):
            raise SourceError(f"{path}: {name:.60} is cut short, or of shape {shape}")
        found[name] = _Header(kind, shape, begin, held)
        begin += held
    if begin != size:
        raise SourceError(f"{path}: {size - begin:,} bytes follow the last tensor")
    return found


def _needed(kind: int, shape: tuple[int, ...]) -> float:
    """Bytes of a tensor; infinitely many if it has no such shape."""
    if not all(0 < side < _LONGEST for side in shape):
        return math.inf
    if kind in _INTEGERS:
        return math.prod(shape) * np.dtype(_INTEGERS[kind]).itemsize + 4  # the multiplier
    return math.prod(shape) * np.dtype(_FLOATS.get(kind, "i1")).itemsize


def _name(stored: bytes, path: Path) -> str:
    try:
        return stored.rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: the name of a tensor is not ASCII") from error


def _exactly(file: BinaryIO, size: int, path: Path) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise SourceError(f"{path} is cut short")
    return data
