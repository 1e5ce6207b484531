"""Sound models to damage, and imports that must fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from export.choices import Choices
from export.importing import import_bundle
from export.marian.limits import SourceError
from tests.support.marian import write_huggingface, write_release


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sound models in both forms."""
    folder = tmp_path_factory.mktemp("whole")
    write_huggingface(folder / "hub")
    write_huggingface(folder / "pickled", pickled=True)
    write_release(folder / "release")
    return folder


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Imports a source that must be refused; returns the message, and checks that no file is left."""

    def no_build(*args: Any, **kwargs: Any) -> None:
        pytest.fail("a bundle was begun")

    monkeypatch.setattr("export.marian.importing.build", no_build)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def import_(source: object, error: type[Exception] = SourceError, pairs: tuple[str, ...] = ("de-en",)) -> str:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(error) as caught:
            import_bundle(str(source), tmp_path / "out", choices=Choices(pairs=pairs), report=lambda line: None)
        assert sorted(tmp_path.rglob("*")) == before
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 500
        return message

    return import_
