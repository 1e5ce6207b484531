"""Admission control: while the queue is full, translations are refused before their body is read."""

import logging
import math
import time
from collections.abc import Callable, Sequence

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.access import PRIORITY_HEADER
from app.api.contract import contract_of, local_path
from app.api.error_responses import own_error_response
from app.api.middleware.cors import cross_origin_headers
from app.api.middleware.request_context import identity
from app.engine.interface import TranslationEngine
from app.errors import Overloaded
from app.fairness import arrivals
from app.priority import Priority, priority

logger = logging.getLogger(__name__)

_NOTE_EVERY_S = 10.0
_PRIORITY, _BULK = PRIORITY_HEADER.lower().encode(), Priority.BULK.value.encode()


class Refusals:
    """Refuses translations while the queue is full, before any other work: a refusal must be cheap.

    A refused request is counted but not logged, because the lines would drown all others.

    Args:
        engine: Knows whether its queue is full.
        observe: Counts a request, by endpoint, status and seconds.
        origins: As ``CrossOrigin``'s.
    """

    def __init__(
        self, engine: TranslationEngine, observe: Callable[[str, int, float], None], origins: Sequence[str]
    ) -> None:
        self._engine, self._observe, self._origins = engine, observe, frozenset(origins)
        self._noted_s = -math.inf

    def of(self, scope: Scope) -> Response | None:
        """Returns the answer to a translation that is refused; None for any other request."""
        # Always: a pipelined request begins in the context of the one before it.
        priority.set(Priority.BULK if _is_bulk(scope) else Priority.NORMAL)
        try:
            self._engine.reject_if_overloaded()
        except Overloaded as error:
            response = own_error_response(scope, error, identity(scope))
            response.raw_headers += cross_origin_headers(scope, self._origins)
            self._note(local_path(scope), response.status_code)
            return response
        return None

    def _note(self, path: str, status: int) -> None:
        self._observe(path, status, 0.0)
        now = time.monotonic()
        if now - self._noted_s > _NOTE_EVERY_S:
            self._noted_s = now
            logger.warning("the queue is full; requests are refused")


class Admission:
    """Lets requests in that are not refused.

    Args:
        app: The application inside.
        refusals: Refuses translations.
    """

    def __init__(self, app: ASGIApp, refusals: Refusals) -> None:
        self.app, self._refusals = app, refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if not (scope["type"] == "http" and translates(scope)):
            await self.app(scope, receive, send)
        elif refusal := self._refusals.of(scope):
            await refusal(scope, receive, send)
        else:
            with arrivals.Arrival():
                await self.app(scope, receive, send)


def translates(scope: Scope) -> bool:
    """Tells whether a request, whose contract was found, is one for a translation."""
    return scope["method"] == "POST" and local_path(scope) in contract_of(scope).translating_paths


def _is_bulk(scope: Scope) -> bool:
    """Tells whether a request says that it isn't urgent: that is believed before anything is known of its key."""
    return any(name == _PRIORITY and value.strip().lower() == _BULK for name, value in scope["headers"])
