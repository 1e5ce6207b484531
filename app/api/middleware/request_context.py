"""Names, counts and logs every request."""

import logging
import random
import re
import time

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import tracing
from app.api.contract import contract_of
from app.api.metrics import Metrics
from app.fairness.pauses import NewRequest
from app.fairness.pool import Account, account
from app.logs import request_id

logger = logging.getLogger(__name__)

_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_REQUEST_ID = "X-Request-ID"


def identity(scope: Scope) -> dict[str, str]:
    """The headers that name a request."""
    offered = Headers(scope=scope).get(_REQUEST_ID, "")
    own = f"{random.getrandbits(128):032x}"  # nothing secret: the system's entropy would cost more than it is worth
    identifier = offered if _ACCEPTABLE_ID.fullmatch(offered) else own
    trace_header = contract_of(scope).trace_header
    return {_REQUEST_ID: identifier, **({trace_header: own.upper()} if trace_header else {})}


class RequestContext:
    """Gives every request an id, taken from ``X-Request-ID`` if usable, and returns it; counts it, and logs a line.

    A contract may have a header of its own that names the request; then the line holds it too. The line holds the
    route's template, never the path or the query string, which may contain the text to translate.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = identity(scope)
        trace_id = headers.get(contract_of(scope).trace_header or "")
        own_headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *own_headers]}
            await send(message)

        token, own_account = request_id.set(headers[_REQUEST_ID]), account.set(Account())
        started = time.perf_counter()
        try:
            with (
                NewRequest(),
                self._metrics.requests_in_flight.track_inprogress(),
                tracing.entered(scope["method"], headers=Headers(scope=scope)) as span,
            ):
                try:
                    await self.app(scope, receive, send_with_id)
                finally:
                    # The router leaves the route it found. Never use an unknown path as a label: it may contain text.
                    endpoint = getattr(scope.get("route"), "path", "unknown")
                    if span:
                        span.update_name(f"{scope['method']} {endpoint}")
                        span.set_attribute("http.response.status_code", status)
        finally:
            seconds = time.perf_counter() - started
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
            account.reset(own_account)
