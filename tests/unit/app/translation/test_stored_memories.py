"""The index of a stored translation memory keeps up with its changes."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from app.storage.database import Database
from app.storage.memories import MemoryStore
from app.text.memory.index import FuzzyIndex
from app.translation import stored_memories
from app.translation.stored_memories import Memories

SENTENCES = [(f"Das {word} ist im {place} Haus.", f"{word} {place}") for word in "abcdefgh" for place in "stuvwxyz"]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each index has that was built. Each change comes two minutes after the one before."""
    minutes = count(0, 2)
    begin = datetime(2026, 11, 1, tzinfo=UTC)
    monkeypatch.setattr(
        "app.storage.memories.timestamp", lambda: (begin + timedelta(minutes=next(minutes))).isoformat()
    )
    sizes: list[int] = []

    class Counted(FuzzyIndex):
        def __init__(self, texts) -> None:
            super().__init__(texts)
            sizes.append(len(self))

    for module in ("app.text.memory.index", "app.translation.stored_memories"):
        monkeypatch.setattr(f"{module}.FuzzyIndex", Counted)
    return sizes


@pytest.fixture
def memories() -> Iterator[Memories]:
    with closing(Database(None)) as database:
        yield Memories(database)


async def best(memories: Memories, memory_id: str, text: str) -> tuple[str, int] | None:
    make = await memories.find(None, memory_id, 75, ("de", "en"))
    memory = make("de", "en")
    assert memory
    match = memory.find([text], "en").get(text)
    return (match.source, match.score) if match else None


def fill(memories: Memories) -> tuple[MemoryStore, str]:
    store = memories.store
    assert store
    memory_id = store.add(None, "Site", "de", "en").id
    store.put(None, memory_id, SENTENCES, "import")
    return store, memory_id


async def test_changes_are_found_without_building_it_again(memories, built):
    store, memory_id = fill(memories)
    assert await best(memories, memory_id, "Das c ist im u Hause.") == ("Das c ist im u Haus.", 95)
    store.put(None, memory_id, [("Etwas ganz anderes.", "x")], "edit")
    assert await best(memories, memory_id, "Etwas ganz andres.") == ("Etwas ganz anderes.", 94)
    entry = store.entry(None, memory_id, "Das c ist im u Haus.")
    store.change(None, memory_id, entry.id, "Das c ist vor dem alten Gebäude.", None)
    assert await best(memories, memory_id, "Das c ist vor dem alten Gebäude!") == (
        "Das c ist vor dem alten Gebäude.",
        96,
    )
    assert (await best(memories, memory_id, "Das c ist im u Haus!"))[0] != "Das c ist im u Haus."
    store.remove_entry(None, memory_id, entry.id)
    assert await best(memories, memory_id, "Das c ist vor dem alten Gebäude!") is None
    assert built[0] == 64 and max(built[1:]) <= 2


async def test_it_is_built_again_after_many_changes(memories, built):
    store, memory_id = fill(memories)
    await best(memories, memory_id, "x")
    store.put(None, memory_id, [(f"Neuer Text: {word}", "x") for word in "abcdefgh"], "edit")
    assert await best(memories, memory_id, "Neuer Text, d") is not None
    for entry in store.page(None, memory_id, most=stored_memories._GONE + 1):
        store.remove_entry(None, memory_id, entry.id)
    assert await best(memories, memory_id, "Neuer Text, d") is not None
    assert [size for size in built if size > 10] == [64, 72, 67]


async def test_many_requests_build_it_once(memories, built):
    _, memory_id = fill(memories)
    await asyncio.gather(*(best(memories, memory_id, "x") for _ in range(10)))
    assert built == [64]


async def test_indexes_without_entries_take_room_too(memories, monkeypatch):
    monkeypatch.setattr(stored_memories, "_INDEXED_ENTRIES", 3 * stored_memories._EMPTY)
    for _ in range(5):
        memory_id = memories.store.add(None, "Site", "de", "en").id
        await best(memories, memory_id, "x")
        memories.store.remove(None, memory_id)
    assert len(memories._ready) == 3
