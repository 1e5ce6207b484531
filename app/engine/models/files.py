"""Reads the files of an untrusted bundle: plain files only, and never more than fits into memory."""

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from app.errors import BundleError

MAX_JSON_BYTES = 4 << 20
"""Size of a manifest or a list of golden sentences. Parsed, JSON takes up to twenty times its size."""
MAX_VOCABULARY_BYTES = 64 << 20
"""Size of a tokenizer or a vocabulary."""


@contextmanager
def open_plain(path: Path, max_bytes: int | None = None) -> Iterator[BufferedReader]:
    """Open a file for reading, unless it is a pipe, a device or the like, which would never end.

    Args:
        path: A file, or a link to one.
        max_bytes: The most that it may hold; None for any size.

    Raises:
        BundleError: It is missing, can't be read, is not a plain file or is too large.
    """
    try:
        with open(path, "rb", opener=_open_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise BundleError(f"{path}: it is not a plain file")
            if max_bytes is not None and found.st_size > max_bytes:
                raise BundleError(f"{path}: it has {found.st_size:,} bytes, and at most {max_bytes:,} are allowed")
            yield file
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror}") from error


def read_plain(path: Path, max_bytes: int) -> bytes:
    """Return the content of a file; see ``open_plain``."""
    with open_plain(path, max_bytes) as file:
        return file.read(max_bytes)


def mentions(path: Path, name: str) -> bool:
    """Tell whether a file contains this name, as a graph contains the names of its weight files.

    Raises:
        BundleError: As ``open_plain``.
    """
    with open_plain(path) as file:
        if not os.fstat(file.fileno()).st_size:
            return False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(os.fsencode(name)) >= 0


def _open_without_waiting(path: str, flags: int) -> int:
    # A pipe that nobody writes to would be waited for.
    return os.open(path, flags | os.O_NONBLOCK)
