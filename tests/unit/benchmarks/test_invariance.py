"""The groups in which sentences join."""

from random import Random

from benchmarks.invariance import random_groups


def test_every_sentence_is_in_one_group_and_orders_differ() -> None:
    random = Random(0)
    first, second = random_groups(100, 16, random), random_groups(100, 16, random)
    for groups in (first, second):
        assert sorted(place for group in groups for place in group) == list(range(100))
        assert {len(group) for group in groups} <= set(range(1, 17))
        assert len({len(group) for group in groups}) > 3
    assert first != second
