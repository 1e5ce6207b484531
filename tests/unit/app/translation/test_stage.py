"""Work on what arrives: side by side, in order, bounded, and ended with whoever leaves."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import pytest

from app.errors import ModelFailure
from app.translation.stage import AHEAD, Stage


class Source:
    """Hands out numbers; remembers how far it got."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.count, self.error = count, error
        self.handed_out, self.closed = 0, False

    async def numbers(self) -> AsyncGenerator[int, None]:
        try:
            for number in range(self.count):
                self.handed_out += 1
                yield number
            if self.error:
                raise self.error
        finally:
            self.closed = True


async def results_of(source: Source, begin: Callable[[int], Any]) -> list[Any]:
    async with aclosing(Stage(source.numbers(), begin)) as stage:
        return [result async for result in stage]


async def test_results_come_in_the_order_of_arrival_whichever_is_done_first() -> None:
    gates = [asyncio.Event() for _ in range(4)]
    running: set[int] = set()

    async def work(number: int) -> int:
        running.add(number)
        if len(running) == 3:  # all that need work are under way; the last is let go first
            gates[3].set()
        await gates[number].wait()
        gates[number - 1].set()
        return -number

    found = await results_of(Source(4), lambda number: asyncio.create_task(work(number)) if number else 0)
    assert found == [0, -1, -2, -3]


async def test_what_is_ready_at_once_takes_no_task() -> None:
    before = len(asyncio.all_tasks())
    assert await results_of(Source(9), lambda number: (number, len(asyncio.all_tasks()))) == [
        (number, before) for number in range(9)
    ]


async def test_no_more_is_read_than_may_be_under_way() -> None:
    source, gate = Source(10_000), asyncio.Event()

    async def work() -> None:
        await gate.wait()

    async with aclosing(Stage(source.numbers(), lambda _: asyncio.create_task(work()))) as stage:
        first = asyncio.ensure_future(anext(stage))
        for _ in range(1_000):
            await asyncio.sleep(0)
        assert source.handed_out == AHEAD
        gate.set()
        await first
        assert source.handed_out <= AHEAD + 1
    assert source.closed


async def test_an_error_of_the_source_comes_after_the_results_before_it() -> None:
    error, gate, found = ModelFailure("broken"), asyncio.Event(), []

    async def work(number: int) -> int:
        await gate.wait()
        return number

    async with aclosing(Stage(Source(2, error).numbers(), lambda number: asyncio.create_task(work(number)))) as stage:
        asyncio.get_running_loop().call_soon(gate.set)
        with pytest.raises(ModelFailure) as caught:
            async for result in stage:
                found.append(result)
    assert found == [0, 1] and caught.value is error


async def test_an_error_of_the_work_ends_all_work_and_the_source() -> None:
    source, began, cancelled = Source(2), asyncio.Event(), asyncio.Event()

    async def work(number: int) -> None:
        if number == 0:
            await began.wait()
            raise ModelFailure("broken")
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(ModelFailure):
        await results_of(source, lambda number: asyncio.create_task(work(number)))
    assert source.closed and cancelled.is_set()


async def test_whoever_leaves_ends_the_work_and_the_source() -> None:
    source, began, cancelled = Source(2), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = asyncio.create_task(results_of(source, lambda _: asyncio.create_task(work())))
    await began.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert source.closed and cancelled.is_set()
