"""The stored translation memories of a server, as translations use them."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from app.errors import InvalidMemory, InvalidRequest
from app.storage.identifiers import checked_id
from app.text.memory.index import FuzzyIndex, check_installed
from app.text.memory.matching import TranslationMemory

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.memories import MemoryStore, StoredMemory

_INDEXED_ENTRIES = 400_000  # of all memories whose index is kept ready together: 160 MB


class Memories:
    """The stored translation memories, the indexes of those used last kept ready.

    Args:
        database: Where they are; None if nothing is kept.
    """

    def __init__(self, database: "Database | None") -> None:
        self._database = database
        self._store: MemoryStore | None = None
        self._ready: OrderedDict[tuple[str, str], FuzzyIndex] = OrderedDict()

    @property
    def store(self) -> "MemoryStore | None":
        """The memories; None if nothing is kept."""
        if self._store is None and self._database:
            from app.storage.memories import MemoryStore

            self._store = MemoryStore(self._database)
        return self._store

    async def find(
        self, owner: int | None, memory_id: str, threshold: int, pair: tuple[str, str] | None
    ) -> Callable[[str, str], TranslationMemory | None]:
        """What makes the memory for a pair of languages, and None for pairs that it is not for.

        Args:
            owner: Number of the owner's API key; None without one.
            memory_id: A UUID.
            threshold: Minimum score of a match, from 0 to 100.
            pair: The languages, if they are known.

        Raises:
            InvalidRequest: It is no UUID, or this server keeps no memories.
            MemoryNotFound: There is no such memory.
            InvalidMemory: It is for other languages.
            ExtraMissing: The library that compares texts is not installed, and the threshold needs it.
            StorageFailure: The database can't be used.
        """
        if self.store is None or self._database is None:
            raise InvalidRequest(
                "Translation memories are not available on this server; leave out 'translation_memory_id'."
            )
        found = await self._database.run(self.store.find, owner, checked_id(memory_id, "translation_memory_id"))
        if pair and pair != (found.source, found.target):
            raise InvalidMemory(f"The translation memory is for other languages: {found.source} to {found.target}.")
        if threshold < 100:
            check_installed()
        return partial(self._memory, found, threshold)

    def _memory(self, found: "StoredMemory", threshold: int, source: str, target: str) -> TranslationMemory | None:
        if self.store is None or (source, target) != (found.source, found.target):
            return None
        return TranslationMemory(
            partial(self.store.exact, found.id),
            partial(self.store.by_ids, found.id),
            partial(self._index, found) if threshold < 100 else None,
            language=source,
            threshold=threshold,
        )

    def _index(self, found: "StoredMemory") -> FuzzyIndex:
        """Called on a thread of the pool, since it may take a second."""
        name = found.id, found.version
        ready = self._ready.pop(name, None)
        if ready is None:
            assert self.store
            ready = FuzzyIndex((entry.id, entry.source) for entry in self.store.all(found.key_id, found.id))
            for other in [other for other in self._ready if other[0] == found.id]:
                self._ready.pop(other, None)
        self._ready[name] = ready
        while len(self._ready) > 1 and sum(map(len, self._ready.values())) > _INDEXED_ENTRIES:
            self._ready.popitem(last=False)
        return ready
