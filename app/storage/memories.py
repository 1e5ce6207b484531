"""Translation memories: each has an owner, a name, a pair of languages, and entries: texts with their translations."""

import uuid
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from app.errors import InvalidMemory, MemoryNotFound
from app.storage.database import Database, insert, parts
from app.storage.identifiers import text_key
from app.storage.keys import execute_for_key
from app.storage.memory_rows import (
    ENTRIES,
    ENTRY_COLUMNS,
    MEMORIES,
    NewEntry,
    Origin,
    StoredEntry,
    StoredMemory,
    read_entry,
    read_memory,
    texts_of,
)
from app.storage.text_room import TextLimits, check_room, octets
from app.storage.timestamps import timestamp

MAX_MEMORIES = 1_000
MAX_ENTRIES = 200_000
"""Of a translation memory."""

_READ_AT_ONCE = 10_000  # entries
_COUNT = select(func.count()).where(ENTRIES.c.memory_id == MEMORIES.c.id).scalar_subquery().label("entry_count")


class MemoryStore:
    """The translation memories of a database. An owner is the number of an API key; None for requests without one.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, owner: int | None, name: str, source: str, target: str, *, adapts: bool = False) -> StoredMemory:
        """Makes a memory without entries.

        Raises:
            InvalidMemory: The owner has too many.
            InvalidKey: There is no such API key.
        """
        now = timestamp()
        memory_id = str(uuid.uuid4())
        values = {"id": memory_id, "key_id": owner, "name": name, "source": source, "target": target}
        values |= {"created_at": now, "updated_at": now, "version": uuid.uuid4().hex, "size": 0}
        values |= {"adapts": int(adapts)}
        with self._database.transaction() as connection:
            count = select(func.count()).select_from(MEMORIES).where(_belongs(owner))
            if connection.execute(count).scalar_one() >= MAX_MEMORIES:
                raise InvalidMemory(f"There are {MAX_MEMORIES:,} translation memories already; delete one.")
            execute_for_key(connection, MEMORIES.insert().values(values))
            return _find(connection, owner, memory_id)

    def list_all(self) -> list[StoredMemory]:
        """Returns the memories of all owners."""
        return self._list(select(MEMORIES, _COUNT))

    def _list(self, query: Select[Any]) -> list[StoredMemory]:
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(MEMORIES.c.created_at, MEMORIES.c.id)).all()
        return [read_memory(row) for row in rows]

    def find(self, owner: int | None, memory_id: str) -> StoredMemory:
        """Finds a memory of an owner.

        Raises:
            MemoryNotFound: There is no such memory.
        """
        with self._database.reading() as connection:
            return _find(connection, owner, memory_id)

    def set(
        self, owner: int | None, memory_id: str, *, name: str | None = None, adapts: bool | None = None
    ) -> StoredMemory:
        """Renames a memory, or says whether it adapts; None leaves it as it is.

        Raises:
            MemoryNotFound: There is no such memory.
        """
        with self._database.transaction() as connection:
            _lock(connection, owner, memory_id)
            values = {"name": name, "adapts": None if adapts is None else int(adapts)}
            given = {column: value for column, value in values.items() if value is not None}
            return _changed(connection, owner, memory_id, **given)

    def remove(self, owner: int | None, memory_id: str) -> None:
        """Removes a memory with its entries.

        Raises:
            MemoryNotFound: There is no such memory.
        """
        with self._database.transaction() as connection:
            _lock(connection, owner, memory_id)
            connection.execute(delete(MEMORIES).where(MEMORIES.c.id == memory_id))

    def put(self, owner: int | None, memory_id: str, entries: Sequence[NewEntry], origin: Origin) -> int:
        """Adds entries; replaces the entry that has the same text. Returns how many entries are new.

        Raises:
            MemoryNotFound: There is no such memory.
            InvalidMemory: It would have too many entries.
        """
        with self._database.transaction() as connection:
            return put_entries(connection, owner, memory_id, entries, origin, self._database.text_limits)

    def change(
        self, owner: int | None, memory_id: str, entry_id: int, source: str | None, target: str | None
    ) -> StoredEntry:
        """Changes the text of an entry, its translation, or both.

        Raises:
            MemoryNotFound: There is no such memory or entry.
            InvalidMemory: Another entry has the text.
        """
        values: dict[str, Any] = {"updated_at": timestamp(), "origin": "edit"}
        values |= {} if source is None else {**texts_of(source=source), "hash": text_key(source)}
        values |= {} if target is None else texts_of(target=target)
        try:
            with self._database.transaction() as connection:
                _lock(connection, owner, memory_id)
                before = _size(connection, _is(memory_id, entry_id))
                changed = update(ENTRIES).where(_is(memory_id, entry_id)).values(values).returning(*ENTRY_COLUMNS)
                row = connection.execute(changed).one_or_none()
                if row is None:
                    raise _no_entry()
                grown = _size(connection, _is(memory_id, entry_id)) - before
                _changed(connection, owner, memory_id, size=MEMORIES.c.size + grown)
                check_room(connection, owner, self._database.text_limits)
                return read_entry(row)
        except IntegrityError:
            raise InvalidMemory("Another entry of the translation memory has this text.") from None

    def remove_entry(self, owner: int | None, memory_id: str, entry_id: int) -> None:
        """Removes an entry.

        Raises:
            MemoryNotFound: There is no such memory or entry.
        """
        with self._database.transaction() as connection:
            _lock(connection, owner, memory_id)
            size = _size(connection, _is(memory_id, entry_id))
            if not connection.execute(delete(ENTRIES).where(_is(memory_id, entry_id))).rowcount:
                raise _no_entry()
            _changed(connection, owner, memory_id, size=MEMORIES.c.size - size)

    def entry(self, owner: int | None, memory_id: str, source: str) -> StoredEntry:
        """Finds the entry with a text.

        Raises:
            MemoryNotFound: There is no such memory or entry.
        """
        with self._database.reading() as connection:
            _find(connection, owner, memory_id)
            query = select(*ENTRY_COLUMNS).where(ENTRIES.c.memory_id == memory_id, ENTRIES.c.hash == text_key(source))
            row = connection.execute(query).one_or_none()
        if row is None:
            raise _no_entry()
        return read_entry(row)

    def page(
        self,
        owner: int | None,
        memory_id: str,
        *,
        after: int = 0,
        most: int,
        text: str | None = None,
        match_case: bool = False,
    ) -> list[StoredEntry]:
        """Returns some entries, oldest first.

        Args:
            owner: The memory's owner.
            memory_id: The memory.
            after: Number of the last entry of the page before.
            most: Maximum number of entries.
            text: Only entries that have this in the text or in its translation; None for all.
            match_case: Capitals and small letters in ``text`` differ.

        Raises:
            MemoryNotFound: There is no such memory.
        """
        query = select(*ENTRY_COLUMNS).where(ENTRIES.c.memory_id == memory_id, ENTRIES.c.id > after)
        if text is not None and match_case:
            query = query.where(_has(ENTRIES.c.source, text) | _has(ENTRIES.c.target, text))
        elif text is not None:
            text = text.lower()
            query = query.where(_has(ENTRIES.c.source_lower, text) | _has(ENTRIES.c.target_lower, text))
        with self._database.reading() as connection:
            _find(connection, owner, memory_id)
            return [read_entry(row) for row in connection.execute(query.order_by(ENTRIES.c.id).limit(most))]

    def all(self, owner: int | None, memory_id: str) -> Iterator[StoredEntry]:
        """Yields all entries. They are read in parts, so that other requests reach the database meanwhile.

        Raises:
            MemoryNotFound: There is no such memory.
        """
        after = 0
        while found := self.page(owner, memory_id, after=after, most=_READ_AT_ONCE):
            yield from found
            after = found[-1].id

    def sources(self, memory_id: str, changed_since: str = "") -> Iterator[tuple[int, str]]:
        """Yields number and text of all entries, or of the entries changed since a time (ISO 8601, UTC), in parts."""
        columns = select(ENTRIES.c.id, ENTRIES.c.source).order_by(ENTRIES.c.id).limit(_READ_AT_ONCE)
        wanted = columns.where(ENTRIES.c.memory_id == memory_id, ENTRIES.c.updated_at >= changed_since)
        after = 0
        while True:
            with self._database.reading() as connection:
                found = connection.execute(wanted.where(ENTRIES.c.id > after)).all()
            yield from ((row[0], row[1]) for row in found)
            if len(found) < _READ_AT_ONCE:
                return
            after = found[-1][0]

    def exact(self, memory_id: str, sources: Collection[str]) -> dict[str, StoredEntry]:
        """Finds the entries with these texts, by text; differences in white space are ignored."""
        hashes = {source: text_key(source) for source in sources}
        found: dict[str, StoredEntry] = {}
        with self._database.reading() as connection:
            for part in parts(sorted(set(hashes.values()))):
                query = select(*ENTRY_COLUMNS).where(ENTRIES.c.memory_id == memory_id, ENTRIES.c.hash.in_(part))
                found |= {row.hash: read_entry(row) for row in connection.execute(query)}
        return {source: found[hash_] for source, hash_ in hashes.items() if hash_ in found}

    def by_ids(self, memory_id: str, ids: Collection[int]) -> dict[int, StoredEntry]:
        """Finds the entries with these numbers, by number; deleted entries are left out."""
        found: dict[int, StoredEntry] = {}
        with self._database.reading() as connection:
            for part in parts(sorted(set(ids))):
                query = select(*ENTRY_COLUMNS).where(ENTRIES.c.memory_id == memory_id, ENTRIES.c.id.in_(part))
                found |= {row.id: read_entry(row) for row in connection.execute(query)}
        return found

    def list(self, owner: int | None) -> list[StoredMemory]:  # behind all annotations that mean Python's list
        """Returns all memories of an owner, oldest first."""
        return self._list(select(MEMORIES, _COUNT).where(_belongs(owner)))


def put_entries(
    connection: Connection,
    owner: int | None,
    memory_id: str,
    entries: Sequence[NewEntry],
    origin: Origin,
    limits: TextLimits | None,
) -> int:
    """See ``MemoryStore.put``; within a transaction."""
    _lock(connection, owner, memory_id)
    before = _find(connection, owner, memory_id).entry_count
    now = timestamp()
    fixed = {"memory_id": memory_id, "origin": origin, "created_at": now, "updated_at": now}
    rows = {
        (hash_ := text_key(source)): fixed | {"hash": hash_, **texts_of(source=source, target=target)}
        for source, target in entries
    }
    grown = sum(len(row[name].encode()) for row in rows.values() for name in ("source", "target"))
    for part in parts(list(rows)):
        grown -= _size(connection, (ENTRIES.c.memory_id == memory_id) & ENTRIES.c.hash.in_(part))
    statement = insert(connection, ENTRIES)
    changes = {name: statement.excluded[name] for name in (*texts_of(source="", target=""), "origin", "updated_at")}
    statement = statement.on_conflict_do_update(index_elements=[ENTRIES.c.memory_id, ENTRIES.c.hash], set_=changes)
    if rows:
        connection.execute(statement, list(rows.values()))
    after = _changed(connection, owner, memory_id, size=MEMORIES.c.size + grown).entry_count
    if after > MAX_ENTRIES:
        raise InvalidMemory(f"A translation memory has at most {MAX_ENTRIES:,} entries.")
    check_room(connection, owner, limits)
    return after - before


def _has(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    # LIKE knows capitals in PostgreSQL and not in SQLite, but both replace what is there exactly.
    return func.replace(column, text, "") != column


def _size(connection: Connection, which: ColumnElement[bool]) -> int:
    """Bytes of the texts of some entries."""
    size = func.sum(octets(ENTRIES.c.source) + octets(ENTRIES.c.target))
    return connection.execute(select(size).where(which)).scalar_one() or 0


def _belongs(owner: int | None) -> ColumnElement[bool]:
    return MEMORIES.c.key_id.is_not_distinct_from(owner)


def _is(memory_id: str, entry_id: int) -> ColumnElement[bool]:
    return (ENTRIES.c.memory_id == memory_id) & (ENTRIES.c.id == entry_id)


def _lock(connection: Connection, owner: int | None, memory_id: str) -> None:
    """Locks the memory against other changes until the transaction ends."""
    query = select(MEMORIES.c.id).where(MEMORIES.c.id == memory_id, _belongs(owner)).with_for_update()
    if connection.execute(query).one_or_none() is None:
        raise MemoryNotFound("There is no such translation memory.")


def _find(connection: Connection, owner: int | None, memory_id: str) -> StoredMemory:
    row = connection.execute(select(MEMORIES, _COUNT).where(MEMORIES.c.id == memory_id, _belongs(owner))).one_or_none()
    if row is None:
        raise MemoryNotFound("There is no such translation memory.")
    return read_memory(row)


def _changed(connection: Connection, owner: int | None, memory_id: str, **values: Any) -> StoredMemory:
    """Stores the time of a change; returns the memory's new record."""
    values |= {"updated_at": timestamp(), "version": uuid.uuid4().hex}
    connection.execute(update(MEMORIES).where(MEMORIES.c.id == memory_id).values(values))
    return _find(connection, owner, memory_id)


def _no_entry() -> MemoryNotFound:
    return MemoryNotFound("The translation memory has no such entry.")
