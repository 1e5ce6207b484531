"""The bounds of a connection: what a client may send, and how long it may take. No test waits for a clock."""

import asyncio

import pytest

from app.edge.connections import Limits, Refusal
from tests.support.edge import LATER_S, LIMITS, Edge, post, run

H2C = (b"Upgrade: h2c", b"HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")


@pytest.mark.parametrize(
    "connection", [b"Connection: Upgrade, HTTP2-Settings, close", b"connection: close,upgrade,http2-settings"]
)
def test_an_offer_of_h2c_is_ignored_and_the_body_is_read(connection: bytes) -> None:
    async def test(edge: Edge) -> None:
        answer = await edge.answer(post(b"/", b"Hallo", connection, *H2C))
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n5")

    run(test)


def test_an_offer_of_h2c_does_not_lose_what_is_pipelined_behind_it() -> None:
    async def test(edge: Edge) -> None:
        offer = post(b"/", b"Hallo", b"Connection: Upgrade, HTTP2-Settings", *H2C)
        answer = await edge.answer(offer + offer + post(b"/", b"Hallo Welt", b"Connection: close"))
        assert [part.partition(b"\r\n\r\n")[2] for part in answer.split(b"HTTP/1.1 200")[1:]] == [b"5", b"5", b"10"]

    run(test)


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_an_offer_of_h2c_with_a_body_in_many_pieces(size: int) -> None:
    async def test(edge: Edge) -> None:
        chunk = b"%x\r\n" % size + b"a" * size + b"\r\n0\r\n\r\n"
        head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nUpgrade: h2c\r\nConnection: Upgrade, close"
        assert (await edge.answer(head + b"\r\n\r\n" + chunk)).endswith(b"\r\n\r\n%d" % size)

    run(test)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 1_000 + b" HTTP/1.1\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 1_000,
        b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 200,
        b"GET / HTTP/1.1\r\nX: " + b"a" * 5_000_000,
    ],
)
def test_a_head_that_is_too_long_is_refused_and_the_connection_closed(head: bytes) -> None:
    async def test(edge: Edge) -> None:
        reader, _ = await edge.connect(head)
        assert (await reader.readexactly(12)) == b"HTTP/1.1 431"
        await edge.until(lambda: not edge.state.connections)

    run(test)


def test_a_head_as_long_as_allowed_is_taken_however_it_comes() -> None:
    async def test(edge: Edge) -> None:
        head = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: "
        head += b"a" * (LIMITS.head_bytes - len(head) - 4) + b"\r\n\r\n"
        assert (await edge.answer(head)).startswith(b"HTTP/1.1 200")
        reader, writer = await edge.connect(head[:500])
        await edge.until(lambda: edge.connections.unfinished)
        writer.write(head[500:])
        assert (await reader.read()).startswith(b"HTTP/1.1 200")

    run(test)


def test_a_long_body_is_no_long_head() -> None:
    async def test(edge: Edge) -> None:
        body = b"a" * 3_000_000
        answer = await edge.answer(post(b"/", body) + post(b"/", body, b"Connection: close"))
        assert answer.count(b"HTTP/1.1 200") == 2 and answer.endswith(b"3000000")

    run(test)


CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("line", [b"X: 1\r\n" * 1_000_000, b"X: " + b"a" * 5_000_000])
def test_trailers_that_are_too_long_are_refused_and_the_connection_closed(line: bytes) -> None:
    async def test(edge: Edge) -> None:
        reader, _ = await edge.connect(CHUNKED + b"2\r\nHa\r\n0\r\n" + line)
        assert (await reader.readexactly(12)) == b"HTTP/1.1 431"
        await edge.until(lambda: not edge.state.connections)

    run(test)


def test_chunks_and_short_trailers_are_taken() -> None:
    async def test(edge: Edge) -> None:
        reader, writer = await edge.connect(CHUNKED)
        for _ in range(2_000):
            writer.write(b"1;a=b\r\n")
            await writer.drain()
            writer.write(b"x\r\n")
            await writer.drain()
        writer.write(b"0\r\nX: 1\r\nContent-Type: a\r\n\r\n")
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"2000")

    run(test)


@pytest.mark.parametrize(
    "part", [b"G", b"GET / HTTP/1.1\r\nHost", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nHa"]
)
def test_an_unfinished_request_is_given_time_and_then_408(part: bytes) -> None:
    async def test(edge: Edge) -> None:
        reader, _ = await edge.connect(part)
        await edge.until(lambda: edge.connections.unfinished)
        edge.check()
        assert edge.state.connections
        edge.check(LATER_S)
        assert (await reader.read()).startswith(b"HTTP/1.1 408")

    run(test)


def test_the_rest_of_a_body_that_was_answered_is_read_for_a_while() -> None:
    async def test(edge: Edge) -> None:
        reader, writer = await edge.connect(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nHa")
        assert (await reader.readexactly(12)) == b"HTTP/1.1 200"
        edge.check()
        writer.write(b"llo Wel" + post(b"/", b"Hallo", b"Connection: close"))
        assert (await reader.read()).endswith(b"\r\n\r\n5")
        reader, _ = await edge.connect(b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nHa")
        assert (await reader.readexactly(12)) == b"HTTP/1.1 200"
        edge.check(LATER_S)
        await edge.until(lambda: not edge.state.connections)

    run(test)


def test_an_answer_that_nobody_reads_is_given_up() -> None:
    async def test(edge: Edge) -> None:
        _, writer = await edge.connect(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        await edge.until(lambda: edge.state.total_requests)
        edge.check()
        assert edge.state.connections
        edge.check(LATER_S)
        await edge.until(lambda: not edge.state.connections)

    run(test)


@pytest.mark.parametrize("behind", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", post(b"/", b"a" * 1_000_000)])
def test_a_client_that_hangs_up_is_noticed_whatever_it_sent_behind(behind: bytes) -> None:
    async def test(edge: Edge) -> None:
        _, writer = await edge.connect(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n" + behind)
        await edge.waiting.wait()
        writer.transport.abort()  # type: ignore[attr-defined]
        while not edge.gone.is_set():
            edge.check()
            await asyncio.sleep(0)

    run(test)


def test_more_unfinished_requests_than_allowed_close_the_oldest() -> None:
    async def test(edge: Edge) -> None:
        readers = []
        for number in range(5):
            readers.append((await edge.connect(b"GET / HTTP/1.1\r\n"))[0])
            await edge.until(lambda number=number: len(edge.connections.unfinished) == min(3, number + 1))
        assert await readers[0].read() == b""
        await edge.until(lambda: len(edge.state.connections) == 3)
        assert not readers[2].at_eof()

    run(test)


def test_more_pipelined_requests_than_allowed_close_the_connection() -> None:
    async def test(edge: Edge) -> None:
        await edge.connect(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n" + b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 6)
        await edge.until(lambda: edge.state.total_requests or edge.gone.is_set() or not edge.state.connections)
        await edge.until(lambda: not edge.state.connections)
        assert edge.connections.pipelined == 0

    run(test)


def test_pipelined_requests_are_answered_in_order() -> None:
    async def test(edge: Edge) -> None:
        requests = [post(b"/", b"a" * size) for size in (3, 1, 2)] + [post(b"/", b"abcd", b"Connection: close")]
        answer = await edge.answer(b"".join(requests))
        assert [part.partition(b"\r\n\r\n")[2] for part in answer.split(b"HTTP/1.1 200")[1:]] == [
            b"3",
            b"1",
            b"2",
            b"4",
        ]

    run(test)


@pytest.mark.parametrize(
    ("data", "status"), [(b"garbage\r\n\r\n", 400), (b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 405)]
)
def test_what_is_no_request_is_refused_as_json(data: bytes, status: int) -> None:
    async def test(edge: Edge) -> None:
        head, _, body = (await edge.answer(data)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d" % status) and b"application/json" in head
        assert body.startswith(b'{"error": ')

    run(test)


@pytest.mark.parametrize(
    ("version", "hosts", "status"),
    [
        (b"1.1", [], 400),
        (b"1.0", [], 200),
        (b"1.1", [b"a", b"a"], 400),
        (b"1.0", [b"a", b"b"], 400),
        (b"1.1", [b"a b"], 400),
        (b"1.1", [b"a/b"], 400),
        (b"1.1", [b""], 200),
        (b"1.1", [b"[::1]:8000"], 200),
        (b"1.1", [b"m\xc3\xbcnchen.example"], 400),
    ],
)
def test_a_request_names_one_host(version: bytes, hosts: list[bytes], status: int) -> None:
    lines = [b"GET / HTTP/" + version, *(b"Host: " + host for host in hosts), b"Connection: close", b"", b""]

    async def test(edge: Edge) -> None:
        assert (await edge.answer(b"\r\n".join(lines))).startswith(b"HTTP/1.1 %d" % status)

    run(test)


def test_a_host_that_is_missing_is_named_behind_the_answer_in_progress() -> None:
    async def test(edge: Edge) -> None:
        answer = await edge.answer(post(b"/", b"ab") + b"GET / HTTP/1.1\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"\r\n\r\n2")
        answer = await edge.answer(b"GET / HTTP/1.1\r\n\r\n")
        assert b"header Host" in answer and b"invalid_http" in answer

    run(test)


def test_garbage_behind_a_request_does_not_take_its_answer() -> None:
    async def test(edge: Edge) -> None:
        answer = await edge.answer(post(b"/", b"Hallo") + b"garbage\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"5") and b"400" not in answer

    run(test)


def test_too_many_connections_close_the_one_that_has_been_idle_longest() -> None:
    async def test(edge: Edge) -> None:
        edge.connections.limits = Limits(connections=2)
        readers = []
        for number in range(3):
            readers.append((await edge.connect())[0])
            await edge.until(lambda number=number: len(edge.connections.idle) == min(2, number + 1))
        assert await readers[0].read() == b""

    run(test)


def refuse_the_path_full(edge: Edge) -> None:
    refusal = Refusal(503, [(b"content-length", b"4"), (b"retry-after", b"1")], b"full")
    edge.connections.refuse = lambda scope: refusal if scope["path"] == "/full" else None


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_a_refused_request_does_not_reach_the_application_and_the_next_one_does(size: int) -> None:
    async def test(edge: Edge) -> None:
        refuse_the_path_full(edge)
        reader, writer = await edge.connect(post(b"/full", b"a" * size))
        answer = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\nretry-after: 1\r\n\r\nfull"
        assert await reader.readexactly(len(answer)) == answer
        assert not edge.state.tasks
        await edge.until(lambda: edge.connections.idle)
        writer.write(post(b"/", b"ab", b"Connection: close"))
        assert (await reader.read()).endswith(b"\r\n\r\n2")

    run(test)


def test_refused_requests_are_answered_in_their_turn() -> None:
    async def test(edge: Edge) -> None:
        refuse_the_path_full(edge)
        requests = post(b"/full", b"a") + post(b"/", b"ab") + post(b"/full", b"a") + post(b"/", b"abc")
        answer = await edge.answer(requests + post(b"/full", b"a", b"Connection: close"))
        assert [part.rpartition(b"\r\n")[2] for part in answer.split(b"HTTP/1.1")[1:]] == [
            b"full",
            b"2",
            b"full",
            b"3",
            b"full",
        ]
        assert answer.count(b"connection: close\r\n") == 1 and edge.connections.pipelined == 0

    run(test)


def test_a_client_that_goes_before_it_is_refused_is_forgotten() -> None:
    async def test(edge: Edge) -> None:
        refuse_the_path_full(edge)
        _, writer = await edge.connect(post(b"/full", b"a") * 3)
        writer.transport.abort()
        await edge.until(lambda: not edge.state.connections)
        assert edge.connections.pipelined == 0

    run(test)
