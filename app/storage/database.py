"""One SQLite file for all that is kept, and its schema. SQL is in ``app.storage`` only.

Several processes may use the file at the same time: it is in WAL mode, and a writer waits for another.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import ConfigurationError, StorageFailure

FILE_NAME = "dragoman.sqlite3"
_BUSY_S = 5.0

# A database of version n has had the first n scripts. A script that was released is never changed.
MIGRATIONS = (
    """
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,        -- SHA-256 of the key, which is random and too long to be guessed
        hint TEXT NOT NULL,               -- its last characters, to tell keys apart
        name TEXT NOT NULL,
        created_at TEXT NOT NULL,         -- ISO 8601, UTC
        monthly_characters INTEGER,       -- NULL: no limit; likewise below
        requests_per_minute INTEGER,
        features TEXT NOT NULL            -- separated by commas
    ) STRICT;
    CREATE TABLE usage (
        key_id INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE,
        month TEXT NOT NULL,              -- 2026-11, UTC
        characters INTEGER NOT NULL,
        PRIMARY KEY (key_id, month)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE requests (
        client TEXT NOT NULL,             -- "key 7", or an address
        minute INTEGER NOT NULL,          -- since 1970
        number INTEGER NOT NULL,
        PRIMARY KEY (client, minute)
    ) STRICT, WITHOUT ROWID;
    """,
)


class Database:
    """A connection to the database, which may be used by one thread at a time.

    Args:
        folder: Where the file is; it is made if it is missing. None keeps everything in memory.

    Raises:
        ConfigurationError: The folder can't be written, or the file is damaged or of a newer version.
    """

    def __init__(self, folder: Path | None) -> None:
        self._where = str(folder / FILE_NAME) if folder else "memory"
        try:
            if folder:
                folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                folder / FILE_NAME if folder else ":memory:",
                timeout=_BUSY_S,
                isolation_level=None,  # transactions are ours
                check_same_thread=False,
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may cost the last counts
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._migrate()
        except (OSError, sqlite3.Error, StorageFailure) as error:
            raise ConfigurationError(f"{self._where} can't be used as the database: {error}") from None

    def _migrate(self) -> None:
        with self.transaction() as connection:  # of two processes that start at once, one waits for the other
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if version > len(MIGRATIONS):
                raise ConfigurationError(
                    f"{self._where} is of version {version}; this program knows versions up to {len(MIGRATIONS)}"
                )
            for script in MIGRATIONS[version:]:
                for statement in _statements(script):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All statements inside, or none of them; nobody else writes meanwhile.

        Raises:
            StorageFailure: The disk is full, the file is locked for too long, or the like.
        """
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection
            self._connection.execute("COMMIT")
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StorageFailure(f"The database can't be used now: {error}.") from error
        finally:
            if self._connection.in_transaction:  # SQLite has ended it already if the disk is full
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, since ``executescript`` would end the transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
