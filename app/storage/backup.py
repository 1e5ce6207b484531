"""Copies an SQLite database while servers use it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.errors import ConfigurationError
from app.storage.database import FILE_NAME

_PAGES = 1_000  # copied at a time; between two parts, servers may write
_PAUSE_S = 0.01


def back_up(folder: Path, copy: Path) -> None:
    """Writes a copy of the database in a folder, as it is at one moment, and checks it.

    This is SQLite's online backup (https://sqlite.org/backup.html). The database is only read: one of an older or newer
    version stays as it is. The copy is a single file, and is there only when it is whole.

    Args:
        folder: The database's folder.
        copy: The file to write; it must not exist.

    Raises:
        ConfigurationError: There is no database, it can't be read, or the copy exists or can't be written.
    """
    source = folder / FILE_NAME
    if not source.is_file():
        raise ConfigurationError(f"{source}: there is no database here")
    if copy.exists():
        raise ConfigurationError(f"{copy} exists already")
    unfinished = copy.with_name(f".{copy.name}.unfinished")
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as read,
            closing(sqlite3.connect(unfinished)) as written,
        ):
            read.backup(written, pages=_PAGES, sleep=_PAUSE_S)
            written.execute("PRAGMA journal_mode = DELETE")  # without a second file beside it
            [(result,)] = written.execute("PRAGMA integrity_check(1)")
        if result != "ok":
            raise ConfigurationError(f"{source} is damaged: {result}")
        unfinished.rename(copy)
    except sqlite3.Error as error:
        raise ConfigurationError(f"{source} can't be copied to {copy}: {error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
