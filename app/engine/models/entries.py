"""Files of entries in a bundle: a line is a key, a tab, and what belongs to it."""

import gzip
import re
import zlib
from pathlib import Path

from app.engine.models.files import open_plain, read_plain
from app.errors import BundleError

MAX_BYTES = 64 << 20
_FAULTS = ("\t\t", "\t\n", "\n\t", "\n\n", "\r")  # there is nothing before, behind or between two tabs
_LINES = re.compile(r"(?:[^\t\r\n]+(?:\t[^\t\r\n]+)+\n)*")


def read_entries(path: Path) -> tuple[str, dict[str, str]]:
    """Reads a file of entries; returns its text, and by key what stands behind the key's tab.

    Args:
        path: The file, UTF-8; compressed by gzip if its name ends in ".gz".

    Raises:
        BundleError: It can't be read or is too large, or a line is no entry.
    """
    try:
        text = _content(path).decode()
    except UnicodeDecodeError as error:
        raise BundleError(f"{path} is not UTF-8") from error
    # All lines at once: the shipped lexicons have 400,000, and a start waits for them. An expression over all of
    # them takes two thirds of the time of the dictionary, so it only looks for the line that is at fault.
    try:
        lines = f"\n{text}"
        if any(fault in lines for fault in _FAULTS) or (text and not text.endswith("\n")):
            raise ValueError
        return text, dict(line.split("\t", 1) for line in text.split("\n")[:-1])
    except ValueError:  # or there is no tab in a line
        understood = _LINES.match(text)
        number = 1 + text.count("\n", 0, understood.end() if understood else 0)
        raise BundleError(f"{path}: line {number} is not an entry, a tab and its translations") from None


def _content(path: Path) -> bytes:
    if path.suffix != ".gz":
        return read_plain(path, MAX_BYTES)
    with open_plain(path, MAX_BYTES) as file, gzip.GzipFile(fileobj=file) as unpacked:
        try:
            content = unpacked.read(MAX_BYTES + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise BundleError(f"{path} is damaged: {error}") from error
    if len(content) > MAX_BYTES:
        raise BundleError(f"{path}: it has more than {MAX_BYTES:,} bytes of text")
    return content
