"""Turns unexpected exceptions into responses."""

import asyncio
import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.error_responses import internal_error_response, own_error_response
from app.errors import EngineUnavailable

logger = logging.getLogger(__name__)


class UnexpectedErrors:
    """Answers an unexpected exception with a 500 without details, and logs where it was raised.

    A request that is cancelled, because the server has waited for it long enough at its end, is answered with a 503.
    It stands inside the others, so that this answer carries their headers; the framework's own handler is outside
    of all middleware.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        has_started = False

        async def send_noting_start(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, send_noting_start)
        except asyncio.CancelledError:
            if not has_started:
                error = EngineUnavailable("The server is shutting down.")
                await own_error_response(scope, error)(scope, receive, send)
            raise
        except Exception:
            if has_started:
                raise  # half an answer is out: only closing the connection can tell the client
            logger.exception("an unexpected error")
            await internal_error_response(scope)(scope, receive, send)
