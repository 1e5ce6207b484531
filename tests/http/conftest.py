from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import FakeEngine, serving
from tests.support.shipped_server import shipped_server


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def settings() -> Settings | None:
    """Those of the server that ``client`` asks; None for the defaults. A module may have a fixture of its own."""
    return None


@pytest.fixture
async def client(engine: FakeEngine, settings: Settings | None) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(engine, settings) as client:
        yield client


@pytest.fixture
def store(tmp_path: Path) -> Iterator[KeyStore]:
    """The API keys of a server whose data is in ``tmp_path``."""
    with closing(Database(tmp_path)) as database:
        yield KeyStore(database)


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stops the clock by which requests are counted: no minute may end between two requests of a test."""
    monkeypatch.setattr(Database, "now", lambda *_: 1_800_000_030.0)


@pytest.fixture(scope="session", params=["process", pytest.param("cluster", marks=pytest.mark.cluster)])
def url(request: pytest.FixtureRequest) -> str:
    """The shipped model, in a server process of its own, or in a cluster."""
    return str(request.getfixturevalue("served_by_process" if request.param == "process" else "dragoman"))


@pytest.fixture(scope="session")
def served_by_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with shipped_server(tmp_path_factory.mktemp("server") / "log") as url:
        yield url


ADMIN_KEY = "the-operators-key"


@pytest.fixture(scope="session")
def kept_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The shipped model with everything switched on that needs a database or the operator's key."""
    folder = tmp_path_factory.mktemp("kept")
    settings = {"DATA": str(folder), "SUGGESTIONS": "true", "ADMIN_KEY": ADMIN_KEY, "KEYS": "optional"}
    with shipped_server(folder / "log", **settings) as url:
        yield url


@pytest.fixture(scope="module")
def kept_key(kept_url: str) -> str:
    """An API key of that server."""
    headers = {"Authorization": f"Bearer {ADMIN_KEY}"}
    return str(httpx.post(f"{kept_url}/admin/keys", json={"name": "test"}, headers=headers).json()["key"])
