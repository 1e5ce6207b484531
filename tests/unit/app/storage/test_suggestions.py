import pytest

from app.errors import InvalidKey, InvalidMemory, MemoryNotFound, Overloaded
from app.storage import suggestions
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from app.storage.suggestions import SuggestionStore


def test_suggestions_wait_and_go_into_a_memory(opened):
    database = opened()
    store, memories = SuggestionStore(database), MemoryStore(database)
    memory = memories.add(None, "Site", "de", "en")
    for number in range(3):
        store.add(None, "de", "en", f"Satz {number}", f"sentence {number}")
    [first, second, third] = SuggestionStore(opened()).list("pending", most=10)
    assert (first.text, first.translation, first.source, first.target) == ("Satz 0", "sentence 0", "de", "en")
    assert store.list("pending", after=first.id, most=1) == [second]
    assert store.accept(first.id, memory.id) and store.reject(second.id)
    assert not store.accept(first.id, memory.id) and not store.reject(second.id) and not store.reject(999)
    assert store.list("pending", most=10) == [third]
    [accepted] = store.list("accepted", most=10)
    assert accepted.id == first.id
    [entry] = memories.all(None, memory.id)
    assert (entry.source, entry.target, entry.origin) == ("Satz 0", "sentence 0", "suggestion")


def test_one_that_cannot_be_accepted_still_waits(opened):
    database = opened()
    store = SuggestionStore(database)
    other = MemoryStore(database).add(None, "Site", "en", "de")
    store.add(None, "de", "en", "Satz", "sentence")
    [waiting] = store.list("pending", most=10)
    with pytest.raises(InvalidMemory, match="other languages"):
        store.accept(waiting.id, other.id)
    with pytest.raises(MemoryNotFound):
        store.accept(waiting.id, "none")
    assert store.list("pending", most=10) == [waiting]
    with pytest.raises(InvalidKey):
        store.add(7, "de", "en", "Satz", "sentence")


def test_a_suggestion_outlives_its_key(opened):
    database = opened()
    keys, store = KeyStore(database), SuggestionStore(database)
    keys.add("one")
    [(key, _)] = keys.list()
    store.add(key.id, "de", "en", "Satz", "sentence")
    assert store.list("pending", most=1)[0].key_id == key.id
    keys.remove(key.id)
    assert store.list("pending", most=1)[0].key_id is None


def test_there_are_no_more_than_somebody_can_read(opened, monkeypatch):
    monkeypatch.setattr(suggestions, "MAX_PENDING", 1)
    store = SuggestionStore(opened())
    store.add(None, "de", "en", "Satz", "sentence")
    with pytest.raises(Overloaded):
        store.add(None, "de", "en", "Satz", "sentence")
