"""Work on what arrives, side by side, with results in the order of arrival."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Generic, TypeVar

Arrival = TypeVar("Arrival")
Result = TypeVar("Result")

AHEAD = 64
"""Results that may be under way, or wait for the first of them."""


class Stage(Generic[Arrival, Result]):
    """An asynchronous iterator over the results of what arrives.

    It reads on while results are under way, but not without bound. What is ready at once takes no task.

    Args:
        arrivals: What arrives. An error of it comes after the results before it.
        begin: Returns the result of an arrival, or a task that makes it.
    """

    def __init__(
        self,
        arrivals: AsyncGenerator[Arrival, None],
        begin: Callable[[Arrival], Result | asyncio.Task[Result]],
    ) -> None:
        self._arrivals, self._begin = arrivals, begin
        self._under_way: deque[Result | asyncio.Task[Result]] = deque()
        self._reading: asyncio.Task[None] | None = None
        self._end: Exception | None = None

    def __aiter__(self) -> "Stage[Arrival, Result]":
        return self

    async def __anext__(self) -> Result:
        while not self._under_way:
            if self._end:
                raise self._end
            await (self._reading or self._read())
            self._reading = None
        while isinstance(first := self._under_way[0], asyncio.Task):
            if first.done() or self._end or len(self._under_way) >= AHEAD:
                result: Result = await first
                self._under_way.popleft()
                return result
            self._reading = self._reading or asyncio.create_task(self._read())
            await asyncio.wait((first, self._reading), return_when=asyncio.FIRST_COMPLETED)
            if self._reading.done():
                self._reading = None
        self._under_way.popleft()
        return first

    async def _read(self) -> None:
        """Begins the work on the next arrival."""
        try:
            self._under_way.append(self._begin(await anext(self._arrivals)))
        except Exception as end:  # the usual end, too: StopAsyncIteration
            self._end = end

    async def aclose(self) -> None:
        """Ends the work under way, then what it came from."""
        tasks = [each for each in (self._reading, *self._under_way) if isinstance(each, asyncio.Task)]
        for task in tasks:
            task.cancel()
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            self._reading, self._end = None, StopAsyncIteration()  # an error refers to its frame, and that to this
            self._under_way.clear()
            await self._arrivals.aclose()
