"""The one place where a request's deadline is enforced: it covers markup, detection and a hanging engine, too."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, TypeVar

from app.errors import DeadlineExceeded

Item = TypeVar("Item")


def deadline(seconds: float | None) -> AbstractAsyncContextManager[None]:
    """Ends what is inside the ``async with`` block after so many seconds; None for no limit.

    Raises:
        DeadlineExceeded: It was not done by then.
    """
    return _Deadline(seconds)


class _Deadline:
    """A class, because an event loop keeps account of each asynchronous generator, which costs more."""

    def __init__(self, seconds: float | None) -> None:
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._timeout.__aexit__(*error)
        except TimeoutError:
            raise _exceeded() from None
        if error[0] is not None and issubclass(error[0], TimeoutError):
            raise _exceeded() from None


async def within(events: AsyncGenerator[Item, None], deadline_s: float | None) -> AsyncGenerator[Item, None]:
    """Yields the same events; raises an error if they take longer than ``deadline_s`` seconds from now.

    Raises:
        DeadlineExceeded: They did not.
    """
    end = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout_at(end):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise _exceeded() from None
            yield event


def _exceeded() -> DeadlineExceeded:
    return DeadlineExceeded("The time limit passed before the translation was complete.")
