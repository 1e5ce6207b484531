"""Work ends when its client goes, and only then is it the client's doing."""

import asyncio

import pytest
from fastapi import Request

from app.api.disconnect import run_while_connected
from app.errors import Cancelled


class Client:
    """A client that has sent its request."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.request = Request({"type": "http"}, self._receive)

    async def _receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


async def forever(began: asyncio.Event, ended: asyncio.Event) -> None:
    began.set()
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        ended.set()


@pytest.mark.parametrize("by_client", [True, False])
async def test_cancelled_work_has_ended_when_the_error_comes(by_client: bool) -> None:
    client, began, ended = Client(), asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(run_while_connected(client.request, forever(began, ended)))
    await began.wait()
    if by_client:
        client.gone.set()
    else:
        task.cancel()
    with pytest.raises(Cancelled if by_client else asyncio.CancelledError):
        await task
    assert ended.is_set() and task.cancelled() != by_client


async def test_a_server_that_ends_is_not_taken_for_a_client_that_goes() -> None:
    client, began, ended = Client(), asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(run_while_connected(client.request, forever(began, ended)))
    await began.wait()
    client.gone.set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("error", [None, ValueError("wrong")])
async def test_what_work_returns_or_raises_comes_through_and_nobody_watches_on(
    error: Exception | None, at_once: bool
) -> None:
    client, tasks = Client(), asyncio.all_tasks()

    async def work() -> int:
        if at_once:
            client.gone.set()  # then the watcher ends just before this does
        await asyncio.sleep(0)
        if error:
            raise error
        return 3

    if error:
        with pytest.raises(ValueError, match="wrong"):
            await run_while_connected(client.request, work())
    else:
        assert await run_while_connected(client.request, work()) == 3
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == tasks
    client.gone.set()
    for _ in range(3):
        await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task and not task.cancelling()
