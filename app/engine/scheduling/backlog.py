"""What waits in several queues, counted together. Standard library only."""

import threading


class Backlog:
    """Source tokens that wait in all the queues that share it. Thread-safe.

    Attributes:
        tokens: Their number now.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self._lock = threading.Lock()

    def add(self, tokens: int) -> None:
        """Count tokens that joined a queue, or with a minus sign some that left it."""
        with self._lock:
            self.tokens += tokens
