"""Counts the requests of each client: in the database, or in Valkey if several servers count together.

A limit holds for any minute, not only for those of the clock, by an estimate: of the requests in the minute before,
those count that would have been in the last 60 seconds if they had come evenly. So do hours and days.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import BigInteger, Column, Connection, Table, Text, delete, or_, select, tuple_

from app.errors import RateLimited
from app.storage.database import TABLES, Database, insert

if TYPE_CHECKING:
    from app.settings import Settings
    from app.storage.valkey import Valkey

PERIODS_S = {"minute": 60, "hour": 3600, "day": 86_400}
"""Periods for which requests may be limited, in seconds."""
# How the client of a row ends, by its period; the column ``minute`` is the period's beginning.
_SUFFIXES = {"minute": "", "hour": " per hour", "day": " per day"}
REQUESTS = Table(
    "requests",
    TABLES,
    Column("client", Text, primary_key=True),
    Column("minute", BigInteger, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
_TIMEOUT_S = 0.25


class RequestCounts(Protocol):
    """Counts requests."""

    async def count(self, client: str, limits: Mapping[str, int], now_s: float | None = None) -> None:
        """Counts a request of a client against its limits for a minute, an hour and a day.

        Args:
            client: Who sent it.
            limits: Requests by the name of their period, one of ``PERIODS_S``.
            now_s: Seconds since 1970; None for now.

        Raises:
            RateLimited: There were too many; this one wasn't counted.
            StorageFailure: The database can't be used.
        """

    async def close(self) -> None:
        """Closes the connections that this object opened."""


def open_request_counts(settings: "Settings", database: Database) -> RequestCounts:
    """Opens the counts in Valkey if the settings name one, otherwise in the database.

    Raises:
        ConfigurationError: Valkey's address is malformed, or its client is not installed.
    """
    counts = DatabaseCounts(database)
    if not settings.valkey:
        return counts
    from app.storage.valkey import Valkey

    return ValkeyCounts(Valkey(settings.valkey.get_secret_value(), _TIMEOUT_S), counts)


class DatabaseCounts:
    """Counts in the database.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, client: str, limits: Mapping[str, int], now_s: float | None = None) -> None:
        """See ``RequestCounts``."""
        await self._database.run(self.count_now, client, limits, now_s)

    async def close(self) -> None:
        """Does nothing: the owner of the database closes it."""

    def count_now(self, client: str, limits: Mapping[str, int], now_s: float | None = None) -> None:
        """Does the same as ``count``, but blocks the thread."""
        with self._database.transaction() as connection:
            now_s = self._database.now(connection) if now_s is None else now_s
            for period, limit in limits.items():
                length_s = PERIODS_S[period]
                index, passed_s = divmod(now_s, length_s)
                start, before = (int(index - back) * length_s // 60 for back in (0, 1))
                _forget_requests(connection, period, before, now_s)
                name = client + _SUFFIXES[period]
                number = connection.execute(
                    insert(connection, REQUESTS)
                    .values(client=name, minute=start, number=1)
                    .on_conflict_do_update(index_elements=["client", "minute"], set_={"number": REQUESTS.c.number + 1})
                    .returning(REQUESTS.c.number)
                ).scalar_one()
                query = select(REQUESTS.c.number).where(REQUESTS.c.client == name, REQUESTS.c.minute == before)
                earlier = connection.execute(query).scalar_one_or_none() or 0
                if number - 1 + earlier * (1 - passed_s / length_s) >= limit:
                    raise _refusal(period, limit, length_s - passed_s)


def _forget_requests(connection: Connection, period: str, until_minute: int, now_s: float) -> None:
    others = [suffix for suffix in _SUFFIXES.values() if suffix and not _SUFFIXES[period]]
    # Rows that another transaction deletes are skipped, or two would wait for each other. SQLite has no such clause,
    # and SQLAlchemy leaves it out there.
    old = (
        select(REQUESTS.c.client, REQUESTS.c.minute)
        .where(
            # A clock that was set back left counts that would weigh on a later period.
            or_(REQUESTS.c.minute < until_minute, REQUESTS.c.minute > now_s // 60 + 1),
            REQUESTS.c.client.endswith(_SUFFIXES[period]),
            *(REQUESTS.c.client.not_like(f"%{suffix}") for suffix in others),
        )
        .with_for_update(skip_locked=True)
    )
    connection.execute(delete(REQUESTS).where(tuple_(REQUESTS.c.client, REQUESTS.c.minute).in_(old)))


# Runs as a whole in Valkey, by whose clock all servers count. A key is a client's count of a period; its arguments are
# the limit and the length of the period. Returns the number of the key whose limit is reached, and the seconds until
# its next period; or nothing, after it has counted.
_COUNT = """
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = time[1] + time[2] / 1e6
end
local counts = {}
for i, key in ipairs(KEYS) do
    local limit, length = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
    local index, passed = math.floor(now / length), now % length
    local kept = redis.call('HMGET', key, 'index', 'number', 'before')
    local number, before = 0, 0
    if tonumber(kept[1]) == index then
        number, before = tonumber(kept[2]), tonumber(kept[3])
    elseif tonumber(kept[1]) == index - 1 then
        before = tonumber(kept[2])
    end
    if number + before * (1 - passed / length) >= limit then
        return {i, tostring(length - passed)}
    end
    counts[i] = {index, number + 1, before, 2 * length}
end
for i, key in ipairs(KEYS) do
    redis.call('HSET', key, 'index', counts[i][1], 'number', counts[i][2], 'before', counts[i][3])
    redis.call('EXPIRE', key, counts[i][4])
end
return {}
"""


class ValkeyCounts:
    """Counts in Valkey. While Valkey is unavailable, each server counts in its own database.

    Nobody is refused because a counter is out of reach, and no limit is lifted: servers that share a database go on
    together, from zero, and others each by themselves.

    Args:
        valkey: The client.
        otherwise: What counts while Valkey can't be used.
    """

    def __init__(self, valkey: "Valkey", otherwise: RequestCounts) -> None:
        self._valkey, self._otherwise = valkey, otherwise
        self._script = valkey.client.register_script(_COUNT)

    async def count(self, client: str, limits: Mapping[str, int], now_s: float | None = None) -> None:
        """See ``RequestCounts``."""
        from app.storage.valkey import ValkeyUnavailable

        # In braces what decides on the node, if Valkey is a cluster: a script works on one.
        keys = [f"dragoman:requests:{{{client}}}:{period}" for period in limits]
        numbers = [number for period, limit in limits.items() for number in (limit, PERIODS_S[period])]
        now = "" if now_s is None else now_s
        with suppress(ValkeyUnavailable):
            refused = await self._valkey.run(lambda: self._script(keys=keys, args=[now, *numbers]))
            if refused:
                period, limit = list(limits.items())[refused[0] - 1]
                raise _refusal(period, limit, float(refused[1]))
            return
        await self._otherwise.count(client, limits, now_s)

    async def close(self) -> None:
        """Closes the connections to Valkey."""
        await self._valkey.close()


def _refusal(period: str, limit: int, retry_after_s: float) -> RateLimited:
    return RateLimited(f"Slowdown: {limit} per 1 {period}", retry_after_s=retry_after_s)
