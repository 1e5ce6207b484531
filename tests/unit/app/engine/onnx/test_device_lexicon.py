"""The tables of a device's slots say what the trees say, whatever a hypothesis does."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.decoding.lexicon_search import share_of
from app.engine.decoding.word_trees import MAX_RARE_WORDS, Progress, RareWord, WordTrees
from app.engine.onnx.device_lexicon import CHILDREN, ROWS, WORDS, TreeTables, fits

POSITIONS, SLOT, CANDIDATES = 12, 1, 4
NO_CHILD = 99  # no tree has this token

# Few tokens, so that words share beginnings, and one translation is the beginning of another.
tokens = st.integers(5, 8)
translations = st.lists(st.lists(tokens, min_size=1, max_size=3).map(tuple), min_size=1, max_size=2).map(tuple)
words = st.lists(st.tuples(translations, st.booleans()), min_size=1, max_size=5)
# Where a hypothesis looks, and which of the offered tokens it takes; mostly any.
walks = st.lists(st.tuples(st.integers(0, POSITIONS - 1), st.integers(0, 8)), min_size=1, max_size=12)


def trees_of(known: list[tuple[tuple[tuple[int, ...], ...], bool]]) -> WordTrees:
    """Trees of words of two positions each."""
    return WordTrees([RareWord((2 * at, 2 * at + 1), *each) for at, each in enumerate(known)])


@given(known=words, walk=walks, before=words)
def test_tables_are_trees(known, walk, before):
    trees = trees_of(known)
    if not fits(trees, POSITIONS):
        return
    tables = TreeTables(SLOT + 1, POSITIONS, CANDIDATES)
    if fits(trees_of(before), POSITIONS):
        tables.put(SLOT, trees_of(before))  # the slot is used again
    stands, left = tables.put(SLOT, trees)
    arrays, progress = tables.arrays, Progress()
    for looked_at, choice in walk:
        row = max(stands, left[arrays["words"][SLOT, looked_at]] - stands)
        assert SLOT * ROWS <= row < (SLOT + 1) * ROWS
        node, begins = trees.offered(progress, looked_at)
        share = share_of(trees, node, begins=begins) if node else 0.0
        offered = {trees.nodes[child].token: math.log(share) for child in trees.children(node)} if node else {}
        has_share = arrays["tree_shares"][row] > -np.inf
        found = dict(zip(arrays["tree_tokens"][row][has_share], arrays["tree_shares"][row][has_share], strict=True))
        assert found == pytest.approx(offered)
        assert arrays["tree_rests"][row, 0] == pytest.approx(math.log(1 - share))
        token = 5 + choice if choice < 4 else NO_CHILD
        columns = np.flatnonzero(arrays["tree_tokens"][row] == token)
        assert len(columns) <= 1
        column = columns[0] if len(columns) else CHILDREN + choice % CANDIDATES
        stands, used = int(arrays["tree_next"][row, column]), arrays["tree_words"][row, column]
        left[left == used] = 0
        progress = trees.after(progress, token, looked_at)


def test_what_fits():
    def trees(*given: tuple[tuple[int, ...], ...]) -> WordTrees:
        return WordTrees([RareWord((at,), each) for at, each in enumerate(given)])

    assert fits(trees(), POSITIONS)
    assert fits(trees((tuple(range(ROWS - 1)),)), POSITIONS)
    assert not fits(trees((tuple(range(ROWS)),)), POSITIONS)
    assert fits(trees(*[((5,),)] * WORDS), 128)
    assert not fits(trees(*[((5,),)] * WORDS), WORDS - 1)
    assert not fits(WordTrees([RareWord((POSITIONS,), ((5,),))]), POSITIONS)
    assert not fits(trees(*[((5,),)] * MAX_RARE_WORDS), 128)


def test_a_longer_translation_shares_its_row_with_the_next_word():
    longer = ((5,), *((5, token) for token in range(6, 6 + CHILDREN - 1)))
    one, two = ((7,),), ((7,), (8,))
    trees = [WordTrees([RareWord((0,), longer), RareWord((1,), each)]) for each in (one, two)]
    assert fits(trees[0], POSITIONS)
    assert not fits(WordTrees([RareWord((0,), longer), RareWord((1,), ((20,), (21,)))]), POSITIONS)
    assert fits(trees[1], POSITIONS)  # both words have tokens 7 and 8
