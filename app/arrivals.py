"""Translations whose text has come and whose sentences aren't in the queue yet.

They count as if they waited. Otherwise every request that comes before the queue is full again is accepted, read and
cut into sentences, and most are refused only then: at five times the peak load, the server completed 67 % of the peak
instead of 84 %.
"""

from contextvars import ContextVar


class Arrival:
    """One such translation: begins with the last byte of the body, ends in the queue or with the request."""

    count = 0
    """Those under way."""

    def __init__(self) -> None:
        self._counts = False

    def begin(self) -> None:
        """The body is complete."""
        if not self._counts:
            self._counts = True
            Arrival.count += 1

    def end(self) -> None:
        """The sentences wait, or the request is over. May be called again."""
        if self._counts:
            self._counts = False
            Arrival.count -= 1


current: ContextVar[Arrival | None] = ContextVar("arrival", default=None)
"""The arrival of the request that is served."""


def end_current() -> None:
    """Ends the arrival of the request that is served, if it has one."""
    if (arrival := current.get()) is not None:
        arrival.end()
