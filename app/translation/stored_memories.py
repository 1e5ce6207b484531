"""The stored translation memories of a server, as translations use them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from app.errors import InvalidMemory, InvalidRequest
from app.fairness.offload import offload
from app.storage.identifiers import checked_id
from app.text.memory.index import ChangedIndex, FuzzyIndex, check_installed, is_installed
from app.text.memory.matching import TranslationMemory

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.memories import MemoryStore
    from app.storage.memory_rows import StoredMemory

_INDEXED_ENTRIES = 400_000  # of all memories whose index is kept ready together: 160 MB
_EMPTY = 2_600  # entries that take as much memory as an index without any, and one of its changes: 1 MB
# An index is built again if more than a tenth of its entries changed, or more are gone than a search leaves out.
_CHANGED = 0.1
_GONE = 4
_MARGIN = timedelta(minutes=1)  # other servers' clocks, and entries whose transaction ended late


class _Ready(NamedTuple):
    """The index of a memory.

    Attributes:
        version: The memory's.
        base: The index of the entries as they were at a time.
        since: That time: ISO 8601, UTC.
        current: The index with what changed since.
    """

    version: str
    base: FuzzyIndex
    since: str
    current: FuzzyIndex | ChangedIndex


class Memories:
    """The stored translation memories; the indexes of those used most recently stay in memory.

    Args:
        database: Where they are; None if nothing is kept.
    """

    def __init__(self, database: "Database | None") -> None:
        self._database = database
        self._store: MemoryStore | None = None
        self._ready: OrderedDict[str, _Ready] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def store(self) -> "MemoryStore | None":
        """Returns the memories; None if the server stores nothing."""
        if self._store is None and self._database:
            from app.storage.memories import MemoryStore

            self._store = MemoryStore(self._database)
        return self._store

    async def find(
        self, owner: int | None, memory_id: str, threshold: int, pair: tuple[str, str] | None
    ) -> Callable[[str, str], TranslationMemory | None]:
        """Returns a function that opens the memory for a pair of languages; it gives None for other pairs.

        Args:
            owner: Number of the owner's API key; None without one.
            memory_id: A UUID.
            threshold: Minimum score of a match, from 0 to 100.
            pair: The languages, if they are known.

        Raises:
            InvalidRequest: It is not a UUID, or this server keeps no memories.
            MemoryNotFound: There is no such memory.
            InvalidMemory: It is for other languages.
            ExtraMissing: The library that compares texts is not installed, and the threshold needs it.
            StorageFailure: The database can't be used.
        """
        if self.store is None or self._database is None:
            raise InvalidRequest(
                "Translation memories are not available on this server; leave out 'translation_memory_id'."
            )
        found = await self._database.read(self.store.find, owner, checked_id(memory_id, "translation_memory_id"))
        if pair and pair != (found.source, found.target):
            raise InvalidMemory(f"The translation memory is for other languages: {found.source} to {found.target}.")
        index = None
        if threshold < 100:
            check_installed()
        if threshold < 100 or (found.adapts and is_installed()):
            # Many may ask at once for a memory that has just changed.
            async with self._locks.setdefault(found.id, asyncio.Lock()):
                ready = await offload(self._up_to_date, found, self._ready.get(found.id))  # may take seconds
                self._keep(found.id, ready)
            index = ready.current
        return partial(self._memory, found, threshold, index)

    def _memory(
        self,
        found: "StoredMemory",
        threshold: int,
        index: FuzzyIndex | ChangedIndex | None,
        source: str,
        target: str,
    ) -> TranslationMemory | None:
        if self.store is None or (source, target) != (found.source, found.target):
            return None
        exact, by_ids = partial(self.store.exact, found.id), partial(self.store.by_ids, found.id)
        return TranslationMemory(exact, by_ids, index, language=source, threshold=threshold, adapts=found.adapts)

    def _keep(self, memory_id: str, ready: _Ready) -> None:
        """Keeps an index ready, and drops those used longest ago. Runs on the event loop, for others do so, too."""
        self._ready[memory_id] = ready
        self._ready.move_to_end(memory_id)
        while len(self._ready) > 1 and sum(len(one.base) + _EMPTY for one in self._ready.values()) > _INDEXED_ENTRIES:
            self._ready.popitem(last=False)

    def _up_to_date(self, found: "StoredMemory", ready: _Ready | None) -> _Ready:
        if ready and ready.version == found.version:
            return ready
        return (ready and self._changed(ready, found)) or self._built(found)

    def _changed(self, ready: _Ready, found: "StoredMemory") -> _Ready | None:
        """Updates the index with the changed entries; None if too many have changed."""
        assert self.store
        changed = list(self.store.sources(found.id, ready.since))
        if len(changed) > _CHANGED * len(ready.base):
            return None
        index = ChangedIndex(ready.base, changed)
        return ready._replace(version=found.version, current=index) if len(index) - found.entry_count <= _GONE else None

    def _built(self, found: "StoredMemory") -> _Ready:
        assert self.store
        index = FuzzyIndex(self.store.sources(found.id))
        since = datetime.fromisoformat(found.updated_at) - _MARGIN
        return _Ready(found.version, index, since.isoformat(timespec="milliseconds").replace("+00:00", "Z"), index)
