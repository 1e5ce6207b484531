"""Suggestions: better translations that users propose. The operator accepts or rejects each of them."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import BigInteger, Column, ForeignKey, Row, Table, Text, func, select, update

from app.errors import InvalidMemory, MemoryNotFound, Overloaded
from app.storage.database import TABLES, Database
from app.storage.keys import execute_for_key
from app.storage.memories import put_entries
from app.storage.memory_rows import MEMORIES
from app.storage.text_room import check_room

MAX_PENDING = 10_000
State = Literal["pending", "accepted", "rejected"]

SUGGESTIONS = Table(
    "suggestions",
    TABLES,
    Column("id", BigInteger, primary_key=True),
    Column("key_id", ForeignKey("keys.id", ondelete="SET NULL")),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("translation", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
)


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A suggestion.

    Attributes:
        id: Its number.
        key_id: Number of the API key that it came with; None without one.
        source: Code of the language of the text.
        target: Code of the language of the translation.
        text: The text.
        translation: The translation that somebody suggests.
        state: What has become of it.
        created_at: When it came: ISO 8601, UTC.
    """

    id: int
    key_id: int | None
    source: str
    target: str
    text: str
    translation: str
    state: State
    created_at: str


class SuggestionStore:
    """The suggestions of a database.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key_id: int | None, source: str, target: str, text: str, translation: str) -> None:
        """Adds a suggestion.

        Raises:
            InvalidKey: There is no such API key.
            Overloaded: Too many wait already.
            RoomExceeded: As ``check_room``.
        """
        values: dict[str, Any] = {
            "key_id": key_id,
            "source": source,
            "target": target,
            "text": text,
            "translation": translation,
        }
        values |= {"state": "pending", "created_at": datetime.now(UTC).isoformat(timespec="seconds")}
        values["size"] = len(text.encode()) + len(translation.encode())
        pending = select(func.count()).select_from(SUGGESTIONS).where(SUGGESTIONS.c.state == "pending")
        with self._database.transaction() as connection:
            if connection.execute(pending).scalar_one() >= MAX_PENDING:
                raise Overloaded("The server can't keep more suggestions now; try again later.", retry_after_s=3600)
            execute_for_key(connection, SUGGESTIONS.insert().values(values))
            check_room(connection, key_id, self._database.text_limits)

    def list(self, state: State, *, after: int = 0, most: int) -> list[Suggestion]:
        """Returns the suggestions in a state, oldest first.

        Args:
            state: The state.
            after: Number of the last suggestion of the page before.
            most: Maximum number of suggestions.
        """
        query = select(SUGGESTIONS).where(SUGGESTIONS.c.state == state, SUGGESTIONS.c.id > after)
        with self._database.reading() as connection:
            return [_suggestion(row) for row in connection.execute(query.order_by(SUGGESTIONS.c.id).limit(most))]

    def reject(self, suggestion_id: int) -> bool:
        """Rejects a suggestion; False if no such suggestion is waiting."""
        with self._database.transaction() as connection:
            return connection.execute(_decided(suggestion_id, "rejected")).one_or_none() is not None

    def accept(self, suggestion_id: int, memory_id: str) -> bool:
        """Adds a suggestion to a translation memory; False if no such suggestion is waiting.

        Raises:
            MemoryNotFound: There is no such memory.
            InvalidMemory: It is for other languages, or full.
            RoomExceeded: As ``check_room``.
        """
        with self._database.transaction() as connection:
            row = connection.execute(_decided(suggestion_id, "accepted")).one_or_none()
            if row is None:
                return False
            memory = connection.execute(select(MEMORIES).where(MEMORIES.c.id == memory_id)).one_or_none()
            if memory is None:
                raise MemoryNotFound("There is no such translation memory.")
            if (memory.source, memory.target) != (row.source, row.target):
                raise InvalidMemory("The translation memory is for other languages than the suggestion.")
            pair = row.text, row.translation
            put_entries(connection, memory.key_id, memory_id, [pair], "suggestion", self._database.text_limits)
        return True


def _decided(suggestion_id: int, state: State) -> Any:
    waits = (SUGGESTIONS.c.id == suggestion_id) & (SUGGESTIONS.c.state == "pending")
    return update(SUGGESTIONS).where(waits).values(state=state).returning(SUGGESTIONS)


def _suggestion(row: Row[Any]) -> Suggestion:
    return Suggestion(**{name: row._mapping[name] for name in Suggestion.__dataclass_fields__})
