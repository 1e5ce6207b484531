"""How the server accepts connections, and when it looks through all objects for garbage."""

import asyncio
import gc
import socket
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
import uvicorn
import uvloop

from app.cli.server import _bind, _Server
from app.edge.connections import Connections, Limits
from app.edge.protocol import BoundedProtocol
from app.errors import ConfigurationError


class Node:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


def garbage() -> weakref.ref[Node]:
    """As old as it gets: what has survived a full collection is looked at again only by the next one."""
    node = Node()
    gc.collect()
    return weakref.ref(node)


@pytest.fixture
def server() -> Iterator[_Server]:
    thresholds = gc.get_threshold()
    gc.disable()  # nothing else may free it
    yield _Server(uvicorn.Config("unused"), announce=lambda: None, on_hangup=None, drain_s=0.0)
    gc.enable()
    gc.set_threshold(*thresholds)


def look(server: _Server) -> None:
    notify: Callable[[], Any] | None = server.config.callback_notify
    assert notify
    asyncio.run(notify())


def test_garbage_is_collected_when_nobody_waits(server: _Server) -> None:
    old = garbage()
    server.server_state.tasks.add(object())  # type: ignore[arg-type]
    look(server)
    assert old() is not None
    server.server_state.tasks.clear()
    look(server)
    assert old() is None


def test_a_server_that_is_always_busy_collects_garbage_too(server: _Server) -> None:
    old = garbage()
    server.server_state.tasks.add(object())  # type: ignore[arg-type]
    for _ in range(59):
        look(server)
    assert old() is not None
    look(server)
    assert old() is None


def test_many_connections_are_accepted_in_a_few_rounds_of_the_loop() -> None:
    accepted: list[asyncio.BaseTransport] = []

    class Accepting(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.append(transport)

    async def rounds(stack: ExitStack) -> int:
        listeners = [stack.enter_context(listener) for listener in _bind("127.0.0.1", 0)]
        servers = [await asyncio.get_running_loop().create_server(Accepting, sock=listener) for listener in listeners]
        for _ in range(64):
            stack.enter_context(socket.create_connection(listeners[0].getsockname()))
        made = 0
        while len(accepted) < 64:
            await asyncio.sleep(0)
            made += 1
        for transport in accepted:
            transport.close()
        for server in servers:
            server.close()
        return made

    with ExitStack() as stack:
        assert uvloop.run(rounds(stack)) < 32


def test_a_port_that_another_server_has_is_an_error() -> None:
    with ExitStack() as stack:
        listeners = [stack.enter_context(listener) for listener in _bind("127.0.0.1", 0)]
        for listener in listeners:
            listener.listen()
        with pytest.raises(ConfigurationError, match="in use"):
            _bind("127.0.0.1", listeners[0].getsockname()[1])


async def answering(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


def test_requests_on_connections_that_nobody_has_accepted_are_answered_before_the_end() -> None:
    """As when a busy process gets SIGTERM: the system has made connections, and the loop has not come to them."""

    async def ends(stack: ExitStack) -> list[bytes]:
        http: Any = partial(BoundedProtocol, Connections(Limits()))
        config = uvicorn.Config(answering, http=http, lifespan="off", log_config=None, interface="asgi3")
        server = _Server(config, announce=lambda: None, on_hangup=None, drain_s=20.0)
        config.load()
        server.lifespan = config.lifespan_class(config)
        listeners = [stack.enter_context(listener) for listener in _bind("127.0.0.1", 0)]
        await uvicorn.Server.startup(server, sockets=listeners)
        address = listeners[0].getsockname()
        clients = [stack.enter_context(socket.create_connection(address)) for _ in range(64)]
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.shutdown(listeners)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
        return [client.recv(15) for client in clients]

    with ExitStack() as stack:
        assert set(uvloop.run(ends(stack))) == {b"HTTP/1.1 200 OK"}
