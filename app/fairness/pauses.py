"""Long work gives way to new requests: most of them are short, and over in some milliseconds.

The interpreter runs one thread at a time. A short request needs it some twenty times, and each time it would wait for
others that want it: beside eight long texts it took five times as long as alone. So long work pauses meanwhile, on the
event loop and in the pool. A pause is short and has an end, so that many short requests don't stop long ones.
"""

import asyncio
import time
from contextvars import ContextVar
from types import TracebackType

# A short request takes some 20 ms at rest, and several times that beside other work. It is new until it is over:
# with a lower limit, long work would no longer give way to the requests that are late already.
_SHORT_S = 0.1
_LONG_S = 0.03  # of a request that is known to be long
_PAUSE_S = 0.01
_WORK_S = 0.003  # between two pauses


class NewRequest:
    """A request. It is new until it is over, for ``_SHORT_S`` at most; for ``_LONG_S`` if it is known to be long.

    Attributes:
        is_new: Whether long work gives way to it.
    """

    count = 0
    """The number of new requests."""

    def __init__(self) -> None:
        self.is_new = False

    def __enter__(self) -> "NewRequest":
        NewRequest.count += 1
        self.is_new = True
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self._old: asyncio.TimerHandle | None = self._loop.call_at(self._began_s + _SHORT_S, self._leave)
        new_request.set(self)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._old:
            self._old.cancel()
        # The handle has the request's context, and that has this object: a cycle, which would keep what was uploaded
        # until Python looks for cycles among all objects.
        self._old = None
        self._leave()

    def take_long(self) -> None:
        """The request is long. Later calls change nothing."""
        if self.is_new and self._old:
            self._old.cancel()
            self._old = self._loop.call_at(self._began_s + _LONG_S, self._leave)

    def _leave(self) -> None:
        NewRequest.count -= self.is_new
        self.is_new = False


new_request: ContextVar[NewRequest | None] = ContextVar("new_request", default=None)
"""The request that is served; None for work in the background."""


def take_long() -> None:
    """Tells that the current request is long: its work gives way like other long work."""
    if (request := new_request.get()) is not None:
        request.take_long()


class Pauses:
    """The pauses of one kind of long work."""

    def __init__(self) -> None:
        self._began_s = 0.0  # the latest pause

    def is_due(self, request: NewRequest | None = None) -> bool:
        """Tells whether to pause now. Takes less than a microsecond if there is no new request.

        Args:
            request: What the work is for. If it is new itself, its work waits for no other's.
        """
        if not NewRequest.count or (request is not None and request.is_new):
            return False
        now = time.monotonic()
        if now - self._began_s > _PAUSE_S + _WORK_S:
            self._began_s = now
        return now - self._began_s < _PAUSE_S
