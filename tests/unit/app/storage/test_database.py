"""One database for several processes, through crashes, full disks and new versions."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import ConfigurationError, StorageFailure
from app.storage import database
from app.storage.database import FILE_NAME, Database
from app.storage.keys import KeyStore


def test_a_database_of_the_previous_version_is_brought_up_to_date(tmp_path, monkeypatch):
    key = KeyStore(Database(tmp_path)).add("old")
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, "CREATE TABLE more (id INTEGER) STRICT;"))
    renewed = Database(tmp_path)
    with renewed.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(database.MIGRATIONS),)
    assert KeyStore(renewed).find(key)


def test_a_migration_that_fails_leaves_everything_as_it_was(tmp_path, monkeypatch):
    key = KeyStore(Database(tmp_path)).add("old")
    monkeypatch.setattr(
        database, "MIGRATIONS", (*database.MIGRATIONS, "CREATE TABLE more (id INTEGER) STRICT;\nCREATE NONSENSE;")
    )
    with pytest.raises(ConfigurationError, match="NONSENSE"):
        Database(tmp_path)
    monkeypatch.undo()
    assert KeyStore(Database(tmp_path)).find(key)


def test_a_newer_database_is_refused(tmp_path):
    with Database(tmp_path).transaction() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigurationError, match="is of version 99"):
        Database(tmp_path)


def test_a_damaged_file_or_a_folder_that_is_none_is_refused(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"no database" * 100)
    with pytest.raises(ConfigurationError, match="can't be used as the database"):
        Database(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="can't be used as the database"):
        Database(tmp_path / "file")


def test_a_full_disk_is_told_and_loses_nothing(tmp_path):
    full = Database(tmp_path)
    store = KeyStore(full)
    key = store.add("first")
    full._connection.execute("PRAGMA max_page_count = 1")  # SQLite's own way to say that there is no more room
    with pytest.raises(StorageFailure, match="full"):
        for number in range(1000):
            store.add(f"name {number}" * 100)
    full._connection.execute("PRAGMA max_page_count = 1000000")
    assert store.find(key)
    assert store.add("after")


def test_a_transaction_that_fails_changes_nothing(tmp_path):
    opened = Database(tmp_path)
    with pytest.raises(ZeroDivisionError), opened.transaction() as connection:
        connection.execute("INSERT INTO requests VALUES ('me', 1, 1)")
        raise ZeroDivisionError
    with opened.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM requests").fetchone() == (0,)


def test_a_file_that_stays_locked_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_BUSY_S", 0.01)
    opened = Database(tmp_path)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageFailure, match="locked"):
        KeyStore(opened).add("waits")
    other.execute("ROLLBACK")
    KeyStore(opened).add("goes")


SPENDER = """
import sys
from pathlib import Path
from app.storage.database import Database
from app.storage.keys import KeyStore
store = KeyStore(Database(Path(sys.argv[1])))
key = store.find(sys.argv[2])
for _ in range(100):
    store.spend(key, 7)
"""


def test_several_processes_count_together(tmp_path: Path):
    store = KeyStore(Database(tmp_path))
    key = store.add("shared")
    command = [sys.executable, "-c", SPENDER, str(tmp_path), key]
    processes = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    found = store.find(key)
    assert found and store.used(found) == 3 * 100 * 7
