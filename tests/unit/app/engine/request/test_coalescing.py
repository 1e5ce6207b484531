import asyncio
from collections.abc import Sequence

import pytest

from app.engine.interface import Timing
from app.engine.request.coalescing import Coalescer
from app.engine.scheduling.policy import Job, Outcome
from app.errors import ModelFailure, Overloaded
from tests.support.toy import greedy, job


class Queue:
    """Takes jobs and ends them when it is told to."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.full = False

    def submit(self, jobs: Sequence[Job], *, admitted: bool = False) -> None:
        if self.full and not admitted:
            raise Overloaded("full")
        self.jobs += jobs


class Cache:
    """Remembers the jobs whose results it was to keep."""

    def __init__(self) -> None:
        self.kept: list[Job] = []

    def keep(self, job: Job, outcome: Outcome) -> None:
        self.kept.append(job)


def outcome(name: str) -> Outcome:
    return Outcome([name], Timing())


async def test_identical_sentences_are_translated_once_and_everybody_gets_the_result():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    first, second = coalescer.submit([job(3, 4), job(3, 4)])
    [third] = coalescer.submit([job(3, 4)])
    assert len(queue.jobs) == 1
    found = outcome("x")
    queue.jobs[0].future.set_result(found)
    assert await asyncio.gather(first, second, third) == [found] * 3


async def test_what_differs_or_comes_later_is_a_job_of_its_own():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    different = [job(3), job(4), job(3, options=greedy(min_length=1)), job(3, long=True), job(3, on_tokens=print)]
    futures = coalescer.submit([*different, job(3, on_tokens=print)])
    assert len(queue.jobs) == len(futures) == 6
    for number, each in enumerate(queue.jobs):
        each.future.set_result(outcome(str(number)))
    assert [(await future).hypotheses for future in futures] == [[str(number)] for number in range(6)]
    coalescer.submit([job(3)])
    assert len(queue.jobs) == 7


async def test_one_who_leaves_does_not_cancel_the_others():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    leaving, staying = coalescer.submit([job(3), job(3)])
    leaving.cancel()
    await asyncio.sleep(0)
    assert not queue.jobs[0].future.cancelled()
    queue.jobs[0].future.set_result(outcome("x"))
    assert (await staying).hypotheses == ["x"]


async def test_when_the_last_one_leaves_the_job_is_given_up_and_nobody_joins_it_any_more():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    futures = coalescer.submit([job(3), job(3)])
    for future in futures:
        future.cancel()
    await asyncio.sleep(0)
    assert queue.jobs[0].future.cancelled()
    [later] = coalescer.submit([job(3)])
    queue.jobs[1].future.set_result(outcome("x"))
    assert (await later).hypotheses == ["x"]


async def test_who_joins_while_another_leaves_keeps_the_job():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    [leaving] = coalescer.submit([job(3)])
    leaving.cancel()
    [joining] = coalescer.submit([job(3)])
    await asyncio.sleep(0)
    assert not queue.jobs[0].future.cancelled()
    queue.jobs[0].future.set_result(outcome("x"))
    assert (await joining).hypotheses == ["x"]


async def test_everybody_gets_the_error():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    futures = coalescer.submit([job(3), job(3)])
    queue.jobs[0].future.set_exception(ModelFailure("x"))
    assert [type(error) for error in await asyncio.gather(*futures, return_exceptions=True)] == [ModelFailure] * 2


async def test_a_refused_sentence_can_be_asked_for_again():
    queue = Queue()
    coalescer = Coalescer(queue.submit)
    queue.full = True
    with pytest.raises(Overloaded):
        coalescer.submit([job(3)])
    [future] = coalescer.submit([job(3)], admitted=True)
    queue.jobs[0].future.set_result(outcome("x"))
    assert (await future).hypotheses == ["x"]


async def test_with_a_cache_a_job_that_is_given_up_is_no_error():
    queue, errors = Queue(), []
    coalescer = Coalescer(queue.submit)
    coalescer.cache = Cache()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: errors.append(context))
    [future] = coalescer.submit([job(3)])
    future.cancel()
    for _ in range(3):  # the future, the job, what became of it
        await asyncio.sleep(0)
    assert queue.jobs[0].future.cancelled() and not errors
    [future] = coalescer.submit([job(4)])
    queue.jobs[1].future.set_result(outcome("x"))
    await future
    assert [kept.source for kept in coalescer.cache.kept] == [(4,)]
