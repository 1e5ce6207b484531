import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.fakes import FakeEngine, serving


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
async def client(engine: FakeEngine) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(engine) as client:
        yield client


@pytest.fixture(scope="session", params=["process", pytest.param("cluster", marks=pytest.mark.cluster)])
def url(request: pytest.FixtureRequest) -> str:
    """The shipped model, in a server process of its own, or in a cluster."""
    return str(request.getfixturevalue("served_by_process" if request.param == "process" else "dragoman"))


@pytest.fixture(scope="session")
def served_by_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "stderr"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "app", "serve", "--port", "0", "--threads", "1"],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        try:
            announced = next((line for line in server.stdout if "health check" in line), None)
            assert announced is not None, log.read_text()
            yield announced.split()[-1].removesuffix("/readyz")
        finally:
            server.terminate()
