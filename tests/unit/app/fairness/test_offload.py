"""Where work runs: at once if it is brief, otherwise in the pool."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Cancelled, Overloaded
from app.fairness import offload as policy
from app.fairness.budget import Budget
from app.fairness.offload import Inline, free, is_brief, offload, size_of
from app.fairness.pool import Account, PoolLimits, WorkPool, account


@pytest.fixture
def text_pool(monkeypatch: pytest.MonkeyPatch) -> WorkPool:
    """A pool of its own, with room for a single large job."""
    pool = WorkPool(PoolLimits(large=100, large_jobs=1))
    monkeypatch.setattr(policy, "TEXT_POOL", pool)
    return pool


async def is_here(**work: object) -> bool:
    """Tells whether such work runs in the thread of the event loop."""
    return await offload(threading.get_ident, **work) == threading.get_ident()  # type: ignore[arg-type]


@pytest.mark.parametrize("inline", [Inline.READING, Inline.TEXTS, Inline.SENTENCE])
def test_work_below_its_limit_runs_here_and_other_work_in_the_pool(inline: Inline) -> None:
    async def test() -> None:
        assert await is_here(size=inline - 1, inline=inline)
        assert not await is_here(size=int(inline), inline=inline)

    asyncio.run(test())


def test_many_short_texts_are_much_work() -> None:
    assert is_brief(size_of(["Das ist ein Satz."] * 50), Inline.TEXTS)
    assert not is_brief(size_of(["Ja"] * 300), Inline.TEXTS)
    assert not is_brief(size_of(["a" * Inline.TEXTS]), Inline.TEXTS)


def test_a_list_is_emptied_in_parts_between_which_it_can_end() -> None:
    class Impatient(Budget):
        asked = 0

        def check(self) -> None:
            self.asked += 1
            self.cancelled = self.asked > 3
            super().check()

    items: list[object] = [object() for _ in range(1_000)]
    with pytest.raises(Cancelled):
        Impatient().run(free, items)
    assert 500 < len(items) < 1_000
    free(items)
    assert not items


def test_work_of_unknown_size_and_a_part_of_much_work_run_in_the_pool() -> None:
    async def test() -> None:
        assert await is_here(size=1, inline=Inline.READING)
        assert not await is_here(inline=Inline.READING)
        assert not await is_here(size=1, inline=Inline.SENTENCE, bulk=True)
        assert not await is_here(size=0)

    asyncio.run(test())


@given(size=st.none() | st.integers(0, 1 << 20), inline=st.sampled_from(Inline), bulk=st.booleans())
def test_what_is_called_brief_is_what_runs_here(size: int | None, inline: Inline, bulk: bool) -> None:
    assert asyncio.run(is_here(size=size, inline=inline, bulk=bulk)) == is_brief(size, inline, bulk=bulk)


def test_brief_work_keeps_neither_the_loop_nor_a_place_in_it() -> None:
    async def test() -> None:
        call = offload(divmod, 7, 2, size=1, inline=Inline.TEXTS)
        with pytest.raises(StopIteration) as ended:  # without waiting for anything
            call.send(None)
        assert ended.value.value == (3, 1)

    asyncio.run(test())


def test_sentences_that_wait_run_together(text_pool: WorkPool) -> None:
    async def test() -> None:
        account.set(Account())
        enough = threading.Event()
        running = asyncio.ensure_future(text_pool.run(enough.wait))
        await asyncio.sleep(0)
        work = {"size": 1, "inline": Inline.SENTENCE, "bulk": True}
        calls = [asyncio.ensure_future(offload(divmod, 7, number, **work)) for number in (2, 3, 4)]  # type: ignore[arg-type]
        while not text_pool.statistics()["text_jobs_waiting"]:
            await asyncio.sleep(0)
        assert text_pool.statistics()["text_jobs_waiting"] == 1
        enough.set()
        await running
        assert await asyncio.gather(*calls) == [(3, 1), (2, 1), (1, 3)]

    asyncio.run(test())


def test_large_work_is_refused_while_there_is_much_of_it_unless_it_was_accepted_before(text_pool: WorkPool) -> None:
    async def test() -> None:
        enough = threading.Event()
        first = asyncio.ensure_future(offload(enough.wait, size=100))
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await offload(divmod, 7, 2, size=100)
        accepted = asyncio.ensure_future(offload(divmod, 7, 2, size=100, admitted=True))
        enough.set()
        await first
        assert await accepted == (3, 1)

    asyncio.run(test())


def test_errors_come_back_from_both_places() -> None:
    async def test() -> None:
        for size in (1, None):
            with pytest.raises(ZeroDivisionError):
                await offload(divmod, 7, 0, size=size, inline=Inline.TEXTS)

    asyncio.run(test())
