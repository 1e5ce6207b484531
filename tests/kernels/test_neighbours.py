"""What similar translations say, against the formula in numpy, and in searches."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.neighbours import ExampleIds, Neighbours
from app.engine.onnx.native import NativeModel
from app.engine.options import SearchOptions
from app.errors import ModelFailure
from model.data.tokenizer import BOS_ID, EOS_ID
from tests.support.tiny import sentence_pairs, source_ids

PAIRS = sentence_pairs(12, seed=3)
MOST, REACH, WIDTH, NEAREST = 0.8, 0.3, 0.08, 8


@pytest.fixture(scope="module")
def sources(tiny_tokenizer):
    return [tuple(each) for each in source_ids(tiny_tokenizer, [german for german, _ in PAIRS])]


@pytest.fixture(scope="module")
def encode(tiny_tokenizer):
    return sentencepiece.SentencePieceProcessor(model_file=str(tiny_tokenizer)).encode


@pytest.fixture(scope="module")
def examples(sources, encode):
    return [ExampleIds(source, tuple(encode(english))) for source, (_, english) in zip(sources, PAIRS, strict=True)]


@pytest.fixture(scope="module")
def model(tiny_bundle):
    paths = tiny_bundle.graphs("int8-native")
    return NativeModel(paths["encoder"], paths["decoder"])


class Learning:
    """A model whose sentences all have the same neighbours."""

    def __init__(self, model: NativeModel, neighbours: Neighbours) -> None:
        self._model, self._neighbours = model, neighbours
        self.rows = model.rows

    def encode(self, sources):
        return [features.with_neighbours(self._neighbours) for features in self._model.encode(sources)]


def translate(model, sources, **options):
    found = decode(model, sources, start_id=BOS_ID, eos_id=EOS_ID, options=SearchOptions(**options), max_length=40)
    return [each[0] for each in found]


def read(model, examples):
    return model.read_examples(examples, start_id=BOS_ID, eos_id=EOS_ID)


def expected(scores, neighbours, state, scale):
    """The formula of ``kernels/neighbours.c``, of log-probabilities (V,) of the whole vocabulary."""
    query = state.astype(np.float64) * scale
    keys = neighbours.keys.astype(np.float64) * neighbours.scales[:, None].astype(np.float64)
    far = np.maximum(0, ((keys - query) ** 2).sum(1) / (query**2).sum())
    nearest = np.argsort(far, kind="stable")[:NEAREST]
    share = MOST * (1 - far[nearest[0]] / REACH)
    if share <= 0:
        return scores
    weights = np.exp(-far[nearest] / WIDTH)
    theirs = np.zeros(len(scores))
    np.add.at(theirs, neighbours.tokens[nearest], weights / weights.sum())
    return np.log((1 - share) * np.exp(scores) + share * theirs)


def all_scores(model, features, tokens):
    """Log-probabilities (V,) by token of the last step over the tokens, the state and its scale."""
    rows = model.rows()
    rows.join([features])
    for token in tokens:
        scores, ids, _, states = rows._step([token], 10**6, states=True)
    found = np.empty(scores.shape[-1])
    found[ids[0, 0]] = scores[0, 0]
    return found, states[0][0], states[1][0]


@pytest.mark.parametrize("length", [1, 2, 4])
def test_the_scores_are_those_of_the_formula(model, sources, examples, length):
    neighbours = Neighbours.joined(read(model, examples[:5]))
    for source, example in zip(sources, examples, strict=True):
        [features] = model.encode([source])
        tokens = (BOS_ID, *example.target)[:length]
        alone, state, scale = all_scores(model, features, tokens)
        mixed, same, _ = all_scores(model, features.with_neighbours(neighbours), tokens)
        assert (state == same).all()
        np.testing.assert_allclose(mixed, expected(alone, neighbours, state, scale), atol=2e-5)


def test_a_sentence_takes_up_its_own_translation(model, sources, encode):
    """The tiny model doesn't know these translations; with them as examples, it writes them."""
    others = [tuple(encode(english)) for _, english in PAIRS[6:] + PAIRS[:6]]
    for source, other in zip(sources, others, strict=True):
        [own] = read(model, [ExampleIds(source, other)])
        for beam in (1, 4):
            [before] = translate(model, [source], beam_size=beam)
            [after] = translate(Learning(model, own), [source], beam_size=beam)
            if before.tokens != other:
                assert after.log_probability > -math.inf and after.tokens != before.tokens


def test_states_do_not_depend_on_the_batch(model, examples):
    together = read(model, examples)
    for example, one in zip(examples, together, strict=True):
        [alone] = read(model, [example])
        assert (alone.keys == one.keys).all() and (alone.scales == one.scales).all()
        assert one.tokens.tolist() == [*example.target, EOS_ID]


plans = st.lists(st.tuples(st.integers(0, 11), st.booleans()), min_size=2, max_size=8)


@settings(max_examples=30)
@given(plan=plans, beam=st.integers(1, 5), whole=st.booleans())
def test_neighbours_are_a_sentences_own(model, sources, examples, plan, beam, whole):
    """Side by side, some with neighbours and some without, each is translated as alone, in one run or step by step."""
    neighbours = read(model, examples)
    features = [
        each.with_neighbours(Neighbours.joined([neighbours[index], neighbours[0]])) if has else each
        for (index, has), each in zip(plan, model.encode([sources[index] for index, _ in plan]), strict=True)
    ]

    class Given:
        def __init__(self, given):
            self.given = given

        def encode(self, _):
            return self.given

        def rows(self):
            rows = model.rows()
            if not whole:
                rows.most_steps = lambda wanted, lexicons: 1
            return rows

    together = translate(Given(features), [sources[index] for index, _ in plan], beam_size=beam)
    for (index, _), own, found in zip(plan, features, together, strict=True):
        [alone] = translate(Given([own]), [sources[index]], beam_size=beam)
        assert replace(found, remembered=()) == replace(alone, remembered=())


@pytest.mark.parametrize(
    "change",
    [
        lambda n: {"tokens": np.full_like(n.tokens, 10**6)},
        lambda n: {"tokens": np.full_like(n.tokens, -1)},
        lambda n: {"scales": np.full_like(n.scales, np.nan)},
        lambda n: {"scales": np.zeros_like(n.scales)},
    ],
)
def test_wrong_neighbours_are_refused(model, sources, examples, change):
    [neighbours] = read(model, examples[:1])
    with pytest.raises(ModelFailure):
        translate(Learning(model, replace(neighbours, **change(neighbours))), sources[:1])
