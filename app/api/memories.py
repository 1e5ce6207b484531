"""The stored translation memories of a server, as the HTTP contracts use them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.memories import MemoryStore


class Memories:
    """The stored translation memories.

    Args:
        database: Where they are; None if nothing is kept.
    """

    def __init__(self, database: "Database | None") -> None:
        self._database = database
        self._store: MemoryStore | None = None

    @property
    def store(self) -> "MemoryStore | None":
        """The memories; None if nothing is kept."""
        if self._store is None and self._database:
            from app.storage.memories import MemoryStore

            self._store = MemoryStore(self._database)
        return self._store
