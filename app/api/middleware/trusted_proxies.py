"""Believes what the operator's proxies say of a request: which client it is from, and who has signed in."""

from collections.abc import Collection
from typing import Any, cast

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

_SIGNED_IN = "dragoman.signed_in"
_FROM_OTHER_SITES = {"cross-site", "same-site"}


class TrustedProxies:
    """Reads ``X-Forwarded-For``, ``X-Forwarded-Proto`` and the header of who has signed in; from trusted proxies only.

    A browser sends the cookies of the proxy's sign-in with whatever another site lets it request. ``Sec-Fetch-Site``
    (W3C, Fetch Metadata Request Headers) tells: such a request is as one of somebody who hasn't signed in.

    Args:
        app: The application inside.
        proxies: Addresses and networks of the proxies.
        sign_in_header: The header; None if the proxies sign nobody in.
    """

    def __init__(self, app: ASGIApp, proxies: Collection[str], sign_in_header: str | None) -> None:
        self._inside = ProxyHeadersMiddleware(cast(Any, app), [*proxies])
        self._header = sign_in_header.lower() if sign_in_header else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        peer = scope.get("client")
        if self._header and scope["type"] == "http" and peer and peer[0] in self._inside.trusted_hosts:
            headers = Headers(scope=scope)
            if headers.get("Sec-Fetch-Site") not in _FROM_OTHER_SITES:
                scope[_SIGNED_IN] = [
                    f"{self._header}:{value}" for value in _values(self._header, headers.getlist(self._header))
                ]
        await self._inside(cast(Any, scope), cast(Any, receive), cast(Any, send))


def signed_in(request: HTTPConnection) -> list[str]:
    """Returns the names of the keys that stand for whoever has signed in, as ``header:value``; none for all others."""
    names: list[str] = request.scope.get(_SIGNED_IN, [])
    return names


def _values(header: str, lines: list[str]) -> list[str]:
    """Returns the values of a header: of groups, several between commas (Authelia, oauth2-proxy) or bars (authentik).

    The value of another header is one name: somebody who calls himself "x,boss" is not the boss.
    """
    text = ",".join(lines).encode("latin-1").decode(errors="replace")  # Starlette reads bytes as Latin-1
    values = text.replace("|", ",").split(",") if "group" in header else [text]
    return [value for part in values if (value := part.strip()) and value.isprintable()]
