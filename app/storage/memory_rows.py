"""The tables of translation memories, and their rows as the program knows them."""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import BigInteger, Column, ForeignKey, Row, Table, Text, UniqueConstraint

from app.storage.database import TABLES

Origin = Literal["import", "edit", "suggestion"]
MEMORIES = Table(
    "memories",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("adapts", BigInteger, nullable=False, server_default="0"),
)
ENTRIES = Table(
    "memory_entries",
    TABLES,
    Column("id", BigInteger, primary_key=True),
    Column("memory_id", ForeignKey("memories.id", ondelete="CASCADE"), nullable=False),
    Column("hash", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("source_lower", Text, nullable=False),
    Column("target_lower", Text, nullable=False),
    UniqueConstraint("memory_id", "hash"),
)
NewEntry = tuple[str, str]
"""A text and its translation."""


@dataclass(frozen=True, kw_only=True)
class StoredMemory:
    """A translation memory without its entries.

    Attributes:
        id: A UUID.
        key_id: Number of its owner's API key; None without one.
        name: Its owner's name for it.
        source: Code of the language of its texts.
        target: Code of the language of their translations.
        entry_count: Number of entries.
        created_at: When it was made: ISO 8601, UTC.
        updated_at: When its entries or its name changed last.
        version: Another one after each change.
        size: Bytes of its texts in UTF-8.
        adapts: Sentences without a match learn from its entries.
    """

    id: str
    key_id: int | None
    name: str
    source: str
    target: str
    entry_count: int
    created_at: str
    updated_at: str
    version: str
    size: int
    adapts: bool


@dataclass(frozen=True, kw_only=True)
class StoredEntry:
    """An entry.

    Attributes:
        id: Its number, which grows from entry to entry.
        source: The text.
        target: Its translation.
        origin: Where it came from.
        created_at: When it was made: ISO 8601, UTC.
        updated_at: When it changed last.
    """

    id: int
    source: str
    target: str
    origin: Origin
    created_at: str
    updated_at: str


ENTRY_COLUMNS = (ENTRIES.c.hash, *(ENTRIES.c[name] for name in StoredEntry.__dataclass_fields__))
"""What ``read_entry`` needs, and the key of the text."""


def read_memory(row: Row[Any]) -> StoredMemory:
    """Returns the memory of a row of its table, with the column ``entry_count``."""
    values = row._mapping
    return StoredMemory(**{**values, "adapts": bool(values["adapts"])})


def read_entry(row: Row[Any]) -> StoredEntry:
    """Returns the entry of a row of its table."""
    return StoredEntry(**{name: row._mapping[name] for name in StoredEntry.__dataclass_fields__})


def texts_of(**texts: str) -> dict[str, str]:
    """Returns the columns of the texts of an entry: each text, and in small letters."""
    return {
        column: value
        for name, text in texts.items()
        for column, value in ((name, text), (f"{name}_lower", text.lower()))
    }
