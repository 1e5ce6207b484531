import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from app.engine.options import SearchOptions
from app.engine.scheduling.job_queue import Backlog
from app.engine.scheduling.policy import Limits
from app.engine.single_model import Engine
from app.errors import (
    BundleError,
    EngineUnavailable,
    Overloaded,
    UnsupportedPair,
)
from app.settings import Settings
from app.text.quality_checks import Verdict
from tests.support.engines import GERMAN, from_bundle, started, translate, translate_texts
from tests.support.tiny import GOLDEN, LEXICON, LONGEST_SOURCE, VOCABULARY
from tests.support.toy import ROOMY, WAIT_S, Gate, ToyModel, engine_of, greedy


@pytest.fixture
async def engine(tiny_bundle) -> AsyncIterator[Engine]:
    """The real one over the float32 graphs."""
    async with started(from_bundle(tiny_bundle)) as engine:
        yield engine


def without_space(text: str) -> str:
    return "".join(text.split())


async def test_what_stands_between_the_sentences_stays(engine):
    text = f"\n  {GERMAN[0]}\t{GERMAN[1]}\n\n- {GERMAN[2]}  \r\n***\n"
    [found] = await translate(engine, text)
    assert [sentence.source for sentence in found.sentences] == GERMAN[:3]
    first, second, third = (sentence.text for sentence in found.sentences)
    assert found.text == f"\n  {first}\t{second}\n\n- {third}  \r\n***\n"


async def test_a_sentence_is_translated_the_same_alone_and_in_any_company(engine):
    options = SearchOptions(beam_size=4, n_best=4)
    alone = [(await translate(engine, text, options=options))[0] for text in GERMAN]
    together = await translate(engine, *reversed(GERMAN), options=options)
    assert [item.text for item in reversed(together)] == [item.text for item in alone]
    assert [item.alternatives for item in reversed(together)] == [item.alternatives for item in alone]


@pytest.mark.parametrize("ending", [".", ""])
@pytest.mark.parametrize("separator", [" ", ", ", "\u00a0"])
async def test_a_long_sentence_is_broken_up_and_nothing_is_lost(engine, tiny_bundle, separator, ending):
    """Fillers make the words differ, so that a dropped or doubled one shows."""
    text = separator.join(word + str(number) for number, word in enumerate(list(LEXICON) * 2)) + ending
    [found] = await translate(engine, text, options=greedy(max_length=4))
    assert len(found.sentences) > 3
    assert without_space("".join(sentence.source for sentence in found.sentences)) == without_space(text)
    for sentence in found.sentences:
        assert sentence.text
        assert len(engine._detokenizer.tokenizer.encode(sentence.source)) + 2 <= LONGEST_SOURCE
    cursor = 0
    for sentence in found.sentences:
        cursor = found.text.index(sentence.text, cursor) + len(sentence.text)


async def test_a_word_longer_than_the_model_takes(engine):
    text = "x" * 300 + " Ende"
    [found] = await translate(engine, text, options=greedy(max_length=4))
    assert without_space("".join(sentence.source for sentence in found.sentences)) == without_space(text)


@pytest.mark.parametrize("text", ["", " \n\t", "…!!! ---", "🙂🙂", "\u200b\u00ad", "*** \n ###"])
async def test_without_letters_there_is_nothing_to_translate(engine, text):
    [found] = await translate(engine, text)
    assert (found.text, found.alternatives, found.sentences) == (text, (), ())


async def test_no_texts_and_many_texts(engine):
    assert await translate(engine) == []
    found = await translate(engine, GERMAN[0], "", GERMAN[1])
    assert [len(item.sentences) for item in found] == [1, 0, 1]


async def test_a_text_of_many_characters(engine):
    text = " ".join(GERMAN * 20)
    assert len(text) > 4_000  # split off the event loop
    [found] = await translate(engine, text)
    assert " ".join(sentence.source for sentence in found.sentences) == text
    once = {sentence.source: sentence.text for sentence in found.sentences}
    assert found.text == " ".join(once[sentence.source] for sentence in found.sentences)


async def test_alternatives_are_unique_and_differ_from_the_translation(tiny_bundle):
    options = SearchOptions(beam_size=4, n_best=4, beam_threshold=100, max_length=6)
    texts = [*GERMAN, " ".join(GERMAN[:2])]
    async with started(engine_of(tiny_bundle, ToyModel(VOCABULARY))) as engine:
        found = await translate(engine, *texts, options=options)
        without = await translate(engine, *texts, options=replace(options, n_best=1))
    assert any(item.alternatives for item in found)
    for item in found:
        for versions in (item, *item.sentences):
            assert len({versions.text, *versions.alternatives}) == 1 + len(versions.alternatives)
    *_, pair = found
    assert 1 <= len(pair.alternatives) <= 3
    assert [item.text for item in without] == [item.text for item in found]
    assert not any(item.alternatives for item in without)


async def test_sentences_and_links_name_their_characters(engine):
    text = f" {GERMAN[0]}\r\n\t{GERMAN[1]} 😀 {GERMAN[2]}\n"
    [found] = await translate(engine, text, options=greedy(alignment=True))
    assert len(found.sentences) == 3
    for sentence in found.sentences:
        assert text[sentence.source_begin :].startswith(sentence.source)
        assert found.text[sentence.target_begin :].startswith(sentence.text)
    for link in found.alignment:
        assert text[link.source_begin : link.source_end].strip() == text[link.source_begin : link.source_end] != ""
    # Every character of the translation that is not white space belongs to at most one link, in order.
    ends = [0, *(link.target_end for link in found.alignment)]
    assert all(end <= link.target_begin < link.target_end for end, link in zip(ends, found.alignment, strict=False))


async def test_splitting_is_the_callers_choice(engine):
    text = f"{GERMAN[0]} {GERMAN[1][:-1]}\nund so."
    counts = {}
    for splitting in ("sentences", "no_newlines", "off"):
        [found] = await translate(engine, text, splitting=splitting)
        counts[splitting] = len(found.sentences)
    assert counts == {"sentences": 3, "no_newlines": 2, "off": 1}


async def test_a_cut_off_translation_says_so(engine):
    [found] = await translate(engine, GERMAN[0], options=greedy(max_length=1))
    assert [Verdict.TRUNCATED in sentence.verdicts for sentence in found.sentences] == [True]
    [found] = await translate(engine, GERMAN[0])
    assert [Verdict.TRUNCATED in sentence.verdicts for sentence in found.sentences] == [False]


async def test_no_translation_outgrows_the_positions_of_the_model(engine, tiny_bundle):
    [found] = await translate(engine, "Hund.", options=greedy(min_length=512, max_length=512))
    assert Verdict.TRUNCATED in found.sentences[0].verdicts
    assert found.text


async def test_a_minimum_beyond_the_default_limit_is_kept(tiny_bundle):
    model = ToyModel(VOCABULARY, eos_bonus=60.0)
    async with started(engine_of(tiny_bundle, model)) as engine:
        [found] = await translate(engine, "Hund.", options=greedy(min_length=100))
    assert model.steps == 101
    assert Verdict.TRUNCATED not in found.sentences[0].verdicts


async def test_a_pair_that_no_model_translates(engine):
    assert engine.pairs == {("de", "en"), ("en", "de")}
    with pytest.raises(UnsupportedPair, match="No model translates from de to fr"):
        await engine.translate(["Der Hund."], source="de", target="fr", options=greedy())


async def test_the_direction_matters(engine):
    [there] = await translate_texts(engine, ["Wasser"], source="de", target="en", options=greedy())
    [back] = await translate_texts(engine, ["Wasser"], source="en", target="de", options=greedy())
    assert there.sentences[0].score != back.sentences[0].score


async def test_a_start_checks_the_golden_sentences(engine, tiny_bundle):
    assert engine.state == "ready"
    assert engine.info()["golden"] == {"sentences": 4, "identical": 4}
    assert [item.source for item in tiny_bundle.golden] == [*GOLDEN["de"], *GOLDEN["en"]]


async def test_a_model_starts_though_others_fill_the_queue(tiny_bundle):
    backlog = Backlog()
    backlog.add(50_000)
    settings = Settings(bundle=tiny_bundle.path, precision="float32", threads=1)
    async with started(Engine.from_bundle(tiny_bundle, settings, backlog)) as engine:
        assert engine.info()["golden"]["identical"] == 4


@pytest.mark.parametrize(("wrong", "starts"), [(1, True), (2, True), (3, False), (4, False)])
async def test_too_many_golden_sentences_that_come_out_otherwise(tiny_bundle, wrong, starts):
    engine = from_bundle(tiny_bundle)
    golden = [
        item.model_copy(update={"translation": "something else"}) if place < wrong else item
        for place, item in enumerate(tiny_bundle.golden)
    ]
    engine.bundle = replace(engine.bundle, golden=tuple(golden))
    try:
        if starts:
            await engine.start()
            assert engine.state == "ready"
            return
        with pytest.raises(BundleError, match=f"only {4 - wrong} of 4 golden sentences came out as recorded"):
            await engine.start()
        assert engine.state == "failed"
        with pytest.raises(EngineUnavailable):
            await translate(engine, "Der Hund.")
    finally:
        await engine.stop()


async def test_the_settings_reach_the_engine(tiny_bundle, monkeypatch):
    model, given, encoded = ToyModel(VOCABULARY), {}, []
    monkeypatch.setattr("app.engine.onnx.opening.OnnxModel", lambda **options: given.update(options) or model)
    together = threading.Barrier(3)
    model.on_step, model.on_encode = lambda rows: together.wait(WAIT_S), encoded.extend
    settings = Settings(bundle=tiny_bundle.path, precision="float32", threads=2, workers=3, feature_cache_bytes=0)
    async with started(Engine.from_bundle(replace(tiny_bundle, golden=()), settings)) as engine:
        await translate(engine, *GERMAN[:3], options=greedy(max_length=1))  # ends when three workers have met
        model.on_step = lambda rows: (
            None
        )  # a worker that isn't idle yet leaves its share of the next sentences to others
        await translate(engine, *GERMAN[:3], options=greedy(max_length=1))
    assert given["threads"] == 2
    assert len(encoded) == 6  # nothing was cached


async def test_every_cpu_precision_starts(tiny_bundle):
    for precision in ("int8", "float32"):
        engine = Engine.from_settings(Settings(bundle=tiny_bundle.path, precision=precision, threads=1))
        engine.bundle = replace(engine.bundle, golden=())  # a model this small may well flip in 8 bits
        async with started(engine):
            assert engine.info()["precision"] == precision
            assert (await translate(engine, GERMAN[0]))[0].text


async def test_a_full_queue_refuses_at_once(tiny_bundle):
    model = ToyModel(VOCABULARY)
    gate = Gate(model)
    limits = Limits(max_queue_tokens=10, max_batch_rows=64, max_batch_tokens=1_000)
    async with started(engine_of(tiny_bundle, model, limits=limits, drain_s=10.0)) as engine:
        running = asyncio.create_task(translate(engine, "Der Hund trinkt."))
        await asyncio.to_thread(gate.wait_for_step)
        waiting = asyncio.create_task(translate(engine, "Die Katze liebt den König."))
        while not engine.statistics()["queued_sentences"]:
            await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await translate(engine, "Der Bäcker kauft Wasser.")
        gate.open()
        assert (await running)[0].text
        assert (await waiting)[0].text
        assert engine.statistics()["rejected"] == 1


async def test_a_sentence_seen_before_skips_the_encoder(tiny_bundle):
    model = ToyModel(VOCABULARY)
    encoded: list[tuple[int, ...]] = []
    model.on_encode = encoded.extend
    async with started(engine_of(tiny_bundle, model)) as engine:
        await translate(engine, "Der Hund.", "Der Hund.", "Die Katze.")
        await translate(engine, "Die Katze.", options=SearchOptions(beam_size=3))
        assert len(encoded) == 2
        statistics = engine.statistics()
    assert statistics["feature_cache_hits"] >= 1  # and those of second attempts
    assert statistics["feature_cache_misses"] == 2
    assert statistics["feature_cache_saved_ms"] > 0
    assert statistics["feature_cache_bytes"] == sum(8 * len(source) for source in encoded)


async def test_info_and_statistics_go_into_json(engine, tiny_bundle):
    await translate(engine, *GERMAN, options=greedy())
    info = json.loads(json.dumps(engine.info()))
    assert info["name"] == "tiny"
    assert info["pairs"] == ["de-en", "en-de"]
    assert info["providers"][0] == "CPUExecutionProvider"
    assert info["shape"]["vocabulary"] == VOCABULARY
    assert info["provenance"]["licence"] == "CC0-1.0"
    statistics = engine.statistics()
    assert json.loads(json.dumps(statistics)) == statistics
    assert statistics["finished"] == len(GERMAN) + len(tiny_bundle.golden)


async def test_a_stop_lets_accepted_work_finish(tiny_bundle):
    model = ToyModel(VOCABULARY)
    gate = Gate(model)
    engine = engine_of(tiny_bundle, model, limits=replace(ROOMY, max_batch_rows=1), drain_s=10.0)
    await engine.start()
    calls = [asyncio.create_task(translate(engine, text)) for text in GERMAN[:4]]
    await asyncio.to_thread(gate.wait_for_step)
    stop = asyncio.create_task(engine.stop())
    while engine.state != "stopping":
        await asyncio.sleep(0)
    with pytest.raises(EngineUnavailable, match="stopping"):
        await translate(engine, GERMAN[5])
    gate.open()
    await stop
    assert all(item[0].text for item in await asyncio.gather(*calls))


async def test_a_translation_begins_with_its_prefix_and_alternatives_part_behind_it(engine):
    options = SearchOptions(beam_size=3, n_best=3, prefix="the dog")
    [found] = await translate_texts(engine, ["der Hund trinkt Wasser"], options=options, splitting="off")
    assert all(text.startswith("the dog") for text in (found.text, *found.alternatives))
    assert len({text.removeprefix("the dog")[:2] for text in (found.text, *found.alternatives)}) > 1
