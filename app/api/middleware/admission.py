"""Admission control: while the queue is full, translations are refused before their body is read."""

import logging
import math
import time
from collections.abc import Callable, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.access import PRIORITY_HEADER
from app.api.contract import contract_of, local_path
from app.api.error_responses import own_error_response, status_of
from app.api.middleware.cors import CrossOrigin
from app.api.middleware.request_context import identity
from app.engine.interface import TranslationEngine
from app.errors import Overloaded
from app.fairness import arrivals
from app.priority import Priority, priority

logger = logging.getLogger(__name__)

_NOTE_EVERY_S = 10.0
_PRIORITY, _BULK = PRIORITY_HEADER.lower().encode(), Priority.BULK.value.encode()


class Admission:
    """Refuses translations while the queue is full, before any other work: a refusal must be cheap.

    A refused request is counted but not logged, because the lines would drown all others.

    Args:
        app: The application inside.
        engine: Knows whether its queue is full.
        observe: Counts a request, by endpoint, status and seconds.
        origins: As ``CrossOrigin``'s.
    """

    def __init__(
        self,
        app: ASGIApp,
        engine: TranslationEngine,
        observe: Callable[[str, int, float], None],
        origins: Sequence[str],
    ) -> None:
        self.app, self._engine, self._observe = app, engine, observe
        self._refuse = CrossOrigin(_refuse, origins)
        self._noted_s = -math.inf

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] == "http" and scope["method"] == "POST":
            path = local_path(scope)
            if path in contract_of(scope).translating_paths:
                # Always: a pipelined request begins in the context of the one before it.
                priority.set(Priority.BULK if _is_bulk(scope) else Priority.NORMAL)
                try:
                    self._engine.reject_if_overloaded()
                except Overloaded as error:
                    self._note(path, status_of(scope, error))
                    await self._refuse({**scope, "refusal": error}, receive, send)
                    return
                with arrivals.Arrival():
                    await self.app(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _note(self, path: str, status: int) -> None:
        self._observe(path, status, 0.0)
        now = time.monotonic()
        if now - self._noted_s > _NOTE_EVERY_S:
            self._noted_s = now
            logger.warning("the queue is full; requests are refused")


def _is_bulk(scope: Scope) -> bool:
    """Tells whether a request says that it isn't urgent: that is believed before anything is known of its key."""
    return any(name == _PRIORITY and value.strip().lower() == _BULK for name, value in scope["headers"])


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await own_error_response(scope, scope["refusal"], identity(scope))(scope, receive, send)
