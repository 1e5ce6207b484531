"""Style rule lists: each has an owner, a name, a language, and the chosen options of its rules."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, ForeignKey, Integer, Row, Table, Text, delete, func, select, update

from app.errors import InvalidRequest, StyleNotFound
from app.storage.database import TABLES, Database
from app.storage.keys import execute_for_key
from app.storage.timestamps import timestamp

MAX_STYLES = 1_000

STYLES = Table(
    "styles",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
)

Rules = Mapping[str, Any]
"""JSON. ``app.api.deepl.style_rules`` says what is in it."""


@dataclass(frozen=True)
class StoredStyle:
    """A style rule list.

    Attributes:
        id: A UUID.
        name: Its owner's name for it.
        language: Code of the language that is written so.
        rules: Its rules.
        version: One more with each change, from 1.
        created_at: When it was made: ISO 8601, UTC.
        updated_at: When it was changed last.
    """

    id: str
    name: str
    language: str
    rules: Rules
    version: int
    created_at: str
    updated_at: str


class StyleStore:
    """The style rule lists of a database. An owner is the number of an API key, or None for requests without one.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, owner: int | None, name: str, language: str, rules: Rules) -> StoredStyle:
        """Adds a list.

        Raises:
            InvalidRequest: The owner has too many.
            InvalidKey: There is no such API key.
        """
        style_id, now = str(uuid.uuid4()), timestamp()
        with self._database.transaction() as connection:
            count = select(func.count()).select_from(STYLES).where(STYLES.c.key_id.is_not_distinct_from(owner))
            if connection.execute(count).scalar_one() >= MAX_STYLES:
                raise InvalidRequest(f"There are {MAX_STYLES:,} style rule lists already; delete one.")
            values = {"id": style_id, "key_id": owner, "name": name, "language": language, "rules": json.dumps(rules)}
            values |= {"version": 1, "created_at": now, "updated_at": now}
            execute_for_key(connection, STYLES.insert().values(values))
            return _find(connection, owner, style_id)

    def find(self, owner: int | None, style_id: str) -> StoredStyle:
        """Finds a list of an owner.

        Raises:
            StyleNotFound: There is no such list.
        """
        with self._database.reading() as connection:
            return _find(connection, owner, style_id)

    def set(
        self, owner: int | None, style_id: str, *, name: str | None = None, rules: Rules | None = None
    ) -> StoredStyle:
        """Changes the name or the rules of a list.

        Raises:
            StyleNotFound: There is no such list.
        """
        values: dict[str, Any] = {"name": name} if name is not None else {"rules": json.dumps(rules)}
        with self._database.transaction() as connection:
            _find(connection, owner, style_id)
            changed = update(STYLES).where(STYLES.c.id == style_id)
            connection.execute(changed.values(values | {"version": STYLES.c.version + 1, "updated_at": timestamp()}))
            return _find(connection, owner, style_id)

    def remove(self, owner: int | None, style_id: str) -> None:
        """Removes a list.

        Raises:
            StyleNotFound: There is no such list.
        """
        with self._database.transaction() as connection:
            _find(connection, owner, style_id)
            connection.execute(delete(STYLES).where(STYLES.c.id == style_id))

    def list(self, owner: int | None) -> list[StoredStyle]:
        """Returns all lists of an owner, oldest first."""
        own = select(STYLES).where(STYLES.c.key_id.is_not_distinct_from(owner))
        with self._database.reading() as connection:
            return [_style(row) for row in connection.execute(own.order_by(STYLES.c.created_at, STYLES.c.id))]


def _find(connection: Connection, owner: int | None, style_id: str) -> StoredStyle:
    own = STYLES.c.key_id.is_not_distinct_from(owner)
    row = connection.execute(select(STYLES).where(STYLES.c.id == style_id, own).with_for_update()).one_or_none()
    if row is None:
        raise StyleNotFound("There is no such style rule list.")
    return _style(row)


def _style(row: Row[Any]) -> StoredStyle:
    return StoredStyle(
        row.id, row.name, row.language, json.loads(row.rules), row.version, row.created_at, row.updated_at
    )
