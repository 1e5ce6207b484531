"""Work that is given up: callers that leave, sentences that fail, engines that are dropped."""

import asyncio
import gc
import threading
import weakref
from functools import partial

import anyio
import pytest

from app.engine.options import SearchOptions
from app.errors import ModelFailure
from tests.support.engines import ENDLESS, GERMAN, from_bundle, started, translate
from tests.support.tiny import VOCABULARY
from tests.support.toy import WAIT_S, Gate, ToyModel, engine_of, greedy


async def test_the_memory_of_an_engine_is_free_once_it_is_dropped(tiny_bundle):
    """Without the garbage collector: a model that makes room for another must be gone when the other is loaded."""
    gc.collect()
    gc.disable()
    gone = asyncio.Event()
    try:
        engine = from_bundle(tiny_bundle)
        async with started(engine):
            await translate(engine, *GERMAN)
            task = asyncio.create_task(translate(engine, *GERMAN * 20))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        # The thread in which the engine was stopped may be a moment behind.
        weakref.finalize(engine._model, asyncio.get_running_loop().call_soon_threadsafe, gone.set)
        del engine, task
        await asyncio.wait_for(gone.wait(), WAIT_S)
    finally:
        gc.enable()


async def test_requests_that_are_given_up_leave_no_cycles(tiny_bundle):
    """The garbage of 200 long requests would keep the event loop for seconds when it is collected."""
    model = ToyModel(VOCABULARY)
    gate = Gate(model)
    async with started(engine_of(tiny_bundle, model)) as engine:
        gc.freeze()
        gc.disable()
        try:
            async with anyio.create_task_group() as group:  # as in a server: it cancels until a task is done
                group.start_soon(partial(translate, engine, *GERMAN * 20, "Der Hund. " * 100))
                await asyncio.to_thread(gate.wait_for_step)
                gate.open()
                await asyncio.sleep(0)
                group.cancel_scope.cancel()
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            assert not [found for found in gc.garbage if type(found).__module__.startswith("app.")]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()


async def test_a_caller_who_leaves_frees_the_rows_within_two_steps(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=ENDLESS)
    gate = Gate(model)
    async with started(engine_of(tiny_bundle, model)) as engine:
        leaving = asyncio.create_task(translate(engine, "Der Hund. Die Katze.", options=SearchOptions(beam_size=4)))
        await asyncio.to_thread(gate.wait_for_step)
        staying = asyncio.create_task(translate(engine, "Gestern.", options=greedy(max_length=9)))
        while not engine.statistics()["queued_sentences"]:
            await asyncio.sleep(0)
        assert len(gate.rows) == 2
        leaving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        gate.let_one_pass()
        await asyncio.to_thread(gate.wait_for_step)
        assert len(gate.rows) == 1
        gate.open()
        assert (await staying)[0].text
        assert engine.statistics()["cancelled"] == 2
        assert engine.statistics()["running_rows"] == 0


async def test_if_one_sentence_fails_the_others_of_the_call_are_given_up(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=ENDLESS)
    gate = Gate(model)
    failed = threading.Event()

    def fail(rows):
        if any(source == poisoned for source, _ in rows):
            raise ModelFailure("poison")
        assert failed.wait(WAIT_S)  # else the other sentence could be done before the call hears of the failure

    async with started(engine_of(tiny_bundle, model, drain_s=10.0)) as engine:
        call = asyncio.create_task(translate(engine, "Der Hund.", "Die Katze."))
        await asyncio.to_thread(gate.wait_for_step)
        poisoned = gate.rows[0][0]
        model.on_step = fail
        gate.open()
        with pytest.raises(ModelFailure):
            await call
        failed.set()
    assert engine.statistics()["running_rows"] == 0
    assert engine.statistics()["cancelled"] == 1
