"""The load generator: who waits for whom, and from when a latency counts. Senders here are controlled by the test."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise, repeat
from statistics import mean

import pytest

from benchmarks.load import Answer, Connect, Request, Run, Send, closed_loop, open_loop, percentile, poisson_arrivals

BODY = b"{}"


def connecting(send: Send) -> Connect:
    @asynccontextmanager
    async def connect() -> AsyncIterator[Send]:
        yield send

    return connect


async def test_open_loop_sends_on_schedule_without_waiting_for_answers() -> None:
    everybody_is_here = asyncio.Event()
    waiting = 0

    async def send(body: bytes) -> Answer:
        nonlocal waiting
        waiting += 1
        if waiting == 20:
            everybody_is_here.set()
        await everybody_is_here.wait()
        return Answer(200)

    run = await open_loop(connecting(send), repeat(BODY), arrivals=[0.001 * n for n in range(20)], ramp_s=0, seconds=1)
    assert len(run.answered(200)) == 20


async def test_open_loop_counts_latency_from_when_a_request_was_due() -> None:
    async def send(body: bytes) -> Answer:
        return Answer(200)

    # Due before the load began: a generator that is late by that much.
    run = await open_loop(connecting(send), repeat(BODY), arrivals=[-5.0, -3.0], ramp_s=0, seconds=1)
    assert sorted(request.latency_ms // 1000 for request in run.requests) == [3, 5]
    assert run.lag_ms >= 5000


async def test_closed_loop_keeps_one_request_a_client_in_flight_until_the_bodies_end() -> None:
    in_flight = []
    now = 0

    async def send(body: bytes) -> Answer:
        nonlocal now
        now += 1
        in_flight.append(now)
        await asyncio.sleep(0)
        now -= 1
        return Answer(503, retry_after=True)

    run = await closed_loop(connecting(send), iter([BODY] * 50), clients=4)
    assert max(in_flight) == 4
    assert len(run.requests) == run.errors == len(run.answered(503)) == 50
    assert run.per_s == 0


def test_the_ramp_does_not_count_and_late_answers_count_as_latency_only() -> None:
    done_s = [0.5, 1.5, 2.5, 3.5]
    requests = [Request(due_s=0.0, sent_s=0.0, done_s=done, answer=Answer(200)) for done in done_s if done > 1]
    run = Run(begin_s=1.0, end_s=3.0, requests=requests, generator_cpu=0.0)
    assert run.per_s == 1.0
    assert run.latency_ms(100) == 3500


async def test_a_request_that_outlasts_the_ramp_is_kept() -> None:
    async def send(body: bytes) -> Answer:
        return Answer(200)

    arrivals = [-2.0, -1.0]
    counted = await open_loop(connecting(send), repeat(BODY), arrivals=arrivals, ramp_s=-1.0, seconds=2)
    left_out = await open_loop(connecting(send), repeat(BODY), arrivals=arrivals, ramp_s=60.0, seconds=2)
    assert (len(counted.requests), len(left_out.requests)) == (2, 0)


def test_poisson_arrivals_have_the_rate_and_the_spread_of_a_poisson_process() -> None:
    times = poisson_arrivals(rate=100, seconds=100, seed=1)
    assert times == sorted(times)
    assert times[-1] < 100
    gaps = [after - before for before, after in pairwise(times)]
    assert mean(gaps) == pytest.approx(0.01, rel=0.05)
    # An exponential distribution's deviation equals its mean; evenly spaced arrivals would have none.
    assert math.sqrt(mean((gap - 0.01) ** 2 for gap in gaps)) == pytest.approx(0.01, rel=0.05)
    assert poisson_arrivals(rate=100, seconds=1, seed=1) != poisson_arrivals(rate=100, seconds=1, seed=2)


@pytest.mark.parametrize(("percent", "expected"), [(0, 1), (50, 5), (51, 6), (90, 9), (91, 10), (100, 10)])
def test_percentile_is_the_nearest_rank(percent: float, expected: float) -> None:
    assert percentile([7, 3, 10, 1, 2, 9, 8, 4, 6, 5], percent) == expected


def test_percentile_of_nothing_is_not_a_number() -> None:
    assert math.isnan(percentile([], 50))
