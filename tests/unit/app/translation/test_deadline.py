"""A deadline ends a stream of events at any moment."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from app.errors import DeadlineExceeded
from app.translation.deadline import within


async def numbers(closed: list[bool], waits: asyncio.Event | None = None) -> AsyncGenerator[int, None]:
    try:
        yield 1
        if waits:
            await waits.wait()
        yield 2
    finally:
        closed.append(True)


@pytest.mark.parametrize("deadline_s", [None, 60.0])
async def test_events_within_the_deadline_pass(deadline_s):
    closed: list[bool] = []
    assert [number async for number in within(numbers(closed), deadline_s)] == [1, 2]
    assert closed


@pytest.mark.parametrize("deadline_s", [0.0, 0.01])
async def test_a_deadline_that_passes_ends_the_stream_and_closes_what_it_waits_for(deadline_s):
    closed: list[bool] = []
    with pytest.raises(DeadlineExceeded):
        async for _ in within(numbers(closed, asyncio.Event()), deadline_s):
            pass
    assert closed or deadline_s == 0.0  # at 0 the generator may not have begun
