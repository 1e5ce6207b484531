"""The advice how to add an extra, for each way to install (PEP 610)."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import installation
from app.installation import how_to_install


@pytest.mark.parametrize(
    ("origin", "advice"),
    [
        (None, "pip install 'dragoman[a,b]'"),
        ({"url": "file:///nowhere/at/all", "dir_info": {}}, "pip install 'THE-CHECKOUT[a,b]'"),
        (
            {"url": "file:///dist/dragoman-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install 'dragoman[a,b] @ file:///dist/dragoman-0.1.0-py3-none-any.whl'",
        ),
        (
            {"url": "https://example.org/dragoman.git", "vcs_info": {"vcs": "git", "commit_id": "0"}},
            "pip install 'dragoman[a,b] @ git+https://example.org/dragoman.git'",
        ),
    ],
)
def test_the_command_names_where_the_program_came_from(monkeypatch, origin, advice):
    noted = SimpleNamespace(read_text=lambda name: json.dumps(origin) if origin else None)
    monkeypatch.setattr(installation, "distribution", lambda name: noted)
    assert how_to_install("a", "b") == advice


def test_a_checkout_is_named_by_its_folder(monkeypatch, tmp_path: Path):
    folder = tmp_path / "my checkout"
    folder.mkdir()
    origin = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    noted = SimpleNamespace(read_text=lambda name: json.dumps(origin))
    monkeypatch.setattr(installation, "distribution", lambda name: noted)
    assert how_to_install("export") == f"pip install --editable '{folder}[export]'"
