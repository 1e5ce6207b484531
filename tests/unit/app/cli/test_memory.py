"""The commands about translation memories and suggestions."""

from contextlib import closing
from types import SimpleNamespace

import pytest

from app.errors import DragomanError
from app.storage.database import Database
from app.storage.memories import MemoryStore
from app.storage.suggestions import SuggestionStore
from tests.support.command_line import output_of


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")


def test_a_memory_is_filled_shown_written_and_removed(tmp_path):
    identifier = output_of("memory", "add", "site", "de", "en").strip()
    file = tmp_path / "in.tsv"
    file.write_text("Guten Tag!\tHello!\nÜber uns\tAbout us\nkaputt\n", encoding="utf-8")
    assert output_of("memory", "import", "site", file) == "2 added, 0 replaced, 1 skipped\n"
    assert output_of("memory", "import", identifier, file).startswith("0 added, 2 replaced")
    assert all(text in output_of("memory", "list") for text in (identifier, "site", "2"))
    shown = output_of("memory", "entries", "site", "--text", "über")
    assert "About us" in shown and "Hello" not in shown
    (tmp_path / "out.tmx").symlink_to(tmp_path / "real.tmx")
    output_of("memory", "export", "site", tmp_path / "out.tmx")
    assert (tmp_path / "out.tmx").is_symlink(), "the file behind it was written"
    output_of("memory", "add", "other", "de", "en")
    assert output_of("memory", "import", "other", tmp_path / "out.tmx").startswith("2 added")
    output_of("memory", "remove", "site")
    assert "site" not in output_of("memory", "list")


def test_a_file_stays_when_its_memory_cannot_be_read(tmp_path, monkeypatch):
    def broken(*_):
        yield SimpleNamespace(source="a", target="b")
        raise DragomanError("the database is gone")

    output_of("memory", "add", "site", "de", "en")
    (tmp_path / "out.tsv").write_text("before")
    monkeypatch.setattr(MemoryStore, "all", broken)
    output_of("memory", "export", "site", tmp_path / "out.tsv", fails="the database is gone")
    assert (tmp_path / "out.tsv").read_text() == "before"
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out.tsv"}


def test_what_cannot_be_done_is_told(tmp_path):
    output_of("memory", "remove", "none", fails="there is no such memory")
    for _ in range(2):
        output_of("memory", "add", "twice", "de", "en")
    output_of("memory", "entries", "twice", fails="several memories")
    output_of("memory", "add", "one", "de", "en")
    (tmp_path / "x.docx").write_bytes(b"x")
    output_of("memory", "import", "one", tmp_path / "x.docx", fails="use tmx or tsv")
    output_of("memory", "export", "one", tmp_path / "x.xls", fails="can't be a file of the format xls; use tmx or tsv")
    output_of("memory", "add", " ", "de", "en", fails="it must not be empty")
    output_of("memory", "add", "one", "German", "en", fails="not two language codes")
    output_of("memory", "add", "one", "en", "en", fails="not two language codes")
    output_of("memory", "add", "one", "de", "en", "--key", 7, fails="no such API key")


def test_tables_show_texts_as_they_are(tmp_path):
    """Brackets are markup to the library that prints tables, and an escape character would reach the terminal."""
    name = "[/b] [red]x"
    output_of("memory", "add", name, "de", "en")
    (tmp_path / "in.tsv").write_text(f"{name}	{name}​\n", encoding="utf-8")
    output_of("memory", "import", name, tmp_path / "in.tsv")
    with closing(Database(tmp_path / "data")) as database:
        SuggestionStore(database).add(None, "de", "en", name, "\x1b[2J")
    shown = output_of("memory", "list") + output_of("memory", "entries", name) + output_of("suggestions", "list")
    assert shown.count(name) == 4 and "\x1b[2J" not in shown and "U+200B" in shown


def test_suggestions_are_listed_accepted_and_rejected(tmp_path):
    output_of("memory", "add", "site", "de", "en")
    output_of("memory", "add", "wrong", "en", "de")
    with closing(Database(tmp_path / "data")) as database:
        for number in range(2):
            SuggestionStore(database).add(None, "de", "en", f"Satz {number}", f"sentence {number}")
    assert "sentence 1" in output_of("suggestions", "list")
    output_of("suggestions", "accept", 1, "--memory", "wrong", fails="other languages")
    output_of("suggestions", "accept", 1, "--memory", "site")
    output_of("suggestions", "reject", 2)
    output_of("suggestions", "reject", 2, fails="no waiting suggestion has the number 2")
    assert "sentence" not in output_of("suggestions", "list")
    assert "sentence 0" in output_of("memory", "entries", "site")


def test_without_a_folder_the_setting_is_named(monkeypatch):
    monkeypatch.delenv("DRAGOMAN_DATA")
    output_of("memory", "list", fails="DRAGOMAN_DATA")
    output_of("suggestions", "list", fails="DRAGOMAN_DATA")
