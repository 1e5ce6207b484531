from collections.abc import Callable

import pytest

from app.errors import InvalidKey, InvalidMemory, MemoryNotFound
from app.storage import memories
from app.storage.database import Database
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from app.storage.memory_rows import StoredMemory

TEXTS = [("Guten Morgen!", "Good morning!"), ("Über uns", "About us"), ("100 % sicher", "safe")]


@pytest.fixture
def store(opened: Callable[[], Database]) -> MemoryStore:
    return MemoryStore(opened())


@pytest.fixture
def memory(store: MemoryStore) -> StoredMemory:
    made = store.add(None, "Site", "de", "en")
    assert store.put(None, made.id, TEXTS, "import") == 3
    return store.find(None, made.id)


def test_a_memory_belongs_to_its_key_and_goes_with_it(opened):
    database = opened()
    keys, store = KeyStore(database), MemoryStore(database)
    keys.add("one")
    [(key, _)] = keys.list()
    own, free = store.add(key.id, "Own", "de", "en"), store.add(None, "Free", "de", "en")
    store.put(key.id, own.id, TEXTS, "import")
    assert [one.id for one in store.list(key.id)] == [own.id] and store.list(None) == [free]
    assert [(one.name, one.entry_count) for one in store.list_all()] == [("Own", 3), ("Free", 0)]
    for wrong in (lambda: store.find(None, own.id), lambda: store.put(None, own.id, TEXTS, "edit")):
        with pytest.raises(MemoryNotFound):
            wrong()
    keys.remove(key.id)
    assert store.list_all() == [free]
    assert store.by_ids(own.id, range(10)) == {}
    with pytest.raises(InvalidKey):
        store.add(key.id, "Own", "de", "en")


def test_the_same_text_has_one_translation_however_it_is_spaced(store, memory):
    again = [(" Guten\n Morgen! ", "Morning!"), ("Neu", "New"), ("Neu ", "Fresh")]
    assert store.put(None, memory.id, again, "edit") == 1
    found = store.exact(memory.id, ["Guten Morgen!", "guten Morgen!", "Neu"])
    assert {text: (entry.target, entry.origin) for text, entry in found.items()} == {
        "Guten Morgen!": ("Morning!", "edit"),
        "Neu": ("Fresh", "edit"),
    }
    decomposed = "U\u0308ber uns"
    assert store.exact(memory.id, [decomposed])[decomposed].target == "About us"
    assert store.entry(None, memory.id, "Neu").target == "Fresh"


def test_another_process_sees_changes_and_their_versions(opened, memory):
    other = MemoryStore(opened())
    [first, second, _] = other.all(None, memory.id)
    changed = other.change(None, memory.id, first.id, None, "Morning!")
    assert (changed.id, changed.source, changed.target, changed.origin) == (first.id, first.source, "Morning!", "edit")
    versions = {memory.version, other.find(None, memory.id).version}
    other.change(None, memory.id, second.id, "Über mich", "About me")
    assert set(other.exact(memory.id, ["Über uns", "Über mich"])) == {"Über mich"}
    other.remove_entry(None, memory.id, first.id)
    versions.add(other.find(None, memory.id).version)
    assert len(versions) == 3
    assert list(other.by_ids(memory.id, [first.id, second.id])) == [second.id]
    assert other.set(None, memory.id, name="Page").name == "Page"
    other.remove(None, memory.id)
    with pytest.raises(MemoryNotFound):
        other.page(None, memory.id, most=1)


def test_an_entry_keeps_a_text_of_its_own(store, memory):
    [first, second, _] = store.all(None, memory.id)
    with pytest.raises(InvalidMemory, match="Another entry"):
        store.change(None, memory.id, first.id, second.source, None)
    for wrong in (
        lambda: store.change(None, memory.id, 999, "a", "b"),
        lambda: store.remove_entry(None, memory.id, 999),
        lambda: store.entry(None, memory.id, "none"),
    ):
        with pytest.raises(MemoryNotFound):
            wrong()
    assert [entry.source for entry in store.all(None, memory.id)] == [source for source, _ in TEXTS]


def test_pages_and_a_search(store, memory):
    def sources(**wanted) -> list[str]:
        return [entry.source for entry in store.page(None, memory.id, **{"most": 10} | wanted)]

    [first, *_] = store.page(None, memory.id, most=1)
    assert sources(after=first.id, most=1) == ["Über uns"]
    assert sources(text="über") == sources(text="ABOUT") == ["Über uns"]
    assert sources(text="über", match_case=True) == [] and sources(text="Über", match_case=True) == ["Über uns"]
    assert sources(text="%") == ["100 % sicher"] and sources(text="_") == []


def test_a_memory_that_is_too_large_stays_as_it_was(store, memory, monkeypatch):
    monkeypatch.setattr(memories, "MAX_ENTRIES", 4)
    with pytest.raises(InvalidMemory, match="at most 4"):
        store.put(None, memory.id, [("a", "b"), ("c", "d")], "import")
    assert store.find(None, memory.id) == memory
    monkeypatch.setattr(memories, "MAX_MEMORIES", 1)
    with pytest.raises(InvalidMemory, match="delete one"):
        store.add(None, "More", "de", "en")


def test_many_entries_and_more_look_ups_than_a_statement_takes(store, memory):
    many = [(f"Satz {number}", f"sentence {number}") for number in range(1200)]
    assert store.put(None, memory.id, many, "import") == 1200
    found = store.exact(memory.id, [source for source, _ in many])
    assert len(found) == 1200 and len(store.by_ids(memory.id, [entry.id for entry in found.values()])) == 1200
