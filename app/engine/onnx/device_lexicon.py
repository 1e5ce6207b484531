"""The lexicon's translations of the sentences in a device's slots, as tables instead of trees.

``export.device_lexicon`` describes how a step reads them. A row of the tables says what may follow where a hypothesis
stands. Within a translation that is one row. Between translations it depends on the word that the alignment head looks
at, so there is a block of rows, one for no word and one for each word: at the beginning, behind a translation, and
behind a translation that a longer one begins with, which the model alone may go on with.

Axes: B sentences, S source positions, T rows of all slots, C tokens that are offered together, U words of a sentence,
M hypotheses of a sentence.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.lexicon_search import share_of
from app.engine.decoding.search import Search
from app.engine.decoding.word_trees import ENDS, WordTrees

ROWS = 64
"""Rows of one sentence. Of wmt19's sentences in either direction, the richest has 48."""
CHILDREN = 4
"""C: the tokens that may come next, in the translations of a word. Words of wmt19's sentences have at most 3."""
WORDS = 16
"""U. Of wmt19's sentences, none has more than 14 rare words."""


def trees_of(search: Search) -> WordTrees | None:
    """The trees of a search; None if the lexicon has none of its words."""
    lexicon = search.state.lexicon
    return lexicon[0] if lexicon else None


class Next(NamedTuple):
    """What may follow in a row of the tables.

    Attributes:
        node: Its node of the trees.
        word: The word that it uses, 0 for none.
        is_offered: The lexicon offers it; else the model alone may choose it.
    """

    node: int
    word: int
    is_offered: bool


class _Layout:
    """Which rows a sentence's trees take.

    Args:
        trees: The trees.

    Attributes:
        roots: The root of each word; 0, no word, comes first.
        open_nodes: The nodes that have a block: 0, which is none, and whole translations that a longer one begins with.
        inner: The nodes within translations, which have a row behind all blocks.
    """

    def __init__(self, trees: WordTrees) -> None:
        self._trees = trees
        self.roots = [0, *sorted(set(trees.roots.values()))]
        below = [node for node in range(1, len(trees.nodes)) if trees.nodes[node].child and node not in self.roots]
        self.open_nodes = [0, *(node for node in below if trees.nodes[node].flags & ENDS)]
        self.inner = [node for node in below if not trees.nodes[node].flags & ENDS]

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.open_nodes) * len(self.roots) + len(self.inner)

    def stands(self, node: int, first: int) -> int:
        """Where a hypothesis stands behind a node, see ``export.device_lexicon.progress``; ``first`` is the slot's."""
        if node in self.inner:
            return first + len(self.open_nodes) * len(self.roots) + self.inner.index(node)
        block = self.open_nodes.index(node) if node in self.open_nodes else 0
        return -(first + block * len(self.roots))

    def rows(self) -> Iterator[tuple[float, dict[int, Next]]]:
        """Yield each row: the lexicon's share of the probability, and what may follow by its token.

        A token of both nodes goes on with the open one, but has the share of the word that the head looks at.
        """
        for node in self.open_nodes:
            going_on = self._below(node, 0, is_offered=False)
            for word, root in enumerate(self.roots):
                beginning = self._below(root, word) if root else {}
                both = {token: going_on[token]._replace(is_offered=True) for token in going_on if token in beginning}
                yield share_of(self._trees, root, begins=True) if root else 0.0, going_on | beginning | both
        for node in self.inner:
            yield share_of(self._trees, node, begins=False), self._below(node, 0)

    def _below(self, node: int, word: int, *, is_offered: bool = True) -> dict[int, Next]:
        nodes = self._trees.nodes
        return {nodes[child].token: Next(child, word, is_offered) for child in self._trees.children(node)}


def fits(trees: WordTrees, positions: int) -> bool:
    """Tell whether a slot has room for a sentence's trees.

    Args:
        trees: The trees.
        positions: S, the source positions of a slot.
    """
    layout = _Layout(trees)
    return (
        layout.count <= ROWS
        and len(layout.roots) <= 1 + WORDS
        and max(trees.roots, default=0) < positions
        and all(len(offered) <= CHILDREN for _, offered in layout.rows())
    )


class TreeTables:
    """The tables of all slots, as the host keeps them.

    Args:
        sentences: B.
        positions: S.
        beam: M.

    Attributes:
        arrays: The inputs of the step graphs by their names, see ``export.device_lexicon.tables``.
    """

    def __init__(self, sentences: int, positions: int, beam: int) -> None:
        count = sentences * ROWS
        firsts = np.arange(count, dtype=np.int32) // ROWS * ROWS  # the first row of each row's slot
        self.arrays: dict[str, NDArray[np.int64] | NDArray[np.int32] | NDArray[np.float32]] = {
            "words": np.zeros((sentences, positions), np.int32),
            "tree_tokens": np.full((count, CHILDREN), -1, np.int64),
            "tree_shares": np.full((count, CHILDREN + (beam == 1)), -np.inf, np.float32),
            "tree_rests": np.zeros((count, 1), np.float32),
            "tree_next": np.repeat(-firsts[:, None], CHILDREN + beam, axis=1),
            "tree_words": np.zeros((count, CHILDREN + beam), np.int32),
        }

    def put(self, slot: int, trees: WordTrees | None) -> tuple[int, NDArray[np.int32]]:
        """Fill a slot's rows.

        Args:
            slot: The slot.
            trees: The trees of its sentence, which fit; None if the lexicon has none of its words.

        Returns:
            Where the sentence begins, and (1 + U,) its words, see ``export.device_lexicon.progress``.
        """
        first, left = slot * ROWS, np.zeros(1 + WORDS, np.int32)
        if trees is None:  # without words, a hypothesis stays in the first row, which has nothing
            return -first, left
        layout = _Layout(trees)
        words = {root: word for word, root in enumerate(layout.roots)}
        left[: len(words)] = range(len(words))
        self.arrays["words"][slot] = 0
        for position, root in trees.roots.items():
            self.arrays["words"][slot, position] = words[root]
        empty = {"tree_tokens": -1, "tree_shares": -math.inf, "tree_rests": 0.0, "tree_next": -first, "tree_words": 0}
        own = {name: self.arrays[name][first : first + ROWS] for name in empty}
        for name, nothing in empty.items():
            own[name][:] = nothing
        for row, (share, offered) in enumerate(layout.rows()):
            own["tree_rests"][row] = math.log(1 - share)
            for column, (token, following) in enumerate(offered.items()):
                own["tree_tokens"][row, column] = token
                own["tree_next"][row, column] = layout.stands(following.node, first)
                own["tree_words"][row, column] = following.word
                if following.is_offered:
                    own["tree_shares"][row, column] = math.log(share)
        return -first, left
