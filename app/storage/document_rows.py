"""The table of documents, and a row of it as the program knows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Column, ForeignKey, Integer, Row, Table, Text
from sqlalchemy.types import Double

from app.storage.database import TABLES

Status = Literal["queued", "translating", "done", "error", "downloaded"]

DOCUMENTS = Table(
    "documents",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("secret_hash", Text),
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("wanted", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("characters", Integer),
    Column("translated", Integer, nullable=False),
    Column("error", Text),
    Column("error_code", Text),
    Column("attempts", Integer, nullable=False),
    Column("worker", Text),
    Column("lease_until", Double),
    Column("created_at", Double, nullable=False),
    Column("started_at", Double),
    Column("finished_at", Double),
    Column("report", Text),
    Column("client", Text),
)
IS_FINISHED = DOCUMENTS.c.status.in_(("done", "error", "downloaded"))


@dataclass(frozen=True, kw_only=True)
class StoredDocument:
    """A document without its files.

    Attributes:
        id: 32 hexadecimal digits.
        key_id: Number of the API key that pays for it; None if there is none.
        client: Who shares the room with others: a key, or an address without one.
        name: Of the translated file.
        wanted: What is wanted, as it was given to ``add``; empty when the document is finished.
        status: Where it is.
        characters: Characters to translate; None until they are counted.
        translated: Characters translated so far, at the last report.
        error: What went wrong, in a sentence, and its stable code; None if nothing did.
        started_at: When its translation began, in seconds since 1970; None before.
        waited_s: Seconds from its upload to the begin of its translation.
        report: What ``finish`` was told of its translation.
    """

    id: str
    key_id: int | None
    client: str
    name: str
    wanted: Mapping[str, Any]
    status: Status
    characters: int | None
    translated: int
    error: tuple[str, str] | None
    started_at: float | None
    waited_s: float
    report: Mapping[str, Any]


def read_row(row: Row[Any]) -> StoredDocument:
    """Returns the document of a row of the table."""
    return StoredDocument(
        id=row.id,
        key_id=row.key_id,
        client=row.client or "",
        name=row.name,
        wanted=json.loads(row.wanted),
        status=row.status,
        characters=row.characters,
        translated=row.translated,
        error=(row.error, row.error_code) if row.error else None,
        started_at=row.started_at,
        waited_s=(row.started_at or row.created_at) - row.created_at,
        report=json.loads(row.report or "{}"),
    )
