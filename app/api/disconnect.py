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
    task = asyncio.current_task()
    assert task
    watcher = asyncio.create_task(_disconnected(request))
    is_over = is_gone = False

    def cancel(watcher: asyncio.Task[None]) -> None:
        nonlocal is_gone
        if not (is_over or watcher.cancelled() or task.cancelling()):
            is_gone = task.cancel()

    watcher.add_done_callback(cancel)
    try:
        # The engine frees the rows while it handles the cancellation.
        return await work
    except asyncio.CancelledError:
        if is_gone and not task.uncancel():  # else a server that ends, say, has cancelled this task, too
            raise Cancelled("The client closed the connection.") from None
        raise
    finally:
        is_over = True
        watcher.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
