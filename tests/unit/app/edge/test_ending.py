"""What becomes of connections when the server ends."""

import os
from dataclasses import replace

import pytest

from tests.support.edge import LATER_S, LIMITS, Edge, post, run


@pytest.mark.parametrize("begun", [b"", b"GET / HTT"], ids=["nothing", "half a head"])
def test_a_request_that_is_on_its_way_at_the_end_is_answered(begun: bytes) -> None:
    async def test(edge: Edge) -> None:
        edge.connections.limits = replace(LIMITS, ending_s=LATER_S)
        reader, writer = await edge.connect(begun)
        await edge.until(lambda: edge.state.connections and bool(begun) == bool(edge.connections.unfinished))
        edge.end()
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".removeprefix(begun))
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200") and b"connection: close" in answer

    run(test)


def test_a_request_that_came_unseen_before_the_end_is_answered() -> None:
    async def test(edge: Edge) -> None:
        edge.connections.limits = replace(LIMITS, ending_s=0.0)
        reader, writer = await edge.connect(post(b"/", b"a"))
        assert await reader.readuntil(b"\r\n\r\n") and await reader.readexactly(1) == b"1"
        await edge.until(lambda: edge.connections.idle)
        # Behind the back of the event loop, which has not seen the bytes when the end begins.
        os.write(writer.get_extra_info("socket").fileno(), post(b"/", b"ab"))
        edge.end()
        assert (await reader.read()).endswith(b"\r\n\r\n2")

    run(test)


def test_at_the_end_idle_connections_close_at_once_and_others_in_time() -> None:
    async def test(edge: Edge) -> None:
        edge.connections.limits = replace(LIMITS, ending_s=LATER_S)
        idle, _ = await edge.connect(post(b"/", b"a"))
        assert await idle.readuntil(b"\r\n\r\n1") and await edge.until(lambda: edge.connections.idle) is None
        edge.end()
        assert await idle.read() == b""
        edge.connections.limits = replace(LIMITS, ending_s=0.0)
        silent, _ = await edge.connect()
        half, _ = await edge.connect(b"GET / HTT")
        await edge.until(lambda: len(edge.state.connections) == 2 and edge.connections.unfinished)
        edge.end()
        assert await silent.read() == b""
        assert (await half.read()).startswith(b"HTTP/1.1 408")

    run(test)
