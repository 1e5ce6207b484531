"""Long work gives way to requests that have just begun, but not for ever."""

import asyncio

import pytest

from app.fairness import pauses
from app.fairness.pauses import NewRequest, Pauses
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


def test_a_request_is_new_for_some_milliseconds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "_NEW_S", 0.0)

    async def test() -> None:
        with NewRequest():
            assert NewRequest.count == 1
            while NewRequest.count:
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
