"""A search that records every hypothesis, so that people can look at them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.search import Search, length_penalty


class Node(NamedTuple):
    """One hypothesis of one step: an earlier hypothesis with one more token.

    Attributes:
        parent: Index of the hypothesis that it extends; None at the first step.
        token: The token, which may be the end of the sentence.
        log_probability: Sum over all its tokens.
        score: ``log_probability`` over the length penalty if it has ended; else None.
    """

    parent: int | None
    token: int
    log_probability: float
    score: float | None


class TracedSearch(LexiconSearch):
    """A search that goes step by step and keeps its hypotheses, in all at most the beam times the length limit.

    Attributes:
        nodes: The hypotheses, step by step and best first; each comes after the one that it extends.
    """

    def __init__(self, **arguments: Any) -> None:
        """Begin; the arguments are those of ``LexiconSearch``."""
        super().__init__(**arguments)
        self.nodes: list[Node] = []
        self._row_nodes: list[int | None] = [None]

    @property
    def steps_left(self) -> int:
        """None: several steps in one run of the model would leave no trace."""
        return 0

    def best_path(self) -> list[int]:
        """The nodes of the best finished hypothesis, in the order of its tokens, half words and the end included."""
        [best] = Search.hypotheses(self)[:1]
        children = {(node.parent, node.token): index for index, node in enumerate(self.nodes)}
        ended = [] if best.truncated else [self._eos_id]
        found: list[int] = []
        for token in (*best.tokens, *ended):
            found.append(children[found[-1] if found else None, token])
        return found

    def _extend(self, extensions: Sequence[tuple[float, int, int]], attended: Sequence[int] | None) -> list[int]:
        rows: list[int | None] = []
        penalty = length_penalty(self.length + 1, self.options.length_penalty)
        for total, row, token in extensions:
            has_ended = token == self._eos_id
            if not has_ended:
                rows.append(len(self.nodes))
            self.nodes.append(Node(self._row_nodes[row], token, total, total / penalty if has_ended else None))
        self._row_nodes = rows
        return super()._extend(extensions, attended)
