"""A copy of the database while it is used."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from app.errors import ConfigurationError
from app.storage import backup
from app.storage.backup import back_up
from app.storage.database import FILE_NAME, Database
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from tests.support.command_line import run


def opened_copy(copy: Path) -> Database:
    folder = copy.parent / "restored"
    folder.mkdir()
    copy.rename(folder / FILE_NAME)
    return Database(folder)


def test_the_copy_is_one_state_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(backup, "_PAGES", 5)
    (tmp_path / "data").mkdir()
    copy = tmp_path / "copy.sqlite3"
    done = threading.Event()
    with closing(Database(tmp_path / "data")) as database:
        key, store = KeyStore(database).add("kept"), MemoryStore(database)
        memory = store.add(None, "Site", "de", "en")
        store.put(None, memory.id, [(f"Satz {number}", "x" * 200) for number in range(1_000)], "import")

        def write() -> None:
            number = 0
            while not done.is_set() and number < 500:
                number += 1
                store.put(None, memory.id, [(f"Neu {number}", "eins"), (f"Neu {number}!", "zwei")], "edit")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            back_up(tmp_path / "data", copy)
        finally:
            done.set()
            writer.join()
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == [copy.name]
    with closing(opened_copy(copy)) as restored:
        assert KeyStore(restored).find(key)
        found = MemoryStore(restored).find(None, memory.id)
        assert found.entry_count >= 1_000 and found.entry_count % 2 == 0, "both texts of a change or none"


def test_what_cannot_be_copied(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="there is no database here"):
        back_up(tmp_path, tmp_path / "copy")
    Database(tmp_path).close()
    (tmp_path / "there").touch()
    with pytest.raises(ConfigurationError, match="exists already"):
        back_up(tmp_path, tmp_path / "there")
    with pytest.raises(ConfigurationError, match="can't be copied"):
        back_up(tmp_path, tmp_path / "no folder" / "copy")
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 1_000)
    with pytest.raises(ConfigurationError, match="can't be copied"):
        back_up(tmp_path, tmp_path / "copy")
    assert not (tmp_path / "copy").exists() and not list(tmp_path.glob(".*unfinished"))


def test_the_command_leaves_a_database_of_another_version_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DRAGOMAN_DATA", str(tmp_path))
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
        other.execute("PRAGMA user_version = 999")
    assert run("backup", tmp_path / "copy").exit_code == 0
    for file in (tmp_path / "copy", tmp_path / FILE_NAME):
        with closing(sqlite3.connect(file)) as copied:
            assert copied.execute("PRAGMA user_version").fetchone() == (999,)
    refused = run("backup", tmp_path / "copy")
    assert refused.exit_code == 2 and "exists already" in refused.stderr
    monkeypatch.setenv("DRAGOMAN_DATABASE", "postgresql://host/name")
    refused = run("backup", tmp_path / "other")
    assert refused.exit_code == 2 and "pg_dump" in refused.stderr
