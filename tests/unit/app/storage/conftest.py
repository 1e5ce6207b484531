"""Every test that asks for ``where`` runs with each kind of database."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from app.storage.database import Database


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.cluster)])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """An empty database: a folder, or PostgreSQL's address."""
    return tmp_path if request.param == "sqlite" else request.getfixturevalue("postgresql")


@pytest.fixture
def opened(where: Path | str) -> Iterator[Callable[[], Database]]:
    """Opens ``where``, as often as it is called."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(Database(where)))
