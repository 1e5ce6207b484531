"""Blocks, and batches that need little padding."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.decoding.padding import length_buckets, pad_to_multiple


@given(st.lists(st.integers(1, 120), max_size=40), st.integers(1, 256))
def test_each_is_in_one_batch_and_only_one_alone_is_too_long(lengths, most):
    batches = list(length_buckets(lengths, most))
    order = [number for batch in batches for number in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[number] for number in order] == sorted(lengths)
    for batch in batches:
        assert len(batch) == 1 or len(batch) * pad_to_multiple(max(lengths[number] for number in batch)) <= most


def test_as_many_as_fit():
    assert list(length_buckets([5, 4, 3, 9, 1], 12)) == [[4, 2, 1], [0], [3]]
    assert list(length_buckets([5, 4, 3, 9, 1], 100)) == [[4, 2, 1, 0, 3]]
