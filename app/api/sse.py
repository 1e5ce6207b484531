"""Server-sent events (HTML standard, section 9.2): a translation, sentence by sentence, while it is made."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi.responses import StreamingResponse
from starlette.types import Send

from app.api.error_responses import INTERNAL_ERROR_TEXT, error_of
from app.errors import DragomanError

# Line breaks to many clients, if not to the standard.
_ESCAPED = {character: f"\\u{character:04x}" for character in (0x85, 0x2028, 0x2029)}
HEARTBEAT_S = 15.0
"""Proxies close a connection on which nothing is sent for a minute or so."""

Item = TypeVar("Item")

logger = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Sends the server-sent events of a generator, and closes the generator when the client has gone."""

    media_type = "text/event-stream"

    def __init__(self, content: AsyncGenerator[str, None]) -> None:
        # Some proxies gather an answer before they pass it on, and so must be told.
        super().__init__(content, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._content = content

    async def stream_response(self, send: Send) -> None:
        """Sends all events as a response."""
        async with aclosing(self._content):
            await super().stream_response(send)


async def with_heartbeats(
    events: AsyncGenerator[Item, None], interval_s: float = HEARTBEAT_S
) -> AsyncGenerator[Item | None, None]:
    """Yields the same events (never None), and None after every ``interval_s`` seconds without an event."""
    upcoming: asyncio.Future[Item | None] | None = None
    try:
        while True:
            # None for the end: an exception would have a traceback that has this future, a cycle.
            upcoming = asyncio.ensure_future(anext(events, None))
            while not upcoming.done():
                await asyncio.wait((upcoming,), timeout=interval_s)
                if not upcoming.done():
                    yield None
            if (event := upcoming.result()) is None:
                return
            yield event
    finally:
        if upcoming:
            upcoming.cancel()
            await asyncio.gather(upcoming, return_exceptions=True)
        await events.aclose()
        del upcoming  # its exception's traceback refers back here


async def server_sent(
    first: tuple[str, Mapping[str, Any]] | None, events: AsyncGenerator[tuple[str, Mapping[str, Any]] | None, None]
) -> AsyncGenerator[str, None]:
    """Writes events, each a name and its data, as text; a heartbeat is a comment, an error the last event.

    Args:
        first: The first event, which was awaited before the answer began.
        events: The others.
    """
    async with aclosing(events):
        try:
            yield _written(first)
            async for event in events:
                yield _written(event)
        except Exception as error:
            if isinstance(error, DragomanError):
                _, text, code = error_of(error)
            else:
                logger.exception("an unexpected error")
                text, code = INTERNAL_ERROR_TEXT, DragomanError.code
            yield _written(("error", {"error": text, "code": code}))


def _written(event: tuple[str, Mapping[str, Any]] | None) -> str:
    if event is None:
        return ": still working\n\n"
    name, data = event
    # JSON has no line breaks, so that one data line is enough.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)
    return f"event: {name}\ndata: {text}\n\n"
