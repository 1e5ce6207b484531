"""Full queues: what is refused, and when there is room again."""

from concurrent.futures import wait
from contextvars import copy_context
from dataclasses import replace

import pytest

from app.engine.scheduling.job_queue import Backlog
from app.errors import Overloaded
from app.fairness.arrivals import Arrival
from tests.support.toy import ROOMY, WAIT_S, Gate, ToyModel, job, running, scheduler_of


def test_a_full_queue_refuses_at_once_and_serves_what_it_has():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=5))) as scheduler:
        first, second, third, fourth = job(3), job(3, 4, 5), job(6, 7, 8), job(3, 3)
        scheduler.queue.submit([first])
        gate.wait_for_step()  # it has left the queue
        scheduler.queue.submit([second])
        with pytest.raises(Overloaded) as caught:
            scheduler.queue.submit([third])
        assert caught.value.retry_after_s > 0
        scheduler.queue.submit([fourth])
        gate.open()
        wait([first.future, second.future, fourth.future], WAIT_S)
    assert scheduler.counters["rejected"] == 1
    assert scheduler.counters["finished"] == 3
    assert not third.future.done()


def test_a_full_queue_turns_away_what_it_has_not_seen_until_it_has_room_again():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=32))) as scheduler:
        scheduler.queue.reject_if_overloaded()
        scheduler.queue.submit([job(3)])
        gate.wait_for_step()
        small, large = [job(*[3] * 10), job(*[3] * 10)], [job(*[3] * 13)]
        scheduler.queue.submit(small)
        with pytest.raises(Overloaded):
            scheduler.queue.submit(large)
        scheduler.queue.reject_if_overloaded()  # 12 of 32 tokens are free: a smaller request would fit
        scheduler.queue.submit([job(*[4] * 11)])
        scheduler.queue.reject_if_overloaded()  # nobody was refused since
        with pytest.raises(Overloaded):
            scheduler.queue.submit([job(3, 4)])
        with pytest.raises(Overloaded):
            scheduler.queue.reject_if_overloaded()
        gate.open()
        wait([each.future for each in small], WAIT_S)
        scheduler.queue.reject_if_overloaded()
    assert scheduler.counters["rejected"] == 3


def test_queues_that_are_bounded_together_refuse_together_but_shut_nobody_out():
    backlog = Backlog()
    models = [ToyModel(12), ToyModel(12)]
    gates = [Gate(model) for model in models]
    limits = replace(ROOMY, max_queue_tokens=5)
    one, other = (scheduler_of(model, limits=limits, backlog=backlog) for model in models)
    with running(one), running(other):
        for scheduler, gate in zip((one, other), gates, strict=True):
            scheduler.queue.submit([job(3)])
            gate.wait_for_step()  # both are at work, and their queues are empty
        one.queue.submit([job(3, 4, 5)])
        other.queue.submit([job(3, 4, 5, 6)])  # beyond the bound, but nothing else waits there
        assert (backlog.tokens, backlog.long_tokens) == (7, 0)
        for scheduler in (one, other):
            with pytest.raises(Overloaded):
                scheduler.queue.submit([job(4)])
        other.queue.submit([job(4)], admitted=True)
        gates[0].open()
        gates[1].open()
    assert backlog.tokens == 0
    assert (one.counters["finished"], other.counters["finished"]) == (2, 3)


def test_what_a_stopped_queue_leaves_behind_no_longer_counts():
    backlog, model = Backlog(), ToyModel(12, eos_bonus=-60.0)
    gate = Gate(model)
    scheduler = scheduler_of(model, backlog=backlog, max_length=10**9)
    scheduler.start()
    scheduler.queue.submit([job(3)])
    gate.wait_for_step()
    scheduler.queue.submit([job(3, 4, 5)])
    gate.open()
    scheduler.stop(0.0)
    assert backlog.tokens == 0


def test_a_request_is_queued_whole_or_not_at_all():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=5))) as scheduler:
        scheduler.queue.submit([job(3)])
        gate.wait_for_step()
        scheduler.queue.submit([job(3, 4, 5)])
        with pytest.raises(Overloaded):
            scheduler.queue.submit([job(3), job(4), job(5)])
        assert scheduler.statistics()["queued_sentences"] == 1
        assert scheduler.statistics()["queued_tokens"] == 3
        gate.open()


def test_a_request_larger_than_the_queue_is_taken_when_nothing_waits():
    with running(scheduler_of(ToyModel(12), limits=replace(ROOMY, max_queue_tokens=3))) as scheduler:
        large = job(3, 4, 5, 6, 7, 8)
        scheduler.queue.submit([large])
        assert large.future.result(WAIT_S).hypotheses


def test_requests_on_their_way_to_a_queue_count_as_if_they_waited():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=100))) as scheduler:
        coming = [Arrival() for _ in range(3)]
        for arrival in coming:
            arrival.begin()
        scheduler.queue.reject_if_overloaded()  # nothing waits: a request of any size is accepted
        scheduler.queue.submit([job(3)])
        gate.wait_for_step()
        waiting = job(*[3] * 10)
        scheduler.queue.submit([waiting])
        with pytest.raises(Overloaded):
            scheduler.queue.reject_if_overloaded()
        context = copy_context()
        context.run(coming[0].__enter__)
        context.run(scheduler.queue.submit, [job(3)])  # the first of them: it waits now, and is no longer on its way
        scheduler.queue.reject_if_overloaded()
        for arrival in coming:
            arrival.end()
        gate.open()
        wait([waiting.future], WAIT_S)
    assert Arrival.count == 0
