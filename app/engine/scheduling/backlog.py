"""The number of tokens that wait in several queues together. Standard library only."""

import threading


class Backlog:
    """Source tokens that wait in all the queues that share it. Thread-safe.

    Attributes:
        tokens: Their number now.
        long_tokens: Those of them that are long work.
    """

    def __init__(self) -> None:
        self.tokens = self.long_tokens = 0
        self._lock = threading.Lock()

    def add(self, tokens: int, *, long_tokens: int = 0) -> None:
        """Count tokens that joined a queue, or with a minus sign some that left it.

        Args:
            tokens: All of them.
            long_tokens: Those of them that are long work.
        """
        with self._lock:
            self.tokens += tokens
            self.long_tokens += long_tokens

    def before_short_work(self, long_limit: int) -> int:
        """Tokens that count when short work asks for room: of long work only as many as the limit."""
        return self.tokens - max(0, self.long_tokens - long_limit)
