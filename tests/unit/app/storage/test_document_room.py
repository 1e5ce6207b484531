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


def add(store: DocumentStore) -> str:
    return store.add(FILE, name="a.txt", wanted={"source": "de"}, secret=False)[0]


def finished(store: DocumentStore, content: bytes = b"translated") -> StoredDocument:
    """A document that is translated and can be downloaded again and again."""
    number = add(store)
    assert store.claim("me")
    store.finish(number, "me", content, {})
    return store.find(number)


def test_downloaded_and_failed_documents_take_no_place(new_store, clock):
    few = new_store(max_documents=1)
    document = finished(few)
    with pytest.raises(Overloaded):
        add(few)
    clock.now += 50
    assert few.translation(document, delete_it=False) == b"translated"
    failed = add(few)
    few.claim("me")
    few.fail(failed, "me", "It is damaged.", "document_damaged")
    add(few)
    again = few.find(document.id)
    assert (again.status, few.translation(again, delete_it=False)) == ("downloaded", b"translated")
    clock.now += 11  # a download doesn't make it live longer
    with pytest.raises(DocumentNotFound):
        few.find(document.id)


def test_downloaded_documents_take_space_until_they_expire(new_store, clock):
    small = new_store(max_bytes=len(FILE) + 100)
    document = finished(small, b"x" * 101)
    with pytest.raises(Overloaded) as before:
        add(small)
    small.translation(document, delete_it=False)
    clock.now += 20
    with pytest.raises(Overloaded) as after:
        add(small)
    assert (before.value.retry_after_s, after.value.retry_after_s) == (30, 40)
    clock.now += 41
    add(small)


def test_a_finished_document_keeps_nothing_that_its_translation_needed(new_store):
    assert finished(new_store()).wanted == {}
