"""Translations whose text has come and whose sentences aren't in the queue yet.

They count as if they waited. Otherwise every request that comes before the queue is full again is accepted, read and
cut into sentences, and most are refused only then: at five times the peak load, the server completed 67 % of the peak
instead of 84 %.
"""

from contextvars import ContextVar
from types import TracebackType


class Arrival:
    """One such translation: the request lasts as long as the context."""

    count = 0
    """Those under way."""

    def __init__(self) -> None:
        self._may_begin, self._counts = True, False

    def __enter__(self) -> None:
        _current.set(self)

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.end()

    def begin(self) -> None:
        """The body is complete. Later calls, such as after a hang-up, change nothing."""
        if self._may_begin:
            self._may_begin, self._counts = False, True
            Arrival.count += 1

    def end(self) -> None:
        """The sentences wait, or the request is over."""
        Arrival.count -= self._counts
        self._may_begin = self._counts = False


_current: ContextVar[Arrival | None] = ContextVar("arrival", default=None)


def begin() -> None:
    """Tells that the body of the request that is served is complete, if it is a translation's."""
    if (arrival := _current.get()) is not None:
        arrival.begin()


def end() -> None:
    """Tells that the sentences of the request that is served wait."""
    if (arrival := _current.get()) is not None:
        arrival.end()
