"""Read Marian's own file of weights: arrays, with the training options as YAML. Nothing is unpickled."""

import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from export.arrays import Array
from export.marian.limits import MODEL_BYTES, SMALL_BYTES, SourceError, check_plain, first_line, parse_yaml
from export.marian.names import Foreign

OPTIONS = "special:model.yml"
_SUFFIX = ".npy"
_MEMBERS = 10_000
_FLOATS = ("<f2", "<f4", "<f8")
_BYTES = ("|i1", "|u1")


class MarianArrays:
    """The arrays of an ``.npz`` file. All headers are checked before an array is loaded."""

    def __init__(self, path: Path) -> None:
        """Read all headers and the options.

        Raises:
            SourceError: It is no such file, or is damaged or hostile.
        """
        self.path = path
        self.headers: dict[str, tuple[tuple[int, ...], str]] = {}
        check_plain(path)
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise SourceError(f"{path} is not an .npz file: {first_line(error)}") from error
        members = self._archive.infolist()
        if len(members) > _MEMBERS or sum(member.file_size for member in members) > MODEL_BYTES:
            raise SourceError(f"{path} unpacks to more than the {MODEL_BYTES >> 30} GiB that can be imported")
        for member in members:
            if not member.filename.endswith(_SUFFIX) or member.filename.removesuffix(_SUFFIX) in self.headers:
                raise SourceError(f"{path}: {member.filename!r:.60} is not an array, or is there twice")
            self.headers[member.filename.removesuffix(_SUFFIX)] = self._header(member)
        self.options = self._options()

    @property
    def stored_bytes(self) -> int:
        """Size of all arrays."""
        return sum(member.file_size for member in self._archive.infolist())

    def __contains__(self, name: str) -> bool:
        return name in self.headers

    def rows(self, name: str) -> int:
        """Rows of a matrix.

        Raises:
            SourceError: It is missing or no matrix.
        """
        shape, _ = self.headers.get(name, ((), ""))
        if len(shape) != 2:
            raise SourceError(f"{self.path} has no matrix {name}")
        return shape[0]

    def take(self, foreign: Foreign, shape: tuple[int, ...]) -> Array:
        """An array, float32. Marian's vectors have a leading axis of one row.

        Raises:
            SourceError: It is missing, damaged, of another shape or no array of numbers.
        """
        name = foreign.name
        found, kind = self.headers.get(name, (None, ""))
        if found is None:
            raise SourceError(f"{self.path} has no {name}")
        if found != shape and found != (1, *shape):
            raise SourceError(f"{self.path}: {name} is of shape {found}, not {shape}")
        if kind not in _FLOATS:
            raise SourceError(f"{self.path}: {name} is of type {kind}, which is not supported")
        return self._read(name).astype(np.float32).reshape(shape)

    def _header(self, member: zipfile.ZipInfo) -> tuple[tuple[int, ...], str]:
        try:
            with self._archive.open(member) as file:
                shape, _, dtype = _read_header(file)
        except Exception as error:  # of a damaged member: zipfile's, zlib's, numpy's, Python's
            raise SourceError(f"{self.path}: {member.filename:.60} is damaged: {first_line(error)}") from error
        if dtype.hasobject or dtype.str not in (*_FLOATS, *_BYTES):
            raise SourceError(f"{self.path}: {member.filename:.60} is not a plain array of numbers")
        if int(np.prod(shape, dtype=object)) * dtype.itemsize > member.file_size:
            raise SourceError(f"{self.path}: {member.filename:.60} is shorter than its header says")
        return shape, dtype.str

    def _read(self, name: str) -> np.ndarray[Any, Any]:
        try:
            with self._archive.open(name + _SUFFIX) as file:
                array: np.ndarray[Any, Any] = np.lib.format.read_array(file, allow_pickle=False)
                return array
        except Exception as error:
            raise SourceError(f"{self.path}: {name:.60} is damaged: {first_line(error)}") from error

    def _options(self) -> dict[str, Any]:
        shape, kind = self.headers.get(OPTIONS, ((), ""))
        if len(shape) != 1 or kind not in _BYTES or shape[0] > SMALL_BYTES:
            raise SourceError(f"{self.path} holds no options of a Marian model")
        try:
            text = self._read(OPTIONS).tobytes().rstrip(b"\0").decode()  # written as a C string
        except UnicodeDecodeError as error:
            raise SourceError(f"{self.path}: its options are not UTF-8 text") from error
        return parse_yaml(text, f"{self.path}: {OPTIONS}")


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(file)
    return np.lib.format.read_array_header_2_0(file)
