import random

import numpy as np

from model.data.alignment import align, symmetrise


def links(*pairs: tuple[int, int]) -> list[list[int]]:
    return [list(pair) for pair in pairs]


def test_what_both_directions_say_is_kept() -> None:
    both = {(0, 1), (1, 0), (4, 4)}
    assert symmetrise(both, both).tolist() == links((0, 1), (1, 0), (4, 4))


def test_a_neighbour_of_a_sure_link_is_added_if_it_covers_a_new_piece() -> None:
    # Second-side piece 1 has no link yet: one direction's word for it is enough next to (0, 0).
    assert symmetrise({(0, 0), (0, 1)}, {(0, 0)}).tolist() == links((0, 0), (0, 1))
    assert symmetrise({(0, 0)}, {(0, 0), (1, 1)}).tolist() == links((0, 0), (1, 1))


def test_growth_goes_on_from_what_was_added() -> None:
    assert symmetrise({(0, 0), (1, 0), (2, 0)}, {(0, 0)}).tolist() == links((0, 0), (1, 0), (2, 0))


def test_a_lone_claim_far_from_every_sure_link_is_dropped() -> None:
    assert symmetrise({(0, 0), (5, 2)}, {(0, 0), (2, 5)}).tolist() == links((0, 0))


def test_a_neighbour_that_covers_nothing_new_is_dropped() -> None:
    sure = {(0, 0), (1, 1)}
    assert symmetrise(sure | {(0, 1)}, sure | {(1, 0)}).tolist() == links((0, 0), (1, 1))


def test_where_the_directions_disagree_there_is_no_link() -> None:
    empty = symmetrise({(0, 1)}, {(1, 0)})
    assert empty.shape == (0, 2) and empty.dtype == np.int16
    assert symmetrise(set(), set()).shape == (0, 2)


def test_the_aligner_finds_the_words_of_a_made_up_language() -> None:
    rng = random.Random(4)
    pairs, gold = [], []
    for _ in range(300):
        words = rng.sample(range(40), rng.randint(2, 8))
        order = rng.sample(range(len(words)), len(words))
        pairs.append(([100 + word for word in words], [500 + words[at] for at in order]))
        gold.append({(at, place) for place, at in enumerate(order)})
    # Pairs without words must not shift the lines of the others.
    for place, pair in ((0, ([], [501])), (150, ([101], [])), (302, ([], []))):
        pairs.insert(place, pair)
        gold.insert(place, set())
    found = [set(map(tuple, each.tolist())) for each in align(pairs)]
    assert len(found) == len(gold)
    right = sum(len(a & b) for a, b in zip(found, gold, strict=True))
    assert right >= 0.9 * sum(map(len, gold))
    assert right >= 0.9 * sum(map(len, found))
    assert found[0] == found[150] == found[302] == set()
