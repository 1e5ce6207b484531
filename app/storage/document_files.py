"""Stores the files of documents: in the database, or in a folder or a bucket that servers share.

A file outside has a name of its own, which is in its row of ``document_files``. It is written before its row and
deleted after it, so that a row never names a part of a file. What is left by a process that died in between, or
belonged to a removed key, is found by its age (``left``).
"""

import logging
import re
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table, Text, delete, select

from app.errors import ConfigurationError, DocumentNotFound, StorageFailure
from app.installation import how_to_install
from app.storage.clock import Jumps
from app.storage.database import TABLES

FILES = Table(
    "document_files",
    TABLES,
    Column("document_id", ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("name", Text),
)
# A server that is away has to be noticed while a client still waits for its 503.
_S3: dict[str, Any] = {
    "config_kwargs": {"connect_timeout": 3, "read_timeout": 10, "retries": {"max_attempts": 1}},
    "use_listings_cache": False,
}
_S3_ATTEMPTS = 2
# A storage that takes bytes and never answers keeps each attempt waiting, and the library makes several.
_S3_WITHIN_S, _S3_BYTES_A_SECOND = 15.0, 1024 * 1024
_NAME = re.compile(r"(\d+)-[0-9a-f]{32}")
_LEFT_AFTER_S = 3600.0

logger = logging.getLogger(__name__)


class Kept(NamedTuple):
    """The values of a file's row.

    Attributes:
        name: The name of the file outside the database; None if the row has the file.
        content: The file; empty if it is outside.
        size: Of the file, in bytes.
    """

    name: str | None
    content: bytes
    size: int


class DocumentFiles:
    """Stores files. Any thread may use it, but outside of transactions, because storage can be slow.

    Args:
        url: ``file:///folder`` or ``s3://bucket/folder``; None for the database.

    Raises:
        ConfigurationError: The packages for it are not installed, or the folder can't be made.
    """

    def __init__(self, url: str | None = None) -> None:
        self._url, self._system = url, None
        self._jumps = Jumps(_LEFT_AFTER_S)
        if url is None:
            return
        self._scheme, _, self._folder = url.partition("://")
        try:
            import fsspec

            if self._scheme == "file":
                Path(self._folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            self._system = fsspec.filesystem(self._scheme, **(_S3 if self._scheme == "s3" else {}))
            self._system.retries = _S3_ATTEMPTS
        except ImportError:
            raise ConfigurationError(f"DRAGOMAN_DOCUMENT_FILES needs fsspec: {how_to_install('s3')}") from None
        except OSError as error:
            raise ConfigurationError(f"{url} can't be used for files: {error.strerror}") from None

    def keep(self, content: bytes) -> Kept:
        """Writes a file. It belongs to no document until its row is inserted.

        Raises:
            StorageFailure: The storage can't be used now.
        """
        if self._system is None:
            return Kept(None, content, len(content))
        name = f"{time.time():.0f}-{secrets.token_hex(16)}"
        with self._reported():
            self._system.pipe_file(self._path(name), content, **self._within(len(content)))
        return Kept(name, b"", len(content))

    def content(self, kept: Kept) -> bytes:
        """Reads a file.

        Raises:
            DocumentNotFound: Somebody has deleted it.
            StorageFailure: The storage can't be used now, or the settings name none any more.
        """
        if kept.name is None:
            return kept.content
        if self._system is None:
            raise StorageFailure("The document's file is not in this server's storage.")
        with self._reported():
            try:
                return bytes(self._system.cat_file(self._path(kept.name), **self._within(kept.size)))
            except FileNotFoundError:
                if self._scheme == "file" and not self._system.isdir(self._folder):
                    raise  # a share that is not mounted
                raise DocumentNotFound("The document's file is gone.") from None

    def delete(self, names: Iterable[str]) -> None:
        """Deletes files outside the database; ``left`` finds the files whose deletion failed."""
        for name in names:
            if self._system is not None:
                with suppress(StorageFailure), self._reported(), suppress(FileNotFoundError):
                    self._system.rm_file(self._path(name), **self._within(0))

    def left(self) -> list[str]:
        """Returns the names of the files outside the database that are old enough to have a row by now.

        Raises:
            StorageFailure: The storage can't be used now.
        """
        now = time.time()
        if self._system is None or self._jumps.lately(now):
            return []
        with self._reported():
            found = [_NAME.fullmatch(path.rpartition("/")[2]) for path in self._system.find(self._folder)]
        return [name[0] for name in found if name and int(name[1]) < now - _LEFT_AFTER_S]

    def _within(self, size: int) -> dict[str, float]:
        """What makes fsspec give up an operation with so many bytes; a folder has no such means."""
        return {"timeout": _S3_WITHIN_S + size / _S3_BYTES_A_SECOND} if self._scheme == "s3" else {}

    def _path(self, name: str) -> str:
        return f"{self._folder.rstrip('/')}/{name}"

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except DocumentNotFound:
            raise
        except Exception as error:  # the libraries have errors of their own
            logger.warning("the storage of documents failed", extra={"storage": self._url, "reason": str(error)})
            raise StorageFailure("The storage of documents can't be used now.") from error


def insert_row(connection: Any, document_id: str, kind: str, kept: Kept) -> None:
    """Gives a document a file: its ``original``, its ``translation``, or its ``sentences``."""
    connection.execute(FILES.insert().values(document_id=document_id, kind=kind, **kept._asdict()))


def find_row(connection: Any, document_id: str, kind: str) -> Kept | None:
    """Finds a file of a document and locks its row until the transaction ends."""
    is_wanted = (FILES.c.document_id == document_id, FILES.c.kind == kind)
    query = select(FILES.c.name, FILES.c.content, FILES.c.size).where(*is_wanted).with_for_update()
    row = connection.execute(query).one_or_none()
    return Kept(*row) if row else None


def delete_rows(connection: Any, where: Any) -> list[str]:
    """Deletes rows; returns the names of their files outside the database."""
    found = connection.execute(delete(FILES).where(where).returning(FILES.c.name)).scalars()
    return [name for name in found if name]
