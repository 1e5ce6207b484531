"""The queue of documents: through crashes, full disks and several processes, wherever their files are."""

import secrets
import sqlite3
import sys

import pytest
from sqlalchemy import select

from app.errors import (
    ConfigurationError,
    DocumentNotFound,
    DocumentNotReady,
    InvalidKey,
    Overloaded,
    QuotaExceeded,
    StorageFailure,
)
from app.storage import document_files
from app.storage.document_files import FILES, DocumentFiles
from app.storage.documents import AGAIN_S, LEASE_S, MAX_ATTEMPTS, DocumentStore
from app.storage.keys import Key, KeyStore

FILE = b"file" * 100


class Clock:
    """A clock that stands."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["database", "folder", pytest.param("s3", marks=pytest.mark.cluster)])
def url(request, tmp_path, monkeypatch) -> str | None:
    """Where the files are."""
    if request.param != "s3":
        return f"file://{tmp_path}/files/of/documents" if request.param == "folder" else None
    for name, value in request.getfixturevalue("s3").variables.items():
        monkeypatch.setenv(name, value)
    return f"s3://bucket/{secrets.token_hex(8)}"


@pytest.fixture
def outside(url, monkeypatch):
    """The names of all files outside the database."""
    monkeypatch.setattr(document_files, "_LEFT_AFTER_S", -3600.0)
    return lambda: set(DocumentFiles(url).left())


@pytest.fixture
def new_store(opened, clock, url, outside):
    """Another process that uses the same database. In the end, each file outside has its row."""

    def make(**limits: float) -> DocumentStore:
        limits = {"max_documents": 9, "max_bytes": 9999, "lifetime_s": 60} | limits
        return DocumentStore(opened(), DocumentFiles(url), **limits, now=clock)

    yield make
    with opened().transaction() as connection:
        assert set(connection.execute(select(FILES.c.name)).scalars()) - {None} == outside()


@pytest.fixture
def store(new_store) -> DocumentStore:
    return new_store()


def add(store: DocumentStore, secret: bool = True) -> tuple[str, str]:
    return store.add(FILE, name="a.txt", wanted={"source": "de"}, secret=secret)


def test_a_document_goes_its_way(store):
    number, key = add(store)
    queued = store.find(number, key)
    assert (queued.status, queued.name, queued.wanted, queued.characters) == ("queued", "a.txt", {"source": "de"}, None)
    document, content = store.claim("me")
    assert (document.id, document.status, content) == (number, "translating", FILE)
    assert store.claim("you") is None
    store.charge(number, "me", 70)
    assert store.report(number, "me", 7)
    with pytest.raises(DocumentNotReady):
        store.translation(document, delete_it=True)
    assert (store.find(number, key).translated, store.find(number, key).characters) == (7, 70)
    store.finish(number, "me", b"translated", {})
    done = store.find(number, key)
    assert done.status == "done"
    assert store.translation(done, delete_it=True) == b"translated"
    with pytest.raises(DocumentNotFound, match="Document already downloaded"):
        store.translation(store.find(number, key), delete_it=True)


def test_a_document_is_found_with_its_key_only(store):
    number, key = add(store)
    open_number, no_key = add(store, secret=False)
    assert no_key == ""
    assert store.find(open_number).id == open_number
    for wrong in (
        (number, None),
        (number, ""),
        (number, "0" * 64),
        (open_number, ""),
        (open_number, key),
        ("0" * 32, key),
    ):
        with pytest.raises(DocumentNotFound):
            store.find(*wrong)


def test_what_a_dead_process_left_is_begun_again(new_store, clock):
    dead, living = new_store(), new_store()
    number, key = add(dead)
    dead.claim("dead")
    clock.now += LEASE_S - 1
    assert dead.report(number, "dead", 5)
    clock.now += 2
    assert living.claim("living") is None
    clock.now += LEASE_S
    document, content = living.claim("living")
    assert (document.id, document.translated, content) == (number, 0, FILE)
    assert not dead.report(number, "dead", 6)
    dead.charge(number, "dead", 6)
    dead.finish(number, "dead", b"late", {})
    dead.fail(number, "dead", "late", "internal")
    dead.release(number, "dead")
    assert dead.find(number, key).status == "translating"
    living.finish(number, "living", b"in time", {})
    assert dead.translation(dead.find(number, key), delete_it=False) == b"in time"


def test_a_document_that_ends_its_process_is_given_up(store, clock):
    number, key = add(store)
    for _ in range(MAX_ATTEMPTS):
        assert store.claim("dies")
        clock.now += LEASE_S + 1
    assert store.claim("next") is None
    assert store.find(number, key).error == ("The document can't be translated.", "internal")


@pytest.fixture
def keys(opened) -> KeyStore:
    return KeyStore(opened())


@pytest.fixture
def key(keys) -> Key:
    return keys.find(keys.add("test", monthly_characters=100))


def test_a_document_is_paid_once_whoever_translates_it(new_store, clock, keys, key):
    dead, living = new_store(), new_store()
    number, _ = living.add(FILE, name="a.txt", wanted={}, secret=False, key_id=key.id)
    dead.claim("dead")
    dead.charge(number, "dead", 60)
    clock.now += LEASE_S + 1
    living.claim("living")
    living.charge(number, "living", 60)
    dead.charge(number, "dead", 60)
    assert keys.used(key) == 60
    living.finish(number, "living", b"done", {})
    living.delete(number)
    assert keys.used(key) == 60


@pytest.mark.parametrize("end", ["fails", "is deleted", "is given up"])
def test_a_document_that_is_not_translated_costs_nothing(store, clock, keys, key, end):
    number, _ = store.add(FILE, name="a.txt", wanted={}, secret=False, key_id=key.id)
    store.claim("me")
    store.charge(number, "me", 60)
    if end == "fails":
        store.fail(number, "me", "It is damaged.", "document_damaged")
    elif end == "is deleted":
        store.delete(number)
    else:
        for _ in range(MAX_ATTEMPTS):
            clock.now += LEASE_S + 1
            store.claim("next")
        assert store.find(number).status == "error"
    assert keys.used(key) == 0


def test_a_quota_that_is_too_small_counts_nothing(store, keys, key):
    number, _ = store.add(FILE, name="a.txt", wanted={}, secret=False, key_id=key.id)
    store.claim("me")
    with pytest.raises(QuotaExceeded):
        store.charge(number, "me", 101)
    store.fail(number, "me", "Too long.", "quota_exceeded")
    assert keys.used(key) == 0


def test_a_document_that_was_put_back_for_later_waits(store, clock):
    add(store)
    number = store.claim("me")[0].id
    store.release(number, "me", 5.0)
    assert store.claim("you") is None
    clock.now += 6
    assert store.claim("you")[0].id == number


def test_a_document_that_was_put_back_was_not_tried(store):
    number, _ = add(store)
    for _ in range(MAX_ATTEMPTS + 1):
        assert store.claim("me")
        store.release(number, "me")
    assert store.claim("me")


def test_the_oldest_comes_first(store, clock):
    numbers = []
    for _ in range(3):
        clock.now += 1
        numbers.append(add(store)[0])
    assert [store.claim("me")[0].id for _ in numbers] == numbers


def test_a_failure_has_its_reason_and_no_file(store):
    number, key = add(store)
    store.claim("me")
    store.fail(number, "me", "The file has a password.", "document_encrypted")
    document = store.find(number, key)
    assert (document.status, document.error) == ("error", ("The file has a password.", "document_encrypted"))
    with pytest.raises(DocumentNotFound):
        store.translation(document, delete_it=True)


def test_finished_documents_are_deleted_in_time(store, clock):
    number, key = add(store)
    waiting, waiting_key = add(store)
    store.claim("me")
    store.finish(number, "me", b"translated", {})
    clock.now += 59
    assert store.find(number, key)
    clock.now += 2
    with pytest.raises(DocumentNotFound):
        store.find(number, key)
    assert store.find(waiting, waiting_key).status == "queued"


def test_number_and_size_are_bounded(new_store):
    few = new_store(max_documents=3)
    add(few)
    number, _ = add(few)
    with pytest.raises(Overloaded):
        add(few)
    few.delete(number)
    add(few)
    small = new_store(max_bytes=3 * len(FILE))
    with pytest.raises(Overloaded):
        add(small)


def test_a_deleted_document_is_nobodys(store):
    number, _ = add(store)
    store.claim("me")
    store.delete(number)
    assert not store.report(number, "me", 1)
    store.finish(number, "me", b"translated", {})
    with pytest.raises(DocumentNotFound):
        store.find(number)


def test_documents_end_with_the_key_that_pays(opened, store):
    keys = KeyStore(opened())
    keys.add("shop")
    [(shop, _)] = keys.list()
    number, key = store.add(FILE, name="a.txt", wanted={}, secret=True, key_id=shop.id)
    assert store.find(number, key).key_id == shop.id
    keys.remove(shop.id)
    with pytest.raises(DocumentNotFound):
        store.find(number, key)
    store.sweep()
    with pytest.raises(InvalidKey):
        store.add(FILE, name="a.txt", wanted={}, secret=True, key_id=shop.id)


@pytest.mark.parametrize("url", ["folder"], indirect=True)
def test_a_file_outside_that_is_gone_ends_its_document(store, url, tmp_path):
    number, key = add(store)
    done, done_key = add(store)
    for path in (tmp_path / "files/of/documents").iterdir():
        path.unlink()
    assert store.claim("me") is None
    assert store.find(number, key).error == ("The document's file is gone.", "document_not_found")
    assert store.claim("me") is None
    assert store.find(done, done_key).status == "error"


@pytest.mark.parametrize("url", ["folder"], indirect=True)
def test_storage_that_is_away_loses_nothing(store, clock, tmp_path):
    number, key = add(store)
    folder = tmp_path / "files/of/documents"
    away = folder.rename(tmp_path / "away")
    with pytest.raises(StorageFailure):
        add(store)
    with pytest.raises(StorageFailure):
        store.claim("me")
    away.rename(folder)
    assert store.claim("me") is None
    clock.now += AGAIN_S + 1
    assert store.claim("me")[1] == FILE
    away = folder.rename(tmp_path / "away")
    with pytest.raises(StorageFailure):
        store.finish(number, "me", b"translated", {})
    away.rename(folder)
    store.finish(number, "me", b"translated", {})
    assert store.translation(store.find(number, key), delete_it=True) == b"translated"


@pytest.mark.parametrize("url", ["folder"], indirect=True)
def test_young_files_are_not_swept(store, outside, monkeypatch):
    kept = {store._files.keep(b"left over").name for _ in range(2)}
    monkeypatch.setattr(document_files, "_LEFT_AFTER_S", 60.0)
    store.sweep()
    monkeypatch.setattr(document_files, "_LEFT_AFTER_S", -3600.0)
    assert outside() == kept
    store.sweep()
    assert outside() == set()


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
@pytest.mark.parametrize("url", ["folder"], indirect=True)
def test_more_files_are_swept_than_a_statement_takes_values(opened, url, outside):
    database, files = opened(), DocumentFiles(url)
    store = DocumentStore(database, files, max_documents=9, max_bytes=9999, lifetime_s=60)
    add(store)
    for _ in range(1_000):
        files.keep(b"left over")
    with database.transaction() as connection:
        connection.connection.driver_connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    store.sweep()
    assert len(outside()) == 1 and store.claim("me")[1] == FILE


def test_files_need_their_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ConfigurationError, match=r"\[s3\]"):
        DocumentFiles("s3://bucket/documents")


@pytest.mark.parametrize("url", ["folder"], indirect=True)
def test_another_setting_finds_files_of_before(opened, store, clock):
    number, key = add(store)
    plain = DocumentStore(opened(), max_documents=9, max_bytes=9999, lifetime_s=60, now=clock)
    with pytest.raises(StorageFailure, match="not in this server's storage"):
        plain.claim("me")
    in_database, _ = plain.add(FILE, name="b.txt", wanted={}, secret=False)
    assert store.claim("me")[1] == FILE
    clock.now += AGAIN_S + 1
    assert store.claim("me")[1] == FILE
    assert store.find(in_database).status == store.find(number, key).status == "translating"


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
def test_a_full_disk_loses_nothing(opened, clock):
    database = opened()
    store = DocumentStore(database, max_documents=99, max_bytes=1 << 30, lifetime_s=60, now=clock)
    number, key = add(store)
    store.claim("me")
    with database.transaction() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
    with pytest.raises(StorageFailure, match="full"):
        store.add(b"x" * (1 << 20), name="b.txt", wanted={}, secret=True)
    with pytest.raises(StorageFailure, match="full"):
        store.finish(number, "me", b"x" * (1 << 20), {})
    assert store.find(number, key).status == "translating"
    with database.transaction() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    clock.now += LEASE_S + 1
    assert store.claim("me")[1] == FILE
    store.finish(number, "me", b"translated", {})
    assert store.translation(store.find(number, key), delete_it=True) == b"translated"
