"""Downloads files: checked by size and hash, continued where they stopped, unpacked within bounds."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from app.engine.models.bundle import sha256
from export.marian.limits import SourceError, first_line, gunzip
from export.registry.index import MAX_FILE_BYTES, IndexFile

MAX_INDEX_BYTES = 32 << 20
_CHUNK = 1 << 16
_TIMEOUT = httpx.Timeout(30.0, connect=15.0)
_MAX_REDIRECTS = 5
_TRIES = 3

Progress = Callable[[int, int | None], None]
"""Called with the bytes so far and those in all, if that is known."""


class _Again(Exception):
    """The connection broke; what there is can be continued."""


@contextmanager
def client() -> Iterator[httpx.Client]:
    """An HTTP client with time limits; it takes proxies from the environment."""
    with httpx.Client(follow_redirects=True, max_redirects=_MAX_REDIRECTS, timeout=_TIMEOUT) as opened:
        yield opened


def fetch_index(web: httpx.Client, address: str) -> bytes:
    """Download a list of models.

    Raises:
        SourceError: It can't be had, or is too large.
    """
    data = bytearray()
    try:
        with web.stream("GET", address) as response:
            _check(response, address)
            for chunk in response.iter_bytes(_CHUNK):
                data += chunk
                if len(data) > MAX_INDEX_BYTES:
                    raise SourceError(
                        f"{address} is larger than {MAX_INDEX_BYTES >> 20} MiB, so it is no list of models"
                    )
    except httpx.HTTPError as error:
        raise SourceError(f"{address} can't be downloaded: {_reason(error)}") from error
    return bytes(data)


def fetch(web: httpx.Client, address: str, file: IndexFile, folder: Path, progress: Progress) -> Path:
    """Download a file into a folder and unpack it.

    A part that an earlier try left is continued, if the server can do that. What doesn't have the size or the hash that
    the list says is removed.

    Returns:
        The unpacked file.

    Raises:
        SourceError: It can't be had, or it isn't what the list says.
    """
    unpacked = folder / file.name
    if unpacked.exists() and file.unpacked_sha256 == sha256(unpacked):
        return unpacked
    packed = folder / f"{file.name}.part"
    for number in range(_TRIES):
        try:
            _download(web, address, file, packed, progress)
            break
        except _Again as error:
            if number == _TRIES - 1:
                raise SourceError(f"{address} can't be downloaded: {error}") from error
    return take(packed, address, file, folder)


def take(packed: Path, address: str, file: IndexFile, folder: Path) -> Path:
    """Check a file as it was served, unpack it into a folder, and remove it.

    Raises:
        SourceError: It isn't what the list says.
    """
    unpacked = folder / file.name
    try:
        _expect(packed, address, file.size, file.sha256)
        if file.path.endswith(".gz"):
            gunzip(packed, unpacked, file.unpacked_size or MAX_FILE_BYTES, address)
        else:
            shutil.move(packed, unpacked)
        _expect(unpacked, address, file.unpacked_size, file.unpacked_sha256)
    except SourceError:
        unpacked.unlink(missing_ok=True)
        raise
    finally:
        packed.unlink(missing_ok=True)  # it is used, or it is wrong
    return unpacked


def _download(web: httpx.Client, address: str, file: IndexFile, packed: Path, progress: Progress) -> None:
    """Get what is missing of a file.

    Raises:
        _Again: The connection broke.
        SourceError: There is no such file, or it is too large.
    """
    begun = packed.stat().st_size if packed.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={begun}-"} if begun else {})
    most = file.size or MAX_FILE_BYTES
    try:
        with web.stream("GET", address, headers=headers) as response:
            if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                packed.unlink()  # it is whole already, or of another file
                raise _Again("the server has no more of it")
            _check(response, address)
            continues = response.status_code == httpx.codes.PARTIAL_CONTENT
            begun = begun if continues else 0
            length = response.headers.get("Content-Length", "")
            whole = begun + int(length) if length.isdigit() else file.size
            if whole and whole > most:
                raise SourceError(f"{address} has {whole:,} bytes, more than the list says or than a model has")
            with packed.open("ab" if continues else "wb") as out:
                for chunk in response.iter_raw():  # as they come: what has come is kept when the connection breaks
                    out.write(chunk)
                    begun += len(chunk)
                    if begun > most:
                        raise SourceError(f"{address} is larger than the list says or than a model is")
                    progress(begun, whole)
    except httpx.HTTPError as error:
        raise _Again(_reason(error)) from error
    if whole and begun < whole:
        raise _Again(f"it ended after {begun:,} of {whole:,} bytes")


def _check(response: httpx.Response, address: str) -> None:
    if response.url.scheme not in ("http", "https"):
        raise SourceError(f"{address} leads to {response.url}, which is no web address")
    if response.request.url.scheme == "http" and address.startswith("https:"):
        raise SourceError(f"{address} leads to an address without encryption")
    if response.status_code >= httpx.codes.BAD_REQUEST:
        raise SourceError(f"{address} answers {response.status_code} {response.reason_phrase}".rstrip())


def _expect(path: Path, address: str, size: int | None, digest: str | None) -> None:
    found = path.stat().st_size
    if size is not None and found != size:
        raise SourceError(f"{address} has {found:,} bytes, but the list says {size:,}")
    if digest is not None and sha256(path) != digest:
        raise SourceError(f"{address} has another SHA-256 than the list says: it is damaged or was replaced")


def _reason(error: Exception) -> str:
    return first_line(error) or type(error).__name__
