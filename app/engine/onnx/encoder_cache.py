"""A byte-bounded cache of encoder features: a sentence seen before skips the encoder, with any search options."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, Protocol, Self, TypeVar


class Entry(Protocol):
    """What the cache needs of an entry: its size, and a copy."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""

    def copy(self) -> Self:
        """Return a copy in memory of its own, which can be kept for long."""


F = TypeVar("F", bound=Entry)


class EncoderCache(Generic[F]):
    """Least recently used goes first. Thread-safe.

    Attributes:
        nbytes: Memory held by the entries.
        hits, misses: Look-ups so far.
    """

    def __init__(self, max_bytes: int) -> None:
        """``max_bytes`` bounds the sum of the entries' sizes; 0 keeps nothing."""
        self.max_bytes = max_bytes
        self.nbytes = 0
        self.hits = 0
        self.misses = 0
        self._entries: OrderedDict[Hashable, F] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> F | None:
        """The entry, which becomes the most recently used, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self.misses += 1
                return None
            self.hits += 1
            self._entries.move_to_end(key)
            return entry

    def put(self, key: Hashable, entry: F) -> None:
        """Keep a copy of an entry, if it is within the bound, and drop the oldest ones beyond that."""
        if entry.nbytes > self.max_bytes:
            return
        entry = entry.copy()
        with self._lock:
            old = self._entries.pop(key, None)
            self.nbytes += entry.nbytes - (old.nbytes if old is not None else 0)
            self._entries[key] = entry
            while self.nbytes > self.max_bytes:
                _, dropped = self._entries.popitem(last=False)
                self.nbytes -= dropped.nbytes
