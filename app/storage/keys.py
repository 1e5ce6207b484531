"""API keys with their permissions and usage. Only hashes of the keys are stored."""

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    CursorResult,
    Executable,
    ForeignKey,
    Row,
    Table,
    Text,
    and_,
    case,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from app.errors import InvalidKey, InvalidRequest, QuotaExceeded
from app.priority import Priority
from app.storage.database import TABLES, Database, insert

FEATURES = ("translate", "detect")
MIN_KEY_CHARS, MAX_KEY_CHARS = 16, 200
_HINT_CHARS = 4

KEYS = Table(
    "keys",
    TABLES,
    Column("id", BigInteger, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("hint", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("monthly_characters", BigInteger),
    Column("requests_per_minute", BigInteger),
    Column("features", Text, nullable=False),
    Column("priority", Text, nullable=False),
)
USAGE = Table(
    "usage",
    TABLES,
    Column("key_id", ForeignKey("keys.id", ondelete="CASCADE"), primary_key=True),
    Column("month", Text, primary_key=True),
    Column("characters", BigInteger, nullable=False),
)


@dataclass(frozen=True)
class Key:
    """The stored record of an API key, without the key itself.

    Attributes:
        id: Number in the database.
        name: The operator's name for it.
        hint: Its last characters.
        created_at: When it was made: ISO 8601, UTC.
        monthly_characters: Maximum characters of texts in a calendar month (UTC); None for no limit.
        requests_per_minute: Maximum requests in a minute; None for no limit.
        features: The ``FEATURES`` that it may use.
        priority: The highest that its requests may have.
    """

    id: int
    name: str
    hint: str
    created_at: str
    monthly_characters: int | None
    requests_per_minute: int | None
    features: tuple[str, ...]
    priority: Priority = Priority.NORMAL


class KeyStore:
    """The keys of a database.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        name: str,
        *,
        key: str | None = None,
        monthly_characters: int | None = None,
        requests_per_minute: int | None = None,
        features: Collection[str] | None = None,
        priority: Priority = Priority.NORMAL,
    ) -> str:
        """Adds a key and returns it; it can't be read again.

        Args:
            name: What to call it.
            key: The key, 16 to 200 characters; None makes one.
            monthly_characters: As in ``Key``.
            requests_per_minute: As in ``Key``.
            features: As in ``Key``; None for all.
            priority: As in ``Key``.

        Raises:
            InvalidRequest: The key is too short or too long, or exists; or there is no such feature.
        """
        key = secrets.token_hex(16) if key is None else key
        if not MIN_KEY_CHARS <= len(key) <= MAX_KEY_CHARS:
            raise InvalidRequest(f"A key must have {MIN_KEY_CHARS} to {MAX_KEY_CHARS} characters.")
        features = FEATURES if features is None else features
        if not features or set(features) - set(FEATURES):
            raise InvalidRequest(f"The features of a key must be among {', '.join(FEATURES)}.")
        row = {
            "hash": _hash(key),
            "hint": key[-_HINT_CHARS:],
            "name": name,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "monthly_characters": monthly_characters,
            "requests_per_minute": requests_per_minute,
            "features": ",".join(sorted(features)),
            "priority": priority.value,
        }
        try:
            with self._database.transaction() as connection:
                connection.execute(KEYS.insert().values(row))
        except IntegrityError:
            raise InvalidRequest("This key exists already.") from None
        return key

    def list(self) -> list[tuple[Key, int]]:
        """Returns all keys, oldest first, each with the characters that it has used this month."""
        of_this_month = and_(USAGE.c.key_id == KEYS.c.id, USAGE.c.month == _month())
        query = (
            select(KEYS, func.coalesce(USAGE.c.characters, 0).label("used"))
            .outerjoin_from(KEYS, USAGE, of_this_month)
            .order_by(KEYS.c.id)
        )
        with self._database.reading() as connection:
            return [(_key(row), row.used) for row in connection.execute(query)]

    def remove(self, key_id: int) -> bool:
        """Removes a key and its usage; returns whether there was one."""
        with self._database.transaction() as connection:
            return connection.execute(delete(KEYS).where(KEYS.c.id == key_id)).rowcount > 0

    def find(self, key: str) -> Key | None:
        """Returns the record of a key; None if there is no such key."""
        with self._database.reading() as connection:
            row = connection.execute(select(KEYS).where(KEYS.c.hash == _hash(key))).one_or_none()
        return _key(row) if row else None

    def oldest_named(self, names: Collection[str]) -> Key | None:
        """Returns the oldest of the keys with one of these names; None if there is none."""
        query = select(KEYS).where(KEYS.c.name.in_(names)).order_by(KEYS.c.id).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return _key(row) if row else None

    def used(self, key: Key) -> int:
        """Returns the characters that a key has used this month."""
        query = select(USAGE.c.characters).where(USAGE.c.key_id == key.id, USAGE.c.month == _month())
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one_or_none() or 0

    def spend(self, key: Key, characters: int) -> None:
        """Counts characters of a key.

        Raises:
            QuotaExceeded: It would have used more than it may this month; nothing was counted.
            InvalidKey: There is no such key any more.
        """
        with self._database.transaction() as connection:
            spend(connection, key.id, characters, key.monthly_characters)

    def give_back(self, key: Key, characters: int) -> None:
        """Takes characters off what a key has used this month; does nothing if there is no such key any more."""
        with self._database.transaction() as connection:
            give_back(connection, key.id, characters)


def execute_for_key(connection: Connection, statement: Executable) -> CursorResult[Any]:
    """Executes a statement that writes a row of an API key.

    Raises:
        InvalidKey: There is no such key; as a rule, it was removed after the request began.
    """
    try:
        return connection.execute(statement)
    except IntegrityError:
        raise InvalidKey("There is no such API key.") from None


def spend(connection: Connection, key_id: int, characters: int, limit: int | None = None) -> None:
    """Counts characters of a key inside a transaction, which has to end with the error if there is one.

    Args:
        connection: Of the transaction.
        key_id: Number of the key.
        characters: How many.
        limit: Maximum characters of a month; None for no limit.

    Raises:
        QuotaExceeded: There would be more than that.
        InvalidKey: There is no such key.
    """
    counted = (
        insert(connection, USAGE)
        .values(key_id=key_id, month=_month(), characters=characters)
        .on_conflict_do_update(index_elements=["key_id", "month"], set_={"characters": USAGE.c.characters + characters})
        .returning(USAGE.c.characters)
    )
    used = execute_for_key(connection, counted).scalar_one()
    if limit is not None and used > limit:
        raise QuotaExceeded("Quota for this billing period has been exceeded.")


def give_back(connection: Connection, key_id: int, characters: int) -> None:
    """See ``KeyStore.give_back``; within a transaction."""
    left = USAGE.c.characters - characters
    of_this_month = and_(USAGE.c.key_id == key_id, USAGE.c.month == _month())
    connection.execute(update(USAGE).where(of_this_month).values(characters=case((left > 0, left), else_=0)))


def _key(row: Row[Any]) -> Key:
    return Key(
        id=row.id,
        name=row.name,
        hint=row.hint,
        created_at=row.created_at,
        monthly_characters=row.monthly_characters,
        requests_per_minute=row.requests_per_minute,
        features=tuple(row.features.split(",")),
        priority=Priority(row.priority),
    )


def _hash(key: str) -> str:
    # JSON can spell half of a character, which no key has; it is looked for like any other wrong key.
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def _month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")
