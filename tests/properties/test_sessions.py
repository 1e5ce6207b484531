"""The graphs of a tiny trained model: neighbours and caches change nothing, in float32 and on the native operators."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import app.engine.onnx.kv_cache
from app.engine.decoding.batch_decoder import BatchDecoder, decode
from app.engine.decoding.search import Hypothesis, Search
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from app.errors import BundleError, ConfigurationError, ModelFailure
from model.data.tokenizer import BOS_ID, EOS_ID, PAD_ID
from tests.support.reference import beam_search, greedy_search, model_scores
from tests.support.tiny import VOCABULARY, open_graphs, sentence_pairs, source_ids

TEXTS = [german for german, _ in sentence_pairs(16, seed=7)]
MAX_LENGTH = 24
GREEDY = SearchOptions(beam_size=1)
BEAM = SearchOptions(beam_size=4, n_best=4)
PRUNED = replace(BEAM, n_best=1)
SCORE_TOLERANCE = 1e-4  # sums over padding of another length are taken in another order


@pytest.fixture(scope="module")
def sources(tiny_tokenizer):
    return source_ids(tiny_tokenizer, TEXTS)


@pytest.fixture(scope="module", params=["float32", "int8-native"])
def graphs(tiny_bundle, request):
    return open_graphs(tiny_bundle, request.param)


@pytest.fixture(scope="module")
def alone(graphs, sources):
    """Each sentence translated by itself, per beam size."""
    return {
        options: [translate(graphs, [source], options)[0] for source in sources] for options in (GREEDY, BEAM, PRUNED)
    }


def translate(model, batch, options) -> list[list[Hypothesis]]:
    return decode(model, batch, start_id=BOS_ID, eos_id=EOS_ID, options=options, max_length=MAX_LENGTH)


def assert_same(found: list[Hypothesis], expected: list[Hypothesis]) -> None:
    assert [item.tokens for item in found] == [item.tokens for item in expected]
    assert [item.truncated for item in found] == [item.truncated for item in expected]
    assert [item.score for item in found] == pytest.approx([item.score for item in expected], abs=SCORE_TOLERANCE)


def test_the_model_is_worth_testing(alone):
    """Translations differ in words and in length; they end at different steps."""
    best = [hypotheses[0] for hypotheses in alone[GREEDY]]
    assert len({item.tokens for item in best}) > len(best) / 2
    assert len({len(item.tokens) for item in best}) > 4
    assert not all(item.truncated for item in best)


@pytest.mark.parametrize("options", [GREEDY, BEAM, PRUNED], ids=["greedy", "beam", "pruned"])
@settings(max_examples=12)
@given(order=st.permutations(range(len(TEXTS))), size=st.integers(2, len(TEXTS)))
def test_companions_and_order_change_nothing(graphs, sources, alone, options, order, size):
    chosen = order[:size]
    found = translate(graphs, [sources[index] for index in chosen], options)
    for index, hypotheses in zip(chosen, found, strict=True):
        assert_same(hypotheses, alone[options][index])


@settings(max_examples=20)
@given(
    plan=st.lists(
        st.tuples(
            st.integers(0, len(TEXTS) - 1), st.integers(0, 9), st.sampled_from([GREEDY, BEAM, PRUNED]), st.booleans()
        ),
        min_size=2,
        max_size=10,
    )
)
def test_rows_may_join_late_and_leave_early(graphs, sources, alone, plan):
    """Greedy and beam searches in one batch, joining at different steps; some are dropped two steps later."""
    searches = [
        Search(start_id=BOS_ID, eos_id=EOS_ID, max_length=MAX_LENGTH, options=options) for _, _, options, _ in plan
    ]
    batch = BatchDecoder(graphs)
    dropped = set()
    for step in range(10 + MAX_LENGTH):
        joining = [place for place, (_, when, _, _) in enumerate(plan) if when == step]
        if joining:
            features = graphs.encode([sources[plan[place][0]] for place in joining])
            batch.join([searches[place] for place in joining], features)
        gone = [
            place
            for place, (_, when, _, leaves) in enumerate(plan)
            if leaves and when + 2 == step and searches[place] in batch.searches
        ]
        if gone:
            batch.drop([searches[place] for place in gone])
            dropped.update(gone)
        if batch.searches:
            batch.step()
    assert not batch.searches
    for place, (index, _, options, _) in enumerate(plan):
        if place not in dropped:
            assert_same(searches[place].hypotheses(), alone[options][index])


def test_a_step_from_the_cache_is_a_pass_from_the_beginning(tiny_model, tiny_onnx, sources):
    """Greedy and beam search over the float32 graphs with caches find what PyTorch without any cache finds."""
    for source in sources[:8]:
        scores = model_scores(tiny_model, source)
        [[best]] = translate(tiny_onnx, [source], GREEDY)
        assert best.tokens == greedy_search(scores, eos_id=EOS_ID, max_length=MAX_LENGTH)
        expected = beam_search(scores, eos_id=EOS_ID, max_length=MAX_LENGTH, beam=4, alpha=BEAM.length_penalty)
        [found] = translate(tiny_onnx, [source], BEAM)
        assert [item.tokens for item in found] == [item.tokens for item in expected]
        assert [item.score for item in found] == pytest.approx([item.score for item in expected], abs=SCORE_TOLERANCE)


def test_features_have_the_length_of_their_sentence(tiny_onnx, sources):
    for source, features in zip(sources, tiny_onnx.encode(sources), strict=True):
        assert features.length == len(source)
        assert features.nbytes == sum(array.nbytes for array in features.arrays)
        for array in features.arrays:
            assert array.shape == (len(source), 64)


def test_more_candidates_than_the_vocabulary_has(tiny_onnx, sources):
    rows = tiny_onnx.rows()
    rows.join(tiny_onnx.encode(sources[:2]))
    scores, candidates, _ = rows.step([BOS_ID, BOS_ID], 2 * VOCABULARY)
    assert scores.shape == candidates.shape == (2, VOCABULARY)
    assert (np.diff(scores, axis=1) <= 0).all()
    assert [sorted(row) for row in candidates.tolist()] == [list(range(VOCABULARY))] * 2
    assert np.exp(scores).sum(1) == pytest.approx([1.0, 1.0], abs=1e-4)


def test_an_id_outside_the_vocabulary_is_a_model_failure(tiny_onnx):
    with pytest.raises(ModelFailure):
        tiny_onnx.encode([[VOCABULARY]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_a_model_failure(tiny_onnx, sources, monkeypatch, bad):
    healthy = tiny_onnx.step

    def step(*arguments, **options):
        scores, *others = healthy(*arguments, **options)
        scores[0, 0] = bad
        return [scores, *others]

    monkeypatch.setattr(tiny_onnx, "step", step)
    rows = tiny_onnx.rows()
    rows.join(tiny_onnx.encode(sources[:1]))
    with pytest.raises(ModelFailure, match="not finite"):
        rows.step([BOS_ID], 4)


def test_what_is_behind_a_rows_past_is_never_read(tiny_bundle, sources, monkeypatch):
    model = open_graphs(tiny_bundle, "float32")
    expected = [translate(model, sources, options) for options in (GREEDY, BEAM)]
    block = app.engine.onnx.kv_cache._DoubleBuffer.block

    def poisoned(*arguments):
        memory = block(*arguments)
        memory[:] = np.nan
        return memory

    monkeypatch.setattr("app.engine.onnx.kv_cache._DoubleBuffer.block", poisoned)
    assert [translate(model, sources, options) for options in (GREEDY, BEAM)] == expected


def test_a_provider_that_is_not_there(tiny_bundle, monkeypatch):
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(ConfigurationError, match=r"provider cuda is not available: .* only CPUExecutionProvider"):
        OnnxModel(**tiny_bundle.graphs("float32"), pad_id=PAD_ID, provider="cuda", threads=1)


def test_a_damaged_graph_is_named(tiny_bundle, tmp_path):
    graphs = tiny_bundle.graphs("float32")
    truncated = tmp_path / "decoder.float32.onnx"
    truncated.write_bytes(graphs["decoder"].read_bytes()[:-1000])
    with pytest.raises(BundleError, match=r"decoder\.float32\.onnx can't be loaded"):
        OnnxModel(graphs["encoder"], truncated, pad_id=PAD_ID, provider="cpu", threads=1)
