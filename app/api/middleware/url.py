"""Normalises every request for the inner layers: its path, its method, its contract."""

from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.contract import SCOPE_KEY, Contract, chosen_prefix, find_contract, local_path


class NormalizedRequest:
    """The outermost middleware.

    Everything is served under a prefix, too, whether or not a proxy in front has taken the prefix off the path. A path
    may begin with several slashes, as those of clients do that are given a base URL with one at its end, and end with
    some: nobody is redirected, for a redirection would repeat the client's Host header. HEAD, which monitors send, is
    answered as GET; the HTTP server leaves the body out.

    Args:
        app: The application inside.
        prefix: URL prefix, empty for none.
        contracts: All contracts; each request belongs to one.
    """

    def __init__(self, app: ASGIApp, prefix: str, contracts: Sequence[Contract]) -> None:
        self.app, self._prefix, self._contracts = app, prefix, contracts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] == "http" and SCOPE_KEY not in scope:  # else the server has done it
            scope = normalized(scope, self._prefix, self._contracts)
        await self.app(scope, receive, send)


def normalized(scope: Scope, prefix: str, contracts: Sequence[Contract]) -> Scope:
    """Returns the scope of a request as the inner layers need it."""
    path = "/" + scope["path"].strip("/")
    raw_path = b"/" + (scope.get("raw_path") or b"").strip(b"/")
    if path == prefix:
        path, raw_path = path + "/", raw_path + b"/"
    elif not path.startswith(f"{prefix}/"):  # a path includes root_path, says ASGI
        path, raw_path = prefix + path, prefix.encode() + raw_path
    chosen = chosen_prefix(path.removeprefix(prefix), scope.get("query_string", b""), contracts)
    if chosen:
        begin = prefix + chosen
        path = begin + path.removeprefix(prefix)
        raw_path = begin.encode() + raw_path.removeprefix(prefix.encode())
    scope = {**scope, "root_path": prefix, "path": path, "raw_path": raw_path}
    scope["method"] = "GET" if scope["method"] == "HEAD" else scope["method"]
    scope[SCOPE_KEY] = find_contract(local_path(scope), contracts)
    return scope
