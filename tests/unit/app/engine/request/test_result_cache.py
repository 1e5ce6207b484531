"""Two servers with one Valkey: what one has translated, the other needn't, and nothing depends on Valkey."""

import json

import pytest

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Timing
from app.engine.options import SearchOptions
from app.engine.request.result_cache import ResultCache
from app.engine.scheduling.policy import Job, Outcome
from app.settings import Settings
from tests.support.engines import translate_texts
from tests.support.tiny import sentence_pairs
from tests.unit.app.engine.test_single_model import from_bundle, started

pytestmark = pytest.mark.cluster

PAIR = {"source": "de", "target": "en"}
SENTENCES = [german for german, _ in sentence_pairs(20, seed=5)]
JOB = Job(source=(5, 6, 2), options=SearchOptions())
OUTCOME = Outcome([Hypothesis((7, 8), -1.0 / 3, -0.1, True, (0, 2)), Hypothesis((9,), -2.0, -1.5)], Timing(queue_s=1.0))


def cache(valkey, *model: object, lifetime_s: float = 60.0) -> ResultCache:
    from app.storage.valkey import Valkey

    return ResultCache(Valkey(valkey.address, 5.0), model or ("model",), lifetime_s)


@pytest.fixture
def patient(monkeypatch):
    """A busy machine may be slower than the cache's limit."""
    monkeypatch.setattr("app.engine.request.result_cache._TIMEOUT_S", 5.0)


async def test_another_server_finds_what_one_has_translated(tiny_bundle, valkey, patient):
    settings = {"valkey": valkey.address, "result_cache_s": 60.0}
    options = SearchOptions(beam_size=2, n_best=2, alignment=True)
    text = " ".join(SENTENCES)
    async with started(from_bundle(tiny_bundle)) as alone:
        expected = await translate_texts(alone, [text], options=options)
    async with started(from_bundle(tiny_bundle, **settings)) as first:
        assert first.statistics()["result_cache_hits"] == first.statistics()["result_cache_misses"] == 0
        assert await translate_texts(first, [text], options=options) == expected
        different = first.statistics()["result_cache_misses"]
    async with started(from_bundle(tiny_bundle, **settings)) as second:
        tested = second.statistics()["finished"]
        assert await translate_texts(second, [text], options=options) == expected
        counts = second.statistics()
        assert (counts["result_cache_hits"], counts["result_cache_misses"]) == (different, 0)
        assert counts["finished"] == tested  # the model had nothing to do
        await second.translate([text], **PAIR, options=SearchOptions(beam_size=1))
        assert second.statistics()["result_cache_misses"] == different


async def test_requests_go_on_while_valkey_is_away(tiny_bundle, valkey, patient):
    settings = {"valkey": valkey.address, "result_cache_s": 60.0}
    async with started(from_bundle(tiny_bundle, **settings)) as engine:
        expected = await translate_texts(engine, SENTENCES, options=SearchOptions())
        valkey.kill()
        assert await translate_texts(engine, SENTENCES, options=SearchOptions()) == expected


async def test_a_result_comes_back_as_it_was_and_expires(valkey):
    one, other = cache(valkey), cache(valkey)
    one.keep(JOB, OUTCOME)
    await one.close()
    [found] = await other.find([JOB])
    assert found and found.hypotheses == OUTCOME.hypotheses
    client = other._valkey.client
    [key] = await client.keys()
    assert 0 < await client.pttl(key) <= 60_000
    await other.close()


@pytest.mark.parametrize(
    "job",
    [
        Job(source=(5, 6, 3), options=SearchOptions()),
        Job(source=(5, 6, 2), options=SearchOptions(length_penalty=1.5)),
        Job(source=(5, 6, 2), options=SearchOptions(prefix="a")),
    ],
)
async def test_another_sentence_or_other_options_have_other_results(valkey, job):
    one = cache(valkey)
    one.keep(JOB, OUTCOME)
    await one.close()
    for other, wanted in ((cache(valkey), job), (cache(valkey, "another model"), JOB)):
        assert await other.find([wanted]) == [None]
        await other.close()


@pytest.mark.parametrize("value", ["", "7", "[7]", "[[[1],0.5]]", "no JSON", json.dumps([[1, 0.5, 0.5, False, []]])])
async def test_a_value_that_is_none_is_translated(valkey, value):
    one = cache(valkey)
    await one._valkey.client.set(one._key(JOB), value)
    assert await one.find([JOB]) == [None]
    assert (one.hits, one.misses) == (0, 1)
    await one.close()


async def test_a_full_valkey_fails_no_request(valkey):
    valkey.kill()
    valkey.start("--maxmemory", "1")
    one = cache(valkey)
    one.keep(JOB, OUTCOME)
    await one.close()
    assert await one.find([JOB]) == [None]
    await one.close()


def test_a_cache_needs_valkey():
    with pytest.raises(ValueError, match="result_cache_s needs valkey"):
        Settings(result_cache_s=60)
