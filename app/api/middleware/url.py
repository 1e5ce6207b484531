"""What the endpoints need not know of URLs and methods: prefixes, surplus slashes, HEAD."""

from starlette.types import ASGIApp, Receive, Scope, Send


class UrlPrefix:
    """Serves everything under a prefix too, whether or not a proxy in front has taken the prefix off the path.

    A path may begin with several slashes, as those of clients do that are given a base URL with one at its end, and end
    with some: nobody is redirected, for a redirection would repeat the client's Host header.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] == "http":
            path = "/" + scope["path"].strip("/")
            raw_path = b"/" + (scope.get("raw_path") or b"").strip(b"/")
            if path == self.prefix:
                path, raw_path = path + "/", raw_path + b"/"
            elif not path.startswith(f"{self.prefix}/"):  # a path includes root_path, says ASGI
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
