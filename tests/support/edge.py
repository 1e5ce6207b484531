"""A server with the bounded protocol alone, without uvicorn's around it, for tests of its connections."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, cast

import uvicorn
from uvicorn.server import ServerState

from app.edge.connections import Connection, Connections, Limits, check_all
from app.edge.protocol import BoundedProtocol

HOST = b"Host: x\r\n"
LIMITS = Limits(head_bytes=1_000, unfinished=3, pipelined=5)
LATER_S = 3_600.0


class Edge:
    """A server on a free port whose application answers with the length of the body, or waits at ``/wait``."""

    def __init__(self) -> None:
        self.connections = Connections(LIMITS)
        self.state = ServerState()
        self.port = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.waiting, self.gone = asyncio.Event(), asyncio.Event()

    async def app(self, scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
        body, more = b"", scope["path"] != "/early"
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.gone.set()
                return
            body, more = body + message["body"], message["more_body"]
        if scope["path"] == "/wait":
            self.waiting.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            self.gone.set()
            return
        answer = b"x" * 8_000_000 if scope["path"] == "/large" else b"%d" % len(body)
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", b"%d" % len(answer))],
            }
        )
        await send({"type": "http.response.body", "body": answer})

    def check(self, after_s: float = 0.0) -> None:
        """Runs the server's check of every second at a later time."""
        now = asyncio.get_running_loop().time()
        check_all(cast(set[Connection], self.state.connections), now + after_s)

    def end(self) -> None:
        """As uvicorn does after SIGTERM."""
        for connection in list(self.state.connections):
            connection.shutdown()

    async def connect(self, data: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        writer.write(data)
        self.writers.append(writer)
        return reader, writer

    async def answer(self, data: bytes) -> bytes:
        reader, _ = await self.connect(data)
        return await reader.read()

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            await asyncio.sleep(0)


@asynccontextmanager
async def serving() -> AsyncIterator[Edge]:
    edge = Edge()
    config = uvicorn.Config(cast(Any, edge.app), interface="asgi3", log_config=None)
    config.load()
    new = partial(BoundedProtocol, edge.connections, config, edge.state, {})
    async with asyncio.timeout(30), await asyncio.get_running_loop().create_server(new, "127.0.0.1", 0) as server:
        edge.port = server.sockets[0].getsockname()[1]
        yield edge
        for connection in list(edge.state.connections):
            connection.give_way()  # type: ignore[union-attr]
        await edge.until(lambda: not edge.state.connections and not edge.state.tasks)
        for writer in edge.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def run(test: Callable[[Edge], Awaitable[None]]) -> None:
    async def served() -> None:
        async with serving() as edge:
            await test(edge)

    asyncio.run(served())


def post(path: bytes, body: bytes, *headers: bytes) -> bytes:
    lines = [b"POST " + path + b" HTTP/1.1", b"Host: x", b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body
