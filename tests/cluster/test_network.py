"""The network between the server and what it depends on is slow, resets, hangs or flaps: requests are answered in time.

The bounds are for a busy machine. `pytest -s` prints a line for each fault: the table of docs/operations.md.
"""

import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.collector import collecting
from tests.support.fakes import FakeEngine, serving
from tests.support.network import Fault, Network, network
from tests.support.s3 import S3Server
from tests.support.shipped_server import shipped_server
from tests.support.valkey import ValkeyServer

pytestmark = pytest.mark.cluster

ANSWER_S = 25.0
BACK_S = 30.0
TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}
FAULTS = [Fault.SLOW, Fault.RESET, Fault.HALF_OPEN, Fault.REFUSED]


class Watched:
    """A client that notes statuses, and how long the slowest answer took.

    Attributes:
        statuses: How often there was each.
        slowest_s: The longest time.
    """

    def __init__(self, client: httpx.AsyncClient, **headers: str) -> None:
        self._client, self._headers = client, headers
        self.statuses: Counter[int] = Counter()
        self.slowest_s = 0.0

    async def translate(self) -> int:
        return await self._noted(self._client.post("/translate", json=TEXT, headers=self._headers))

    async def upload(self) -> int:
        form, files = {"source": "de", "target": "en"}, {"file": ("a.txt", b"Guten Morgen!")}
        return await self._noted(self._client.post("/translate_file", data=form, files=files, headers=self._headers))

    async def _noted(self, call) -> int:
        began = time.monotonic()
        status = (await call).status_code
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)
        self.statuses[status] += 1
        return status

    async def until_back(self, call) -> None:
        ends_s = time.monotonic() + BACK_S
        while await call() != 200:
            assert time.monotonic() < ends_s, "it isn't back"

    def report(self, what: str, fault: object) -> None:
        statuses = ", ".join(f"{status}: {number}" for status, number in sorted(self.statuses.items()))
        print(f"\n| {what} | {fault} | {statuses} | {self.slowest_s:.1f} s |")


async def endure(watched: Watched, call, proxy: Network, fault: Fault, what: str, allowed: set[int]) -> None:
    """While the fault lasts, every answer comes in time; afterwards, all is as before."""
    assert await call() == 200
    proxy.set(fault)
    for _ in range(4):
        await call()
    proxy.set(Fault.NONE)
    watched.report(what, fault.value)
    assert set(watched.statuses) <= allowed and watched.slowest_s < ANSWER_S
    assert watched.statuses[503] > 0 or 503 not in allowed or fault is Fault.SLOW, "the fault did no harm"
    await watched.until_back(call)


async def flap(watched: Watched, call, proxy: Network, what: str, allowed: set[int]) -> None:
    """The network comes and goes, between requests and in them."""
    for number in range(12):
        proxy.set(Fault.RESET if number % 2 else Fault.NONE)
        await call()
    proxy.set(Fault.NONE)
    watched.report(what, "flapping")
    assert set(watched.statuses) <= allowed and watched.slowest_s < ANSWER_S
    await watched.until_back(call)


@asynccontextmanager
async def with_postgresql(address: str) -> AsyncIterator[tuple[Watched, Network]]:
    parts = urlsplit(address)
    [folder] = parse_qs(parts.query)["host"]
    with closing(Database(address)) as database:
        key = KeyStore(database).add("test")
    with network(f"{folder}/.s.PGSQL.5432") as proxy:
        database = f"postgresql://{parts.username}:@127.0.0.1:{proxy.port}{parts.path}"
        async with serving(FakeEngine(), Settings(database=database, keys="required", documents=False)) as client:
            yield Watched(client, Authorization=f"Bearer {key}"), proxy


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.value)
async def test_postgresql(postgresql: str, fault: Fault) -> None:
    async with with_postgresql(postgresql) as (watched, proxy):
        await endure(watched, watched.translate, proxy, fault, "PostgreSQL", {200, 503})


async def test_postgresql_flaps(postgresql: str) -> None:
    async with with_postgresql(postgresql) as (watched, proxy):
        await flap(watched, watched.translate, proxy, "PostgreSQL", {200, 503})


@pytest.mark.parametrize("fault", [*FAULTS, None], ids=lambda fault: fault.value if fault else "flapping")
async def test_valkey(valkey: ValkeyServer, fault: Fault | None) -> None:
    """Without it, servers count by themselves: no request is lost."""
    with network(("127.0.0.1", urlsplit(valkey.address).port)) as proxy:
        settings = Settings(valkey=f"valkey://127.0.0.1:{proxy.port}/0", requests_per_minute=1_000)
        async with serving(FakeEngine(), settings) as client:
            watched = Watched(client)
            if fault:
                await endure(watched, watched.translate, proxy, fault, "Valkey", {200})
            else:
                await flap(watched, watched.translate, proxy, "Valkey", {200})


@pytest.fixture
def forgotten_address() -> Iterator[None]:
    """s3fs knows the address of an earlier test, and later tests would know this one's."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.parametrize("fault", [*FAULTS, None], ids=lambda fault: fault.value if fault else "flapping")
async def test_s3(
    forgotten_address: None, s3: S3Server, tmp_path, monkeypatch: pytest.MonkeyPatch, fault: Fault | None
) -> None:
    for name, text in s3.variables.items():
        monkeypatch.setenv(name, text)
    with network(("127.0.0.1", urlsplit(s3.variables["AWS_ENDPOINT_URL"]).port)) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
        settings = Settings(data=tmp_path, document_files="s3://bucket/network")
        async with serving(FakeEngine(), settings) as client:
            watched = Watched(client)
            if fault:
                await endure(watched, watched.upload, proxy, fault, "S3", {200, 503})
            else:
                await flap(watched, watched.upload, proxy, "S3", {200, 503})


@pytest.mark.parametrize("fault", [*FAULTS, None], ids=lambda fault: fault.value if fault else "flapping")
def test_collector(tmp_path, monkeypatch: pytest.MonkeyPatch, fault: Fault | None) -> None:
    """A collector of traces delays no request, and the end of the process no longer than the drain timeout."""
    statuses, slowest_s = Counter[int](), 0.0
    with collecting() as collector, network(("127.0.0.1", collector.server_port)) as proxy:
        for name, text in collector.variables.items():
            monkeypatch.setenv(name, text)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{proxy.port}")
        with shipped_server(tmp_path / "log", TRACING="true", DRAIN_TIMEOUT_S="20") as url:
            for number in range(12):
                proxy.set(fault or (Fault.RESET if number % 2 else Fault.NONE))
                began = time.monotonic()
                statuses[httpx.post(f"{url}/translate", json=TEXT, timeout=ANSWER_S).status_code] += 1
                slowest_s = max(slowest_s, time.monotonic() - began)
            began = time.monotonic()
        ended_s = time.monotonic() - began
    print(
        f"\n| collector | {fault.value if fault else 'flapping'} | {statuses} | {slowest_s:.1f} s | {ended_s:.1f} s |"
    )
    assert statuses == {200: 12} and slowest_s < ANSWER_S and ended_s < ANSWER_S
