"""Jobs that import or export a translation memory, as DeepL's contract has them; each is kept for an hour.

An export needs no work beforehand: its file is written when it is downloaded.
"""

import secrets
import time
import uuid
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Row, Table, Text, delete, func, select, update

from app.errors import InvalidMemory, MemoryNotFound
from app.storage.clock import Jumps
from app.storage.database import TABLES, Database
from app.storage.keys import execute_for_key

LIFETIME_S = 3600
MAX_JOBS = 1_000
"""Of an owner, in an hour."""

Operation = Literal["import", "export"]
Status = Literal["awaiting_input", "processing", "completed", "failed"]
JOBS = Table(
    "memory_jobs",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("secret", Text, nullable=False),
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE")),
    Column("operation", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("memory_id", ForeignKey("memories.id", ondelete="CASCADE")),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("skipped", BigInteger),
    Column("created_at", Double, nullable=False),
)


@dataclass(frozen=True, kw_only=True)
class MemoryJob:
    """A job.

    Attributes:
        id: Its UUID.
        secret: What the address of its file has, in place of an API key.
        key_id: Number of the API key that owns it; None without one.
        operation: What it does.
        name: Name of the memory.
        memory_id: The memory; None before it is imported.
        status: How far it is.
        error: Why it failed.
        skipped: Units of the imported file that can't be used.
        created_at: Seconds since 1970.
    """

    id: str
    secret: str
    key_id: int | None
    operation: Operation
    name: str
    memory_id: str | None
    status: Status
    error: str | None
    skipped: int | None
    created_at: float


class MemoryJobStore:
    """The jobs of a database. An owner is the number of an API key; None for requests without one.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database, self._jumps = database, Jumps(LIFETIME_S)

    def add(self, owner: int | None, operation: Operation, name: str, memory_id: str | None = None) -> MemoryJob:
        """Makes a job: an import that waits for its file, or an export that is done. Removes jobs of an hour ago.

        Raises:
            InvalidMemory: The owner has too many.
            InvalidKey: There is no such API key any more, or no such memory.
        """
        job = MemoryJob(
            id=str(uuid.uuid4()),
            secret=secrets.token_urlsafe(32),
            key_id=owner,
            operation=operation,
            name=name,
            memory_id=memory_id,
            status="completed" if memory_id else "awaiting_input",
            error=None,
            skipped=None,
            created_at=time.time(),
        )
        with self._database.transaction() as connection:
            if not self._jumps.lately(job.created_at):
                connection.execute(delete(JOBS).where(JOBS.c.created_at < job.created_at - LIFETIME_S))
            number = select(func.count()).select_from(JOBS).where(JOBS.c.key_id.is_not_distinct_from(owner))
            if connection.execute(number).scalar_one() >= MAX_JOBS:
                raise InvalidMemory(f"There are {MAX_JOBS:,} jobs already; wait an hour.")
            execute_for_key(connection, JOBS.insert().values(vars(job)))
        return job

    def find(self, job_id: str, *, owner: int | None = None, secret: str | None = None) -> MemoryJob:
        """Returns a job of an owner; with a secret, of anybody.

        Raises:
            MemoryNotFound: There is no such job.
        """
        with self._database.reading() as connection:
            row = connection.execute(select(JOBS).where(JOBS.c.id == job_id)).one_or_none()
        job = _read(row) if row else None
        now = time.time()
        if job is None or (job.created_at < now - LIFETIME_S and not self._jumps.lately(now)):
            raise MemoryNotFound("There is no such job.")
        is_right = secrets.compare_digest(job.secret.encode(), secret.encode()) if secret else job.key_id == owner
        if not is_right:
            raise MemoryNotFound("There is no such job.")
        return job

    def begin(self, job_id: str) -> bool:
        """Begins an import whose file has come; False if one has come before."""
        waits = (JOBS.c.id == job_id) & (JOBS.c.status == "awaiting_input")
        with self._database.transaction() as connection:
            return bool(connection.execute(update(JOBS).where(waits).values(status="processing")).rowcount)

    def end(self, job_id: str, *, memory_id: str | None = None, skipped: int = 0, error: str | None = None) -> None:
        """Ends an import that was begun."""
        values = {"memory_id": memory_id, "skipped": skipped, "error": error}
        values |= {"status": "failed" if error else "completed"}
        with self._database.transaction() as connection:
            connection.execute(update(JOBS).where(JOBS.c.id == job_id).values(values))


def _read(row: Row[tuple[object, ...]]) -> MemoryJob:
    return MemoryJob(**row._mapping)
