"""Which documents take a place, and which take space only."""

from collections.abc import Callable

import pytest

from app.errors import DocumentNotFound, Overloaded
from app.storage.document_rows import StoredDocument
from app.storage.documents import DocumentStore

FILE = b"file" * 100


class Clock:
    """A clock that stands."""

    def __init__(self) -> None:
        self.now = 1000.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def new_store(opened, clock) -> Callable[..., DocumentStore]:
    def make(**limits: int) -> DocumentStore:
        limits = {"max_documents": 9, "max_bytes": 9999} | limits
        return DocumentStore(opened(), **limits, lifetime_s=60, now=lambda: clock.now)

    return make


def add(store: DocumentStore, client: str = "a", content: bytes = FILE) -> str:
    return store.add(content, name="a.txt", wanted={"source": "de"}, secret=False, client=client)[0]


def finished(store: DocumentStore, content: bytes = b"translated", client: str = "a") -> StoredDocument:
    """A document that is translated and can be downloaded again and again."""
    number = add(store, client)
    assert store.claim("me")
    store.finish(number, "me", content, {})
    return store.find(number)


def is_there(store: DocumentStore, document: StoredDocument) -> bool:
    try:
        return bool(store.find(document.id))
    except DocumentNotFound:
        return False


def test_finished_documents_take_no_place(new_store, clock):
    few = new_store(max_documents=1)
    document = finished(few)
    assert few.translation(document, delete_it=False) == b"translated"
    failed = add(few)
    few.claim("me")
    few.fail(failed, "me", "It is damaged.", "document_damaged")
    add(few)
    with pytest.raises(Overloaded):
        add(few, "b")
    clock.now += 59
    again = few.find(document.id)
    assert (again.status, few.translation(again, delete_it=False)) == ("downloaded", b"translated")
    clock.now += 2  # a download doesn't make it live longer
    assert not is_there(few, document)


def test_a_client_may_have_as_many_places_as_are_free(new_store):
    store = new_store(max_documents=9, max_bytes=10**6)
    for client, most in (("a", 5), ("b", 2), ("c", 1), ("d", 1)):
        for _ in range(most):
            add(store, client)
        if client != "d":
            with pytest.raises(Overloaded):
                add(store, client)
    with pytest.raises(Overloaded) as full:
        add(store, "e")
    assert full.value.retry_after_s == 30


def test_a_client_may_have_as_many_bytes_as_are_free(new_store):
    store = new_store(max_documents=99, max_bytes=10_000)
    add(store, "a", b"x" * 6_000)  # a single file may be larger
    with pytest.raises(Overloaded):
        add(store, "a")
    add(store, "b", b"x" * 2_000)
    with pytest.raises(Overloaded):
        add(store, "b", b"x" * 1_000)
    add(store, "c", b"x" * 2_000)
    with pytest.raises(Overloaded):
        add(store, "d")


def test_the_oldest_finished_document_of_the_client_with_the_most_bytes_makes_room(new_store, clock):
    store = new_store(max_bytes=10_000)
    done = []
    for client, size in (("b", 2_000), ("a", 3_000), ("a", 3_000)):
        done.append(finished(store, b"x" * size, client))
        clock.now += 1
    add(store, "c", b"x" * 2_000)
    assert [is_there(store, each) for each in done] == [True, True, True]
    add(store, "c", b"x" * 400)
    assert [is_there(store, each) for each in done] == [True, False, True]
    add(store, "d", b"x" * 4_000)
    assert [is_there(store, each) for each in done] == [True, False, False]


def test_documents_without_bytes_are_bounded_too(new_store, clock, monkeypatch):
    monkeypatch.setattr("app.storage.document_room._MOST_FINISHED", 2)
    store = new_store()
    numbers = []
    for _ in range(4):
        numbers.append(add(store))
        store.claim("me")
        store.fail(numbers[-1], "me", "It is damaged.", "document_damaged")
        clock.now += 1
    add(store)
    found = []
    for number in numbers:
        try:
            found.append(store.find(number).status)
        except DocumentNotFound:
            found.append(None)
    assert found == [None, None, "error", "error"]


def test_clients_take_turns(new_store, clock):
    store = new_store(max_documents=99)
    for client in "aaabbc":
        add(store, client)
        clock.now += 1
    begun = []
    for _ in range(6):
        document, _ = store.claim("me")
        begun.append(document.client)
        clock.now += 1
    assert begun == [*"abcaba"]


def test_clients_can_be_left_out(new_store):
    store = new_store()
    add(store, "a")
    assert store.claim("me", ["a", "b"]) is None
    assert store.claim("me", ["b"])[0].client == "a"


def test_a_finished_document_keeps_nothing_that_its_translation_needed(new_store):
    assert finished(new_store()).wanted == {}
