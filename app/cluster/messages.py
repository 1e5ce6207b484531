"""The messages of a replica: lists of events, because a message costs far more than an event."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import NamedTuple

from app.engine.interface import Event
from app.errors import DragomanError

_MOST_EVENTS = 256  # as many as a request has segments under way


class Message(NamedTuple):
    """A part of the answer to one call.

    Attributes:
        events: Events, in order.
        admitted: As in ``RequestQuota``.
        source_tokens: As in ``RequestQuota``.
        error: What ended the translation; then this message is the last one. As a value it keeps its class and its
            attributes, and Ray doesn't log it.
    """

    events: tuple[Event, ...] = ()
    admitted: bool = False
    source_tokens: int = 0
    error: DragomanError | None = None


async def gathered(events: AsyncGenerator[Event, None]) -> AsyncGenerator[tuple[Event, ...], None]:
    """Yields the events that have come since it was last asked, at least one at a time.

    Closing it closes ``events``.

    Raises:
        Exception: What ``events`` raises, after the events before it.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue(_MOST_EVENTS)

    async def read() -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    await queue.put(event)
        finally:
            await queue.put(None)

    reader = asyncio.create_task(read())
    try:
        ended = False
        while not ended:
            together = [await queue.get()]
            await asyncio.sleep(0)  # what is ready, such as the end of a text behind its last sentence, joins
            while not queue.empty():
                together.append(queue.get_nowait())
            ended = together[-1] is None
            found = tuple(event for event in together if event is not None)
            if found:
                yield found
        await reader
    finally:
        if not reader.done():
            reader.cancel()
            while not queue.empty():
                queue.get_nowait()  # the reader's last words need room
            with suppress(asyncio.CancelledError):
                await reader
