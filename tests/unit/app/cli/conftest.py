"""An engine for the commands that translate, and a terminal of known width."""

import pytest

from tests.support.command_line import UpperCaseEngine


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[UpperCaseEngine]:
    monkeypatch.setattr("app.engine.registry.Registry", UpperCaseEngine)
    monkeypatch.setattr(UpperCaseEngine, "calls", [])
    monkeypatch.setattr(UpperCaseEngine, "splittings", set())
    monkeypatch.setattr(UpperCaseEngine, "error", None)
    return UpperCaseEngine


@pytest.fixture(autouse=True)
def wide_plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    # Help is drawn for the terminal at hand: without this, a narrow one would break option names across lines.
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
