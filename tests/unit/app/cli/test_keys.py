"""The command that adds, lists and removes keys."""

import json

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


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_no_table_cuts_what_it_lists(width, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    name = "a long name of a key that somebody gave to a shop"
    RUNNER.invoke(app, ["keys", "add", name, "--characters", "5000"])
    identifier = RUNNER.invoke(app, ["memory", "add", name, "de", "en"]).stdout.strip()
    assert name in RUNNER.invoke(app, ["keys", "list"]).stdout
    listed = RUNNER.invoke(app, ["memory", "list"]).stdout
    assert identifier in listed and name in listed
    [key] = json.loads(RUNNER.invoke(app, ["keys", "list", "--json"]).stdout)
    assert (key["number"], key["name"], key["characters_a_month"], key["used"]) == (1, name, 5000, 0)
    assert key["may_use"] == ["detect", "translate"]
    [memory] = json.loads(RUNNER.invoke(app, ["memory", "list", "--json"]).stdout)
    assert (memory["id"], memory["entries"]) == (identifier, 0)


def test_on_a_narrow_terminal_the_id_stays_whole(monkeypatch):
    monkeypatch.setattr("app.cli.tables._is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "72")
    identifier = RUNNER.invoke(app, ["memory", "add", "a name of a shop", "de", "en"]).stdout.strip()
    assert identifier in RUNNER.invoke(app, ["memory", "list"]).stdout
