"""Cross-origin resource sharing, as LibreTranslate allows it."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
