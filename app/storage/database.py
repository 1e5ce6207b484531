"""One database for all stored data: an SQLite file or PostgreSQL. Only ``app.storage`` uses SQLAlchemy and SQL.

To add a table:

1. Add a script to ``MIGRATIONS`` in ``app/storage/migrations.py``.
2. Write a module like ``app/storage/keys.py``: its ``Table`` object, registered in ``TABLES``, and a class with its
   queries. A test compares the tables with what the scripts make, in both databases. ``{integer}`` is ``BigInteger``.
3. Import the module where it is used first, not at the top of a module that every server imports: SQLAlchemy costs
   0.2 seconds and 11 MB, which a server without a database does not pay.

Several processes may use the database at the same time. SQLite is in WAL mode: a writer waits for another, and readers,
which have connections of their own, wait for nobody.
"""

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine, MetaData, Table, create_engine, event, func, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool, StaticPool

from app.errors import ConfigurationError, Overloaded, StorageFailure
from app.installation import how_to_install
from app.settings import Settings
from app.storage.hang_up import hang_up, note_connections
from app.storage.migrations import DOWNGRADES, MIGRATIONS, statements
from app.storage.text_room import TextLimits

FILE_NAME = "dragoman.sqlite3"
TABLES = MetaData()
"""All tables, as the newest script leaves them."""

_BUSY_S = 5.0  # how long a statement waits for other processes
_PAUSE_S = 0.01  # between two tries
_ANSWER_S = 15.0  # how long PostgreSQL may be silent: longer than a statement and its wait for locks may take
_POSTGRESQL_CONNECTIONS = 4
_READERS = 4  # threads; others, such as those of the work on texts, read too
_SEARCHES = 2  # at once: fewer than there are threads and connections
_WAITING_SEARCHES = 32
_VALUES_AT_ONCE = 500  # SQLite has had a limit of 999 values in a statement
# SQLite's own 2 MB fill by 1 KB with each document, which looks like a leak for hours; the system caches the file, too.
_PAGE_CACHE = "PRAGMA cache_size = -256"  # KiB, for each connection
_MIGRATION_LOCK = 0x647261676F  # "drago": no other program takes this advisory lock

logger = logging.getLogger(__name__)
Result = TypeVar("Result")
Value = TypeVar("Value")


class Database:
    """The database; any thread may use it. Transactions that write to one SQLite file take turns.

    Args:
        where: The folder of the SQLite file, which is made if it is missing; or PostgreSQL's address, as in
            ``postgresql+psycopg://user:password@host/database``. None keeps everything in memory.

    Attributes:
        text_limits: The room for the texts that clients store; None for any.

    Raises:
        ConfigurationError: The folder can't be written, PostgreSQL can't be reached or its driver is not installed, or
            the database is damaged or of a newer version.
    """

    text_limits: TextLimits | None = None

    def __init__(self, where: Path | str | None) -> None:
        self._where = "memory" if where is None else str(where / FILE_NAME) if isinstance(where, Path) else "PostgreSQL"
        # A connection of SQLite is for one thread at a time.
        self._turn: AbstractContextManager[object] = nullcontext() if isinstance(where, str) else threading.Lock()
        try:
            self._engine = _postgresql(where) if isinstance(where, str) else _sqlite(where)
            try:
                self._migrate()
            except BaseException:
                self._engine.dispose()
                raise
            self._readers = _sqlite_readers(where) if isinstance(where, Path) else None
        except ImportError:
            raise ConfigurationError(
                f"DRAGOMAN_DATABASE needs PostgreSQL's driver: {how_to_install('postgres')}"
            ) from None
        except (OSError, SQLAlchemyError) as error:
            raise ConfigurationError(f"{self._where} can't be used as the database: {_reason(error)}") from None
        # A transaction takes a tenth of a millisecond in SQLite, but it waits for other processes that write.
        threads = 1 if self._dialect == "sqlite" else _POSTGRESQL_CONNECTIONS
        self._threads = ThreadPoolExecutor(threads, "storage")
        self._reading_threads = ThreadPoolExecutor(_READERS, "storage-reading") if self._readers else self._threads
        self._answer_s = None if self._dialect == "sqlite" else _ANSWER_S
        self._searches = asyncio.Semaphore(_SEARCHES)
        self._waiting_searches = 0

    @classmethod
    def from_settings(cls, settings: Settings) -> "Database":
        """Opens the database that the settings name, or a database in memory if they name none.

        Raises:
            ConfigurationError: It can't be used.
        """
        database = cls(settings.database.get_secret_value() if settings.database else settings.data)
        database.text_limits = TextLimits(settings.max_stored_bytes_of_owner, settings.max_stored_bytes)
        return database

    @property
    def _dialect(self) -> str:
        return self._engine.dialect.name

    def _migrate(self) -> None:
        with self._engine.begin() as connection:  # of two processes that start at once, one waits for the other
            version = _version(connection)
            if version > len(MIGRATIONS):
                raise ConfigurationError(
                    f"{self._where} has version {version}; this program knows versions up to {len(MIGRATIONS)}"
                )
            for script in MIGRATIONS[version:]:
                for statement in statements(script, self._dialect):
                    connection.exec_driver_sql(statement)
            _set_version(connection, len(MIGRATIONS))

    def downgrade(self, version: int) -> None:
        """Brings the database to the version of an older program. This program must not use it afterwards.

        Args:
            version: As many scripts stay.

        Raises:
            ConfigurationError: The version is newer, or too old to go back to.
            StorageFailure: As ``transaction``.
        """
        least = len(MIGRATIONS) - len(DOWNGRADES)
        if not least <= version <= len(MIGRATIONS):
            raise ConfigurationError(f"the database can go back to versions {least} to {len(MIGRATIONS)}")
        with self.transaction() as connection:
            for number in range(len(MIGRATIONS), version, -1):
                for statement in statements(DOWNGRADES[number], self._dialect):
                    connection.exec_driver_sql(statement)
            _set_version(connection, version)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Runs all statements inside, or none of them.

        In SQLite, nobody else writes meanwhile. In PostgreSQL, others do: a row that was read may change, unless it was
        read by the statement that changes it (``RETURNING``) or locked (``with_for_update``).

        Raises:
            IntegrityError: A row breaks a rule of its table.
            StorageFailure: The disk is full, the file is locked for too long, PostgreSQL is gone, or the like.
        """
        with self._failures_told(), self._turn, self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Runs statements that only read, all on the same state of the database.

        In an SQLite file, they wait neither for a transaction nor for each other.

        Raises:
            StorageFailure: As ``transaction``.
        """
        if self._readers is None:
            with self.transaction() as connection:
                yield connection
            return
        with self._failures_told(), self._readers.begin() as connection:
            yield connection

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        try:
            yield
        except (DataError, IntegrityError, ProgrammingError):  # not the database's fault
            raise
        except (DBAPIError, PoolTimeout) as error:
            logger.warning("the database failed", extra={"reason": _reason(error)})
            # The reasons of PostgreSQL name its host and user, which are nothing for clients.
            reason = f": {_reason(error)}" if self._dialect == "sqlite" else ""
            raise StorageFailure(f"The database can't be used now{reason}.") from error

    def now(self, connection: Connection) -> float:
        """Seconds since 1970 by the clock of the database: PostgreSQL's, or this machine's for SQLite."""
        if self._dialect == "sqlite":
            return time.time()
        return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())

    async def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Calls a function that uses the database, off the event loop."""
        return await self._answer(self._threads, function, *arguments)

    async def read(self, function: Callable[..., Result], *arguments: object) -> Result:
        """As ``run``, for a function that only reads (``reading``): it doesn't wait for functions that write."""
        return await self._answer(self._reading_threads, function, *arguments)

    async def _answer(self, threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: object) -> Result:
        """Calls a function in a thread; not longer than PostgreSQL may be silent.

        A network that takes bytes and never answers, as a broken proxy does, would keep the threads for ever: libpq has
        a time limit for connecting and for bytes that nobody has acknowledged, but none for an answer.
        """
        try:
            async with asyncio.timeout(self._answer_s):
                return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)
        except TimeoutError:
            logger.warning("the database does not answer")
            hang_up(self._engine)
            raise StorageFailure("The database can't be used now.") from None

    async def search(self, function: Callable[..., Result], *arguments: object) -> Result:
        """As ``read``, for a function that may take a second: only a few of them run at once.

        Raises:
            Overloaded: Too many wait already.
        """
        if self._waiting_searches >= _WAITING_SEARCHES:
            raise Overloaded("Too many searches are waiting; try again in a moment.")
        self._waiting_searches += 1
        try:
            async with self._searches:
                return await self.read(function, *arguments)
        finally:
            self._waiting_searches -= 1

    def close(self) -> None:
        """Finishes what ``run`` and ``read`` have begun, and ends the connections."""
        self._threads.shutdown()
        self._reading_threads.shutdown()
        with self._turn:  # another thread's transaction: SQLite crashes when its connection is closed under it
            self._engine.dispose()
        if self._readers:
            self._readers.dispose()


def insert(connection: Connection, table: Table) -> postgresql.Insert:
    """Returns an INSERT with ``on_conflict_do_update``, which SQLAlchemy provides separately for each database."""
    # The two classes share no base that has the method.
    made = sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
    return cast(postgresql.Insert, made)


def parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yields the values in parts that are small enough for a statement."""
    return (values[begin : begin + _VALUES_AT_ONCE] for begin in range(0, len(values), _VALUES_AT_ONCE))


def _sqlite(folder: Path | None) -> Engine:
    """Opens one SQLite connection, which all threads use in turn."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        f"sqlite:///{folder / FILE_NAME}" if folder else "sqlite://",
        poolclass=StaticPool,
        connect_args={"timeout": _BUSY_S, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may cost the last counts
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what was deleted, such as a document, is overwritten
        connection.execute(_PAGE_CACHE)
        connection.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows ASCII only
        connection.create_function("octet_length", 1, _octet_length, deterministic=True)  # older SQLites lack it

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Not at the first write, when another process may have written what this one has just read.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _write_ahead(connection: Any) -> None:
    """Turns the write-ahead log on, which a new file doesn't have.

    Two processes may do so together. SQLite then refuses one of them at once, because each might wait for the other
    (documentation of ``sqlite3_busy_handler``). So this function tries again.
    """
    last_try = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last_try:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _sqlite_readers(folder: Path) -> Engine:
    """Opens a pool of connections to a file that only read, and see what was committed when they began."""
    engine = create_engine(
        f"sqlite:///{folder / FILE_NAME}",
        poolclass=QueuePool,
        pool_size=_READERS,
        max_overflow=_READERS,
        pool_timeout=_BUSY_S,
        connect_args={"timeout": _BUSY_S, "isolation_level": None, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA query_only = ON")
        connection.execute(_PAGE_CACHE)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _octet_length(text: str | None) -> int | None:
    return None if text is None else len(text.encode())


def _postgresql(address: str) -> Engine:
    """Opens a pool of connections. Each is checked before use, so that a restart of PostgreSQL causes no error."""
    milliseconds = int(1000 * _BUSY_S)
    engine = create_engine(
        make_url(address).set(drivername="postgresql+psycopg"),
        pool_size=_POSTGRESQL_CONNECTIONS,
        max_overflow=0,
        pool_timeout=_BUSY_S,
        pool_pre_ping=True,
        connect_args={
            "connect_timeout": int(_BUSY_S),
            "options": f"-c lock_timeout={milliseconds} -c statement_timeout={milliseconds}",
            "tcp_user_timeout": milliseconds,  # for a host that has vanished
        },
    )
    note_connections(engine)
    return engine


def _version(connection: Connection) -> int:
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
    connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    return int(connection.exec_driver_sql("SELECT coalesce(max(version), 0) FROM schema_version").scalar_one())


def _set_version(connection: Connection, version: int) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
    else:
        connection.exec_driver_sql("DELETE FROM schema_version")
        connection.exec_driver_sql(f"INSERT INTO schema_version VALUES ({version})")


def _reason(error: Exception) -> str:
    """Returns the database's own message, without the statement and values that SQLAlchemy adds."""
    return str(error.orig).strip() if isinstance(error, DBAPIError) else str(error)
