"""Responses that begin before their content is ready, for clients that give up after some silent seconds."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from typing import Any

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from app.api.error_responses import internal_error_response, own_error_response
from app.errors import DragomanError

logger = logging.getLogger(__name__)


async def with_heartbeat(request: Request, work: Coroutine[Any, Any, Response], every_s: float) -> Response:
    """Returns the response of ``work``; if that takes long, a response that begins at once and ends with its body.

    White space may stand before JSON (RFC 8259, section 2), so a line break is sent every ``every_s`` seconds. The
    status is 200 by then and the headers are gone: an error comes as its usual JSON, but with that status.

    Args:
        request: The request; HTTP/1.0 has no answers of unknown length, so its clients wait.
        work: Makes a response with a JSON body, or raises a DragomanError.
        every_s: Seconds without a byte, at most; 0 to wait for the response.
    """
    if not every_s or request.scope["http_version"] == "1.0":
        return await work
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=every_s)
        if task.done():
            return task.result()
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}  # nginx must not gather the line breaks
    return StreamingResponse(_beats(request, task, every_s), media_type="application/json", headers=headers)


async def _beats(request: Request, task: "asyncio.Task[Response]", every_s: float) -> AsyncGenerator[bytes, None]:
    try:
        while not task.done():
            yield b"\n"
            await asyncio.wait((task,), timeout=every_s)
        try:
            response = task.result()
        except DragomanError as error:
            response = own_error_response(request.scope, error)
        except Exception:
            logger.exception("an unexpected error")
            response = internal_error_response(request.scope)
        yield bytes(response.body)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
