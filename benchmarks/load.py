"""Load on an HTTP server: a closed loop of clients, or an open loop with Poisson arrivals.

The open loop sends on schedule, whether answers come or not, and counts latency from the moment at which a request was
due: neither a server that stalls nor a generator that lags can hide it ("coordinated omission", Gil Tene, How NOT to
Measure Latency, 2015). In the closed loop each client, with a connection of its own, sends its next request as soon as
it has an answer; the first seconds, in which the server fills up, don't count.
"""

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import aiohttp


class Answer(NamedTuple):
    """The answer: the HTTP status, 0 for nothing within the time limit or a broken connection."""

    status: int
    retry_after: bool = False


class Request(NamedTuple):
    """One request, in seconds since the load began."""

    due_s: float
    sent_s: float
    done_s: float
    answer: Answer

    @property
    def latency_ms(self) -> float:
        """Milliseconds from the time when it was due."""
        return 1000 * (self.done_s - self.due_s)


Send = Callable[[bytes], Awaitable[Answer]]
Connect = Callable[[], AbstractAsyncContextManager[Send]]
"""Opens what requests are sent through; closes it, with its connections, in the end."""


@dataclass(frozen=True)
class Run:
    """A finished load.

    Attributes:
        begin_s: Time from which answers count.
        end_s: When the last request was sent; answers came for longer.
        requests: Requests answered after ``begin_s``, in the order of their answers.
        generator_cpu: Share of a core that the generator used while it sent; near 1 the figures are the generator's.
    """

    begin_s: float
    end_s: float
    requests: Sequence[Request]
    generator_cpu: float

    def answered(self, status: int) -> list[Request]:
        """The requests with that status."""
        return [request for request in self.requests if request.answer.status == status]

    @property
    def per_s(self) -> float:
        """Answers with 200 a second, while requests were sent."""
        return sum(request.done_s <= self.end_s for request in self.answered(200)) / (self.end_s - self.begin_s)

    @property
    def errors(self) -> int:
        """Requests answered with another status, or not at all."""
        return len(self.requests) - len(self.answered(200))

    @property
    def lag_ms(self) -> float:
        """How late the generator sent, 99th percentile."""
        return percentile([1000 * (request.sent_s - request.due_s) for request in self.requests], 99)

    def latency_ms(self, percent: float, status: int = 200) -> float:
        """Percentile of the latencies of the requests answered with that status."""
        return percentile([request.latency_ms for request in self.answered(status)], percent)


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that ``percent`` % of the values don't exceed (nearest rank); NaN if there are none."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


class _Load:
    """Sends requests and keeps their times."""

    def __init__(self) -> None:
        self._began, self._cpu_began = time.perf_counter(), time.process_time()
        self._requests: list[Request] = []
        self._cpu: float | None = None

    def now(self) -> float:
        return time.perf_counter() - self._began

    async def request(self, send: Send, body: bytes, due_s: float) -> None:
        sent_s = self.now()
        answer = await send(body)
        self._requests.append(Request(due_s, sent_s, self.now(), answer))

    def sent_all(self) -> None:
        """Note when the first client has nothing more to send."""
        if self._cpu is None:
            self._cpu = (time.process_time() - self._cpu_began) / self.now()

    def run(self, begin_s: float, end_s: float) -> Run:
        assert self._cpu is not None
        return Run(begin_s, end_s, [request for request in self._requests if request.done_s > begin_s], self._cpu)


async def closed_loop(
    connect: Connect, bodies: Iterator[bytes], *, clients: int, ramp_s: float = 0.0, seconds: float = math.inf
) -> Run:
    """Let ``clients`` clients send one request after the other, as long as there are bodies and time.

    Args:
        connect: Called once for each client.
        bodies: What to send; the clients share it.
        clients: Requests in flight.
        ramp_s: Seconds that don't count, at the beginning.
        seconds: Seconds that do.
    """
    load = _Load()

    async def client() -> None:
        async with connect() as send:
            while (due_s := load.now()) < ramp_s + seconds and (body := next(bodies, None)) is not None:
                await load.request(send, body, due_s)
            load.sent_all()

    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(client())
    return load.run(ramp_s, min(ramp_s + seconds, load.now()))


async def open_loop(
    connect: Connect, bodies: Iterator[bytes], *, arrivals: Sequence[float], ramp_s: float, seconds: float
) -> Run:
    """Send a request at each of the ``arrivals``, in seconds from now, and wait for all answers.

    The other arguments are those of ``closed_loop``.
    """
    load = _Load()
    async with connect() as send, asyncio.TaskGroup() as group:
        for due_s, body in zip(arrivals, bodies, strict=False):
            # Also when late: requests start and answers are read only while this waits.
            await asyncio.sleep(max(0.0, due_s - load.now()))
            group.create_task(load.request(send, body, due_s))
        load.sent_all()
    return load.run(ramp_s, ramp_s + seconds)


def poisson_arrivals(rate: float, seconds: float, seed: int) -> list[float]:
    """Times, in seconds, of a Poisson process with ``rate`` arrivals a second."""
    generator = random.Random(seed)
    times = [generator.expovariate(rate)]
    while times[-1] < seconds:
        times.append(times[-1] + generator.expovariate(rate))
    return times[:-1]


@asynccontextmanager
async def json_sender(url: str, timeout_s: float) -> AsyncIterator[Send]:
    """Posts JSON over connections that stay open until the context ends, as many as there are requests in flight."""
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=timeout_s)
    ) as session:

        async def send(body: bytes) -> Answer:
            try:
                async with session.post(url, data=body, headers=headers) as response:
                    await response.read()
                    return Answer(response.status, "Retry-After" in response.headers)
            except (aiohttp.ClientError, TimeoutError):
                return Answer(0)

        yield send
