"""A circuit breaker: a server that doesn't answer is left alone for a while, so that it costs nothing."""

import time
from collections.abc import Callable

FAILURES = 3
"""Failures in a row that open the circuit."""

PAUSE_S = 30.0
"""Seconds for which an open circuit lets nothing through."""


class Circuit:
    """Counts failures in a row. After the pause, one call at a time tries whether the server is back.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._closed_at = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the server is being left alone."""
        return self._failures >= FAILURES

    def lets_through(self) -> bool:
        """Tells whether to make a call now; the one that tries keeps the others away for another pause."""
        if not self.is_open:
            return True
        if self._clock() < self._closed_at:
            return False
        self._closed_at = self._clock() + PAUSE_S
        return True

    def succeeded(self) -> None:
        """Notes an answer."""
        self._failures = 0

    def failed(self) -> None:
        """Notes a call without an answer."""
        self._failures += 1
        self._closed_at = self._clock() + PAUSE_S
