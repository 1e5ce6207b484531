"""Plain ASGI middleware: request ids, access lines, URL prefix, CORS headers, an answer for unexpected exceptions.

Starlette's BaseHTTPMiddleware is avoided: it puts itself between the client's disconnect and the endpoint.
"""

import asyncio
import logging
import math
import random
import re
import time
from collections.abc import Callable, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.error_responses import STATUS, internal_error_response, is_deepl, own_error_response
from app.api.metrics import Metrics
from app.engine.interface import TranslationEngine
from app.errors import EngineUnavailable, Overloaded
from app.logs import request_id

logger = logging.getLogger(__name__)

_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")


_REQUEST_ID, _TRACE_ID = "X-Request-ID", "X-Trace-ID"
_TRANSLATING = frozenset({"/translate", "/v2/translate"})
_NOTE_EVERY_S = 10.0


def _identity(scope: Scope) -> dict[str, str]:
    """The headers that name a request."""
    offered = Headers(scope=scope).get(_REQUEST_ID, "")
    own = f"{random.getrandbits(128):032x}"  # nothing secret: the system's entropy would cost more than it is worth
    identifier = offered if _ACCEPTABLE_ID.fullmatch(offered) else own
    return {_REQUEST_ID: identifier, **({_TRACE_ID: own.upper()} if is_deepl(scope) else {})}


class RequestContext:
    """Gives every request an id, taken from ``X-Request-ID`` if usable, and returns it; counts it, and logs a line.

    DeepL's clients also get ``X-Trace-ID``, as their contract has it, and the line names it. The line holds the route's
    template, never the path or the query string, which may contain the text to translate.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        identity = _identity(scope)
        trace_id = identity.get(_TRACE_ID)
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(identity)
            await send(message)

        token = request_id.set(identity[_REQUEST_ID])
        started = time.perf_counter()
        try:
            with self._metrics.requests_in_flight.track_inprogress():
                await self.app(scope, receive, send_with_id)
        finally:
            seconds = time.perf_counter() - started
            # The router leaves the route it found; a path of nobody's is neither a label nor to be trusted with a text.
            endpoint = getattr(scope.get("route"), "path", "unknown")
            self._metrics.observe_request(endpoint, status, seconds)
            logger.info(
                "request",
                extra={
                    "method": scope["method"],
                    "endpoint": endpoint,
                    "status": status,
                    "duration_ms": round(seconds * 1000, 1),
                    **({"trace_id": trace_id} if trace_id else {}),
                },
            )
            request_id.reset(token)


class Admission:
    """Refuses translations while the queue is full, before anything is done for them: overload must cost little.

    What is refused here is counted, but has no line of its own in the log, where it would drown all else.

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
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if path in _TRANSLATING and scope.get("method") == "POST":
            try:
                self._engine.turn_away()
            except Overloaded as error:
                self._observe(path, STATUS[Overloaded], 0.0)
                now = time.monotonic()
                if now - self._noted_s > _NOTE_EVERY_S:
                    self._noted_s = now
                    logger.warning("the queue is full: requests are refused")
                await self._refuse({**scope, "refusal": error}, receive, send)
                return
        await self.app(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await own_error_response(scope, scope["refusal"], _identity(scope))(scope, receive, send)


class UrlPrefix:
    """Serves everything under a prefix too, whether or not a proxy in front has taken the prefix off the path.

    A path may begin with several slashes, as those of clients do that are given a base URL with one at its end.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] == "http":
            path = "/" + scope["path"].lstrip("/")
            raw_path = b"/" + (scope.get("raw_path") or b"").lstrip(b"/")
            if path != self.prefix and not path.startswith(f"{self.prefix}/"):  # a path includes root_path, says ASGI
                path, raw_path = self.prefix + path, self.prefix.encode() + raw_path
            scope = {**scope, "root_path": self.prefix, "path": path, "raw_path": raw_path}
        await self.app(scope, receive, send)


class HeadAsGet:
    """Answers HEAD as GET, which monitors ask for; the HTTP server leaves the body out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        await self.app({**scope, "method": "GET"} if scope.get("method") == "HEAD" else scope, receive, send)


_CROSS_ORIGIN = [
    (b"access-control-allow-headers", b"Authorization, Content-Type"),
    (
        b"access-control-expose-headers",
        b"Authorization, Retry-After, Server-Timing, X-Request-ID, X-Dragoman-Pivot, X-Dragoman-Warnings",
    ),
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-credentials", b"true"),
    (b"access-control-max-age", b"1728000"),
]


class CrossOrigin:
    """Puts LibreTranslate's CORS headers on every response and answers every OPTIONS request with 204.

    Args:
        app: The application inside.
        origins: Origins that may read the answers, or only ``*`` for any.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self.app = app
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = self._headers(Headers(scope=scope).get("origin"))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        if scope["method"] == "OPTIONS":
            await Response(status_code=204)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)

    def _headers(self, origin: str | None) -> list[tuple[bytes, bytes]]:
        if "*" in self.origins:
            return [*_CROSS_ORIGIN, (b"access-control-allow-origin", b"*")]
        allowed = (
            [(b"access-control-allow-origin", origin.encode("latin-1"))] if origin in self.origins and origin else []
        )
        return [*_CROSS_ORIGIN, *allowed, (b"vary", b"Origin")]


class UnexpectedErrors:
    """Answers an exception that nobody expected with a 500 that tells nothing, and logs where it was raised.

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
