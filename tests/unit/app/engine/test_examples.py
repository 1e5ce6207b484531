"""What the engine learns from examples. The formula is tested in ``tests/kernels/test_neighbours.py``."""

import asyncio
import threading

import pytest

from app.engine.decoding.neighbours import ExampleIds
from app.engine.decoding.search import default_max_length
from app.engine.interface import Example, RequestQuota, TranslationCall, collect
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from tests.support.engines import GERMAN, started


def opened(bundle, precision):
    return Engine.from_settings(Settings(bundle=bundle.path, precision=precision, threads=1))


def examples_for(text: str, *pairs: tuple[str, str]) -> list[Example]:
    return [Example(0, len(text), source, target) for source, target in pairs]


async def translated(engine, texts, examples=(), **options):
    call = TranslationCall(
        texts=texts, source="de", target="en", options=SearchOptions(**options), examples=examples, quota=RequestQuota()
    )
    drafts, _ = await collect(engine.stream(call), len(texts))
    return [[(draft.versions[0].text, draft.versions[0].score) for draft in own] for own in drafts]


@pytest.fixture
async def engine(tiny_bundle):
    async with started(opened(tiny_bundle, "int8")) as engine:
        yield engine


@pytest.mark.parametrize("beam", [1, 4])
async def test_a_sentence_learns_from_its_examples_in_any_company(engine, beam):
    texts = GERMAN[:4]
    known = await translated(engine, texts, beam_size=beam)
    other = [text for [(text, _), *_] in known]
    # Each is given the translation of the next one.
    examples = [examples_for(text, (text, other[(n + 1) % 4])) for n, text in enumerate(texts)]
    together = await translated(engine, texts, examples, beam_size=beam)
    assert together != known
    for text, own, found in zip(texts, examples, together, strict=True):
        assert await translated(engine, [text], [own], beam_size=beam) == [found]
    mixed = await translated(engine, texts, [examples[0], [], examples[2], []], beam_size=beam)
    assert mixed == [together[0], known[1], together[2], known[3]]


async def test_an_example_is_for_its_sentence(engine):
    text = f"{GERMAN[0]} {GERMAN[1]}"
    first = len(GERMAN[0])
    [plain] = await translated(engine, [text])
    [found] = await translated(engine, [text], [[Example(first + 1, len(text), GERMAN[1], plain[0][0])]])
    assert found[0] == plain[0] and found[1] != plain[1]


async def test_long_and_odd_examples_do_no_harm(engine):
    odd = [("", ""), ("x " * 2_000, "y " * 2_000), ("\ue000", "\ue001"), ("😀", "日本語")]
    [known], [found] = [await translated(engine, GERMAN[:1], each) for each in ((), [examples_for(GERMAN[0], *odd)])]
    assert len(found) == len(known) == 1 and found[0][0]


async def test_a_model_without_native_operators_learns_nothing(tiny_bundle):
    async with started(opened(tiny_bundle, "float32")) as engine:
        own = [examples_for(GERMAN[0], (GERMAN[0], "Something else."))]
        assert await translated(engine, GERMAN[:1], own) == await translated(engine, GERMAN[:1])


async def test_others_get_their_turn_while_many_examples_are_read(engine, monkeypatch):
    text, others = GERMAN[0], GERMAN[1:3]
    examples = examples_for(text, *((f"{GERMAN[3]} {number}", "no") for number in range(160)))
    read: list[int] = []
    ended: list[int] = []
    all_wait = threading.Event()
    queue, coalescer = engine._scheduler.queue, engine._coalescer
    read_examples, end, submit = engine._work._model.read_examples, queue.end, coalescer._submit

    def noted(examples, **ids):
        assert all_wait.wait(60)
        read.append(len(examples))
        return read_examples(examples, **ids)

    def noted_end(job, *rest):
        ended.append(len(read))
        end(job, *rest)

    def noted_submit(jobs, **how):
        submit(jobs, **how)
        if len(jobs) == len(others):
            all_wait.set()

    monkeypatch.setattr(engine._work._model, "read_examples", noted)
    monkeypatch.setattr(queue, "end", noted_end)
    monkeypatch.setattr(coalescer, "_submit", noted_submit)
    await asyncio.gather(translated(engine, [text], [examples]), translated(engine, others))
    assert sum(read) == 160 and max(read) <= 16
    assert ended[0] < len(read), "the others' sentences came between"
    [found] = await translated(engine, [text], [examples])
    assert found and sum(read) == 160, "what was read is kept"


async def test_an_example_is_read_as_far_as_a_search_could_get(engine, monkeypatch):
    """Each token takes a step, and nobody else's work gets on meanwhile."""
    read: list[ExampleIds] = []
    real = engine._work._model.read_examples

    def noted(examples, **ids):
        read.extend(examples)
        return real(examples, **ids)

    monkeypatch.setattr(engine._work._model, "read_examples", noted)
    await translated(engine, ["Ja."], [examples_for("Ja.", ("Ja!", "yes " * 1_000), ("Jo.", "no"))])
    longest = {default_max_length(len(example.source)) for example in read}
    assert len(read) == 2 and max(len(example.target) for example in read) == max(longest)
