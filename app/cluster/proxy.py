"""Mends the answers of Ray's HTTP proxies, which run in front of the ingresses of ``serve run``.

Ray calls ``middlewares`` where ``RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH=app.cluster.proxy.middlewares`` is set.
"""

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.contract import find_contract
from app.errors import EngineUnavailable
from app.main import CONTRACTS

_RETRY_AFTER = {"Retry-After": "1"}


def middlewares() -> list[Middleware]:
    """Returns the middleware that Ray's proxies install."""
    return [Middleware(LostIngress)]


class LostIngress:
    """Answers 503 with ``Retry-After`` if an ingress dies with a request; Ray's proxy would answer 500.

    Args:
        app: The proxy.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if message["status"] == 503:
                    headers = MutableHeaders(scope=message)
                    headers.setdefault("Retry-After", _RETRY_AFTER["Retry-After"])
            await send(message)

        await self.app(scope, receive, watch)
        if not started:
            contract = find_contract(scope["path"], CONTRACTS)
            body = contract.error_body("The server was lost; try again in a moment.", EngineUnavailable.code)
            await JSONResponse(body, 503, _RETRY_AFTER)(scope, receive, send)
