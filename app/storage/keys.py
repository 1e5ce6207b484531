"""API keys with their permissions and usage. Only hashes of the keys are stored."""

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from app.errors import InvalidRequest, QuotaExceeded, RateLimited
from app.storage.database import Database

FEATURES = ("translate", "detect")
MIN_KEY_CHARS, MAX_KEY_CHARS = 16, 200
_HINT_CHARS = 4
_COLUMNS = "id, name, hint, created_at, monthly_characters, requests_per_minute, features"


@dataclass(frozen=True)
class Key:
    """A key without the key.

    Attributes:
        id: Number in the database.
        name: The operator's name for it.
        hint: Its last characters.
        created_at: When it was made: ISO 8601, UTC.
        monthly_characters: Maximum characters of texts in a calendar month (UTC); None for no limit.
        requests_per_minute: Maximum requests in a minute; None for no limit.
        features: The ``FEATURES`` that it may use.
    """

    id: int
    name: str
    hint: str
    created_at: str
    monthly_characters: int | None
    requests_per_minute: int | None
    features: tuple[str, ...]


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
        features: Collection[str] = FEATURES,
    ) -> str:
        """Adds a key and returns it; it can't be read again.

        Args:
            name: What to call it.
            key: The key, 16 to 200 characters; None makes one.
            monthly_characters: As in ``Key``.
            requests_per_minute: As in ``Key``.
            features: As in ``Key``.

        Raises:
            InvalidRequest: The key is too short or too long, or exists; or there is no such feature.
        """
        key = secrets.token_hex(16) if key is None else key
        if not MIN_KEY_CHARS <= len(key) <= MAX_KEY_CHARS:
            raise InvalidRequest(f"A key must have {MIN_KEY_CHARS} to {MAX_KEY_CHARS} characters.")
        unknown = set(features) - set(FEATURES)
        if unknown or not features:
            raise InvalidRequest(f"The features of a key are some of: {', '.join(FEATURES)}.")
        row = (
            _hash(key),
            key[-_HINT_CHARS:],
            name,
            datetime.now(UTC).isoformat(timespec="seconds"),
            monthly_characters,
            requests_per_minute,
            ",".join(sorted(features)),
        )
        try:
            with self._database.transaction() as connection:
                connection.execute(
                    "INSERT INTO keys (hash, hint, name, created_at, monthly_characters, requests_per_minute, features)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
        except sqlite3.IntegrityError:
            raise InvalidRequest("This key exists already.") from None
        return key

    def list(self) -> list[tuple[Key, int]]:
        """All keys in the order in which they were made, each with the characters that it has used this month."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS}, coalesce(characters, 0) FROM keys"
                " LEFT JOIN usage ON key_id = id AND month = ? ORDER BY id",
                (_month(),),
            ).fetchall()
        return [(_key(row[:-1]), row[-1]) for row in rows]

    def remove(self, key_id: int) -> bool:
        """Removes a key and its usage; returns whether there was one."""
        with self._database.transaction() as connection:
            return connection.execute("DELETE FROM keys WHERE id = ?", (key_id,)).rowcount > 0

    def find(self, key: str) -> Key | None:
        """Returns the record of a key; None if there is no such key."""
        with self._database.transaction() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM keys WHERE hash = ?", (_hash(key),)).fetchone()
        return _key(row) if row else None

    def used(self, key: Key) -> int:
        """The characters that a key has used this month."""
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT characters FROM usage WHERE key_id = ? AND month = ?", (key.id, _month())
            ).fetchone()
        return row[0] if row else 0

    def spend(self, key: Key, characters: int) -> None:
        """Counts characters of a key; a negative number gives them back.

        Raises:
            QuotaExceeded: It would have used more than it may this month; nothing was counted.
        """
        with self._database.transaction() as connection:
            [used] = connection.execute(
                "INSERT INTO usage VALUES (?, ?, max(0, ?)) ON CONFLICT"
                " DO UPDATE SET characters = max(0, characters + ?) RETURNING characters",
                (key.id, _month(), characters, characters),
            ).fetchone()
            if characters > 0 and key.monthly_characters is not None and used > key.monthly_characters:
                raise QuotaExceeded("Quota for this billing period has been exceeded.")

    def count_request(self, client: str, limit: int, now_s: float | None = None) -> None:
        """Counts a request of a client, of which there may be a number in a minute.

        The limit holds for any minute, by an estimate: of the requests in the calendar minute before, those count
        that would have been in the last 60 seconds if they had come evenly.

        Raises:
            RateLimited: There were too many; this one wasn't counted.
        """
        now_s = time.time() if now_s is None else now_s
        minute, second = divmod(now_s, 60)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM requests WHERE minute < ?", (int(minute) - 1,))
            counts = dict(
                connection.execute("SELECT minute, number FROM requests WHERE client = ?", (client,)).fetchall()
            )
            current, before = counts.get(int(minute), 0), counts.get(int(minute) - 1, 0)
            if current + before * (1 - second / 60) >= limit:
                raise RateLimited(f"Slowdown: {limit} per 1 minute", retry_after_s=60 - second)
            connection.execute(
                "INSERT INTO requests VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET number = number + 1",
                (client, int(minute)),
            )


def _key(row: tuple[int, str, str, str, int | None, int | None, str]) -> Key:
    return Key(*row[:6], tuple(row[6].split(",")))


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")
