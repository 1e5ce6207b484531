"""The lexicon's translations of the sentences in a device's slots, as tables instead of trees.

``export.device_lexicon`` describes how a step reads them. A sentence's nodes have numbers of their own in all tables,
shallow nodes first; 0 is no node.

Axes: B sentences, S source positions, T nodes of all slots, C children of a node, U words of a sentence.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.lexicon_search import share_of
from app.engine.decoding.search import Search
from app.engine.decoding.word_trees import ENDS, WordTrees

NODES = 64
"""Nodes of one sentence's trees. Of wmt19's sentences in either direction, the richest has 54."""
CHILDREN = 4
"""C: a node's children are the next tokens of its translations. In wmt19's sentences no node has more than 3."""
WORDS = 16
"""U. Of wmt19's sentences, none has more than 11 rare words."""


def trees_of(search: Search) -> WordTrees | None:
    """The trees of a search; None if the lexicon has none of its words."""
    lexicon = search.state.lexicon
    return lexicon[0] if lexicon else None


def fits(trees: WordTrees, positions: int) -> bool:
    """Tell whether a slot has room for a sentence's trees.

    Args:
        trees: The trees.
        positions: S, the source positions of a slot.
    """
    return (
        len(trees.nodes) <= NODES + 1
        and len(set(trees.roots.values())) <= WORDS
        and max(trees.roots, default=0) < positions
        and all(sum(1 for _ in trees.children(node)) <= CHILDREN for node in range(1, len(trees.nodes)))
    )


class TreeTables:
    """The tables of all slots, as the host keeps them.

    Args:
        sentences: B.
        positions: S.

    Attributes:
        arrays: The inputs of the step graphs by their names.
    """

    def __init__(self, sentences: int, positions: int) -> None:
        count = 1 + sentences * NODES
        self.arrays: dict[str, NDArray[np.int64] | NDArray[np.float32]] = {
            "words": np.zeros((sentences, positions), np.int64),
            "tree_tokens": np.full((count, CHILDREN), -1, np.int64),
            "tree_next": np.zeros((count, CHILDREN), np.int64),
            "tree_shares": np.full((count, CHILDREN), -np.inf, np.float32),
            "tree_rests": np.zeros(count, np.float32),
            "tree_opens": np.ones(count, np.int64),
            "tree_taken": np.full(count, -1, np.int64),
        }

    def put(self, slot: int, trees: WordTrees | None) -> NDArray[np.int64]:
        """Fill a slot's part of the tables.

        Args:
            slot: The slot.
            trees: The trees of its sentence, which fit; None if the lexicon has none of its words.

        Returns:
            (1 + U,) the root of each word that can be offered; 0 of word 0, which is none.
        """
        roots = np.zeros(1 + WORDS, np.int64)
        self.arrays["words"][slot] = 0
        if trees is None:
            return roots
        first = 1 + slot * NODES
        for array in self.arrays.values():
            if array is not self.arrays["words"]:
                array[first : first + NODES] = array[0]
        # The nodes by their depth: where two trees continue with the same token, a step takes the deeper node.
        order = list(_by_depth(trees))
        numbers = {node: first + index for index, node in enumerate(order)}
        words = {root: 1 + index for index, root in enumerate(sorted(set(trees.roots.values())))}
        for position, root in trees.roots.items():
            self.arrays["words"][slot, position] = words[root]
        for root, word in words.items():
            roots[word] = numbers[root]
        for node in order:
            self._put_node(trees, node, numbers, is_root=node in words)
        return roots

    def _put_node(self, trees: WordTrees, node: int, numbers: dict[int, int], *, is_root: bool) -> None:
        row, children = numbers[node], list(trees.children(node))
        is_complete = bool(trees.nodes[node].flags & ENDS)
        self.arrays["tree_tokens"][row, : len(children)] = [trees.nodes[child].token for child in children]
        self.arrays["tree_next"][row, : len(children)] = [numbers[child] for child in children]
        if is_root or not is_complete:  # behind a whole translation, the model alone may go on with a longer one
            share = share_of(trees, node, begins=is_root)
            self.arrays["tree_shares"][row, : len(children)] = math.log(share)
            self.arrays["tree_rests"][row] = math.log(1 - share)
        self.arrays["tree_opens"][row] = is_complete
        if is_root:
            for child in children:
                self.arrays["tree_taken"][numbers[child]] = row


def _by_depth(trees: WordTrees) -> Iterator[int]:
    level = sorted(set(trees.roots.values()))
    while level:
        yield from level
        level = [child for node in level for child in trees.children(node)]
