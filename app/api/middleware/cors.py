"""Cross-origin resource sharing, as LibreTranslate allows it."""

from collections.abc import Collection, Iterable, Sequence

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CROSS_ORIGIN = [
    (b"access-control-allow-headers", b"Authorization, Content-Type"),
    (
        b"access-control-expose-headers",
        b"Authorization, Retry-After, Server-Timing, X-Request-ID, X-Dragoman-Pivot, X-Dragoman-Warnings",
    ),
    (b"access-control-max-age", b"1728000"),
]
_FURTHER_METHODS = ("PUT", "PATCH", "DELETE")


class CrossOrigin:
    """Puts LibreTranslate's CORS headers on every response and answers every OPTIONS request with 204.

    That answer also allows PUT, PATCH and DELETE where the path has them. Credentials are only for listed origins:
    browsers refuse them where any origin is allowed (the Fetch standard, section 3.3.5).

    Args:
        app: The application inside.
        origins: Origins that may read the answers, or only ``*`` for any.
        routes: The endpoints, for their methods.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str], routes: Sequence[BaseRoute] = ()) -> None:
        self.app = app
        self._routes = routes
        self.origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_question = scope["method"] == "OPTIONS"
        headers = cross_origin_headers(scope, self.origins, self._further_methods(scope) if is_question else ())

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *headers]}
            await send(message)

        if is_question:
            await Response(status_code=204)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)

    def _further_methods(self, scope: Scope) -> list[str]:
        here = (route for route in self._routes if route.matches(scope)[0] is not Match.NONE)
        known = {method for route in here for method in getattr(route, "methods", None) or ()}
        return [method for method in _FURTHER_METHODS if method in known]


def cross_origin_headers(
    scope: Scope, origins: Collection[str], further_methods: Iterable[str] = ()
) -> list[tuple[bytes, bytes]]:
    """Returns the headers of an answer, beside GET and POST with further methods."""
    methods = (b"access-control-allow-methods", ", ".join(("GET", "POST", *further_methods)).encode())
    if "*" in origins:
        return [methods, *_CROSS_ORIGIN, (b"access-control-allow-origin", b"*")]
    allowed = []
    origin = Headers(scope=scope).get("origin")
    if origin in origins and origin:
        allowed.append((b"access-control-allow-origin", origin.encode("latin-1")))
        allowed.append((b"access-control-allow-credentials", b"true"))
    return [methods, *_CROSS_ORIGIN, *allowed, (b"vary", b"Origin")]
