"""The command that adds, lists and removes keys."""

import pytest
from typer.testing import CliRunner

from app.cli.main import app

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_DATA", str(tmp_path / "new"))
    monkeypatch.setenv("COLUMNS", "200")


def test_a_key_is_printed_once_and_listed_without_it():
    made = RUNNER.invoke(app, ["keys", "add", "shop", "--characters", "5000", "--requests", "60", "--allow", "detect"])
    key = made.stdout.strip()
    assert (made.exit_code, len(key)) == (0, 32)
    listed = RUNNER.invoke(app, ["keys", "list"]).stdout
    assert key not in listed
    assert all(text in listed for text in ("shop", f"...{key[-4:]}", "5,000", "60", "detect"))
    assert RUNNER.invoke(app, ["keys", "remove", "1"]).exit_code == 0
    assert "shop" not in RUNNER.invoke(app, ["keys", "list"]).stdout


def test_a_number_that_is_no_key_s_is_refused():
    refused = RUNNER.invoke(app, ["keys", "remove", "7"])
    assert refused.exit_code == 2 and "there is no key 7" in refused.output


def test_without_a_folder_the_setting_is_named(monkeypatch):
    monkeypatch.delenv("DRAGOMAN_DATA")
    refused = RUNNER.invoke(app, ["keys", "list"])
    assert refused.exit_code == 2 and "DRAGOMAN_DATA" in refused.output
