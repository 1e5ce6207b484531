"""Documents to translate: a queue that any number of processes share.

Every process that shares the database, and the storage of files if there is one, can translate and deliver each
document, and a document is never there without its file (``app.storage.document_files``). A process that translates a
document holds a lease on it and renews it; when it dies, the lease ends and another process begins again. Every lease
has a name of its own, without which nothing is changed: a process that comes too late leaves no trace. What a document
costs is counted in the transaction that notes its characters, so once, and given back in the one that ends it in error.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Row, and_, delete, func, or_, select, tuple_, update

from app.errors import DocumentNotFound, DocumentNotReady, InvalidKey, Overloaded, StorageFailure
from app.storage.clock import Jumps, Leases
from app.storage.database import Database, parts
from app.storage.document_files import FILES, DocumentFiles, Kept, delete_rows, find_row, insert_row
from app.storage.document_room import DocumentRoom
from app.storage.document_rows import DOCUMENTS, IS_FINISHED, Status, StoredDocument, read_row
from app.storage.keys import KEYS, execute_for_key, give_back, spend

LEASE_S = 15.0
AGAIN_S = 5.0
"""When a document is tried again that met no engine, no database or no file."""
MAX_ATTEMPTS = 2
"""How often a document is begun that ends its process: a process may end for another reason, but seldom twice."""

_GONE = "Document already downloaded"
_IS_WAITING = DOCUMENTS.c.status.in_(("queued", "translating"))
_CLIENT = func.coalesce(DOCUMENTS.c.client, "")
# When a document of the same client was begun last. SQLAlchemy's aliases and functions are cycles of objects, which
# Python frees late. So they are made once, and not each time that a process looks for a document.
_BEGUN = DOCUMENTS.alias()
_LAST = select(func.max(_BEGUN.c.started_at)).where(_BEGUN.c.client == DOCUMENTS.c.client).scalar_subquery()
_LAST_BEGUN = func.coalesce(_LAST, 0.0)


class DocumentStore:
    """The documents of a database.

    Args:
        database: Where they are.
        files: Where their files are; None for the database.
        max_documents: How many may wait or be translated at a time.
        max_bytes: Maximum size of the files of all documents together.
        lifetime_s: Seconds after which a finished document is deleted.
        now: A clock, in seconds since 1970; None for the database's.
        steady: A clock that never jumps, in seconds; None for ``now``, or else the machine's.
    """

    def __init__(
        self,
        database: Database,
        files: DocumentFiles | None = None,
        *,
        max_documents: int,
        max_bytes: int,
        lifetime_s: float,
        now: Callable[[], float] | None = None,
        steady: Callable[[], float] | None = None,
    ) -> None:
        self._database, self._files, self._clock = database, files or DocumentFiles(), now
        self._room, self._lifetime_s = DocumentRoom(max_documents, max_bytes), lifetime_s
        steady = steady or now or time.monotonic
        self._leases, self._jumps = Leases(LEASE_S, steady), Jumps(lifetime_s, steady)

    def add(
        self,
        content: bytes,
        *,
        name: str,
        wanted: Mapping[str, Any],
        secret: bool,
        key_id: int | None = None,
        client: str = "",
    ) -> tuple[str, str]:
        """Adds a document; returns its id and its key, which is empty if ``secret`` is false.

        Args:
            content: The file.
            name: As in ``StoredDocument``.
            wanted: What is wanted; JSON.
            secret: The document is found with a key only, and can be downloaded once.
            key_id: As in ``StoredDocument``.
            client: As in ``StoredDocument``.

        Raises:
            Overloaded: There is no room for it.
            InvalidKey: There is no such API key.
        """
        document_id = secrets.token_hex(16).upper()
        key = secrets.token_hex(32).upper() if secret else ""
        kept = self._files.keep(content)
        with self._changing(kept) as (connection, gone):
            gone += self._delete_old(connection)
            gone += self._forget(connection, self._room.make(connection, client, len(content)))
            added = DOCUMENTS.insert().values(
                id=document_id,
                secret_hash=_hash(key) if secret else None,
                key_id=key_id,
                client=client,
                name=name,
                wanted=json.dumps(wanted),
                status="queued",
                translated=0,
                attempts=0,
                created_at=self._now(connection),
            )
            execute_for_key(connection, added)
            insert_row(connection, document_id, "original", kept)
        return document_id, key

    def claim(self, worker: str, left_out: Collection[str] = ()) -> tuple[StoredDocument, bytes] | None:
        """Leases the next waiting document under this name; returns it with its file, or None if no document waits.

        The next is the oldest of the client for whom nothing was begun for the longest time. A document that has ended
        its process too often gets an error instead, and one whose file is gone.

        Args:
            worker: The name.
            left_out: Clients whose turn it is not.

        Raises:
            StorageFailure: The storage can't be used now.
        """
        if (claimed := self._claim(worker, left_out)) is None:
            return None
        document, kept = claimed
        try:
            return document, self._files.content(kept)
        except DocumentNotFound as error:
            self.fail(document.id, worker, str(error), error.code)
            return None
        except StorageFailure:
            self.release(document.id, worker, AGAIN_S)
            raise

    def _claim(self, worker: str, left_out: Collection[str]) -> tuple[StoredDocument, Kept] | None:
        with self._changing() as (connection, gone):
            now = self._now(connection)
            lease = DOCUMENTS.c.id, DOCUMENTS.c.lease_until
            held = connection.execute(select(*lease).where(_IS_WAITING, DOCUMENTS.c.lease_until.is_not(None))).all()
            over = self._leases.over([(row.id, row.lease_until) for row in held], now)
            is_free = DOCUMENTS.c.lease_until.is_(None)
            query = (
                select(DOCUMENTS.c.id, DOCUMENTS.c.attempts)
                .where(_IS_WAITING, or_(is_free, tuple_(*lease).in_(over)) if over else is_free)
                .order_by(_LAST_BEGUN, DOCUMENTS.c.created_at)
                .limit(1)
                .with_for_update(skip_locked=True, of=DOCUMENTS)
            )
            if left_out:
                query = query.where(_CLIENT.not_in(left_out))
            gone += self._delete_old(connection)
            while (found := connection.execute(query).one_or_none()) is not None:
                if found.attempts >= MAX_ATTEMPTS:
                    what = {"error": "The document can't be translated.", "error_code": "internal"}
                    gone += self._end(connection, found.id, "error", **what)
                    continue
                row = connection.execute(
                    update(DOCUMENTS)
                    .where(DOCUMENTS.c.id == found.id)
                    .values(
                        status="translating",
                        translated=0,
                        attempts=DOCUMENTS.c.attempts + 1,
                        worker=worker,
                        lease_until=now + LEASE_S,
                        started_at=now,
                    )
                    .returning(DOCUMENTS)
                ).one()
                self._leases.note(row.id, row.lease_until, LEASE_S)
                kept = find_row(connection, found.id, "original")
                return read_row(row), kept or Kept(None, b"", 0)
        return None

    def charge(self, document_id: str, worker: str, characters: int) -> None:
        """Stores the characters of a document and charges its key once. Does nothing if another process has the lease.

        Raises:
            QuotaExceeded: The key has no more of them this month.
        """
        uncounted = and_(_held(document_id, worker), DOCUMENTS.c.characters.is_(None))
        with self._database.transaction() as connection:
            row = connection.execute(
                update(DOCUMENTS).where(uncounted).values(characters=characters).returning(DOCUMENTS.c.key_id)
            ).one_or_none()
            if row and row.key_id is not None:
                limit = select(KEYS.c.monthly_characters).where(KEYS.c.id == row.key_id)
                spend(connection, row.key_id, characters, connection.execute(limit).scalar_one())

    def report(self, document_id: str, worker: str, translated: int) -> bool:
        """Stores the characters translated so far and renews the lease; False if the lease or the document is lost.

        Args:
            document_id: The document.
            worker: The name of the lease.
            translated: Characters.
        """
        with self._database.transaction() as connection:
            until = self._now(connection) + LEASE_S
            renewed = update(DOCUMENTS).where(_held(document_id, worker))
            return connection.execute(renewed.values(translated=translated, lease_until=until)).rowcount > 0

    def finish(
        self, document_id: str, worker: str, content: bytes, report: Mapping[str, Any], sentences: bytes = b""
    ) -> None:
        """Replaces the original by the translation; stores a report, and the sentences if there are any.

        Does nothing if another process has the lease.
        """
        files = {"translation": content} | ({"sentences": sentences} if sentences else {})
        kept = {kind: self._files.keep(file) for kind, file in files.items()}
        with self._changing() as (connection, gone):
            if self._lock(connection, _held(document_id, worker)):
                gone += self._end(connection, document_id, "done", report=json.dumps(report))
                for kind, each in kept.items():
                    insert_row(connection, document_id, kind, each)
            else:
                gone += [each.name for each in kept.values() if each.name]

    def fail(self, document_id: str, worker: str, error: str, code: str) -> None:
        """Stores why the document can't be translated, gives its characters back, and deletes its file."""
        with self._changing() as (connection, gone):
            if self._lock(connection, _held(document_id, worker)):
                gone += self._end(connection, document_id, "error", error=error, error_code=code)

    def release(self, document_id: str, worker: str, wait_s: float = 0.0) -> None:
        """Puts a document back into the queue, without counting the attempt, for at least ``wait_s`` seconds."""
        with self._database.transaction() as connection:
            until = self._now(connection) + wait_s if wait_s else None
            connection.execute(
                update(DOCUMENTS)
                .where(_held(document_id, worker))
                .values(status="queued", worker=None, lease_until=until, attempts=DOCUMENTS.c.attempts - 1)
            )
        if until:
            self._leases.note(document_id, until, wait_s)

    def find(self, document_id: str, secret: str | None = None) -> StoredDocument:
        """Finds a document by its id, and by its key if it has one.

        Raises:
            DocumentNotFound: There is none.
        """
        is_right = DOCUMENTS.c.secret_hash == _hash(secret) if secret is not None else DOCUMENTS.c.secret_hash.is_(None)
        with self._changing() as (connection, gone):
            gone += self._delete_old(connection)
            row = connection.execute(
                select(DOCUMENTS).where(DOCUMENTS.c.id == document_id.upper(), is_right)
            ).one_or_none()
        if row is None:
            raise DocumentNotFound("There is no such document.")
        return read_row(row)

    def translation(self, document: StoredDocument, *, delete_it: bool) -> bytes:
        """Returns the translated file.

        Args:
            document: As ``find`` returned it.
            delete_it: It can't be had again.

        Raises:
            DocumentNotReady: It is not translated yet.
            DocumentNotFound: It was downloaded, or failed.
            StorageFailure: The storage can't be used now.
        """
        content = self._file(document, "translation", "The document has no translation.")
        if delete_it:
            with self._changing() as (connection, gone):
                if not find_row(connection, document.id, "translation"):  # another download was faster
                    raise DocumentNotFound(_GONE)
                gone += self._end(connection, document.id, "downloaded")
        elif document.status == "done":
            with self._database.transaction() as connection:  # it expires when it would have
                done = and_(DOCUMENTS.c.id == document.id, DOCUMENTS.c.status == "done")
                connection.execute(update(DOCUMENTS).where(done).values(status="downloaded"))
        return content

    def sentences(self, document: StoredDocument) -> bytes:
        """Returns the sentences of a translated document.

        Raises:
            DocumentNotReady: It is not translated yet.
            DocumentNotFound: It was downloaded, or failed, or nobody wanted to review it.
            StorageFailure: The storage can't be used now.
        """
        return self._file(
            document, "sentences", "The document was not translated for review, or has too many sentences."
        )

    def _file(self, document: StoredDocument, kind: str, none: str) -> bytes:
        with self._database.transaction() as connection:
            kept = find_row(connection, document.id, kind)
        if kept is None:
            if document.status in ("queued", "translating"):
                raise DocumentNotReady("Document translation is not done")
            raise DocumentNotFound(_GONE if document.status == "downloaded" else none)
        return self._files.content(kept)

    def delete(self, document_id: str) -> None:
        """Deletes a document and its files; whoever translates it stops. An unfinished document costs nothing."""
        with self._changing() as (connection, gone):
            row = self._lock(connection, DOCUMENTS.c.id == document_id)
            if row and row.status in ("queued", "translating"):
                _give_back(connection, row)
            gone += delete_rows(connection, FILES.c.document_id == document_id)
            connection.execute(delete(DOCUMENTS).where(DOCUMENTS.c.id == document_id))

    def sweep(self) -> None:
        """Deletes the files outside the database that belong to no document.

        Raises:
            StorageFailure: The storage can't be used now.
        """
        for left in parts(self._files.left()):
            with self._database.transaction() as connection:
                known = connection.execute(select(FILES.c.name).where(FILES.c.name.in_(left))).scalars().all()
            self._files.delete(set(left).difference(known))

    @contextmanager
    def _changing(self, kept: Kept | None = None) -> Iterator[tuple[Any, list[str]]]:
        """Runs a transaction, then deletes the files it names; deletes ``kept`` if the document is refused.

        After another error, the database may have the row of ``kept`` all the same; if it hasn't, ``sweep`` deletes it.
        """
        gone: list[str] = []
        try:
            with self._database.transaction() as connection:
                yield connection, gone
        except (Overloaded, InvalidKey):
            self._files.delete([kept.name] if kept and kept.name else [])
            raise
        self._files.delete(gone)

    def _end(self, connection: Any, document_id: str, status: Status, **values: str) -> list[str]:
        """Ends the work on a document, stores some values, deletes what it needed; returns the names of the files."""
        gone = delete_rows(connection, FILES.c.document_id == document_id)
        # A glossary may be large, and nobody counts the rows of documents that failed or were downloaded.
        values["wanted"] = "{}"
        ended = (
            update(DOCUMENTS)
            .where(DOCUMENTS.c.id == document_id)
            .values(status=status, worker=None, lease_until=None, finished_at=self._now(connection), **values)
            .returning(DOCUMENTS)
        )
        row = connection.execute(ended).one()
        if status == "error":
            _give_back(connection, row)
        return gone

    def _lock(self, connection: Any, where: Any) -> Any:
        """Locks the row of a document until the transaction ends and returns it; None if there is no such document."""
        return connection.execute(select(DOCUMENTS).where(where).with_for_update()).one_or_none()

    def _now(self, connection: Any) -> float:
        return self._clock() if self._clock else self._database.now(connection)

    def _delete_old(self, connection: Any) -> list[str]:
        now = self._now(connection)
        if self._jumps.lately(now):
            return []
        return _delete(connection, and_(IS_FINISHED, DOCUMENTS.c.finished_at < now - self._lifetime_s))

    def _forget(self, connection: Any, document_ids: Sequence[str]) -> list[str]:
        return [name for some in parts(document_ids) for name in _delete(connection, DOCUMENTS.c.id.in_(some))]


def _delete(connection: Any, which: Any) -> list[str]:
    """Deletes documents; returns the names of their files outside the database."""
    gone = delete_rows(connection, FILES.c.document_id.in_(select(DOCUMENTS.c.id).where(which)))
    connection.execute(delete(DOCUMENTS).where(which))
    return gone


def _held(document_id: str, worker: str) -> Any:
    return and_(DOCUMENTS.c.id == document_id, DOCUMENTS.c.worker == worker)


def _give_back(connection: Any, row: Row[Any]) -> None:
    """Gives back the characters that a document has cost."""
    if row.key_id is not None and row.characters:
        give_back(connection, row.key_id, row.characters)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
