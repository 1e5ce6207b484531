"""A model that fails, a thread that dies, a stop under load: every job ends exactly once, and the others are served."""

import asyncio
import logging
import threading
from collections import Counter
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from app.engine.decoding.batch_decoder import decode
from app.engine.options import SearchOptions
from app.engine.scheduling.policy import Job
from app.errors import EngineUnavailable, ModelFailure
from tests.support.tiny import sentence_pairs, source_ids
from tests.support.toy import (
    EOS,
    ROOMY,
    START,
    WAIT_S,
    Gate,
    ToyModel,
    ToyWorkload,
    engine_of,
    greedy,
    job,
    running,
    scheduler_of,
)

ENDLESS = -60.0
FOREVER = 10**9  # steps that no test lives to see
POISON = 11
OPTIONS = SearchOptions(beam_size=2)
SOURCES = [(3,), (4, 5), (POISON, 3), (6, 7, 8), (9,), (3, 9, 4)]


def expected(source: tuple[int, ...]) -> list:
    [hypotheses] = decode(ToyModel(12), [source], start_id=START, eos_id=EOS, options=OPTIONS, max_length=40)
    return hypotheses


def assert_only_the_culprit_fails(jobs: list[Job]) -> None:
    for item in jobs:
        if POISON in item.source:
            assert isinstance(item.future.exception(WAIT_S), ModelFailure)
        else:
            assert item.future.result(WAIT_S).hypotheses == expected(item.source)


class Endings:
    """Counts how often each job ends."""

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs
        self.counts: Counter[int] = Counter()
        for item in jobs:
            item.future.add_done_callback(self._note)

    def _note(self, future: Future) -> None:
        self.counts[id(future)] += 1

    def assert_each_ended_once(self) -> None:
        assert [self.counts[id(item.future)] for item in self.jobs] == [1] * len(self.jobs)


@contextmanager
def stopping(scheduler, drain_s):
    """``stop`` runs in a thread of its own; entered once the scheduler refuses work, left when it has stopped."""
    thread = threading.Thread(target=scheduler.stop, args=(drain_s,))
    thread.start()
    with scheduler.queue._condition:
        assert scheduler.queue._condition.wait_for(lambda: not scheduler.alive, WAIT_S)
    yield
    thread.join(WAIT_S)
    assert not thread.is_alive()


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_sentence_that_breaks_a_step_fails_alone(length):
    model = ToyModel(12)

    def fail(rows):
        if any(POISON in source and len(target) == length for source, target in rows):
            raise ModelFailure("poison")

    model.on_step = fail
    jobs = [job(*source, options=OPTIONS) for source in SOURCES]
    endings = Endings(jobs)
    assert len(expected((POISON, 3))[0].tokens) >= 3
    with running(scheduler_of(model)) as scheduler:
        scheduler.queue.submit(jobs)
        assert_only_the_culprit_fails(jobs)
        later = job(3, options=OPTIONS)
        scheduler.queue.submit([later])
        assert later.future.result(WAIT_S).hypotheses == expected((3,))
    endings.assert_each_ended_once()
    assert scheduler.counters["finished"] == len(SOURCES)
    assert scheduler.counters["failed"] == 1


def test_a_sentence_that_breaks_the_encoder_fails_alone():
    model = ToyModel(12)

    def fail(sources):
        if any(POISON in source for source in sources):
            raise ModelFailure("poison")

    model.on_encode = fail
    jobs = [job(*source, options=OPTIONS) for source in SOURCES]
    with running(scheduler_of(model)) as scheduler:
        scheduler.queue.submit(jobs)
        assert_only_the_culprit_fails(jobs)


def test_a_failing_newcomer_leaves_the_running_ones_alone():
    model = ToyModel(12)
    gate = Gate(model)

    def fail(sources):
        if any(POISON in source for source in sources):
            raise ModelFailure("poison")

    model.on_encode = fail
    with running(scheduler_of(model)) as scheduler:
        first = job(3, options=OPTIONS)
        scheduler.queue.submit([first])
        gate.wait_for_step()
        others = [job(*source, options=OPTIONS) for source in SOURCES]
        scheduler.queue.submit(others)
        gate.open()
        assert first.future.result(WAIT_S).hypotheses == expected((3,))
        assert_only_the_culprit_fails(others)


def test_a_retried_job_may_be_cancelled():
    model = ToyModel(12, eos_bonus=ENDLESS)
    gate = Gate(model)
    block = model.on_step

    def step(rows):
        block(rows)
        if len(rows) > 1:
            raise ModelFailure("company")

    model.on_step = step
    with running(scheduler_of(model)) as scheduler:
        jobs = [job(3), job(4), job(5)]
        scheduler.queue.submit(jobs)
        gate.wait_for_step()
        gate.let_one_pass()  # fails; the first is now tried alone
        gate.wait_for_step()
        assert jobs[1].future.cancel()
        gate.open()
        assert jobs[0].future.result(WAIT_S)
        assert jobs[2].future.result(WAIT_S)
    assert scheduler.counters["cancelled"] == 1


async def test_scores_that_are_not_finite_fail_one_sentence_only(tiny_bundle, tiny_tokenizer, tiny_onnx, monkeypatch):
    """The real graphs, with NaN in the row of the sentence of 7 source tokens."""
    healthy = tiny_onnx.step

    def step(binding, past, present):
        scores, *others = healthy(binding, past, present)
        lengths = binding.small["source_mask"][:, 0, 0].sum(1)  # of sentences
        owner = binding.small["seats"][:, 0, 0]
        scores = np.where((lengths == poisoned)[owner][:, None, None], np.nan, scores)
        return [scores, *others]

    texts = [german for german, _ in sentence_pairs(6, seed=3)]
    engine = engine_of(tiny_bundle, tiny_onnx)
    lengths = [len(item) for item in source_ids(tiny_tokenizer, texts)]
    poisoned = next(length for length in lengths if lengths.count(length) == 1)
    culprit = lengths.index(poisoned)

    async def translate_all() -> list:
        calls = [engine.translate([text], source="de", target="en", options=greedy()) for text in texts]
        return await asyncio.gather(*calls, return_exceptions=True)

    await engine.start()
    sound = await translate_all()
    monkeypatch.setattr(tiny_onnx, "step", step)
    found = await translate_all()
    await engine.stop()
    for place, (before, after) in enumerate(zip(sound, found, strict=True)):
        if place == culprit:
            assert isinstance(after, ModelFailure)
        else:
            assert after == before


def _bug(*arguments: object) -> None:
    raise ZeroDivisionError("a bug")


@pytest.mark.parametrize("place", ["encode", "step", "new_search", "hypotheses"])
def test_a_bug_ends_every_job_and_later_ones_are_refused(place, monkeypatch, caplog):
    model = ToyModel(12)
    gate = Gate(model)
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_batch_rows=4))
    scheduler.start()
    first = job(3, options=OPTIONS)
    scheduler.queue.submit([first])
    gate.wait_for_step()  # decoding; the others will join it or wait
    jobs = [first, *(job(*source, options=OPTIONS) for source in SOURCES)]
    scheduler.queue.submit(jobs[1:])
    if place == "encode":
        model.on_encode = _bug
    elif place == "step":
        model.on_step = _bug
    elif place == "new_search":
        monkeypatch.setattr(ToyWorkload, "new_search", _bug)
    else:
        monkeypatch.setattr("app.engine.decoding.search.Search.hypotheses", _bug)
    endings = Endings(jobs)
    gate.open()
    done, waiting = wait([item.future for item in jobs], WAIT_S)
    assert not waiting
    assert {type(future.exception()) for future in done} == {EngineUnavailable}
    endings.assert_each_ended_once()
    assert not scheduler.alive
    with pytest.raises(EngineUnavailable):
        scheduler.queue.submit([job(3)])
    scheduler.stop(0)
    [record] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert scheduler.statistics()["queued_tokens"] == 0


def test_a_worker_that_dies_takes_no_job_with_it_unended(caplog):
    """One of three dies in a step while the others stand in theirs: every job ends once, and the engine is dead."""
    model = ToyModel(12)
    together, met, once = threading.Barrier(3), threading.Event(), iter([_bug])

    def step(rows):
        if not met.is_set():  # the others may make another step before they see that one has died
            together.wait(WAIT_S)
            met.set()
        next(once, lambda *arguments: None)()

    model.on_step = step
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_batch_rows=2), workers=3)
    jobs = [job(*source, options=OPTIONS) for source in SOURCES]
    endings = Endings(jobs)
    scheduler.start()
    scheduler.queue.submit(jobs)
    done, waiting = wait([item.future for item in jobs], WAIT_S)
    assert not waiting
    failures = [
        future.exception() for future in done if future.exception()
    ]  # the others may finish some before they see it
    assert failures and {type(failure) for failure in failures} == {EngineUnavailable}
    scheduler.stop(WAIT_S)
    endings.assert_each_ended_once()
    assert not scheduler.alive
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1


def test_a_model_that_hangs_does_not_keep_a_stop_from_its_end(monkeypatch, caplog):
    monkeypatch.setattr("app.engine.scheduling.scheduler._STUCK_S", 0.0)
    model = ToyModel(12)
    gate = Gate(model)
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_batch_rows=1))
    jobs = [job(3, options=OPTIONS), job(4, options=OPTIONS)]
    endings = Endings(jobs)
    scheduler.start()
    scheduler.queue.submit(jobs)
    gate.wait_for_step()
    scheduler.stop(0.0)
    for item in jobs:
        assert isinstance(item.future.exception(0), EngineUnavailable)
    assert "does not return" in caplog.text
    gate.open()  # and then it goes on after all
    [worker] = scheduler._workers
    worker.thread.join(WAIT_S)
    endings.assert_each_ended_once()


def test_a_stop_waits_for_every_worker():
    """The worker without work ends at once; the other worker finishes its job."""
    model = ToyModel(12)
    gate = Gate(model)
    scheduler = scheduler_of(model, workers=2)
    scheduler.start()
    item = job(3, options=OPTIONS)
    scheduler.queue.submit([item])
    gate.wait_for_step()
    with stopping(scheduler, WAIT_S):
        gate.open()
    assert item.future.result(0).hypotheses == expected((3,))


async def test_an_engine_whose_thread_died_says_so(tiny_bundle):
    model = ToyModel(512)
    engine = engine_of(tiny_bundle, model)
    await engine.start()
    assert engine.state == "ready"
    model.on_step = _bug
    with pytest.raises(EngineUnavailable):
        await engine.translate(["Der Hund."], source="de", target="en", options=greedy())
    for worker in engine._scheduler._workers:
        worker.thread.join(WAIT_S)
    assert engine.state == "failed"
    with pytest.raises(EngineUnavailable, match="failed"):
        await engine.translate(["Der Hund."], source="de", target="en", options=greedy())
    await engine.stop()
    assert engine.state == "stopping"


async def test_an_engine_that_never_started_can_be_stopped(tiny_bundle):
    engine = engine_of(tiny_bundle, ToyModel(512))
    with pytest.raises(EngineUnavailable, match="starting"):
        await engine.translate(["Der Hund."], source="de", target="en", options=greedy())
    await engine.stop()
    with pytest.raises(EngineUnavailable, match="stopping"):
        await engine.translate(["Der Hund."], source="de", target="en", options=greedy())


def test_a_stop_finishes_what_was_accepted():
    model = ToyModel(12)
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_batch_rows=3))
    gate = Gate(model)
    jobs = [job(3, index) for index in range(3, 40)]
    endings = Endings(jobs)
    scheduler.start()
    scheduler.queue.submit(jobs)
    gate.wait_for_step()
    with stopping(scheduler, WAIT_S):
        with pytest.raises(EngineUnavailable):
            scheduler.queue.submit([job(3)])
        gate.open()
    endings.assert_each_ended_once()
    assert all(item.future.exception() is None for item in jobs)


def test_a_stop_without_time_fails_what_is_left():
    scheduler = scheduler_of(
        ToyModel(12, eos_bonus=ENDLESS), limits=replace(ROOMY, max_batch_rows=3), max_length=FOREVER
    )
    jobs = [job(3, index) for index in range(3, 20)]
    endings = Endings(jobs)
    scheduler.start()
    scheduler.queue.submit(jobs)
    scheduler.stop(0)
    endings.assert_each_ended_once()
    assert {type(item.future.exception()) for item in jobs} == {EngineUnavailable}
    assert not scheduler.alive


def test_cancelled_jobs_end_once_too_when_the_engine_stops():
    scheduler = scheduler_of(ToyModel(12, eos_bonus=ENDLESS), max_length=FOREVER)
    jobs = [job(3, index) for index in range(3, 20)]
    endings = Endings(jobs)
    scheduler.start()
    scheduler.queue.submit(jobs)
    for item in jobs[::2]:
        item.future.cancel()
    scheduler.stop(0)
    endings.assert_each_ended_once()
    assert all(item.future.cancelled() for item in jobs[::2])
    assert {type(item.future.exception()) for item in jobs[1::2]} == {EngineUnavailable}


def test_a_stop_before_the_start_and_a_second_stop():
    scheduler = scheduler_of(ToyModel(12))
    scheduler.stop(0)
    with pytest.raises(EngineUnavailable):
        scheduler.queue.submit([job(3)])
    started = scheduler_of(ToyModel(12))
    started.start()
    started.stop(WAIT_S)
    started.stop(WAIT_S)
    assert not started.alive
