from collections.abc import AsyncIterator

import httpx
import pytest

from tests.http.fakes import FakeEngine, serving


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
async def client(engine: FakeEngine) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(engine) as client:
        yield client
