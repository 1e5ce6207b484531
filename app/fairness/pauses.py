"""Long work gives way to requests that have just begun: most of these are short, and over in some milliseconds.

The interpreter runs one thread at a time. A short request needs it some twenty times, and each time it would wait for
others that want it: beside eight long texts it took five times as long as alone. So long work pauses meanwhile, on the
event loop and in the pool. A pause is short and has an end, so that many short requests don't stop long ones.
"""

import asyncio
import time
from types import TracebackType

_NEW_S = 0.03  # a request that takes longer is not short
_PAUSE_S = 0.01
_WORK_S = 0.003  # between two pauses


class NewRequest:
    """A request that counts as new until it is over, or for ``_NEW_S``."""

    count = 0
    """Those under way."""

    def __enter__(self) -> None:
        NewRequest.count += 1
        self._old = asyncio.get_running_loop().call_later(_NEW_S, self._leave)
        self._is_new = True

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._old.cancel()
        self._leave()

    def _leave(self) -> None:
        NewRequest.count -= self._is_new
        self._is_new = False


class Pauses:
    """The pauses of one kind of long work."""

    def __init__(self) -> None:
        self._began_s = 0.0  # the latest pause

    def is_due(self) -> bool:
        """Tells whether to pause now. Takes less than a microsecond if there is no new request."""
        if not NewRequest.count:
            return False
        now = time.monotonic()
        if now - self._began_s > _PAUSE_S + _WORK_S:
            self._began_s = now
        return now - self._began_s < _PAUSE_S
