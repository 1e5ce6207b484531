"""The one place where a request's deadline is enforced: it covers markup, detection and a hanging engine, too."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

from app.errors import DeadlineExceeded

Item = TypeVar("Item")


async def within(events: AsyncGenerator[Item, None], deadline_s: float | None) -> AsyncGenerator[Item, None]:
    """Yields the same events; raises an error if they take longer than ``deadline_s`` seconds from now.

    Raises:
        DeadlineExceeded: They did not.
    """
    deadline = None if deadline_s is None else asyncio.get_running_loop().time() + deadline_s
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise DeadlineExceeded("The time limit passed before the translation was complete.") from None
            yield event
