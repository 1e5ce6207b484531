"""Serves the tools over stdio, or over streamable HTTP at ``/mcp``."""

import socket
from pathlib import Path

import uvicorn

from app.mcp.client import Client, server_elsewhere, server_here
from app.mcp.tools import build
from app.settings import Settings

_BASE64 = 4 / 3
_REST_BYTES = 1 << 20


class _Server(uvicorn.Server):
    """Tells on stdout where agents reach it, as soon as they do."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        print(f"Agents reach Dragoman at http://{f'[{host}]' if ':' in host else host}:{port}/mcp", flush=True)


async def serve(
    settings: Settings, *, server: str | None, key: str | None, folder: Path | None, address: tuple[str, int] | None
) -> None:
    """Serves until the agent leaves, or over HTTP until the process is interrupted.

    Args:
        settings: Of the server in this process.
        server: Address of a running server to use instead.
        key: The API key for agents that send none; None for none.
        folder: Where agents may read and write files; None for nowhere.
        address: Host and port for HTTP; None for stdio.
    """
    async with server_elsewhere(server) if server else server_here(settings) as http:
        tools = build(Client(http, key), folder)
        if address is None:
            await tools.run_stdio_async()
        else:
            host, port = address
            most = int(settings.max_document_bytes * _BASE64) + _REST_BYTES
            app = tools.streamable_http_app(host=host, max_request_body_size=most)
            await _Server(uvicorn.Config(app, host=host, port=port, log_config=None, access_log=False)).serve()
