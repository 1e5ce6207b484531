"""The commands about translation memories and suggestions."""

from contextlib import closing

import pytest
from typer.testing import CliRunner

from app.cli.main import app
from app.storage.database import Database
from app.storage.suggestions import SuggestionStore

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")


def run(*command: object, fails: str = "") -> str:
    done = RUNNER.invoke(app, [str(part) for part in command])
    assert done.exit_code == (2 if fails else 0), done.output
    assert fails in done.output
    return done.stdout


def test_a_memory_is_filled_shown_written_and_removed(tmp_path):
    identifier = run("memory", "add", "site", "de", "en").strip()
    file = tmp_path / "in.tsv"
    file.write_text("Guten Tag!\tHello!\nÜber uns\tAbout us\nkaputt\n", encoding="utf-8")
    assert run("memory", "import", "site", file) == "2 added, 0 replaced, 1 skipped\n"
    assert run("memory", "import", identifier, file).startswith("0 added, 2 replaced")
    assert all(text in run("memory", "list") for text in (identifier, "site", "2"))
    shown = run("memory", "entries", "site", "--text", "über")
    assert "About us" in shown and "Hello" not in shown
    run("memory", "export", "site", tmp_path / "out.tmx")
    run("memory", "add", "other", "de", "en")
    assert run("memory", "import", "other", tmp_path / "out.tmx").startswith("2 added")
    run("memory", "remove", "site")
    assert "site" not in run("memory", "list")


def test_what_cannot_be_done_is_told(tmp_path):
    run("memory", "remove", "none", fails="there is no such memory")
    for _ in range(2):
        run("memory", "add", "twice", "de", "en")
    run("memory", "entries", "twice", fails="several memories")
    run("memory", "add", "one", "de", "en")
    (tmp_path / "x.docx").write_bytes(b"x")
    run("memory", "import", "one", tmp_path / "x.docx", fails="use tmx or tsv")
    run("memory", "add", " ", "de", "en", fails="it must not be empty")
    run("memory", "add", "one", "German", "en", fails="not two language codes")
    run("memory", "add", "one", "en", "en", fails="not two language codes")
    run("memory", "add", "one", "de", "en", "--key", 7, fails="no such API key")


def test_tables_show_texts_as_they_are(tmp_path):
    """Brackets are markup to the library that prints tables, and an escape character would reach the terminal."""
    name = "[/b] [red]x"
    run("memory", "add", name, "de", "en")
    (tmp_path / "in.tsv").write_text(f"{name}	{name}​\n", encoding="utf-8")
    run("memory", "import", name, tmp_path / "in.tsv")
    with closing(Database(tmp_path / "data")) as database:
        SuggestionStore(database).add(None, "de", "en", name, "\x1b[2J")
    shown = run("memory", "list") + run("memory", "entries", name) + run("suggestions", "list")
    assert shown.count(name) == 4 and "\x1b[2J" not in shown and "U+200B" in shown


def test_suggestions_are_listed_accepted_and_rejected(tmp_path):
    run("memory", "add", "site", "de", "en")
    run("memory", "add", "wrong", "en", "de")
    with closing(Database(tmp_path / "data")) as database:
        for number in range(2):
            SuggestionStore(database).add(None, "de", "en", f"Satz {number}", f"sentence {number}")
    assert "sentence 1" in run("suggestions", "list")
    run("suggestions", "accept", 1, "--memory", "wrong", fails="other languages")
    run("suggestions", "accept", 1, "--memory", "site")
    run("suggestions", "reject", 2)
    run("suggestions", "reject", 2, fails="no waiting suggestion has the number 2")
    assert "sentence" not in run("suggestions", "list")
    assert "sentence 0" in run("memory", "entries", "site")


def test_without_a_folder_the_setting_is_named(monkeypatch):
    monkeypatch.delenv("DRAGOMAN_DATA")
    run("memory", "list", fails="DRAGOMAN_DATA")
    run("suggestions", "list", fails="DRAGOMAN_DATA")
