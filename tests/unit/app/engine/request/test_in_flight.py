"""Long texts and streams, through the engine, over a model whose scores are known."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from app.engine.interface import (
    Draft,
    RequestQuota,
    Timing,
    TokenEvent,
    TranslationCall,
    collect,
    joined,
)
from app.engine.options import SearchOptions
from app.engine.scheduling.policy import POLICY
from app.errors import DeadlineExceeded
from app.translation.deadline import within
from tests.support.engines import translate_texts
from tests.support.tiny import VOCABULARY, sentence_pairs
from tests.support.toy import ROOMY, WAIT_S, Gate, ToyModel, engine_of, greedy
from tests.unit.app.engine.test_single_model import started

PAIR = {"source": "de", "target": "en"}
PURE = greedy(max_length=4)
SENTENCES = [german for german, _ in sentence_pairs(400, seed=5)]
BOOK = "".join(text + ("\n\n" if number % 7 == 0 else "\n") for number, text in enumerate(SENTENCES))


async def events_of(engine, *texts, options=PURE, **others):
    async with aclosing(engine.stream(TranslationCall(texts=texts, **PAIR, options=options, **others))) as events:
        return [event async for event in events]


async def first_event(stream, gate):
    """The first event; the model is let go no further than that takes."""
    first = asyncio.ensure_future(anext(stream))
    while not first.done():
        await asyncio.to_thread(gate.wait_for_step)
        gate.let_one_pass()
    return await first


async def test_a_long_text_waits_in_its_request_and_not_in_the_queue(tiny_bundle):
    model = ToyModel(VOCABULARY)
    async with started(engine_of(tiny_bundle, model, limits=replace(ROOMY, max_queue_tokens=5_000))) as engine:
        waiting = []
        model.on_step = lambda rows: waiting.append(engine.statistics()["queued_sentences"])
        [found] = await translate_texts(engine, [BOOK], options=PURE)
    assert len(found.sentences) >= len(SENTENCES)
    assert max(waiting) <= 256


async def test_a_long_text_begins_few_sentences_in_a_turn_of_the_event_loop(tiny_bundle):
    loop, begun, ended = asyncio.get_running_loop(), [0], False

    def begin(loop, coroutine, **others):
        begun[-1] += 1
        return asyncio.Task(coroutine, loop=loop, **others)

    def turn():
        begun.append(0)
        if not ended:
            loop.call_soon(turn)

    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        loop.set_task_factory(begin)
        turn()
        events = await events_of(engine, BOOK)
        loop.set_task_factory(None)
        ended = True
    assert sum(begun) >= len(events) - 1 > 256
    assert max(begun) <= 20


async def test_a_stream_is_the_translation_piece_by_piece(tiny_bundle):
    texts = [BOOK[:5_000], "", "\n ***", BOOK[5_000:9_000]]
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        events = await events_of(engine, *texts)
        translations = await engine.translate(texts, **PAIR, options=PURE)
    assert isinstance(events[-1], Timing)
    *drafts, _ = events
    assert all(isinstance(draft, Draft) for draft in drafts)
    for place, (text, translation) in enumerate(zip(texts, translations, strict=True)):
        own = [draft for draft in drafts if draft.text_index == place]
        assert all(text.startswith(draft.source, draft.begin) for draft in own)
        assert joined(text, own) == translation
    order = [(draft.text_index, draft.begin) for draft in drafts]
    assert order == sorted(order)


async def test_a_sentence_is_handed_out_before_the_next_is_done(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=-60.0)
    gate = Gate(model)
    async with started(engine_of(tiny_bundle, model, limits=replace(ROOMY, max_batch_rows=1), drain_s=10)) as engine:
        options = greedy(max_length=40)
        stream = engine.stream(TranslationCall(texts=["Der Hund. Die Katze."], **PAIR, options=options))
        first = await first_event(stream, gate)
        assert first.source == "Der Hund."
        assert engine.statistics()["finished"] == 1
        gate.open()
        await stream.aclose()


@pytest.mark.parametrize("beam", [1, 2])
async def test_tokens_are_the_beginning_of_their_sentence_in_greedy_search(tiny_bundle, beam):
    options = SearchOptions(beam_size=beam, max_length=9)
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        events = await events_of(engine, BOOK[:2_000], options=options, tokens=True)
    shown, tokens = "", 0
    for event in events:
        if isinstance(event, TokenEvent):
            shown += event.text
            tokens += 1
        elif isinstance(event, Draft):
            assert event.text.startswith(shown)
            shown = ""
    assert tokens > 0 if beam == 1 else tokens == 0


async def test_what_is_beyond_a_short_text_is_long_work(tiny_bundle):
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        jobs = []
        submit = engine._coalescer._submit
        engine._coalescer._submit = lambda own, admitted=False: (jobs.extend(own), submit(own, admitted=admitted))
        await engine.translate([BOOK], **PAIR, options=PURE)
    lengths = [len(each.source) for each in jobs]
    first_long = [each.long for each in jobs].index(True)
    assert all(each.long for each in jobs[first_long:])
    assert sum(lengths[: first_long - 1]) < POLICY.short_tokens


async def test_calls_with_one_quota_are_one_request(tiny_bundle):
    """Once admitted, the rest is taken though the queue is full; and beyond a short text it is long work."""
    quota = RequestQuota()
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        jobs, admitted = [], []
        submit = engine._coalescer._submit

        def note(own, admitted_now):
            jobs.extend(own)
            admitted.append(admitted_now)
            submit(own, admitted=admitted_now)

        engine._coalescer._submit = lambda own, admitted=False: note(own, admitted)
        for sentence in SENTENCES:
            await collect(engine.stream(TranslationCall(texts=[sentence], **PAIR, options=PURE, quota=quota)), 1)
    assert admitted == [False] + [True] * (len(admitted) - 1)
    assert quota.source_tokens == sum(len(each.source) for each in jobs) > POLICY.short_tokens
    first_long = [each.long for each in jobs].index(True)
    assert all(each.long for each in jobs[first_long:])
    assert sum(len(each.source) for each in jobs[: first_long - 1]) < POLICY.short_tokens


async def test_closing_a_stream_frees_the_rows(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=-60.0)
    gate = Gate(model)
    options = greedy(max_length=2)
    async with started(engine_of(tiny_bundle, model, limits=replace(ROOMY, max_batch_rows=2))) as engine:
        stream = engine.stream(TranslationCall(texts=[BOOK], **PAIR, options=options))
        await first_event(stream, gate)
        closing = asyncio.ensure_future(stream.aclose())
        gate.open()
        await closing
        await engine.translate(["Gestern."], **PAIR, options=options)
        async with asyncio.timeout(WAIT_S):  # jobs that nobody waits for leave the queue at the next sweep
            while engine.statistics()["queued_tokens"]:
                await asyncio.sleep(0)
        assert engine.statistics()["running_rows"] == 0
        assert engine.statistics()["cancelled"] > 100


async def test_a_deadline_that_passes_while_decoding_frees_the_rows(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=-60.0)
    gate = Gate(model)
    async with started(engine_of(tiny_bundle, model)) as engine:
        with pytest.raises(DeadlineExceeded):
            call = TranslationCall(texts=["Der Hund."], **PAIR, options=greedy(max_length=500))
            await collect(within(engine.stream(call), 0.2), 1)  # long enough to begin, on a busy machine too
        gate.open()
        await engine.translate(["Gestern."], **PAIR, options=PURE)
        assert engine.statistics()["cancelled"] == 1


async def test_a_stop_lets_a_long_text_finish_that_is_not_all_in_the_queue_yet(tiny_bundle):
    model = ToyModel(VOCABULARY)
    gate = Gate(model)
    engine = engine_of(tiny_bundle, model, drain_s=60.0)
    await engine.start()
    call = asyncio.create_task(translate_texts(engine, [BOOK], options=PURE))
    await asyncio.to_thread(gate.wait_for_step)
    stop = asyncio.create_task(engine.stop())
    while engine.state != "stopping":
        await asyncio.sleep(0)
    gate.open()
    await stop
    [found] = await call
    assert len(found.sentences) >= len(SENTENCES)
