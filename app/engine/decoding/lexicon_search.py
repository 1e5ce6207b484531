"""Beam search that a lexicon helps with rare words. One sentence; knows no model.

While the alignment head looks at a word that the lexicon has, the next token comes from the model or from the lexicon,
which offers the first tokens of the word's translations (linear interpolation, Arthur et al. 2016, "Incorporating
Discrete Translation Lexicons into Neural Machine Translation"). Once such a token is written, the lexicon offers the
next one, until a translation is complete. Each word is offered until the hypothesis has taken it.

The lexicon has a small share at the beginning of a translation: enough to win where the model doesn't know the word and
spreads its probability over many tokens, not enough where the model is sure of another token. The model's own
probability of an offered token counts if the token is among the candidates, which are as many as there are beams.

A word that looks like a name, and that the lexicon doesn't have, is offered as it is. It may be no name, so its shares
are smaller. They keep the model from writing "Kowalczik" for "Kowalczyk".
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from app.engine.decoding.search import Beam, Search

# Shares of the lexicon at the beginning of a translation, and within it. 0.1 and 0.35 at the beginning were worse, 0.8
# within was not better (docs/lab-notebook.md, the sixth run).
_SHARES = (0.2, 0.9)
_SHARES_OF_NAMES = (0.1, 0.6)
_PRECISION = 2.0**20  # steps of one in a logarithm
MAX_RARE_WORDS = 63
"""Words of one sentence: their set is a number of 64 bits."""


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


def interpolated(score: float, share: float) -> float:
    """Log-probability of a token that the model gives the log-probability ``score``, and the lexicon its ``share``.

    It is rounded, so that libraries whose exponentials differ in the last bit give the same result.
    """
    return math.floor(math.log((1 - share) * math.exp(score) + share) * _PRECISION + 0.5) / _PRECISION


class LexiconSearch(Search):
    """Beam search with a lexicon's translations of some words. It needs the alignment head.

    Args:
        rare_words: The words.
        arguments: Those of ``Search``.
    """

    def __init__(self, *, rare_words: Sequence[RareWord] = (), **arguments: Any) -> None:
        super().__init__(**arguments)
        self._trees = WordTrees(rare_words)
        self.has_lexicon = bool(self._trees.roots)
        # The progress of the live hypotheses when it was last asked for, by their tokens; all are equally long.
        self._reached: dict[tuple[int, ...], Progress] = {(): Progress()}

    @property
    def state(self) -> Beam:
        """See ``Search``."""
        if not self.has_lexicon:
            return super().state
        return super().state._replace(lexicon=(self._trees, self._progress()))

    def advance(
        self,
        scores: Sequence[Sequence[float]],
        candidates: Sequence[Sequence[int]],
        attended: Sequence[int] | None = None,
    ) -> list[int]:
        """See ``Search``."""
        if attended is None or not self.has_lexicon:
            return super().advance(scores, candidates, attended)
        mixed = [self._mixed(*row) for row in zip(self._progress(), scores, candidates, attended, strict=True)]
        return super().advance([list(row.values()) for row in mixed], [list(row) for row in mixed], attended)

    def _mixed(
        self, progress: Progress, scores: Sequence[float], candidates: Sequence[int], looked_at: int
    ) -> dict[int, float]:
        """Returns the candidates of one row and the offered tokens with their log-probabilities."""
        node, begins = self._trees.offered(progress, looked_at)
        known = dict(zip(candidates, scores, strict=True))
        if not node:
            return known
        at_beginning, within = _SHARES_OF_NAMES if self._trees.nodes[node].flags & OF_NAME else _SHARES
        share = at_beginning if begins else within
        rest = math.log(1 - share)
        mixed = {token: score + rest for token, score in known.items()}
        for child in self._trees.children(node):
            token = self._trees.nodes[child].token
            mixed[token] = interpolated(known[token], share) if token in known else math.log(share)
        return mixed

    def _progress(self) -> list[Progress]:
        """Returns how far each hypothesis has used the lexicon: a function of its tokens and what they looked at.

        It continues from the progress of their beginnings. Computed from the start each time, news took a third longer.
        """
        length = len(next(iter(self._reached)))
        found = []
        for live in self._live:
            progress = self._reached[live.tokens[:length]]
            for token, looked_at in zip(live.tokens[length:], live.attended[length:], strict=True):
                progress = self._trees.after(progress, token, looked_at)
            found.append(progress)
        if found:
            self._reached = dict(zip((live.tokens for live in self._live), found, strict=True))
        return found
