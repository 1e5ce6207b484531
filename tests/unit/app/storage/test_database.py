"""One database for several processes, through crashes, full disks and new versions."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import MetaData, Table, func, select

from app.errors import ConfigurationError, Overloaded, StorageFailure
from app.priority import Priority
from app.storage import database
from app.storage.database import FILE_NAME, TABLES, Database
from app.storage.document_files import FILES
from app.storage.document_rows import DOCUMENTS
from app.storage.documents import DocumentStore
from app.storage.glossaries import GlossaryStore
from app.storage.identifiers import text_key
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from app.storage.migrations import MIGRATIONS
from app.storage.request_counts import REQUESTS
from app.storage.suggestions import SuggestionStore

MORE = "CREATE TABLE more (id {id}, number {integer}, bytes {bytes}, ratio {real}){strict};"

# What version 0.1.0 wrote.
VERSION_1 = """
    CREATE TABLE keys (
        id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, hint TEXT NOT NULL, name TEXT NOT NULL,
        created_at TEXT NOT NULL, monthly_characters INTEGER, requests_per_minute INTEGER, features TEXT NOT NULL
    ) STRICT;
    CREATE TABLE usage (
        key_id INTEGER NOT NULL REFERENCES keys (id) ON DELETE CASCADE, month TEXT NOT NULL,
        characters INTEGER NOT NULL, PRIMARY KEY (key_id, month)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE requests (
        client TEXT NOT NULL, minute INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (client, minute)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO keys VALUES (
        3, 'b7c3d2e4d2b5e4d5b3a7b6a5f1c2f3e4d5c6b7a8f9e0d1c2b3a4f5e6d7c8b9a0', 'cdef', 'old',
        '2026-11-01T00:00:00+00:00', NULL, 5, 'detect,translate'
    );
    PRAGMA user_version = 1;
"""


OLD_COLUMNS = "hash, hint, name, created_at, features"
OLD_KEY = "('b7c3', 'cdef', 'old', '2026-11-01T00:00:00+00:00', 'detect,translate')"


def test_a_database_of_the_first_version_is_brought_up_to_date(tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as first:
        first.executescript(VERSION_1)
    [(key, used)] = KeyStore(Database(tmp_path)).list()
    assert (key.id, key.name, key.requests_per_minute, used) == (3, "old", 5, 0)


def test_a_database_without_memories_gets_them(opened, monkeypatch):
    """Version 3 had glossaries and no translation memories."""
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS[:3])
    with opened().transaction() as connection:
        connection.exec_driver_sql(f"INSERT INTO keys ({OLD_COLUMNS}) VALUES {OLD_KEY}")
    monkeypatch.undo()
    renewed = opened()
    [(key, _)] = KeyStore(renewed).list()
    assert (key.name, key.priority) == ("old", Priority.NORMAL)
    assert MemoryStore(renewed).add(None, "Site", "de", "en").entry_count == 0


def test_what_version_4_kept_is_there(opened, monkeypatch):
    """Its documents had no report, their files no names, and texts neither sizes nor small letters."""
    limits = {"max_documents": 9, "max_bytes": 9, "lifetime_s": 60.0}
    monkeypatch.setattr(database, "MIGRATIONS", MIGRATIONS[:4])
    old = opened()
    fields = {"name": "a.txt", "wanted": "{}", "status": "queued", "translated": 0, "attempts": 0, "created_at": 1.0}
    with old.transaction() as connection:
        connection.execute(DOCUMENTS.insert().values(id="A1", **fields))
        connection.execute(FILES.insert().values(document_id="A1", kind="original", size=5, content=b"Hallo"))
        connection.exec_driver_sql("INSERT INTO memories VALUES ('m1', NULL, 'Site', 'de', 'en', '', '', 'v1')")
        entry = f"'m1', '{text_key('Über uns')}', 'Über uns', 'About us', 'import', '', ''"
        columns = "memory_id, hash, source, target, origin, created_at, updated_at"
        connection.exec_driver_sql(f"INSERT INTO memory_entries ({columns}) VALUES ({entry})")
        columns = "source, target, text, translation, state, created_at"
        connection.exec_driver_sql(
            f"INSERT INTO suggestions ({columns}) VALUES ('de', 'en', 'Ja', 'Yes', 'pending', '')"
        )
        connection.exec_driver_sql("INSERT INTO glossaries VALUES ('g1', NULL, 'Pub', '')")
        connection.exec_driver_sql("INSERT INTO dictionaries VALUES ('g1', 'de', 'en', 1, 1, 'Bier\tbeer', 'v1')")
    monkeypatch.undo()
    renewed = opened()
    memories = MemoryStore(renewed)
    assert memories.entry(None, "m1", "Über uns").target == "About us"
    assert memories.find(None, "m1").size == len("Über uns".encode()) + len("About us")
    [entry] = memories.page(None, "m1", most=9, text="ABOUT")
    assert entry.source == "Über uns"
    assert GlossaryStore(renewed).entries(None, "g1", "de", "en") == {"Bier": "beer"}
    [suggestion] = SuggestionStore(renewed).list("pending", most=9)
    assert SuggestionStore(renewed).accept(suggestion.id, "m1")
    documents = DocumentStore(renewed, **limits)
    claimed = documents.claim("me")
    assert claimed
    document, content = claimed
    assert (document.id, content, document.report) == ("A1", b"Hallo", {})
    documents.finish("A1", "me", b"Hello", {"memory": {"exact": 1}})
    assert documents.find("A1").report == {"memory": {"exact": 1}}


def test_a_database_of_the_previous_version_is_brought_up_to_date(opened, monkeypatch):
    key = KeyStore(opened()).add("old")
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, MORE))
    for _ in range(2):
        renewed = opened()
        with renewed.transaction() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM more").scalar_one() == 0
        assert KeyStore(renewed).find(key)


def test_a_migration_that_fails_leaves_everything_as_it_was(opened, monkeypatch):
    key = KeyStore(opened()).add("old")
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, f"{MORE}\nCREATE NONSENSE;"))
    with pytest.raises(ConfigurationError, match="NONSENSE"):
        opened()
    monkeypatch.undo()
    assert KeyStore(opened()).find(key)


def test_a_newer_database_is_refused(opened, monkeypatch):
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, MORE))
    opened()
    monkeypatch.undo()
    with pytest.raises(ConfigurationError, match=f"has version {len(MIGRATIONS) + 1}"):
        opened()


def test_the_tables_are_what_the_scripts_make(opened):
    with opened().transaction() as connection:
        made = MetaData()
        made.reflect(connection)

    def shape(table: Table) -> dict[str, tuple[bool, bool, type]]:
        """SQLite doesn't say of every primary key that it is not null."""
        return {
            column.name: (column.primary_key, column.nullable and not column.primary_key, column.type.python_type)
            for column in table.columns
        }

    assert TABLES.tables
    for name, table in TABLES.tables.items():
        assert shape(table) == shape(made.tables[name]), name


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
    with full.transaction() as connection:  # SQLite's own way to say that there is no more room
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
    with pytest.raises(StorageFailure, match="full"):
        for number in range(1000):
            store.add(f"name {number}" * 100)
    with full.transaction() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert store.find(key)
    assert store.add("after")


def test_a_transaction_that_fails_changes_nothing(opened):
    one = opened()
    with pytest.raises(ZeroDivisionError), one.transaction() as connection:
        connection.execute(REQUESTS.insert().values(client="me", minute=1, number=1))
        raise ZeroDivisionError
    with one.transaction() as connection:
        assert connection.execute(select(func.count()).select_from(REQUESTS)).scalar_one() == 0


def test_a_file_that_stays_locked_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_BUSY_S", 0.01)
    opened = Database(tmp_path)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageFailure, match="locked"):
        KeyStore(opened).add("waits")
    other.execute("ROLLBACK")
    KeyStore(opened).add("goes")


def test_readers_of_a_file_wait_for_nobody_and_see_what_is_committed(tmp_path):
    with closing(Database(tmp_path)) as opened:
        store = KeyStore(opened)
        key = store.add("before")
        with ThreadPoolExecutor(1) as other, opened.transaction() as connection:
            connection.exec_driver_sql("DELETE FROM keys")
            assert other.submit(store.find, key).result(timeout=60), "while somebody writes"
        assert store.find(key) is None
        store.add("after")
        with opened.reading() as reader:
            assert [row.name for row in reader.exec_driver_sql("SELECT name FROM keys")] == ["after"]
            store.add("later")
            assert [row.name for row in reader.exec_driver_sql("SELECT name FROM keys")] == ["after"], "one state"
        with pytest.raises(StorageFailure, match="readonly"), opened.reading() as reader:
            reader.exec_driver_sql("DELETE FROM keys")


async def test_a_search_keeps_nobody_waiting_and_only_some_wait(opened):
    database = opened()
    store = KeyStore(database)
    key = store.add("mine")
    may_end, running = threading.Event(), threading.Semaphore(0)

    def slow() -> str:
        running.release()
        assert may_end.wait(60)
        return "found"

    try:
        searches = [asyncio.create_task(database.search(slow)) for _ in range(32)]
        for _ in range(2):
            assert await asyncio.to_thread(running.acquire, timeout=60)
        found = await asyncio.wait_for(database.read(store.find, key), 60)
        assert found and found.name == "mine"
        assert not running.acquire(blocking=False), "two at a time"
        with pytest.raises(Overloaded):
            await database.search(slow)
    finally:
        may_end.set()
    assert await asyncio.gather(*searches) == ["found"] * 32
    assert await database.search(slow) == "found"


def test_threads_take_turns(opened):
    store = KeyStore(opened())
    key = store.find(store.add("shared"))
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: store.spend(key, 7), range(100)))
    assert store.used(key) == 700


def test_a_new_file_that_another_process_prepares_is_waited_for(tmp_path, monkeypatch):
    """SQLite tells the second of two processes at once that the file is locked, whatever the time limit."""
    tries = []

    class Prepared(sqlite3.Connection):
        def execute(self, statement, *arguments):
            if "journal_mode" in statement:
                tries.append(statement)
                if len(tries) < 3:
                    error = sqlite3.OperationalError("database is locked")
                    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                    raise error
            return super().execute(statement, *arguments)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3.dbapi2, "connect", lambda *args, **kwargs: connect(*args, factory=Prepared, **kwargs))
    with closing(Database(tmp_path)) as database:
        assert KeyStore(database).list() == []
    assert len(tries) == 3


COUNTER = """
import sys
from pathlib import Path
from app.errors import RateLimited
from app.storage.database import Database
from app.storage.request_counts import DatabaseCounts
where = sys.argv[1]
database = Database(where if "://" in where else Path(where))
accepted = 0
for _ in range(100):
    try:
        DatabaseCounts(database).count_now("me", {"minute": 250}, now_s=600.0)
        accepted += 1
    except RateLimited:
        pass
database.close()
print(accepted)
"""


def test_several_processes_start_and_count_together(where):
    """All of them find an empty database, and the limit holds for them together."""
    command = [sys.executable, "-c", COUNTER, str(where)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    assert sum(int(process.communicate(timeout=60)[0]) for process in processes) == 250


def test_an_address_that_leads_nowhere_is_told_without_its_password():
    pytest.importorskip("psycopg")
    with pytest.raises(ConfigurationError, match="PostgreSQL can't be used") as refused:
        Database("postgresql://someone:secret@127.0.0.1:1/none")
    assert "secret" not in str(refused.value)


def test_closing_waits_for_the_transaction_of_another_thread(tmp_path):
    """SQLite crashed the process when its connection was closed under a statement."""
    opened, began, may_end, ended = Database(tmp_path / "dragoman.db"), threading.Event(), threading.Event(), []

    def work():
        with opened.transaction() as connection:
            began.set()
            may_end.wait(60)
            connection.exec_driver_sql("select 1")
            ended.append("work")

    def close():
        opened.close()
        ended.append("close")

    threads = [threading.Thread(target=work), threading.Thread(target=close)]
    threads[0].start()
    assert began.wait(60)
    threads[1].start()
    may_end.set()
    for thread in threads:
        thread.join()
    assert ended == ["work", "close"]
