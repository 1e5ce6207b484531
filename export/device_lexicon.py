"""The lexicon in a step on a GPU: what it offers to each row, and how far the row has used it.

What ``app.engine.decoding.lexicon_search`` does with trees, these nodes do with tables. They hold the children of every
node of every slot's trees: ``app.engine.onnx.device_lexicon`` fills them.

Axes: those of ``export.device_steps``; T nodes of all slots, C children of a node, U words of a sentence, K candidates.
A row may go on with the children of two nodes: of the node that it has reached, and of the root of the word that the
alignment head looks at. At most one of the two offers its children; a complete translation only may be continued.
"""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from app.engine.onnx.device_lexicon import CHILDREN, WORDS
from export.device_nodes import INTEGER, Nodes

_FLOAT = TensorProto.FLOAT
_BOTH = 2 * CHILDREN
_NO_TOKEN = -2
"""Is no token and no child: missing children are -1."""

TABLES: dict[str, tuple[int, list[int | str]]] = {
    "words": (INTEGER, ["B", "S"]),  # number of the word at each source position, from 1; 0 for none
    "tree_tokens": (INTEGER, ["T", CHILDREN]),
    "tree_next": (INTEGER, ["T", CHILDREN]),  # the children as nodes
    "tree_shares": (_FLOAT, ["T", CHILDREN]),  # logarithm of the lexicon's share, -inf where it offers nothing
    "tree_rests": (_FLOAT, ["T"]),  # logarithm of the model's share
    "tree_opens": (INTEGER, ["T"]),  # 1 where another word may begin, else 0
    "tree_taken": (INTEGER, ["T"]),  # the root, for its own children: the row has then used the word; else -1
}
"""Element types and shapes. The host writes them when a sentence joins."""
PROGRESS: dict[str, tuple[int, list[int | str]]] = {"nodes": (INTEGER, ["R"]), "roots": (INTEGER, ["R", 1 + WORDS])}
"""Of each row: the node of its last token, 0 if that was the model's own; the roots of the words not yet used."""


@dataclass(frozen=True)
class Offers:
    """What model and lexicon say together.

    Attributes:
        scores: (R, K + 2C) float32, log-probabilities: of the candidates, then of what only the lexicon offers.
        tokens: (R, K + 2C) int64.
        nodes: (R, 2) int64, the nodes whose children count.
        children: (R, 2C) int64, their tokens.
    """

    scores: str
    tokens: str
    nodes: str
    children: str


def offered(nodes: Nodes, best: str, candidates: str, attended: str, known: str | None = None) -> Offers:
    """Mix the lexicon's tokens with the model's.

    Args:
        nodes: The graph.
        best: (R, K) float32, the model's log-probabilities.
        candidates: (R, K) int64, their tokens.
        attended: (B, M) int64, the source position that each row looks at.
        known: The same as ``candidates``, less those whose probability doesn't count for the lexicon's tokens; None
            if there is one candidate.
    """
    column, both = nodes.integers(-1, 1), nodes.integers(-1, _BOTH)
    word = nodes.one("Reshape", nodes.one("GatherElements", "words", attended, axis=1), column)
    opens = nodes.one("Reshape", nodes.one("Gather", "tree_opens", "nodes"), column)
    begins = nodes.one("Mul", nodes.one("GatherElements", "roots", word, axis=1), opens)
    pair = nodes.one("Concat", nodes.one("Reshape", "nodes", column), begins, axis=1)
    children, shares = (
        nodes.one("Reshape", nodes.one("Gather", name, pair), both) for name in ("tree_tokens", "tree_shares")
    )
    left = nodes.one("ReduceSum", nodes.one("Gather", "tree_rests", pair), nodes.integers(1), keepdims=1)
    rest = nodes.one("Add", best, left)
    is_offered = nodes.one("Equal", nodes.over(known or candidates, 2), nodes.over(children, 1))  # (R, K, 2C)
    nothing = nodes.constant("nothing", np.float32(-np.inf))
    own = nodes.one("Where", is_offered, nodes.over(shares, 1), nothing)
    # log(exp(rest) + share); exactly the rest where nothing is offered
    share = nodes.one("ReduceMax", own, nodes.integers(2), keepdims=0)
    mixed = nodes.one("Add", rest, nodes.one("Softplus", nodes.one("Sub", share, rest)))
    if known:
        is_known = nodes.one("Equal", nodes.one("ReduceMax", own, nodes.integers(1), keepdims=0), shares)
    else:
        is_known = nodes.one("Squeeze", is_offered, nodes.integers(1))
    alone = nodes.one("Where", is_known, nothing, shares)
    scores, tokens = (nodes.one("Concat", *parts, axis=1) for parts in ((mixed, alone), (candidates, children)))
    return Offers(scores, tokens, pair, children)


def without_surplus(nodes: Nodes, candidates: str, surplus: str, beam: int) -> str:
    """The candidates (R, K = M) that ``offered`` may know: as many as are wanted, by their ranks ``surplus`` (B, M)."""
    of_sentences = nodes.one("Reshape", candidates, nodes.integers(-1, beam, beam))
    no_token = nodes.integers(_NO_TOKEN, is_scalar=True)
    kept = nodes.one("Where", nodes.over(surplus, 1), no_token, of_sentences)
    return nodes.one("Reshape", kept, nodes.integers(-1, beam))


def take(nodes: Nodes, offers: Offers, token: str, rows: str | None = None) -> None:
    """Note the tokens (R, 1) that were chosen in ``nodes.next`` and ``roots.next``.

    Args:
        nodes: The graph.
        offers: What was offered.
        token: The tokens.
        rows: (R,) int64, the row that each of them extends; None if each extends its own.
    """
    pair, children, roots = (
        nodes.one("Gather", name, rows, axis=0) if rows else name for name in (offers.nodes, offers.children, "roots")
    )
    following = nodes.one("Reshape", nodes.one("Gather", "tree_next", pair), nodes.integers(-1, _BOTH))
    none, is_child = nodes.integers(0, is_scalar=True), nodes.one("Equal", children, token)
    # Deeper nodes have larger numbers, so the node that the row has reached comes before the root. ReduceMax of int64
    # would be four launches on CUDA, through float32.
    of_children = nodes.one("Where", is_child, following, none)
    found, _ = nodes.make("TopK", of_children, nodes.integers(1), outputs=2, axis=1, largest=1, sorted=1)
    nodes.one("Reshape", found, nodes.integers(-1), name="nodes.next")
    is_taken = nodes.one("Equal", roots, nodes.one("Gather", "tree_taken", found))
    nodes.one("Where", is_taken, none, roots, name="roots.next")
