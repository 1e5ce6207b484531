"""Long work gives way to requests that have just begun, but not for ever."""

import asyncio
import gc
import weakref

import pytest

from app.fairness import pauses
from app.fairness.budget import checkpoint
from app.fairness.pauses import NewRequest, Pauses
from app.fairness.pool import Account, WorkPool, account
from app.fairness.turns import Turns


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pauses, "time", clock)
    return clock


def test_there_is_no_pause_without_a_new_request() -> None:
    async def test() -> None:
        assert not Pauses().is_due()
        with NewRequest():
            assert Pauses().is_due()
        assert not Pauses().is_due()

    asyncio.run(test())


@pytest.mark.parametrize(("is_long", "limit_s"), [(False, pauses._SHORT_S), (True, pauses._LONG_S)])
def test_a_request_is_new_until_its_limit(is_long: bool, limit_s: float) -> None:
    now = 100.0

    async def test() -> None:
        nonlocal now
        asyncio.get_running_loop().time = lambda: now  # type: ignore[method-assign]
        with NewRequest():
            if is_long:
                pauses.take_long()
            for wait_s, count in ((limit_s - 0.001, 1), (0.002, 0)):
                now += wait_s
                for _ in range(3):
                    await asyncio.sleep(0)
                assert NewRequest.count == count
            pauses.take_long()
        assert NewRequest.count == 0

    asyncio.run(test())


def test_a_request_that_is_over_is_not_new() -> None:
    async def test() -> None:
        with NewRequest():
            assert NewRequest.count == 1
        pauses.take_long()
        await asyncio.sleep(0)
        assert NewRequest.count == 0

    asyncio.run(test())


def test_long_work_gets_a_share_however_many_requests_are_new(clock: Clock) -> None:
    async def test() -> None:
        pauses, paused = Pauses(), 0
        with NewRequest():
            for _ in range(1_300):
                paused += pauses.is_due()
                clock.now += 0.0001
        assert 0.7 < paused / 1_300 < 0.8

    asyncio.run(test())


def test_work_for_a_new_request_pauses_for_no_other() -> None:
    async def test() -> None:
        request = NewRequest()
        with NewRequest(), request:
            assert not Pauses().is_due(request)
            assert Pauses().is_due()
        with NewRequest():
            assert Pauses().is_due(request)

    asyncio.run(test())


def test_the_pool_and_the_turns_tell_whom_they_work_for() -> None:
    told: list[NewRequest | None] = []

    class Asked(Pauses):
        def is_due(self, request: NewRequest | None = None) -> bool:
            told.append(request)
            return False

    async def test() -> None:
        account.set(Account(used_s=1.0))
        pool, turns = WorkPool(), Turns()
        pool.pauses = turns.pauses = Asked()
        with NewRequest() as request:
            await pool.run(checkpoint)
            await turns.take()
            assert {*told} == {request}

    asyncio.run(test())


@pytest.mark.parametrize("is_long", [False, True])
def test_a_request_is_free_when_it_is_over(is_long: bool) -> None:
    """Not only when Python looks for cycles among all objects: its context holds what was uploaded."""

    async def test() -> weakref.ref[NewRequest]:
        with NewRequest() as request:
            if is_long:
                request.take_long()
            return weakref.ref(request)

    gc.disable()
    try:
        assert asyncio.run(test())() is None
    finally:
        gc.enable()


def test_long_requests_take_turns_on_the_event_loop() -> None:
    async def test() -> None:
        turns, taken = Turns(), list[str]()

        async def go_on(name: str) -> None:
            for _ in range(3):
                await turns.take()
                taken.append(name)

        going = [asyncio.create_task(go_on(name)) for name in "abc"]
        gone = asyncio.create_task(turns.take())
        await asyncio.sleep(0)
        gone.cancel()
        before = 0
        while len(taken) < 9:
            await asyncio.sleep(0)
            assert len(taken) <= before + 1
            before = len(taken)
        assert taken == [*"abc"] * 3
        await asyncio.gather(*going)

    asyncio.run(test())
