"""The pool in which work on texts runs: its turns, its bounds, its end."""

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from app.errors import Cancelled, Overloaded
from app.fairness import pool
from app.fairness.budget import checkpoint
from app.fairness.pool import Account, PoolLimits, WorkPool, account

ONE = PoolLimits(running=1, large=100, large_jobs=2, large_total=1_000, late_s=0.0)


def spin_until(event: threading.Event) -> None:
    """Work of any length that reaches a checkpoint again and again."""
    while not event.is_set():
        checkpoint()


def spin_forever() -> None:
    spin_until(threading.Event())


def run(test: Callable[[], object]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(30):
            await test()  # type: ignore[misc]

    asyncio.run(limited())


def test_a_result_and_an_error_come_back() -> None:
    async def test() -> None:
        pool = WorkPool()
        assert await pool.run(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await pool.run(divmod, 7, 0)

    run(test)


def test_the_end_of_an_iterator_is_an_error_like_others() -> None:
    async def test() -> None:
        account.set(Account())
        for call in (WorkPool().run, WorkPool().run_small):
            with pytest.raises(RuntimeError) as caught:
                await call(next, iter(()))
            assert isinstance(caught.value.__cause__, StopIteration)

    run(test)


def test_short_work_overtakes_long_work_that_began_before() -> None:
    async def test() -> None:
        pool, enough = WorkPool(ONE), threading.Event()
        long = [asyncio.ensure_future(pool.run(spin_until, enough)) for _ in range(10)]
        assert await pool.run(divmod, 7, 2) == (3, 1)
        assert not any(task.done() for task in long)
        enough.set()
        await asyncio.gather(*long)

    run(test)


def test_a_huge_job_takes_turns_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_FIRST_TURN_S", math.inf)

    async def test() -> None:
        pool, enough = WorkPool(PoolLimits(huge=1_000)), threading.Event()
        huge = asyncio.ensure_future(pool.run(spin_until, enough, size=1_000))
        assert await pool.run(divmod, 7, 2) == (3, 1)
        enough.set()
        await huge

    run(test)


def test_long_jobs_take_turns_and_never_run_side_by_side() -> None:
    async def test() -> None:
        pool, turns, inside, enough = WorkPool(ONE), list[int](), set[int](), threading.Event()

        def spin(number: int) -> None:
            while not enough.is_set():
                inside.add(number)
                time.sleep(0)  # lets another thread run, if one may
                assert inside == {number}
                inside.remove(number)
                if not turns or turns[-1] != number:
                    turns.append(number)
                    if all(turns.count(one) >= 3 for one in range(3)):
                        enough.set()
                checkpoint()

        await asyncio.gather(*(pool.run(spin, number) for number in range(3)))

    run(test)


def test_a_request_that_has_had_much_time_waits_for_others_with_its_later_jobs_too() -> None:
    async def of_request(used_s: float, job: Awaitable[None]) -> None:
        account.set(Account(used_s))
        await job

    async def test() -> None:
        pool, enough, order = WorkPool(ONE), threading.Event(), list[str]()
        running = asyncio.ensure_future(pool.run(enough.wait))
        await asyncio.sleep(0)
        names = {"heavy": 9.0, "light": 0.0, "middle": 1.0}
        jobs = [of_request(used_s, pool.run(order.append, name)) for name, used_s in names.items()]
        waiting = [asyncio.ensure_future(job) for job in jobs]
        await asyncio.sleep(0)
        enough.set()
        await asyncio.gather(running, *waiting)
        assert order == ["light", "middle", "heavy"]

    run(test)


def test_small_calls_that_wait_run_together_and_each_gets_its_own_outcome() -> None:
    async def test() -> None:
        pool, enough, threads = WorkPool(ONE), threading.Event(), list[int]()
        account.set(Account())
        running = asyncio.ensure_future(pool.run(enough.wait))
        await asyncio.sleep(0)
        calls = [asyncio.ensure_future(pool.run_small(divmod, 7, number)) for number in range(3)]
        gone = asyncio.ensure_future(pool.run_small(threads.append, 1))
        while not pool.statistics()["text_jobs_waiting"]:
            await asyncio.sleep(0)
        assert pool.statistics()["text_jobs_waiting"] == 1
        gone.cancel()
        await asyncio.sleep(0)
        enough.set()
        outcomes = await asyncio.gather(running, *calls, gone, return_exceptions=True)
        assert isinstance(outcomes[1], ZeroDivisionError) and outcomes[2:4] == [(7, 0), (3, 1)] and not threads
        assert await pool.run_small(divmod, 7, 2) == (3, 1)

    run(test)


def test_huge_jobs_run_one_after_the_other_and_others_beside_them() -> None:
    async def test() -> None:
        pool, enough = WorkPool(PoolLimits(large=100, huge=1_000, late_s=0.0)), threading.Event()
        first = asyncio.ensure_future(pool.run(spin_until, enough, size=1_000))
        second = asyncio.ensure_future(pool.run(divmod, 7, 2, size=1_000, admitted=True))
        assert await pool.run(divmod, 7, 2, size=999) == (3, 1)
        assert not second.done() and not pool.is_stuck
        enough.set()
        await first
        assert await second == (3, 1)

    run(test)


def test_work_that_nobody_waits_for_ends() -> None:
    async def test() -> None:
        pool = WorkPool(ONE)
        hogs = [asyncio.ensure_future(pool.run(spin_forever)) for _ in range(5)]
        await pool.run(divmod, 7, 2)  # so that some have begun
        for hog in hogs:
            hog.cancel()
        await asyncio.gather(*hogs, return_exceptions=True)
        while any(pool.statistics().values()):
            await asyncio.sleep(0)

    run(test)


def test_large_work_is_refused_beyond_its_bounds_and_small_work_is_not() -> None:
    async def test() -> None:
        pool, enough = WorkPool(ONE), threading.Event()
        # One larger than all bounds is taken if there is no other.
        first = asyncio.ensure_future(pool.run(spin_until, enough, size=5_000))
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await pool.run(divmod, 7, 2, size=100)
        assert await pool.run(divmod, 7, 2, size=99) == (3, 1)
        enough.set()
        await first
        while any(pool.statistics().values()):
            await asyncio.sleep(0)
        assert await pool.run(divmod, 7, 2, size=100) == (3, 1)

    run(test)


def test_it_says_that_it_is_stuck_while_work_does_not_get_its_first_turn() -> None:
    async def test() -> None:
        pool, enough = WorkPool(ONE), threading.Event()
        assert not pool.is_stuck
        blocked = asyncio.ensure_future(pool.run(enough.wait))  # no checkpoint in it
        late = asyncio.ensure_future(pool.run(divmod, 7, 2))
        await asyncio.sleep(0)
        assert pool.is_stuck
        enough.set()
        await asyncio.gather(blocked, late)
        assert not pool.is_stuck

    run(test)


def test_a_result_that_comes_after_the_loop_has_closed_is_no_error() -> None:
    begun, enough, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        enough.wait()
        ended.set()

    async def test() -> None:
        task = asyncio.ensure_future(WorkPool(ONE).run(work))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError, Cancelled):
            await task

    run(test)
    enough.set()
    assert ended.wait(30)
