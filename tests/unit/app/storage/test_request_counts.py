"""Requests are counted in every minute, hour and day: in the database, and in Valkey for several servers together."""

import asyncio
import logging
from collections.abc import Callable, Iterator

import pytest

from app.errors import ConfigurationError, RateLimited
from app.storage.database import Database
from app.storage.request_counts import DatabaseCounts, RequestCounts, ValkeyCounts

MINUTE = {"minute": 5}


@pytest.fixture(
    params=["sqlite", *(pytest.param(name, marks=pytest.mark.cluster) for name in ("postgresql", "valkey"))]
)
def new_counts(request, tmp_path) -> Iterator[Callable[[], RequestCounts]]:
    """Opens the counts, as another server does."""
    opened = []

    def make() -> RequestCounts:
        if request.param == "valkey":
            from app.storage.valkey import Valkey

            return ValkeyCounts(Valkey(request.getfixturevalue("valkey").address, 5.0), Nobody())
        where = tmp_path if request.param == "sqlite" else request.getfixturevalue("postgresql")
        opened.append(Database(where))
        return DatabaseCounts(opened[-1])

    yield make
    for database in opened:
        database.close()


class Nobody:
    async def count(self, client, limits, now_s=None):
        raise AssertionError("Valkey should count")

    async def close(self):
        pass


async def test_requests_are_limited_in_every_minute(new_counts):
    counts = new_counts()
    for _ in range(5):
        await counts.count("me", MINUTE, 600.0)
    with pytest.raises(RateLimited, match="Slowdown: 5 per 1 minute") as refused:
        await counts.count("me", MINUTE, 640.0)
    assert refused.value.retry_after_s == pytest.approx(20)
    await counts.count("you", MINUTE, 640.0)
    with pytest.raises(RateLimited):  # all five would have been in the last minute
        await counts.count("me", MINUTE, 660.0)
    await counts.count("me", MINUTE, 690.0)
    await counts.count("me", MINUTE, 780.0)
    await counts.close()


async def test_requests_are_limited_in_every_hour_and_day_too(new_counts):
    counts = new_counts()
    limits = {"minute": 3, "hour": 4, "day": 6}
    hour, day = 3600.0, 86_400.0
    for now_s in (0.0, 100.0, 200.0, 300.0):
        await counts.count("me", limits, day + now_s)
    with pytest.raises(RateLimited, match="Slowdown: 4 per 1 hour") as refused:
        await counts.count("me", limits, day + 400.0)
    assert refused.value.retry_after_s == pytest.approx(hour - 400)
    with pytest.raises(RateLimited, match="per 1 hour"):  # a refusal isn't counted, and the minute's count isn't either
        await counts.count("me", limits, day + 401.0)
    for now_s in (2 * hour, 2 * hour + 1):
        await counts.count("me", limits, day + now_s)
    with pytest.raises(RateLimited, match="Slowdown: 6 per 1 day"):
        await counts.count("me", limits, day + 5 * hour)
    await counts.count("you", limits, day + 5 * hour)
    await counts.count("me", limits, 3 * day)
    await counts.close()


async def test_servers_count_together(new_counts):
    servers = [new_counts() for _ in range(3)]
    counted = [server.count("me", {"minute": 50}, 600.0) for server in servers for _ in range(30)]
    results = await asyncio.gather(*counted, return_exceptions=True)
    assert sum(result is None for result in results) == 50
    assert sum(isinstance(result, RateLimited) for result in results) == 40
    for server in servers:
        await server.close()


@pytest.mark.cluster
async def test_counts_are_forgotten(valkey):
    from app.storage.valkey import Valkey

    client = Valkey(valkey.address, 5.0)
    counts = ValkeyCounts(client, Nobody())
    await counts.count("me", {"minute": 1, "day": 1})
    left = [await client.client.ttl(f"dragoman:requests:{{me}}:{period}") for period in ("minute", "day")]
    assert 0 < left[0] <= 120 and 86_400 < left[1] <= 2 * 86_400
    await counts.close()


@pytest.mark.cluster
async def test_the_database_counts_while_valkey_is_away(valkey, tmp_path, monkeypatch, caplog):
    import app.storage.valkey as module

    caplog.set_level(logging.INFO)
    monkeypatch.setattr(module, "_PAUSE_S", 0.0)
    database = Database(tmp_path)
    counts = ValkeyCounts(module.Valkey(valkey.address, 5.0), DatabaseCounts(database))
    await counts.count("me", {"minute": 1}, 600.0)
    valkey.kill()
    await counts.count("me", {"minute": 1}, 600.0)  # from zero
    with pytest.raises(RateLimited):
        await counts.count("me", {"minute": 1}, 600.0)
    valkey.start()
    await counts.count("me", {"minute": 1}, 600.0)
    await counts.close()
    database.close()
    assert [record.message for record in caplog.records] == ["Valkey can't be used", "Valkey is back"]


@pytest.mark.cluster
async def test_a_server_that_does_not_answer_costs_one_request_its_time(tmp_path, monkeypatch):
    import app.storage.valkey as module

    monkeypatch.setattr(module, "_PAUSE_S", 3600.0)

    connections = 0

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await reader.read()
        writer.close()

    silent = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    database = Database(tmp_path)
    counts = ValkeyCounts(module.Valkey(f"valkey://127.0.0.1:{port}", 0.05), DatabaseCounts(database))
    for _ in range(100):
        await counts.count("me", {"minute": 100})
    assert connections == 1  # each command that is given up closes its own
    await counts.close()
    database.close()
    silent.close()
    await silent.wait_closed()


@pytest.mark.cluster
def test_an_address_that_is_none_is_told():
    from app.storage.valkey import Valkey

    with pytest.raises(ConfigurationError, match="DRAGOMAN_VALKEY"):
        Valkey("valkey://host:port", 1.0)
