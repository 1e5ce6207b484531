"""Cancels work after its client has closed the connection."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import Request

from app.errors import Cancelled

Result = TypeVar("Result")


async def run_while_connected(request: Request, work: Awaitable[Result]) -> Result:
    """Awaits ``work``, and cancels it when the client goes away. The request's body must have been read.

    Raises:
        Cancelled: The client disconnected first.
    """
    task = asyncio.ensure_future(work)
    watcher = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((task, watcher), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Cancelled("The client closed the connection.")
    finally:
        for pending in (task, watcher):
            pending.cancel()
        # The engine frees the rows while it handles the cancellation: wait for it, so that nothing is left behind.
        await asyncio.gather(task, watcher, return_exceptions=True)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
