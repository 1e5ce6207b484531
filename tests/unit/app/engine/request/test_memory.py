"""Sentences that need the memory of those before them, over a model whose scores are known."""

import asyncio
from contextlib import aclosing

import numpy as np
import pytest

from app.engine.interface import Draft, TranslationCall, collect
from app.engine.memory import Memory
from app.engine.models.tokenizer import Tokenizer
from app.engine.options import SearchOptions
from app.engine.request.segmentation import CONTEXT, Segmenter
from app.errors import ModelFailure
from model.data.tokenizer import EOS_ID
from tests.support.reference import greedy_search
from tests.support.tiny import VOCABULARY, sentence_pairs
from tests.support.toy import ToyFeatures, ToyModel, ToyRows, engine_of, greedy
from tests.unit.app.engine.test_single_model import started

PAIR = {"source": "de", "target": "en"}
OPTIONS = greedy(max_length=4)
_FIRST_TEXT = 300  # tags and bytes come before
SENTENCES = [german for german, _ in sentence_pairs(12, seed=9)]


class Recalling(ToyFeatures):
    """A model that translates a sentence by its source and the text before it."""

    remembered: tuple[np.ndarray, ...] = ()


class RecallingRows(ToyRows):
    def remembered(self, row):
        return (np.array(self._rows[row][1]),)


class RecallingModel(ToyModel):
    """Scores depend on the whole text before: on every source and every translation. It says whole characters only."""

    memory_length = 8

    def scores(self, source, target):
        scores = super().scores(source, target).copy()
        scores[EOS_ID + 1 : _FIRST_TEXT] -= 60
        return scores

    def encode(self, sources, memories=None):
        super().encode(sources)
        found = []
        for source, memory in zip(sources, memories, strict=True):
            before = (*memory.encoder[0].tolist(), *memory.decoder[0].tolist()) if memory else ()
            features = Recalling((*source, *before))
            features.remembered = (np.array(features.source),)
            found.append(features)
        return found

    def rows(self):
        return RecallingRows(self)


@pytest.fixture(scope="module")
def tokenizer(tiny_bundle):
    return Tokenizer(tiny_bundle.path / "tokenizer.spm", tiny_bundle.path / "tokenizer.spm")


@pytest.fixture(scope="module")
def read(tokenizer):
    """The translations of the sentences of a text, one after the other."""
    model, tag = RecallingModel(VOCABULARY), tokenizer.piece_id("<2en>")

    def translations(sentences):
        before, found = (), []
        for sentence in sentences:
            source = (tag, *tokenizer.encode(sentence), EOS_ID, *before)
            tokens = greedy_search(model.next_scores(source), eos_id=EOS_ID, max_length=4)
            ended = len(tokens) < 4
            before = (*source, *(tokens if ended else tokens[:-1]))  # the last one of a cut-off text is never read
            found.append(tokenizer.decode(tokens).strip())
        return found

    return translations


async def sentences_of(engine, *texts, **others):
    call = TranslationCall(texts=texts, **PAIR, **{"options": OPTIONS} | others)
    found, _ = await collect(engine.stream(call), len(texts))
    return [[draft.text for draft in drafts] for drafts in found]


async def test_each_sentence_of_a_text_sees_those_before_and_none_of_another_text(tiny_bundle, read):
    texts = [SENTENCES[:6], SENTENCES[3:4], SENTENCES[2:8]]
    async with started(engine_of(tiny_bundle, RecallingModel(VOCABULARY))) as engine:
        found = await sentences_of(engine, *map("\n".join, texts))
    assert found == [read(text) for text in texts]
    assert found[0][3] != found[1][0], "the same sentence, after others and alone"


async def test_the_context_comes_before_every_text_and_is_not_in_the_answer(tiny_bundle, read):
    async with started(engine_of(tiny_bundle, RecallingModel(VOCABULARY))) as engine:
        context = SENTENCES[:1]
        found = await sentences_of(engine, "\n".join(SENTENCES[2:5]), SENTENCES[5], context=context[0])
    assert found == [read(context + SENTENCES[2:5])[1:], read(context + SENTENCES[5:6])[1:]]


async def test_blocks_of_one_item_are_one_text(tiny_bundle, read):
    async with started(engine_of(tiny_bundle, RecallingModel(VOCABULARY))) as engine:
        [[first], [second], [other]] = await sentences_of(engine, *SENTENCES[:3], items=[0, 0, 1])
    assert [first, second] == read(SENTENCES[:2])
    assert [other] == read(SENTENCES[2:3])


async def test_a_prefix_belongs_to_the_text_and_not_to_its_context(tiny_bundle):
    options = SearchOptions(beam_size=1, prefix="dog", max_length=6)
    async with started(engine_of(tiny_bundle, RecallingModel(VOCABULARY))) as engine:
        [[found]] = await sentences_of(engine, SENTENCES[1], options=options, context=SENTENCES[0])
    assert found.startswith("dog")


async def test_equal_texts_of_two_requests_are_translated_once_and_known_afterwards(tiny_bundle, read):
    model = RecallingModel(VOCABULARY)
    encoded = []
    model.on_encode = encoded.extend
    text = "\n".join(SENTENCES[:5])
    async with started(engine_of(tiny_bundle, model)) as engine:
        both = await asyncio.gather(sentences_of(engine, text), sentences_of(engine, text))
        once = len(encoded)
        again = await sentences_of(engine, text)
        assert engine.statistics()["feature_cache_hits"] >= 5
    assert both[0] == both[1] == again == [read(SENTENCES[:5])]
    assert once == len(encoded) == 5


async def test_an_item_has_one_sentence_at_a_time_in_the_queue(tiny_bundle):
    model = RecallingModel(VOCABULARY)
    running = []
    async with started(engine_of(tiny_bundle, model)) as engine:
        model.on_step = lambda rows: running.append(
            engine.statistics()["queued_sentences"] + engine.statistics()["running_sentences"]
        )
        await sentences_of(engine, "\n".join(SENTENCES), "\n".join(SENTENCES[::-1]))
    assert max(running) == 2


async def test_a_failure_in_the_middle_ends_the_text_and_nothing_hangs(tiny_bundle, read):
    model = RecallingModel(VOCABULARY)
    failing = True

    def fail(sources):
        if failing and any(len(source) > 12 for source in sources):
            raise ModelFailure("broken")

    model.on_encode = fail
    async with started(engine_of(tiny_bundle, model)) as engine:
        async with asyncio.timeout(20):
            with pytest.raises(ModelFailure):
                await sentences_of(
                    engine, "\n".join([*SENTENCES[:2], " ".join(SENTENCES[:9]).replace(".", ""), "Der Hund."])
                )
        failing = False
        assert await sentences_of(engine, SENTENCES[0]) == [read(SENTENCES[:1])]
        assert engine.statistics()["running_rows"] == 0


async def test_closing_a_stream_in_the_middle_leaves_nothing_behind(tiny_bundle, read):
    async with started(engine_of(tiny_bundle, RecallingModel(VOCABULARY))) as engine:
        call = TranslationCall(texts=["\n".join(SENTENCES)] * 3, **PAIR, options=OPTIONS, context=SENTENCES[0])
        async with aclosing(engine.stream(call)) as events:
            assert isinstance(await anext(events), Draft)
        assert await sentences_of(engine, SENTENCES[0]) == [read(SENTENCES[:1])]
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not [task for task in others if "_translate" in repr(task)]


def test_only_the_end_of_a_context_is_read(tokenizer):
    segmenter = Segmenter(tokenizer, longest_source=32, eos_id=EOS_ID)
    text = "\n".join(SENTENCES)
    found = segmenter.context(text, language="de", prefix=(7,), enough=20)
    assert text.endswith("\n".join(segment.source for segment in found))
    assert sum(len(segment.ids) for segment in found[1:]) < 20 <= sum(len(segment.ids) for segment in found)
    assert {segment.text_index for segment in found} == {CONTEXT}
    assert len(segmenter.context("Der Hund.", language="de", prefix=(7,), enough=99)) == 1
    assert segmenter.context(" ", language="de", prefix=(7,), enough=9) == []


def test_the_key_of_a_memory_names_all_that_it_holds():
    memory = Memory.after(None, (1, 2), (3,), (), ())
    others = [
        Memory.after(None, (1,), (2, 3), (), ()),
        Memory.after(None, (1, 2), (4,), (), ()),
        Memory.after(memory, (1, 2), (3,), (), ()),
    ]
    assert len({each.key for each in (memory, *others)}) == 4
    assert Memory.after(None, (1, 2), (3,), (), ()).key == memory.key
