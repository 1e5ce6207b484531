"""Long texts, streams and second attempts, through the engine, over a model whose scores are known."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import numpy as np
import pytest

from app.engine.interface import (
    RequestQuota,
    SentenceEvent,
    TextEvent,
    TextKey,
    Timing,
    TokenEvent,
    TranslationCall,
    collect,
)
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from app.engine.request.in_flight import second_attempt
from app.engine.scheduling.policy import POLICY
from app.errors import DeadlineExceeded
from app.text.quality_checks import Verdict, loops
from app.translation.deadline import within
from tests.support.tiny import VOCABULARY, sentence_pairs
from tests.support.toy import EOS, ROOMY, WAIT_S, Gate, ToyModel, engine_of, greedy
from tests.unit.app.engine.test_single_model import started

pytestmark = pytest.mark.anyio

PAIR = {"source": "de", "target": "en"}
PURE = greedy(second_attempt=False, max_length=4)
SENTENCES = [german for german, _ in sentence_pairs(400, seed=5)]
BOOK = "".join(text + ("\n\n" if number % 7 == 0 else "\n") for number, text in enumerate(SENTENCES))


class Parrot(ToyModel):
    """Says one token again and again, unless it is kept from it, and never knows when to stop."""

    def __init__(self, word: int, end: int = EOS) -> None:
        super().__init__(VOCABULARY)
        self.word, self.end = word, end

    def scores(self, source, target):
        logits = np.full(VOCABULARY, -9.0)
        logits[self.word] = 12.0
        logits[self.word + 1 : self.word + 40] = np.linspace(5.0, 4.0, 39)
        logits[self.end] = 7.0 if target and target[-1] != self.word else 3.0
        return (logits - np.logaddexp.reduce(logits)).astype(np.float32)


def word_of(bundle):
    """A token that is a whole word."""
    [word] = Tokenizer(bundle.path / "tokenizer.spm", bundle.path / "tokenizer.spm").encode("Hund")
    return word


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
        [found], _ = await engine.translate([BOOK], **PAIR, options=PURE)
    assert len(found.sentences) >= len(SENTENCES)
    assert max(waiting) <= 256


async def test_a_stream_is_the_translation_piece_by_piece(tiny_bundle):
    texts = [BOOK[:5_000], "", "\n ***", BOOK[5_000:9_000]]
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        events = await events_of(engine, *texts)
        translations, _ = await engine.translate(texts, **PAIR, options=PURE)
    assert isinstance(events[-1], Timing)
    for place, (text, translation) in enumerate(zip(texts, translations, strict=True)):
        own = [event for event in events if not isinstance(event, Timing) and event.key == TextKey(place)]
        *sentences, last = own
        assert last == TextEvent(TextKey(place), translation)
        pieces, source_end = [], 0
        for event in sentences:
            assert isinstance(event, SentenceEvent)
            sentence = event.sentence
            pieces.append(text[source_end : sentence.source_begin])
            assert sum(map(len, pieces)) == sentence.target_begin
            pieces.append(sentence.text)
            source_end = sentence.source_begin + len(sentence.source)
        assert "".join(pieces) + text[source_end:] == translation.text
    order = [event.key for event in events[:-1]]
    assert order == sorted(order)


async def test_a_sentence_is_handed_out_before_the_next_is_done(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=-60.0)
    gate = Gate(model)
    async with started(engine_of(tiny_bundle, model, limits=replace(ROOMY, max_batch_rows=1), drain_s=10)) as engine:
        options = greedy(second_attempt=False, max_length=40)
        stream = engine.stream(TranslationCall(texts=["Der Hund. Die Katze."], **PAIR, options=options))
        first = await first_event(stream, gate)
        assert first.sentence.source == "Der Hund."
        assert engine.statistics()["finished"] == 1
        gate.open()
        await stream.aclose()


@pytest.mark.parametrize("beam", [1, 2])
async def test_tokens_add_up_to_their_sentence_in_greedy_search(tiny_bundle, beam):
    options = SearchOptions(beam_size=beam, second_attempt=False, max_length=9)
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        events = await events_of(engine, BOOK[:2_000], options=options, tokens=True)
    shown, tokens = "", 0
    for event in events:
        if isinstance(event, TokenEvent):
            shown += event.text
            tokens += 1
        elif isinstance(event, SentenceEvent):
            assert shown == (event.sentence.text if beam == 1 else "")
            shown = ""
    sentences = sum(isinstance(event, SentenceEvent) for event in events)
    assert tokens >= sentences if beam == 1 else tokens == 0


async def test_a_loop_is_tried_again_and_the_better_translation_is_returned(tiny_bundle):
    async with started(engine_of(tiny_bundle, Parrot(word_of(tiny_bundle)))) as engine:
        for options in (greedy(), SearchOptions(beam_size=2)):
            [once], _ = await engine.translate(
                ["Der Hund trinkt Wasser."], **PAIR, options=replace(options, second_attempt=False)
            )
            [twice], _ = await engine.translate(["Der Hund trinkt Wasser."], **PAIR, options=options)
            [first], [second] = once.sentences, twice.sentences
            assert Verdict.REPETITION in first.verdicts
            assert len(second.verdicts) < len(first.verdicts)
            assert second.text and second.text != first.text


class Stutterer(ToyModel):
    """Says a text; when it is kept from going on with that, one other word and nothing more."""

    def __init__(self, text: list[int], otherwise: int) -> None:
        super().__init__(VOCABULARY)
        self.text, self.otherwise = tuple(text), otherwise

    def scores(self, source, target):
        goes_on = target == self.text[: len(target)] and len(target) < len(self.text)
        scores = np.full(VOCABULARY, -60.0)
        scores[self.otherwise] = -5.0
        scores[self.text[len(target)] if goes_on else EOS] = -0.001
        return scores.astype(np.float32)


async def test_a_loop_is_worse_than_any_other_fault(tiny_bundle):
    text = "Der 31. Hund trinkt."
    tokenizer = Tokenizer(tiny_bundle.path / "tokenizer.spm", tiny_bundle.path / "tokenizer.spm")
    model = Stutterer(tokenizer.encode("Hund Hund Hund 31"), tokenizer.encode("Wasser")[0])
    async with started(engine_of(tiny_bundle, model)) as engine:
        [once], _ = await engine.translate([text], **PAIR, options=greedy(second_attempt=False))
        [twice], _ = await engine.translate([text], **PAIR, options=greedy())
    assert loops(text, once.text)
    assert not loops(text, twice.text) and twice.text != text
    assert len(twice.sentences[0].verdicts) == len(once.sentences[0].verdicts) == 1


class NoHeadForNumbers(ToyModel):
    """Copies the source, but for digits: there it says something else."""

    def __init__(self, digits: set[int], otherwise: int) -> None:
        super().__init__(VOCABULARY)
        self.digits, self.otherwise = digits, otherwise

    def scores(self, source, target):
        words = [self.otherwise if piece in self.digits else piece for piece in source[1:]]
        scores = np.full(VOCABULARY, -60.0)
        scores[words[min(len(target), len(words) - 1)]] = -0.001
        return scores.astype(np.float32)


@pytest.mark.parametrize("beam", [1, 2])
async def test_changed_numbers_are_tried_again_with_placeholders_for_them(tiny_bundle, beam):
    text = "Der 31. Hund, 7.000."
    tokenizer = Tokenizer(tiny_bundle.path / "tokenizer.spm", tiny_bundle.path / "tokenizer.spm")
    digits = {piece for digit in "123459" for piece in tokenizer.encode(digit)[-1:]}  # it knows 0 and 7
    model = NoHeadForNumbers(digits, word_of(tiny_bundle))
    options = SearchOptions(beam_size=beam, alignment=True)
    async with started(engine_of(tiny_bundle, model)) as engine:
        [once], _ = await engine.translate([text], **PAIR, options=replace(options, second_attempt=False))
        [twice], _ = await engine.translate([text], **PAIR, options=options)
    assert Verdict.DIGITS_CHANGED in once.sentences[0].verdicts and "31" not in once.text
    assert twice.text == text
    [sentence] = twice.sentences
    assert (sentence.source, sentence.verdicts) == (text, ())


async def test_what_two_attempts_cannot_mend_is_there_or_the_source_and_the_verdict_says_so(tiny_bundle):
    class Stubborn(Parrot):
        def scores(self, source, target):
            scores = np.full(VOCABULARY, -60.0)
            scores[self.word], scores[self.end] = -0.001, -90.0
            return scores.astype(np.float32)

    async with started(engine_of(tiny_bundle, Stubborn(word_of(tiny_bundle)))) as engine:
        [found], _ = await engine.translate(["Der Hund trinkt Wasser."], **PAIR, options=greedy())
        # This one keeps it from saying other things the second time.
        [looping], _ = await engine.translate(
            ["Der Hund trinkt Wasser."], **PAIR, options=SearchOptions(no_repeat_ngram=10, n_best=2, beam_size=2)
        )
    [sentence] = found.sentences
    assert Verdict.TRUNCATED in sentence.verdicts
    assert found.text == sentence.text != ""
    assert looping.text == "Der Hund trinkt Wasser."
    assert looping.sentences[0].verdicts == (Verdict.COPIED_SOURCE,)
    assert looping.sentences[0].alternatives


def test_the_limits_of_the_caller_are_no_reason_to_try_again():
    cut, loop, long = (Verdict.TRUNCATED,), (Verdict.TRUNCATED, Verdict.REPETITION), (Verdict.TOO_LONG,)
    assert second_attempt(SearchOptions(), (), 20) is None
    assert second_attempt(SearchOptions(), cut, 20) is not None
    assert second_attempt(SearchOptions(max_length=5), cut, 20) is None
    assert second_attempt(SearchOptions(max_length=5), loop, 20) is not None
    assert second_attempt(SearchOptions(min_length=5), long, 20) is None
    assert second_attempt(SearchOptions(second_attempt=False), loop, 20) is None
    again = second_attempt(greedy(no_repeat_ngram=2, repetition_penalty=3.0), loop, 3)
    assert again is not None
    assert (again.no_repeat_ngram, again.repetition_penalty, again.beam_size) == (2, 3.0, 4)


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
            await collect(engine.stream(TranslationCall(texts=[sentence], **PAIR, options=PURE, quota=quota)))
    assert admitted == [False] + [True] * (len(admitted) - 1)
    assert quota.source_tokens == sum(len(each.source) for each in jobs) > POLICY.short_tokens
    first_long = [each.long for each in jobs].index(True)
    assert all(each.long for each in jobs[first_long:])
    assert sum(len(each.source) for each in jobs[: first_long - 1]) < POLICY.short_tokens


async def test_closing_a_stream_frees_the_rows(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=-60.0)
    gate = Gate(model)
    options = greedy(second_attempt=False, max_length=2)
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
            await collect(within(engine.stream(call), 0.01))
        gate.open()
        await engine.translate(["Gestern."], **PAIR, options=PURE)
        assert engine.statistics()["cancelled"] == 1


async def test_a_stop_lets_a_long_text_finish_that_is_not_all_in_the_queue_yet(tiny_bundle):
    model = ToyModel(VOCABULARY)
    gate = Gate(model)
    engine = engine_of(tiny_bundle, model, drain_s=60.0)
    await engine.start()
    call = asyncio.create_task(engine.translate([BOOK], **PAIR, options=PURE))
    await asyncio.to_thread(gate.wait_for_step)
    stop = asyncio.create_task(engine.stop())
    while engine.state != "stopping":
        await asyncio.sleep(0)
    gate.open()
    await stop
    [found], _ = await call
    assert len(found.sentences) >= len(SENTENCES)
