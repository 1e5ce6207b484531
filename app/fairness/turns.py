"""Turns of long requests on the event loop: a short request waits for one turn at most."""

import asyncio
from collections import deque

from app.fairness.pauses import Pauses

_PAUSE_S = 0.001  # between two looks at whether long work may go on


class Turns:
    """Lets one long request go on in every iteration of the event loop, however many there are."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._pauses = Pauses()

    async def take(self) -> None:
        """Waits for the next turn. It lasts until the caller waits for anything else; a millisecond is long."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next)
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self) -> None:
        if self._pauses.is_due():
            self._waiting[0].get_loop().call_later(_PAUSE_S, self._next)
            return
        turn = self._waiting.popleft()
        if not turn.done():  # else who waited was cancelled
            turn.set_result(None)
        if self._waiting:
            turn.get_loop().call_soon(self._next)
