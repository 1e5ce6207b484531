"""Cancels work after its client has closed the connection."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from fastapi import Request

from app.errors import Cancelled

Result = TypeVar("Result")

# Most requests are over by then, and need no task that waits for the client to go.
_SHORT_S = 0.02


async def run_while_connected(request: Request, work: Awaitable[Result]) -> Result:
    """Awaits ``work``, and cancels it when the client goes away. The request's body must have been read.

    Raises:
        Cancelled: The client disconnected first.
    """
    task = asyncio.current_task()
    assert task
    watcher: asyncio.Task[None] | None = None
    is_over = is_gone = False

    def watch() -> None:
        nonlocal watcher
        watcher = asyncio.create_task(_disconnected(request))
        watcher.add_done_callback(cancel)

    def cancel(watcher: asyncio.Task[None]) -> None:
        nonlocal is_gone
        if not (is_over or watcher.cancelled() or task.cancelling()):
            is_gone = task.cancel()

    waiting = asyncio.get_running_loop().call_later(_SHORT_S, watch)
    try:
        # The engine frees the rows while it handles the cancellation.
        return await work
    except asyncio.CancelledError:
        if is_gone and not task.uncancel():  # else a server that ends, say, has cancelled this task, too
            raise Cancelled("The client closed the connection.") from None
        raise
    finally:
        is_over = True
        waiting.cancel()
        if watcher:
            watcher.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
