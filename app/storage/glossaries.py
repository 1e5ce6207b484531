"""Glossaries: each has an owner, a name, and a dictionary for each pair of languages."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    ForeignKey,
    Integer,
    Row,
    Select,
    Table,
    Text,
    delete,
    func,
    select,
    update,
)

from app.errors import GlossaryNotFound, InvalidGlossary
from app.storage.database import TABLES, Database
from app.storage.keys import execute_for_key
from app.storage.text_room import check_room
from app.storage.timestamps import timestamp

MAX_GLOSSARIES = 1_000
MAX_DICTIONARIES = 100
MAX_ENTRIES = 50_000
"""Of a dictionary; as in ``app.text.terms.entries``, which storage may not import."""

GLOSSARIES = Table(
    "glossaries",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
DICTIONARIES = Table(
    "dictionaries",
    TABLES,
    Column("glossary_id", ForeignKey("glossaries.id", ondelete="CASCADE"), primary_key=True),
    Column("source", Text, primary_key=True),
    Column("target", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("entry_count", Integer, nullable=False),
    Column("entries", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
)


@dataclass(frozen=True)
class StoredDictionary:
    """A dictionary without its entries.

    Attributes:
        source: Code of the language of its source terms.
        target: Code of the language of its target terms.
        entry_count: Number of entries.
        version: Another one after each change.
    """

    source: str
    target: str
    entry_count: int
    version: str


@dataclass(frozen=True)
class StoredGlossary:
    """A glossary without its entries.

    Attributes:
        id: A UUID.
        key_id: Number of its owner's API key; None without one.
        name: Its owner's name for it.
        created_at: When it was made: ISO 8601, UTC.
        dictionaries: In the order in which they were added.
    """

    id: str
    key_id: int | None
    name: str
    created_at: str
    dictionaries: tuple[StoredDictionary, ...]


NewDictionary = tuple[str, str, Mapping[str, str]]
"""Codes of source and target, and checked entries."""


class GlossaryStore:
    """The glossaries of a database. An owner is the number of an API key, or None for requests without one.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, owner: int | None, name: str, dictionaries: Sequence[NewDictionary]) -> StoredGlossary:
        """Adds a glossary.

        Raises:
            InvalidGlossary: The owner has too many.
            RoomExceeded: As ``check_room``.
            InvalidKey: There is no such API key.
        """
        glossary_id = str(uuid.uuid4())
        now = timestamp()
        with self._database.transaction() as connection:
            count = select(func.count()).select_from(GLOSSARIES).where(GLOSSARIES.c.key_id.is_not_distinct_from(owner))
            if connection.execute(count).scalar_one() >= MAX_GLOSSARIES:
                raise InvalidGlossary(f"There are {MAX_GLOSSARIES:,} glossaries already; delete one.")
            values = {"id": glossary_id, "key_id": owner, "name": name, "created_at": now}
            execute_for_key(connection, GLOSSARIES.insert().values(values))
            for dictionary in dictionaries:
                _write(connection, glossary_id, *dictionary)
            check_room(connection, owner, self._database.text_limits)
            return _find(connection, owner, glossary_id)

    def list_all(self) -> list[StoredGlossary]:
        """Returns the glossaries of all owners, oldest first."""
        return self._list(select(GLOSSARIES))

    def _list(self, query: Select[Any]) -> list[StoredGlossary]:
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(GLOSSARIES.c.created_at, GLOSSARIES.c.id)).all()
            return [_glossary(connection, row) for row in rows]

    def find(self, owner: int | None, glossary_id: str) -> StoredGlossary:
        """Finds a glossary of an owner.

        Raises:
            GlossaryNotFound: There is no such glossary.
        """
        with self._database.reading() as connection:
            return _find(connection, owner, glossary_id)

    def owner(self, glossary_id: str) -> int | None:
        """Returns the owner of a glossary.

        Raises:
            GlossaryNotFound: There is no such glossary.
        """
        with self._database.reading() as connection:
            query = select(GLOSSARIES.c.key_id).where(GLOSSARIES.c.id == glossary_id)
            row = connection.execute(query).one_or_none()
        if row is None:
            raise GlossaryNotFound("There is no such glossary.")
        return row.key_id  # type: ignore[no-any-return]

    def entries(self, owner: int | None, glossary_id: str, source: str, target: str) -> dict[str, str]:
        """Returns the entries of a dictionary: target terms by source terms.

        Raises:
            GlossaryNotFound: There is no such glossary or dictionary.
        """
        with self._database.reading() as connection:
            _find(connection, owner, glossary_id)
            return _entries(connection, glossary_id, source, target)

    def change(
        self, owner: int | None, glossary_id: str, name: str | None, dictionary: NewDictionary | None
    ) -> StoredGlossary:
        """Renames a glossary and adds entries to a dictionary, which is created if it is missing.

        Raises:
            GlossaryNotFound: There is no such glossary.
            InvalidGlossary: It would have too many entries or dictionaries.
            RoomExceeded: As ``check_room``.
        """
        with self._database.transaction() as connection:
            _find(connection, owner, glossary_id)
            if name is not None:
                connection.execute(update(GLOSSARIES).where(GLOSSARIES.c.id == glossary_id).values(name=name))
            if dictionary is not None:
                source, target, entries = dictionary
                try:
                    before = _entries(connection, glossary_id, source, target)
                except GlossaryNotFound:
                    before = {}
                merged = before | dict(entries)
                if len(merged) > MAX_ENTRIES:
                    raise InvalidGlossary(f"Invalid glossary entries provided: more than {MAX_ENTRIES:,} entries.")
                _write(connection, glossary_id, source, target, merged)
                check_room(connection, owner, self._database.text_limits)
            return _find(connection, owner, glossary_id)

    def replace(self, owner: int | None, glossary_id: str, dictionary: NewDictionary) -> StoredDictionary:
        """Replaces the entries of a dictionary, which is created if it is missing.

        Raises:
            GlossaryNotFound: There is no such glossary.
        """
        with self._database.transaction() as connection:
            _find(connection, owner, glossary_id)
            _write(connection, glossary_id, *dictionary)
            check_room(connection, owner, self._database.text_limits)
            found = _find(connection, owner, glossary_id).dictionaries
        return next(one for one in found if (one.source, one.target) == dictionary[:2])

    def remove(self, owner: int | None, glossary_id: str, pair: tuple[str, str] | None = None) -> None:
        """Removes a glossary, or its dictionary of a pair.

        Raises:
            GlossaryNotFound: There is no such glossary or dictionary.
        """
        with self._database.transaction() as connection:
            _find(connection, owner, glossary_id)
            if pair is None:
                connection.execute(delete(GLOSSARIES).where(GLOSSARIES.c.id == glossary_id))
            elif not connection.execute(delete(DICTIONARIES).where(_is(glossary_id, *pair))).rowcount:
                raise _no_dictionary()

    def list(self, owner: int | None) -> list[StoredGlossary]:  # behind all annotations that mean Python's list
        """Returns all glossaries of an owner, oldest first."""
        return self._list(select(GLOSSARIES).where(GLOSSARIES.c.key_id.is_not_distinct_from(owner)))


def _find(connection: Connection, owner: int | None, glossary_id: str) -> StoredGlossary:
    own = GLOSSARIES.c.key_id.is_not_distinct_from(owner)
    query = select(GLOSSARIES).where(GLOSSARIES.c.id == glossary_id, own).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise GlossaryNotFound("There is no such glossary.")
    return _glossary(connection, row)


def _glossary(connection: Connection, row: Row[Any]) -> StoredGlossary:
    columns = [column for column in DICTIONARIES.c if column.name not in ("entries", "size")]
    query = select(*columns).where(DICTIONARIES.c.glossary_id == row.id).order_by(DICTIONARIES.c.number)
    found = (
        StoredDictionary(one.source, one.target, one.entry_count, one.version) for one in connection.execute(query)
    )
    return StoredGlossary(row.id, row.key_id, row.name, row.created_at, tuple(found))


def _is(glossary_id: str, source: str, target: str) -> Any:
    return (
        (DICTIONARIES.c.glossary_id == glossary_id)
        & (DICTIONARIES.c.source == source)
        & (DICTIONARIES.c.target == target)
    )


def _entries(connection: Connection, glossary_id: str, source: str, target: str) -> dict[str, str]:
    row = connection.execute(select(DICTIONARIES.c.entries).where(_is(glossary_id, source, target))).one_or_none()
    if row is None:
        raise _no_dictionary()
    return dict(line.split("\t") for line in row.entries.split("\n"))  # no term has a tab or a line break


def _write(connection: Connection, glossary_id: str, source: str, target: str, entries: Mapping[str, str]) -> None:
    """Writes a dictionary; replaces the dictionary of the same pair or adds a new one at the end."""
    lines = "\n".join(f"{one}\t{other}" for one, other in entries.items())
    values: dict[str, Any] = {"entries": lines, "entry_count": len(entries), "version": uuid.uuid4().hex}
    values["size"] = len(lines.encode())
    if connection.execute(update(DICTIONARIES).where(_is(glossary_id, source, target)).values(values)).rowcount:
        return
    numbers = select(func.count(), func.coalesce(func.max(DICTIONARIES.c.number), 0)).where(
        DICTIONARIES.c.glossary_id == glossary_id
    )
    count, last = connection.execute(numbers).one()
    if count >= MAX_DICTIONARIES:
        raise InvalidGlossary(f"A glossary has at most {MAX_DICTIONARIES} dictionaries.")
    key = {"glossary_id": glossary_id, "source": source, "target": target, "number": last + 1}
    connection.execute(DICTIONARIES.insert().values(key | values))


def _no_dictionary() -> GlossaryNotFound:
    return GlossaryNotFound("The glossary has no dictionary for this pair of languages.")
