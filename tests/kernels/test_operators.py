"""The native operators: against PyTorch, against each other's instruction sets, and fed with what is wrong."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.onnx.native import choose_kernels
from tests.support.native import SHAPES, Operators, a_batch, a_lexicon, no_neighbours, rounded_model

FASTER = ("amx", "avx512vnni", "avxvnni", "avx2", "sse41", "neoni8mm", "neon", "neonv8")
FAST = [name for name in FASTER if choose_kernels(name)]


@pytest.fixture(scope="module", params=SHAPES)
def model(request):
    return rounded_model(**SHAPES[request.param])


@pytest.fixture(scope="module")
def plain():
    return Operators(rounded_model(), "plain")


def test_features_and_log_probabilities_are_the_models(model):
    """Within what 8 bits cost: some percent of a standard deviation."""
    operators, config = Operators(model, "plain"), model.config
    rng = np.random.default_rng(1)
    ids = rng.integers(3, config.source_vocabulary, 11)
    features = operators.encode(ids, np.array([11]))
    with torch.no_grad():
        encoded = model.encode(torch.from_numpy(ids)[None])
        cache = model.start(encoded)
        expected = np.stack([side[0].numpy() for pair in cache.cross for side in pair])
        tokens = rng.integers(3, config.target_vocabulary, (1, 4))
        states, _, _ = model.advance(torch.from_numpy(tokens), model.start(encoded))
        wanted = torch.log_softmax(model.logits(states), -1)[0].numpy()
    assert np.abs(features - expected).max() < 0.08 * expected.std()
    memory = np.full((len(features), 20, config.width), np.nan, np.float32)
    memory[:, :11] = features
    given = {
        "memory": memory,
        "totals": np.zeros(1),
        "histories": np.zeros((1, 8), np.int32),
        "sentences": np.array([[1, 1, 11]]),
        "sources": np.arange(11, dtype=np.int32)[None],
        "thresholds": np.zeros(1),
        "top": np.array(config.target_vocabulary),
        **a_lexicon(1),
    }
    for position, token in enumerate(tokens[0]):
        given |= {"rows": np.array([[token, position]]), "fresh": np.array([[12 + position]], np.int32)}
        found = operators.decode(given)
        given |= {"memory": found["next_memory"], "histories": found["next_histories"]}
        scores = np.empty(config.target_vocabulary)
        scores[found["tokens"][0, 0]] = found["scores"][0, 0]
        assert np.exp(scores).sum() == pytest.approx(1, abs=1e-5)
        assert np.abs(scores - wanted[position]).max() < 0.2 * wanted.std()
        assert (found["attended"][0, 0] == -1) == (config.alignment_layer is None)


@pytest.mark.parametrize("kernels", FAST)
def test_instruction_sets_agree_to_the_last_bit(model, kernels):
    found = []
    for name in ("plain", kernels):
        operators = Operators(model, name)
        batch = a_batch(operators)
        found.append(
            (
                batch["memory"],
                *operators.decode(batch).values(),
                *operators.decode(a_batch(operators, top=20, steps=1)).values(),
            )
        )
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_memory_that_is_not_the_outputs_is_copied(plain):
    batch = a_batch(plain)
    before = {name: array.copy() for name, array in batch.items()}
    found = plain.decode(batch)
    for name, array in batch.items():
        np.testing.assert_array_equal(array, before[name])
    assert not np.array_equal(found["next_memory"], batch["memory"], equal_nan=True)


@pytest.mark.parametrize("kernels", ["plain", *FAST])
def test_any_number_of_candidates_are_the_first_of_all(kernels):
    operators = Operators(rounded_model(target_vocabulary=1500, source_vocabulary=1500), kernels)
    everything = operators.decode(a_batch(operators, top=1500, steps=1))
    assert (np.sort(everything["tokens"]) == np.arange(1500)).all()
    assert (np.diff(everything["scores"]) <= 0).all()
    for top in (1, 4, 16, 17, 64, 65, 300, 1024, 1025):
        found = operators.decode(a_batch(operators, top=top, steps=1))
        np.testing.assert_array_equal(found["tokens"], everything["tokens"][..., :top])
        np.testing.assert_array_equal(found["scores"], everything["scores"][..., :top])


@pytest.fixture(scope="module", params=["plain", *FAST])
def choosing(request):
    return Operators(rounded_model(decoder_cell="ssru"), request.param, choices=True)


def test_choices_of_everything_are_no_choices(choosing):
    batch, vocabulary = a_batch(choosing, beams=1), choosing.config.target_vocabulary
    everything = np.tile(np.arange(vocabulary, dtype=np.int32), (3, 1))
    free = choosing.decode(batch | {"choices": np.full((3, 1), -1, np.int32)})
    some = everything.copy()
    some[1] = -1
    for choices in (everything, some):
        for one, other in zip(choosing.decode(batch | {"choices": choices}).values(), free.values(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_sentence_takes_the_best_of_its_choices_whatever_others_have(choosing):
    rng, batch = np.random.default_rng(3), a_batch(choosing, beams=1, steps=1)
    batch["roots"][:] = 0  # no lexicon
    everything = choosing.decode(a_batch(choosing, steps=1, top=512) | {"choices": np.full((3, 1), -1, np.int32)})
    choices = np.full((3, 70), -1, np.int32)
    for row, count in enumerate((70, 1, 65)):
        choices[row, :count] = np.sort(rng.choice(512, count, replace=False))
    found = choosing.decode(batch | {"choices": choices})
    for row, own in enumerate(choices):
        scores = np.empty(512)
        scores[everything["tokens"][0, row]] = everything["scores"][0, row]
        own = own[own >= 0]
        assert found["tokens"][0, row, 0] == own[scores[own].argmax()]
        wanted = scores[own].max() - np.log(np.exp(scores[own]).sum())
        assert found["scores"][0, row, 0] == pytest.approx(wanted, abs=1e-5)
        alone = np.full((3, 70), -1, np.int32)
        alone[row] = choices[row]
        again = choosing.decode(batch | {"choices": alone})
        assert again["scores"][0, row, 0] == found["scores"][0, row, 0]


@pytest.mark.parametrize(
    "choices",
    [
        np.zeros((2, 4), np.int32),
        np.zeros((3, 0), np.int32),
        np.zeros((3, 600), np.int32),
        np.full((3, 4), 512, np.int32),
        np.full((3, 4), -2, np.int32),
        np.zeros((3, 4), np.int64),
        np.zeros(3, np.int32),
    ],
    ids=str,
)
def test_wrong_choices_are_an_error(choices):
    operators = Operators(rounded_model(), "plain", choices=True)
    with pytest.raises(Exception, match=r"Decode|INVALID_ARGUMENT"):
        operators.decode(a_batch(operators, beams=1) | {"choices": choices})


def test_what_has_ended_takes_no_steps(plain):
    """The steps made are those of the sentence that goes on longest; then all hypotheses are none."""
    found = plain.decode(a_batch(plain, beams=1, steps=14))
    assert 1 <= len(found["scores"]) <= 14
    assert np.isfinite(found["scores"][0]).all()


WRONG = {
    "a token that there isn't": {"rows": np.array([[512, 0]] * 3)},
    "a negative token": {"rows": np.array([[-1, 0]] * 3)},
    "a position behind the room": {"rows": np.array([[1, 30]] * 3)},
    "a position behind the model's": {"rows": np.array([[1, 2**40]] * 3)},
    "the largest position": {"rows": np.array([[1, 2**63 - 1]] * 3)},
    "a negative position": {"rows": np.array([[1, -1]] * 3)},
    "rows of three columns": {"rows": np.zeros((3, 3), np.int64)},
    "a history outside of the memory": {"rows": np.array([[1, 1]] * 3), "histories": np.full((3, 32), 10**6, np.int32)},
    "a source outside of the memory": {"sources": np.full((3, 18), -1, np.int32)},
    "a fresh place outside of the memory": {"fresh": np.full((9, 6), 10**6, np.int32)},
    "too few fresh places": {"fresh": np.zeros((8, 6), np.int32)},
    "no fresh places": {"fresh": np.zeros((9, 0), np.int32)},
    "more rows than there are": {"sentences": np.array([[2, 3, 5], [1, 3, 1], [1, 3, 18]])},
    "fewer rows than there are": {"sentences": np.array([[1, 3, 5], [1, 3, 1]])},
    "more rows than hypotheses": {"sentences": np.array([[3, 2, 5]]), "sources": np.zeros((1, 18), np.int32)},
    "too many hypotheses": {"sentences": np.array([[1, 17, 5], [1, 3, 1], [1, 3, 18]])},
    "a source longer than its places": {"sentences": np.array([[1, 3, 19], [1, 3, 1], [1, 3, 18]])},
    "an empty source": {"sentences": np.array([[1, 3, 0], [1, 3, 1], [1, 3, 18]])},
    "a total that is no number": {"totals": np.full(3, np.nan)},
    "a total for each of two rows": {"totals": np.zeros(2)},
    "a memory of another width": {"memory": np.zeros((4, 94, 32), np.float32)},
    "a memory of other layers": {"memory": np.zeros((2, 94, 64), np.float32)},
    "a negative top": {"top": np.array(-1)},
    "thresholds for two sentences": {"thresholds": np.zeros(2)},
    "a node of three columns": {"nodes": np.zeros((8, 3), np.int32)},
    "a node with a token that there isn't": {"nodes": np.full((8, 4), 512, np.int32)},
    "a first node with a token": {"nodes": np.array([(-1, 0, 0, 0)] + [(0, 0, 0, 0)] * 7, np.int32)},
    "a first node with a child": {"nodes": np.array([(0, 0, 2**31 - 1, 0)] + [(0, 0, 0, 0)] * 7, np.int32)},
    "a node that is its own sibling": {"nodes": np.array([(0, 0, 0, 0), (0, 1, 0, 0)] * 4, np.int32)},
    "a node that is its own child": {"nodes": np.array([(0, 0, 0, 0), (0, 0, 1, 0)] * 4, np.int32)},
    "a sibling that there isn't": {"nodes": np.array([(0, 0, 0, 0), (0, 8, 0, 0)] * 4, np.int32)},
    "a root that there isn't": {"roots": np.full((3, 18), 8, np.int32)},
    "the root of a 65th word": {"nodes": np.array([(0, 0, 0, 0), (64, 0, 0, 0)] * 4, np.int32)},
    "roots of two sentences": {"roots": np.zeros((2, 18), np.int32)},
    "the progress of two rows": {"progress": np.zeros((2, 2), np.int64)},
    "progress at a node that there isn't": {"progress": np.full((3, 2), 8, np.int64)},
    "progress at a negative node": {"progress": np.full((3, 2), -1, np.int64)},
}


WRONG_NEIGHBOURS = {
    "more than there are": {"key_counts": np.array([65, 0, 0])},
    "more than there are of two": {"key_counts": np.array([1, 0, 1])},
    "a negative number": {"key_counts": np.array([-1, 0, 0])},
    "numbers of two sentences": {"key_counts": np.array([1, 0])},
    "a token that there isn't": {"key_tokens": np.full(64, 512, np.int32)},
    "a scale that is no number": {"key_scales": np.full(64, np.nan, np.float32)},
    "a scale of zero": {"key_scales": np.zeros(64, np.float32)},
    "keys of another width": {"keys": np.zeros((1, 3, 256), np.int8)},
    "keys without sums": {"key_sums": np.zeros((63, 2), np.int32)},
    "keys of two axes": {"keys": np.zeros((64, 64), np.int8)},
}


@pytest.mark.parametrize("wrong", WRONG_NEIGHBOURS)
def test_wrong_neighbours_are_an_error(plain, wrong):
    some = no_neighbours(plain.config.width, 3) | {"key_counts": np.array([1, 0, 0])}
    plain.decode(a_batch(plain) | some)
    with pytest.raises(Exception, match=r"Decode|INVALID_ARGUMENT"):
        plain.decode(a_batch(plain) | some | WRONG_NEIGHBOURS[wrong])


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_an_error(plain, wrong):
    with pytest.raises(Exception, match=r"Decode|INVALID_ARGUMENT"):
        plain.decode(a_batch(plain) | WRONG[wrong])


@pytest.mark.parametrize(
    ("ids", "lengths"),
    [
        ([5, 600], [2]),
        ([5, -1], [2]),
        ([5, 6], [3]),
        ([5, 6], [1]),
        ([5, 6], [2, 0]),
        ([5], [-1]),
        ([], []),
        ([5, 6], []),
    ],
)
def test_wrong_sources_are_an_error(plain, ids, lengths):
    with pytest.raises(Exception, match=r"Encode|INVALID_ARGUMENT"):
        plain.encode(np.array(ids, np.int64), np.array(lengths, np.int64))


@settings(max_examples=200)
@given(data=st.data())
def test_nothing_that_is_fed_in_crashes(plain, data):
    """Shapes and numbers at random: a result, or an error of ONNX Runtime's."""
    batch = a_batch(plain, steps=data.draw(st.sampled_from([1, 3])), top=data.draw(st.sampled_from([0, 1, 5])))
    batch |= no_neighbours(plain.config.width, 3) | {"key_counts": np.array([3, 0, 0])}
    for name in data.draw(st.lists(st.sampled_from(sorted(batch)), min_size=1, max_size=3)):
        array = batch[name]
        shape = tuple(data.draw(st.integers(0, 4)) if data.draw(st.booleans()) else side for side in array.shape)
        number = st.sampled_from([-(2**31), -1, 0, 1, 2, 3, 17, 40, 500, 2**31 - 1])
        batch[name] = np.resize(array, shape)
        for _ in range(data.draw(st.integers(0, 3))):
            if batch[name].size:
                place = data.draw(st.integers(0, batch[name].size - 1))
                batch[name].reshape(-1)[place] = np.array(data.draw(number)).astype(array.dtype)
    try:
        found = plain.decode(batch)
    except Exception as error:
        assert "Decode" in str(error) or "INVALID_ARGUMENT" in str(error)
    else:
        assert found["scores"].ndim == 3
