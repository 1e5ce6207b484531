"""Prefix trees of the lexicon's translations of a sentence's rare words, and how far a hypothesis has used them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

MAX_RARE_WORDS = 63
"""Words of one sentence: their set is a number of 64 bits."""
_POSITIONS = 2**32

_Whole = TypeVar("_Whole", int, NDArray[np.int64])


class RareWord(NamedTuple):
    """A word of the source that the lexicon has, or that looks like a name.

    Attributes:
        positions: Its source positions.
        translations: The tokens of each of its translations, at least one, none of them empty.
        is_name: The lexicon doesn't have it, but it looks like a name; the word itself is its translation.
    """

    positions: tuple[int, ...]
    translations: tuple[tuple[int, ...], ...]
    is_name: bool = False


ENDS, OF_NAME = 1, 2
"""Flags of a node."""


class Node(NamedTuple):
    """A node of a prefix tree. All trees of a sentence are in one list, in which 0 means no node.

    Attributes:
        token: The token; of a root the number of its word.
        sibling: The next node below the same parent.
        child: The first node below this one.
        flags: ``ENDS``: a translation is complete here. ``OF_NAME``: the word only looks like a name.
    """

    token: int
    sibling: int = 0
    child: int = 0
    flags: int = 0


class Progress(NamedTuple):
    """How far a hypothesis has used the lexicon.

    Attributes:
        used: The words whose translations it has or is writing, a bit for each.
        node: The node of its last token, if the lexicon offered it.
    """

    used: int = 0
    node: int = 0


def with_best(position: _Whole, best: _Whole) -> _Whole:
    """Return a source position that ``Live.attended`` has where the lexicon offers a beginning, or arrays of them.

    It carries the token that the model would write there. Elsewhere it may carry it, too: nobody looks.
    """
    return position + _POSITIONS * (1 + best)


def position_and_best(attended: int) -> tuple[int, int | None]:
    """Return a source position of ``Live.attended``, and the token that it carries, if there is one."""
    best, position = divmod(attended, _POSITIONS)
    return position, best - 1 if best else None


class WordTrees:
    """The translations of a sentence's rare words.

    Args:
        rare_words: The words; no two have a position in common. Those beyond ``MAX_RARE_WORDS`` are left out.

    Attributes:
        nodes: The nodes of all trees. Each has a smaller number than its children and its next sibling.
        roots: The root of the word at each source position that belongs to one.
    """

    def __init__(self, rare_words: Sequence[RareWord]) -> None:
        self.nodes = [Node(0)]
        self.roots: dict[int, int] = {}
        for number, word in enumerate(rare_words[:MAX_RARE_WORDS]):
            root = self._append(Node(number, flags=OF_NAME if word.is_name else 0))
            self.roots |= dict.fromkeys(word.positions, root)
            for translation in word.translations:
                node = root
                for token in translation:
                    node = self.child(node, token) or self._add_child(node, token)
                self.nodes[node] = self.nodes[node]._replace(flags=self.nodes[node].flags | ENDS)

    def positions(self, looked_at: int) -> list[int]:
        """Returns the source positions of the word at one of them."""
        return [position for position, root in self.roots.items() if root == self.roots[looked_at]]

    def offered(self, progress: Progress, looked_at: int) -> tuple[int, bool]:
        """Returns the node whose children are offered, 0 if there is none, and whether a translation begins there."""
        node = progress.node
        if node and not self.nodes[node].flags & ENDS:
            return node, False
        root = self.roots.get(looked_at, 0)
        return (0 if progress.used >> self.nodes[root].token & 1 else root), True

    def after(self, progress: Progress, token: int, looked_at: int) -> Progress:
        """Returns the progress of a hypothesis after one more token."""
        if progress.node and (node := self.child(progress.node, token)):
            return progress._replace(node=node)
        parent, begins = self.offered(progress, looked_at)
        if begins and parent and (node := self.child(parent, token)):
            return Progress(progress.used | 1 << self.nodes[parent].token, node)
        return progress._replace(node=0)

    def children(self, node: int) -> Iterator[int]:
        """Yields the children of a node."""
        child = self.nodes[node].child
        while child:
            yield child
            child = self.nodes[child].sibling

    def child(self, node: int, token: int) -> int:
        """Returns the child of a node with this token, or 0."""
        return next((child for child in self.children(node) if self.nodes[child].token == token), 0)

    def _add_child(self, parent: int, token: int) -> int:
        siblings = list(self.children(parent))
        new = self._append(Node(token, flags=self.nodes[parent].flags & OF_NAME))
        if siblings:
            self.nodes[siblings[-1]] = self.nodes[siblings[-1]]._replace(sibling=new)
        else:
            self.nodes[parent] = self.nodes[parent]._replace(child=new)
        return new

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1
