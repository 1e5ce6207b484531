"""What a worker takes from the queue, for any queue."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from app.engine.options import SearchOptions
from app.engine.scheduling.policy import Job, Limits, plan
from tests.support.toy import WAIT_S, ToyModel, greedy, job, running, scheduler_of

all_limits = st.builds(
    Limits,
    max_queue_tokens=st.just(10_000),
    max_batch_rows=st.integers(1, 20),
    max_batch_tokens=st.integers(1, 120),
)


@st.composite
def queues(draw: st.DrawFn) -> list[Job]:
    jobs = draw(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 8), st.integers(0, 3)), max_size=12))
    return [
        Job(source=(3,) * length, options=SearchOptions(beam_size=beam), alone=not chance)
        for length, beam, chance in jobs
    ]


def rows_of(jobs: list[Job]) -> int:
    return sum(job.options.beam_size for job in jobs)


@given(queues(), st.integers(0, 25), all_limits)
def test_a_plan_keeps_the_bounds_and_takes_the_oldest(pending, live_rows, limits):
    before = list(pending)
    chosen = plan(pending, live_rows=live_rows, limits=limits)
    assert pending == before
    assert len(set(map(id, chosen))) == len(chosen)
    assert all(job in pending for job in chosen)
    if not chosen:
        # Only a running decode keeps the oldest waiting.
        assert not pending or live_rows
        return
    assert chosen[0] is pending[0]
    if live_rows or len(chosen) > 1:
        assert live_rows + rows_of(chosen) <= limits.max_batch_rows
    if len(chosen) > 1:
        assert len(chosen) * max(len(job.source) for job in chosen) <= limits.max_batch_tokens


@given(queues(), st.integers(0, 25), all_limits)
def test_a_job_that_is_tried_alone_has_no_company(pending, live_rows, limits):
    chosen = plan(pending, live_rows=live_rows, limits=limits)
    if any(job.alone for job in chosen):
        assert len(chosen) == 1
        assert live_rows == 0


@given(queues(), all_limits)
def test_companions_are_those_of_nearest_length(pending, limits):
    chosen = plan(pending, live_rows=0, limits=limits)
    if not chosen or chosen[0].alone:
        return
    anchor = len(chosen[0].source)
    left = [job for job in pending if job not in chosen and not job.alone]
    farthest = max(abs(len(job.source) - anchor) for job in chosen)
    assert all(abs(len(job.source) - anchor) >= farthest for job in left)


@given(queues(), st.integers(0, 25), all_limits)
def test_a_plan_leaves_out_nobody_who_fits(pending, live_rows, limits):
    chosen = plan(pending, live_rows=live_rows, limits=limits)
    left = [job for job in pending if job not in chosen and not job.alone]
    if not chosen or chosen[0].alone or not left:
        return
    more = [*chosen, min(left, key=lambda job: abs(len(job.source) - len(chosen[0].source)))]
    assert (
        live_rows + rows_of(more) > limits.max_batch_rows
        or len(more) * max(len(job.source) for job in more) > limits.max_batch_tokens
    )


@given(queues(), all_limits)
def test_nothing_starves(pending, limits):
    """Each plan over an idle decode takes the oldest, so a queue is served in at most as many plans as it has jobs."""
    served: list[Job] = []
    while pending:
        chosen = plan(pending, live_rows=0, limits=limits)
        assert chosen[0] is pending[0]
        served += chosen
        pending = [job for job in pending if job not in chosen]
    assert len(set(map(id, served))) == len(served)


@given(queues(), st.integers(0, 25), all_limits, st.integers(1, 4))
def test_idle_workers_get_their_share(pending, live_rows, limits, idle):
    chosen = plan(pending, live_rows=live_rows, limits=limits, idle_workers=idle)
    assert chosen == plan(pending, live_rows=live_rows, limits=limits)[: len(chosen)]
    assert len(chosen) <= -(-len(pending) // (1 + idle))
    assert bool(chosen) == bool(plan(pending, live_rows=live_rows, limits=limits))


def test_idle_workers_decode_side_by_side():
    """Three workers take one each of three jobs that arrive together: none steps before all have one."""
    model = ToyModel(12)
    together = threading.Barrier(3)
    model.on_step = lambda rows: together.wait(WAIT_S)
    jobs = [job(source, options=greedy(max_length=1)) for source in (3, 4, 5)]
    with running(scheduler_of(model, workers=3)) as scheduler:
        scheduler.queue.submit(jobs)
        for item in jobs:
            item.future.result(WAIT_S)
    assert not together.broken
