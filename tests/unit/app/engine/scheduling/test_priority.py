"""Priorities: how they share the work, who waits for whom, and who is refused first."""

import threading
from collections import Counter
from contextvars import copy_context
from dataclasses import replace

import pytest

from app.engine.scheduling.job_queue import JobQueue
from app.engine.scheduling.policy import Lane, plan
from app.errors import Overloaded
from app.fairness.pauses import NewRequest, Pauses
from app.priority import Priority, priority
from tests.support.toy import ROOMY, job

ONE_BY_ONE = replace(ROOMY, max_batch_rows=1, max_queue_tokens=100_000)


def opened(limits=ONE_BY_ONE) -> JobQueue:
    queue = JobQueue(limits, threads=1)
    queue.open()
    return queue


def taken(queue: JobQueue, number: int) -> list[Priority]:
    """The priorities of the next jobs, taken one by one."""
    lane = Lane(weight=1.0, limits=ONE_BY_ONE, batch=None, long=False)
    found = []
    for _ in range(number):
        turn = queue.next_turn([lane], Counter())
        assert turn
        found += [job.priority for job in turn[1]]
    return found


def test_less_urgent_work_fills_only_what_others_leave():
    urgent = [job(*[3] * size, priority=Priority.INTERACTIVE) for size in (4, 9)]
    bulk = [job(*[3] * 4, priority=Priority.BULK) for _ in range(3)]
    waiting = [urgent[0], *bulk, urgent[1]]
    assert plan(waiting, live_rows=0, limits=replace(ROOMY, max_batch_rows=2)) == urgent
    assert plan(waiting, live_rows=0, limits=replace(ROOMY, max_batch_rows=4)) == [*urgent, *bulk[:2]]


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 8, 40)], ids=["equal sentences", "longer bulk"])
def test_priorities_share_the_work_by_their_weights(sizes):
    queue = opened()
    tokens = dict(zip(Priority, sizes, strict=True))
    for _ in range(600):
        for each in Priority:
            queue.submit([job(*[3] * tokens[each], priority=each)], admitted=True)
    served: Counter[Priority] = Counter()
    while served.total() < 2_000:
        [each] = taken(queue, 1)
        served[each] += tokens[each]
    for each in Priority:
        share = each.weight / sum(other.weight for other in Priority)
        assert served[each] == pytest.approx(share * served.total(), abs=2 * max(sizes))


def test_a_person_waits_for_none_of_the_bulk_that_came_before():
    queue = opened()
    queue.submit([job(3, 4, 5, priority=Priority.BULK, ahead=min(512, 3 * number)) for number in range(500)])
    assert taken(queue, 50) == [Priority.BULK] * 50
    queue.submit([job(3, 4, 5, priority=Priority.INTERACTIVE)])
    queue.submit([job(3, 4, 5, priority=Priority.NORMAL)])
    assert taken(queue, 3) == [*Priority]


def test_cancelled_work_costs_its_priority_nothing():
    queue = opened()
    typed = [job(*[3] * 9, priority=Priority.NORMAL) for _ in range(500)]
    queue.submit(typed, admitted=True)
    for each in typed:
        each.future.cancel()
    for _ in range(50):
        queue.submit([job(3, 4, 5, priority=Priority.BULK)], admitted=True)
    assert taken(queue, 1) == [Priority.BULK]  # whoever takes work sweeps the queue
    queue.submit([job(3, 4, 5, priority=Priority.NORMAL)], admitted=True)
    assert Priority.NORMAL in taken(queue, 2)


def test_time_in_which_a_priority_had_no_work_is_not_saved_up():
    queue = opened()
    for _ in range(200):
        queue.submit([job(3, 4, priority=Priority.NORMAL)])
    taken(queue, 200)
    for _ in range(20):
        queue.submit([job(3, 4, priority=Priority.NORMAL)])
        queue.submit([job(3, 4, priority=Priority.BULK)])
    assert Counter(taken(queue, 10))[Priority.BULK] in (2, 3)  # one in five


def test_one_priority_is_served_in_the_order_of_arrival_and_later_sentences_yield():
    queue = opened()
    order = []
    lane = Lane(weight=1.0, limits=ONE_BY_ONE, batch=None, long=False)
    large = [job(*[3] * 10, ahead=10 * number) for number in range(3)]
    queue.submit(large)
    small = [job(4) for _ in range(3)]
    for each in small:
        queue.submit([each])
    for _ in range(6):
        order += queue.next_turn([lane], Counter())[1]
    assert order == [large[0], *small, *large[1:]]


def test_a_second_attempt_waits_for_nobody_but_is_counted():
    queue = opened()
    lane = Lane(weight=1.0, limits=ONE_BY_ONE, batch=None, long=False)
    waiting = [job(4) for _ in range(3)]
    for each in waiting:
        queue.submit([each])
    assert queue.next_turn([lane], Counter())[1] == waiting[:1]
    again = [job(3, again=True), job(5, again=True)]
    for each in again:
        queue.submit([each])
    order = [queue.next_turn([lane], Counter())[1][0] for _ in range(4)]
    assert order == [*again, *waiting[1:]]
    # The bulk that came later has its usual share after it.
    for _ in range(20):
        queue.submit([job(*[3] * 4, priority=Priority.BULK, again=True)])
        queue.submit([job(*[3] * 4)])
    for _ in range(5):
        queue.submit([job(*[3] * 4, priority=Priority.BULK)])
    assert taken(queue, 45)[-5:] == [Priority.BULK] * 5


@pytest.mark.parametrize("seen", [True, False], ids=["after reading it", "before reading it"])
def test_a_full_queue_refuses_bulk_first(seen):
    queue = opened(replace(ROOMY, max_queue_tokens=100))

    def offer(each: Priority, tokens: int) -> None:
        def enter() -> None:
            priority.set(each)
            queue.submit([job(*[3] * tokens)]) if seen else queue.reject_if_overloaded()

        copy_context().run(enter)

    queue.submit([job(*[3] * 49)])
    offer(Priority.BULK, 1)
    queue.submit([job(3, 3)])
    with pytest.raises(Overloaded):
        offer(Priority.BULK, 1)
    offer(Priority.NORMAL, 1)
    queue.submit([job(*[3] * 40)])
    offer(Priority.INTERACTIVE, 1)


class NoPauses(Pauses):
    def is_due(self, request: NewRequest | None = None) -> bool:
        return False


def test_long_work_leaves_one_of_several_threads_to_new_requests(monkeypatch):
    queue = JobQueue(ROOMY, threads=2)
    queue.open()
    monkeypatch.setattr(queue, "_pauses", NoPauses())
    monkeypatch.setattr(NewRequest, "count", 1)
    jobs = [job(3, 4, long=True), job(5, 6, long=True)]
    queue.submit(jobs)
    waits, taken = [], []

    def wait(timeout: float | None) -> None:
        waits.append(timeout)
        if len(waits) == 3:
            monkeypatch.setattr(NewRequest, "count", 0)

    def take() -> None:
        lane = Lane(weight=1.0, limits=ONE_BY_ONE, batch=None, long=True)
        turn = queue.next_turn([lane], Counter())
        assert turn
        taken.append(turn[1])

    monkeypatch.setattr(queue._condition, "wait", wait)
    other = threading.Thread(target=take)
    other.start()
    other.join()
    assert (taken, waits) == ([jobs[:1]], [])  # the first may have a long turn
    take()
    assert (taken, len(waits)) == ([jobs[:1], jobs[1:]], 3)  # the second waits until no request is new


def test_a_single_thread_does_long_work_beside_new_requests(monkeypatch):
    queue = JobQueue(ROOMY, threads=1)
    queue.open()
    monkeypatch.setattr(queue, "_pauses", NoPauses())
    monkeypatch.setattr(NewRequest, "count", 1)
    queue.submit([job(3, long=True), job(4, long=True)])
    lane = Lane(weight=1.0, limits=ONE_BY_ONE, batch=None, long=True)
    assert [len(queue.next_turn([lane], Counter())[1]) for _ in range(2)] == [1, 1]
