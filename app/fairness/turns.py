"""Turns of long requests on the event loop: a short request waits for one turn at most."""

import asyncio
from collections import deque

from app.fairness.pauses import NewRequest, Pauses, new_request

_PAUSE_S = 0.001  # between two looks at whether long work may go on


class Turns:
    """Lets one long request go on in every iteration of the event loop, however many there are.

    Attributes:
        pauses: When they give way to new requests.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[asyncio.Future[None], NewRequest | None]] = deque()
        self.pauses = Pauses()

    async def take(self) -> None:
        """Waits for the next turn. It lasts until the caller waits for anything else; a millisecond is long."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._next)
        turn = loop.create_future()
        self._waiting.append((turn, new_request.get()))
        await turn

    def _next(self) -> None:
        turn, request = self._waiting[0]
        if self.pauses.is_due(request):
            turn.get_loop().call_later(_PAUSE_S, self._next)
            return
        self._waiting.popleft()
        if not turn.done():  # else who waited was cancelled
            turn.set_result(None)
        if self._waiting:
            turn.get_loop().call_soon(self._next)
