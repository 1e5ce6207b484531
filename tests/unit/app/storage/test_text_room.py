"""The room for translation memories, glossaries and suggestions, in bytes."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import RoomExceeded
from app.storage.database import Database
from app.storage.glossaries import GlossaryStore
from app.storage.keys import KeyStore
from app.storage.memories import MemoryStore
from app.storage.suggestions import SuggestionStore
from app.storage.text_room import TextLimits

GLOSSARY = [("de", "en", {"Bier": "beer"})]  # 9 bytes


@pytest.fixture
def database(opened: Callable[[], Database]) -> Database:
    database = opened()
    database.text_limits = TextLimits(of_owner=100, of_all=150)
    return database


def test_what_is_stored_counts_together_and_a_refusal_leaves_nothing(database):
    memories, glossaries, suggestions = MemoryStore(database), GlossaryStore(database), SuggestionStore(database)
    memory = memories.add(None, "Site", "de", "en")
    memories.put(None, memory.id, [("ü" * 20, "u" * 20)], "import")  # 60 bytes
    glossary = glossaries.add(None, "Pub", GLOSSARY)
    suggestions.add(None, "de", "en", "a" * 15, "b" * 15)  # 99 in all
    for refused in (
        lambda: memories.put(None, memory.id, [("a", "b")], "import"),
        lambda: memories.change(None, memory.id, 1, None, "u" * 22),
        lambda: glossaries.add(None, "Second", GLOSSARY),
        lambda: glossaries.replace(None, glossary.id, ("de", "en", {"Bier": "beers", "a": "b"})),
        lambda: glossaries.change(None, glossary.id, None, ("de", "en", {"a": "b"})),
        lambda: suggestions.add(None, "de", "en", "a", "b"),
    ):
        with pytest.raises(RoomExceeded, match="would exceed 100 bytes; delete some"):
            refused()
    assert memories.find(None, memory.id).entry_count == 1
    assert glossaries.entries(None, glossary.id, "de", "en") == {"Bier": "beer"}
    assert [one.name for one in glossaries.list(None)] == ["Pub"]
    assert len(suggestions.list("pending", most=9)) == 1
    memories.change(None, memory.id, 1, None, "u" * 21)
    glossaries.remove(None, glossary.id)
    assert memories.put(None, memory.id, [("a", "b")], "import") == 1


def test_every_key_has_its_room_and_all_have_one(database):
    keys, memories = KeyStore(database), MemoryStore(database)
    owners = [None, *(keys.find(keys.add("owner")).id for _ in range(2))]
    made = [memories.add(owner, "Site", "de", "en") for owner in owners]
    memories.put(owners[0], made[0].id, [("a" * 40, "b" * 40)], "import")
    memories.put(owners[1], made[1].id, [("a" * 30, "b" * 30)], "import")
    with pytest.raises(RoomExceeded, match="The server has no room"):
        memories.put(owners[2], made[2].id, [("a" * 10, "b")], "import")
    memories.put(owners[2], made[2].id, [("a" * 9, "b")], "import")
    memories.remove(owners[0], made[0].id)
    memories.put(owners[2], made[2].id, [("a" * 10, "b" * 50)], "import")


texts = st.text("aü€😀", min_size=1, max_size=3)


@pytest.mark.parametrize("where", ["sqlite"], indirect=True)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["put", "change", "remove"]), texts, texts), max_size=12))
def test_the_size_is_that_of_the_entries(opened, steps):
    store = MemoryStore(opened())
    memory = store.add(None, "Site", "de", "en")
    for kind, source, target in steps:
        entries = list(store.all(None, memory.id))
        if kind == "put":
            store.put(None, memory.id, [(source, target), (f"{source}!", target)], "import")
        elif entries and kind == "change":
            store.change(None, memory.id, entries[0].id, None, target)
        elif entries:
            store.remove_entry(None, memory.id, entries[-1].id)
        sizes = [len((entry.source + entry.target).encode()) for entry in store.all(None, memory.id)]
        assert store.find(None, memory.id).size == sum(sizes)
