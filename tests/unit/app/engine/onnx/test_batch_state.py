"""Which rows belong to which sentence."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.onnx.batch_state import EncodedBatch, assign_slots, gather_indices
from app.engine.onnx.sessions import Features


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.randoms())
def test_every_row_sits_with_its_sentence(beams, random):
    owner = [sentence for sentence, count in enumerate(beams) for _ in range(count)]
    random.shuffle(owner)
    beam_rows, row_beams = gather_indices(np.array(owner), len(beams))
    assert beam_rows.shape == (len(beams), max(2, *beams), 2)
    for row, ((sentence, seat),) in enumerate(row_beams.tolist()):
        assert sentence == owner[row]
        assert beam_rows[sentence, seat].tolist() == [row, 0]
    assert len({tuple(seat) for (seat,) in row_beams.tolist()}) == len(owner)
    assert beam_rows.max() < len(owner)  # what fills a sentence up is a row, too


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12))
def test_rows_that_go_on_stay_in_their_slots(slots):
    new, continued = assign_slots(slots)
    assert sorted(new) == list(range(len(slots)))
    assert [continued[slot] for slot in new] == slots
    stay = {slot for slot in slots if slot < len(slots)}
    assert all(continued[slot] == slot for slot in stay)


FEATURES = st.lists(st.integers(1, 30), min_size=1, max_size=6)


@given(st.lists(st.tuples(FEATURES, st.randoms()), min_size=1, max_size=6))
def test_sentences_keep_what_they_have_while_others_come_and_go(rounds):
    model = SimpleNamespace(width=2, dtype=np.float32, cross=["keys", "values"])
    sentences, held = EncodedBatch(model), {}
    number = 0
    for lengths, random in rounds:
        features = []
        for length in lengths:
            number += 1
            arrays = tuple(np.full((length, 2), number + 0.5 * index, np.float32) for index in (0, 1))
            features.append(Features(arrays))
        held |= dict(zip(sentences.add(features).tolist(), features, strict=True))
        kept = {place: feature for place, feature in held.items() if random.random() < 0.6}
        order = sentences.keep(np.array(sorted(kept), dtype=np.int64)) if kept else None
        held = kept if order is None else {new: kept[old] for new, old in enumerate(order.tolist())}
        if not held:
            sentences = EncodedBatch(model)
        for place, feature in held.items():
            length = feature.length
            assert sentences.mask[place].tolist() == [True] * length + [False] * (len(sentences.mask[place]) - length)
            for array, expected in zip(sentences.cross, feature.arrays, strict=True):
                assert (array[place, :length] == expected).all()
        assert all(np.isfinite(array).all() for array in sentences.cross)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_copy_of_features_outlives_the_batch(dtype):
    batch = np.arange(2 * 3 * 5 * 4, dtype=dtype).reshape(2, 3, 5, 4)  # (2L, B, S, D)
    features = Features(tuple(batch[:, 1, :2]), np.arange(7))
    expected = batch[:, 1, :2].copy()
    kept = features.copy()
    batch[:] = -1
    assert [array.tolist() for array in kept.arrays] == expected.tolist()
    assert {array.dtype for array in kept.arrays} == {np.dtype(dtype)}
    assert (kept.length, kept.nbytes, kept.pieces.tolist()) == (2, features.nbytes, list(range(7)))


def test_features_can_be_kept_when_there_are_no_more_pages_to_have(monkeypatch):
    def refused(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("app.engine.onnx.sessions.mmap", refused)
    batch = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    kept = Features(tuple(batch)).copy()
    expected = batch.copy()
    batch[:] = -1
    assert [array.tolist() for array in kept.arrays] == expected.tolist()
