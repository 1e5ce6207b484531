import json
import threading
from concurrent.futures import wait
from dataclasses import replace
from types import SimpleNamespace

import pytest

from app.engine.decoding.batch_decoder import decode
from app.engine.interface import Timing
from app.engine.options import SearchOptions
from app.errors import EngineUnavailable, Overloaded
from tests.support.toy import EOS, ROOMY, START, WAIT_S, Gate, Row, ToyModel, greedy, job, running, scheduler_of

ENDLESS = -60.0


def set_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of scheduler and workers from now on: one number, in seconds, that the test advances."""
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("app.engine.scheduling.job_queue.time", clock)
    monkeypatch.setattr("app.engine.scheduling.worker.time", clock)
    return now


def timed_gate(now: list[float], model: ToyModel, step_s: float) -> tuple[Gate, list[list[Row]]]:
    """A gate before every step, which takes ``step_s``; and the rows of the steps so far."""
    gate, steps = Gate(model), []
    block = model.on_step

    def step(rows: list[Row]) -> None:
        now[0] += step_s
        steps.append(rows)
        block(rows)

    model.on_step = step
    return gate, steps


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_job_ends_with_its_own_translation_whoever_makes_it(workers):
    model = ToyModel(12)
    jobs = [
        job(*range(3, 4 + index % 5), index, options=SearchOptions(beam_size=1 + index % 4), long=index % 3 == 0)
        for index in range(3, 60)
    ]
    limits = replace(ROOMY, max_batch_rows=9, max_batch_tokens=30)
    with running(scheduler_of(model, limits=limits, workers=workers)) as scheduler:
        scheduler.queue.submit(jobs[:20])
        for item in jobs[20:]:
            scheduler.queue.submit([item])
        found = [item.future.result(WAIT_S).hypotheses for item in jobs]
    alone = ToyModel(12)
    for item, hypotheses in zip(jobs, found, strict=True):
        assert [hypotheses] == decode(
            alone, [item.source], start_id=START, eos_id=EOS, options=item.options, max_length=40
        )
    assert scheduler.counters["finished"] == len(jobs)
    assert scheduler.statistics()["running_sentences"] == scheduler.statistics()["queued_tokens"] == 0


def test_rows_never_exceed_the_bound_even_when_beams_have_grown():
    """A beam of 16 over 12 tokens has grown only after two steps: its rows are reserved before."""
    model = ToyModel(12, eos_bonus=-3.0)
    widest: list[int] = []
    model.on_step = lambda rows: widest.append(len(rows))
    jobs = [job(3, index, options=SearchOptions(beam_size=16)) for index in range(3, 9)]
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=28), max_length=6)) as scheduler:
        scheduler.queue.submit(jobs)
        wait([item.future for item in jobs], WAIT_S)
    assert 12 < max(widest) <= 28


def test_a_sentence_joins_a_decode_that_runs():
    model = ToyModel(12, eos_bonus=ENDLESS)
    gate = Gate(model)
    first, second = job(3, options=greedy(max_length=30)), job(4, options=greedy(max_length=2))
    with running(scheduler_of(model)) as scheduler:
        scheduler.queue.submit([first])
        gate.wait_for_step()
        scheduler.queue.submit([second])
        gate.open()
        second.future.result(WAIT_S)
        first.future.result(WAIT_S)
    assert model.steps == 30  # the second sentence took no step of its own


def test_timing_says_how_long_a_job_waited_was_encoded_and_was_decoded(monkeypatch):
    now, model = set_clock(monkeypatch), ToyModel(12, eos_bonus=ENDLESS)

    def advance(seconds: float) -> None:
        now[0] += seconds

    model.on_encode, model.on_step = lambda sources: advance(2), lambda rows: advance(3)
    first, second = job(3, options=greedy(max_length=4)), job(4, options=greedy(max_length=4))
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=1))) as scheduler:
        scheduler.queue.submit([first, second])
        timings = [item.future.result(WAIT_S).timing for item in (first, second)]
    assert timings == [
        Timing(queue_s=0, encode_s=2, decode_s=12),
        Timing(queue_s=14, encode_s=2, decode_s=12),
    ]


def test_long_work_gets_a_fifth_of_the_time_while_there_is_short_work(monkeypatch):
    model = ToyModel(12, eos_bonus=ENDLESS)
    gate, steps = timed_gate(set_clock(monkeypatch), model, 1)
    long, short = (3,), [job(4, index, options=greedy(max_length=1)) for index in range(3, 63)]
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=1), max_length=200)) as scheduler:
        scheduler.queue.submit([job(*long, long=True)])
        for _ in range(20):
            gate.wait_for_step()
            gate.let_one_pass()
        gate.wait_for_step()
        scheduler.queue.submit(short)
        gate.open()
        for item in short:
            item.future.result(WAIT_S)
    order = [rows[0][0] for rows in steps]
    assert order[:21] == [long] * 21
    assert order[21] != long  # alone it saved nothing up, and the short one is next
    mixed = order[21 : max(place for place, source in enumerate(order) if source != long)]
    assert 11 <= mixed.count(long) <= 16  # 60 short steps: one long step to four


def test_long_work_finds_company_again_after_it_was_alone(monkeypatch):
    """A sentence by itself makes many steps at once, which says nothing of how many rows fit a step."""
    model = ToyModel(12, eos_bonus=ENDLESS, most_steps=16)
    gate, steps = timed_gate(set_clock(monkeypatch), model, 0.002)
    lone, *others = [job(3, index, options=greedy(max_length=60), long=True) for index in range(3, 6)]
    with running(scheduler_of(model, max_length=200)) as scheduler:
        scheduler.queue.submit([lone])
        for _ in range(40):
            gate.wait_for_step()
            gate.let_one_pass()
        scheduler.queue.submit(others)
        gate.open()
        for item in (lone, *others):
            item.future.result(WAIT_S)
    assert max(map(len, steps)) == 3


def test_a_short_sentence_waits_for_few_steps_of_long_work(monkeypatch):
    """10 ms of them, however many the model could make at once."""
    model = ToyModel(12, eos_bonus=ENDLESS, most_steps=16)
    gate, steps = timed_gate(set_clock(monkeypatch), model, 0.002)
    long, short = job(3, options=greedy(max_length=150), long=True), job(4, options=greedy(max_length=1))
    with running(scheduler_of(model, max_length=200)) as scheduler:
        scheduler.queue.submit([long])
        for _ in range(40):
            gate.wait_for_step()
            gate.let_one_pass()
        gate.wait_for_step()
        scheduler.queue.submit([short])
        gate.open()
        for item in (long, short):
            item.future.result(WAIT_S)
    assert 41 <= [rows[0][0] for rows in steps].index((4,)) <= 41 + 5


def test_steps_are_counted_however_many_are_made_at_once():
    model = ToyModel(12, eos_bonus=ENDLESS, most_steps=8)
    with running(scheduler_of(model, max_length=40)) as scheduler:
        items = [job(3, options=greedy(max_length=30)), job(4, options=SearchOptions(beam_size=4, max_length=20))]
        for item in items:
            scheduler.queue.submit([item])
            item.future.result(WAIT_S)
        counters = scheduler.counters
    assert counters["steps"] == model.steps == 50
    assert 50 < counters["rows_stepped"] <= 30 + 4 * 20


def test_what_is_tried_again_keeps_its_place_in_the_queue():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=1))) as scheduler:
        first, *waiting = [job(3, index) for index in range(3, 8)]
        scheduler.queue.submit([first])
        gate.wait_for_step()
        scheduler.queue.submit(waiting)
        again = [job(4, 4, order=waiting[1].order), job(4, 5, order=waiting[0].order)]
        scheduler.queue.resubmit(again)
        orders = [item.order for item in scheduler.queue._pending[False]]
        assert orders == sorted(item.order for item in [*waiting, *again])
        gate.open()
        wait([item.future for item in waiting], WAIT_S)


def test_short_work_finds_room_however_much_long_work_goes_on():
    model = ToyModel(12)
    gate = Gate(model)
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=20))
    with running(scheduler):
        scheduler.queue.submit([job(3)])
        gate.wait_for_step()
        scheduler.queue.submit([job(*[4] * 50, long=True)], admitted=True)
        scheduler.queue.submit([job(*[5] * 5)])
        scheduler.queue.reject_if_overloaded()
        with pytest.raises(Overloaded):  # a job that is long from the beginning
            scheduler.queue.submit([job(5), job(5, long=True)])
        scheduler.queue.reject_if_overloaded()  # which does not mean that short ones are refused
        scheduler.queue.submit([job(*[6] * 5)])
        with pytest.raises(Overloaded):  # the half of the queue is taken by short work itself
            scheduler.queue.submit([job(7)])
        with pytest.raises(Overloaded):
            scheduler.queue.reject_if_overloaded()
        gate.open()


def test_a_small_request_goes_before_the_later_sentences_of_larger_ones_but_not_for_ever():
    model = ToyModel(12)
    gate = Gate(model)
    scheduler = scheduler_of(model, limits=replace(ROOMY, max_queue_tokens=10**9))
    with running(scheduler):
        scheduler.queue.submit([job(3)])
        gate.wait_for_step()
        large = [job(4, 4, ahead=ahead) for ahead in (0, 10, 20)]
        scheduler.queue.submit(large)
        small = job(5, 5)
        scheduler.queue.submit([small])
        assert scheduler.queue._pending[False] == [large[0], small, *large[1:]]
        scheduler.queue.submit([job(*[6] * 32 * 20)])
        later = job(7, 7)
        scheduler.queue.submit([later])
        assert scheduler.queue._pending[False].index(later) > scheduler.queue._pending[False].index(large[-1])
        gate.open()


@pytest.mark.parametrize("running_already", [True, False])
def test_a_cancelled_job_frees_its_place(running_already):
    model = ToyModel(12, eos_bonus=ENDLESS)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=2))) as scheduler:
        first, second, third = job(3), job(4), job(5)
        scheduler.queue.submit([first, second, third])  # the third must wait
        gate.wait_for_step()
        gone = first if running_already else third
        assert gone.future.cancel()
        gate.let_one_pass()
        gate.wait_for_step()
        assert gone.source not in {source for source, _ in gate.rows}
        gate.let_one_pass()
        gate.wait_for_step()
        assert {source for source, _ in gate.rows} == ({(4,), (5,)} if running_already else {(3,), (4,)})
        gate.open()
        rest = {first, second, third} - {gone}
        assert len(wait([item.future for item in rest], WAIT_S).done) == 2
    assert scheduler.counters["cancelled"] == 1
    assert scheduler.counters["finished"] == 2


def test_statistics_are_numbers_for_json():
    model = ToyModel(12)
    gate = Gate(model)
    with running(scheduler_of(model, limits=replace(ROOMY, max_batch_rows=4))) as scheduler:
        jobs = [job(3, 4, options=SearchOptions(beam_size=4)), job(5)]
        scheduler.queue.submit(jobs)
        gate.wait_for_step()
        statistics = scheduler.statistics()
        gate.open()
        wait([item.future for item in jobs], WAIT_S)
    assert json.loads(json.dumps(statistics)) == statistics
    assert statistics["running_sentences"] == statistics["running_rows"] == 1
    assert statistics["queued_sentences"] == statistics["queued_tokens"] == 1
    idle = scheduler.statistics()
    assert [idle[name] for name in ("running_sentences", "running_rows", "queued_sentences", "queued_tokens")] == [
        0
    ] * 4
    assert idle["steps"] == model.steps
    assert idle["rows_stepped"] >= idle["steps"]


def test_many_threads_may_submit():
    jobs = [[job(3, 3 + place, index) for index in range(3, 9)] for place in range(8)]
    with running(scheduler_of(ToyModel(12))) as scheduler:
        threads = [threading.Thread(target=scheduler.queue.submit, args=(group,)) for group in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for group in jobs:
            for item in group:
                item.future.result(WAIT_S)
    assert scheduler.counters["finished"] == 48
    assert scheduler.statistics()["queued_tokens"] == 0


def test_before_the_start_nothing_is_taken():
    with pytest.raises(EngineUnavailable):
        scheduler_of(ToyModel(12)).queue.submit([job(3)])
