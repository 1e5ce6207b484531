"""The lexicon in a step on a GPU: what it offers to each row, and how far the row has used it.

What ``app.engine.decoding.lexicon_search`` does with trees, these nodes do with tables, whose rows say what may follow
where a hypothesis stands: ``app.engine.onnx.device_lexicon`` fills them. So a step looks up one row.

Axes: those of ``export.device_steps``; T rows of the tables of all slots, C tokens that the lexicon offers together,
K candidates of the model, U words of a sentence.
"""

from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from app.engine.onnx.device_lexicon import CHILDREN, WORDS
from export.device_nodes import INTEGER, Nodes

_FLOAT, _SMALL = TensorProto.FLOAT, TensorProto.INT32
_NO_TOKEN = -2
"""Is no token, and nothing that the tables have: missing tokens are -1."""

Ends = dict[str, tuple[int, list[int | str]]]


def tables(beam: int) -> Ends:
    """Element types and shapes of the tables, which the host writes when a sentence joins; M = ``beam``.

    The last columns of ``tree_next`` and ``tree_words`` are the model's candidates. In greedy search ``tree_shares``
    has a column for the candidate, too.
    """
    return {
        "words": (_SMALL, ["B", "S"]),  # number of the word at each source position, from 1; 0 for none
        "tree_tokens": (INTEGER, ["T", CHILDREN]),
        "tree_shares": (_FLOAT, ["T", CHILDREN + (beam == 1)]),  # logarithm of the lexicon's, -inf where it has none
        "tree_rests": (_FLOAT, ["T", 1]),  # logarithm of the model's share
        "tree_next": (_SMALL, ["T", CHILDREN + beam]),  # where a row stands behind each token
        "tree_words": (_SMALL, ["T", CHILDREN + beam]),  # number of the word that each token uses, 0 for none
    }


def progress(beam: int) -> Ends:
    """Element types and shapes of what a step writes for the next one; M = ``beam``.

    ``stands``: k > 0 is row k of the tables, wherever the alignment head looks; -k is row k plus the number of the word
    that it looks at. ``words_left``: the number of each word, 0 of those used.
    """
    return {"stands": (_SMALL, ["B", beam]), "words_left": (_SMALL, ["R", 1 + WORDS])}


@dataclass(frozen=True)
class Offers:
    """What model and lexicon say together.

    Attributes:
        scores: (R, C + K) float32, log-probabilities: of what the lexicon offers, then of the other candidates.
        tokens: (R, C + K) int64.
        row: (R,) int32, of the tables.
    """

    scores: str
    tokens: str
    row: str


def offered(
    nodes: Nodes, best: str, candidates: str, attended: str, *, beam: int, surplus: str | None = None
) -> Offers:
    """Mix the lexicon's tokens with the model's.

    Args:
        nodes: The graph.
        best: (R, K) float32, the model's log-probabilities.
        candidates: (R, K) int64, their tokens.
        attended: (B, M) int64, the source position that each row looks at.
        beam: M = K.
        surplus: (B, M) bool, ranks of candidates whose probability doesn't count for the lexicon's tokens; None in
            greedy search.
    """
    column = nodes.integers(-1, 1)
    looked_at = nodes.one("Reshape", nodes.one("GatherElements", "words", attended, axis=1), column)
    word = nodes.one("GatherElements", "words_left", looked_at, axis=1)
    stands = nodes.one("Reshape", "stands", column)
    row = nodes.one("Max", stands, nodes.one("Sub", word, stands))
    row = nodes.one("Reshape", row, nodes.integers(-1))
    children, shares, rests = (
        nodes.one("Gather", name, row, axis=0) for name in ("tree_tokens", "tree_shares", "tree_rests")
    )
    rest = nodes.one("Add", best, rests)
    tokens = nodes.one("Concat", children, candidates, axis=1)
    if surplus is None:
        return Offers(_mixed_with_best(nodes, rest, shares, tokens, candidates), tokens, row)
    known = _without_surplus(nodes, candidates, surplus, beam)
    return Offers(_mixed(nodes, rest, shares, children, known), tokens, row)


def _mixed_with_best(nodes: Nodes, rest: str, shares: str, tokens: str, best: str) -> str:
    """Scores (R, C + 1) in greedy search: the lexicon's tokens, then the best of the model with the rest (R, 1).

    If the lexicon offers the best token, too, this has two columns, and that of the lexicon has a higher score or comes
    first.
    """
    mixed = nodes.one("Add", rest, nodes.one("Softplus", nodes.one("Sub", shares, rest)))
    return nodes.one("Where", nodes.one("Equal", tokens, best), mixed, shares)


def _mixed(nodes: Nodes, rest: str, shares: str, children: str, known: str) -> str:
    """Scores (R, C + K): the lexicon's tokens, then candidates with the rest (R, K), -inf if the lexicon offers them.

    A token of both has log(exp(rest) + share): exactly the rest where the share is 0.
    """
    of_candidates, of_children = nodes.over(rest, 2), nodes.over(shares, 1)
    nothing = nodes.constant("nothing", np.float32(-np.inf))
    is_offered = nodes.one("Equal", nodes.over(known, 2), nodes.over(children, 1))  # (R, K, C)
    both = nodes.one("Add", of_candidates, nodes.one("Softplus", nodes.one("Sub", of_children, of_candidates)))
    of_lexicon = nodes.one("Where", is_offered, both, of_children)
    of_model = nodes.one("Where", is_offered, nothing, of_candidates)
    scores = (
        nodes.one("ReduceMax", of_lexicon, nodes.integers(1), keepdims=0),
        nodes.one("ReduceMin", of_model, nodes.integers(2), keepdims=0),
    )
    return nodes.one("Concat", *scores, axis=1)


def _without_surplus(nodes: Nodes, candidates: str, surplus: str, beam: int) -> str:
    """The candidates (R, K = M) that the lexicon's tokens are compared with: as many as are wanted, by their ranks."""
    of_sentences = nodes.one("Reshape", candidates, nodes.integers(-1, beam, beam))
    no_token = nodes.integers(_NO_TOKEN, is_scalar=True)
    kept = nodes.one("Where", nodes.over(surplus, 1), no_token, of_sentences)
    return nodes.one("Reshape", kept, nodes.integers(-1, beam))


def take(nodes: Nodes, offers: Offers, place: str, *, beam: int, rows: str | None = None) -> None:
    """Note what was chosen in ``stands.next`` and ``words_left.next``.

    Args:
        nodes: The graph.
        offers: What was offered.
        place: (B, M) int64, the columns that were chosen of the M (C + K) columns of each sentence's rows.
        beam: M.
        rows: (R,) int64, the row that each of them extends; None if each extends its own.
    """
    flat = nodes.integers(-1, beam * (CHILDREN + beam))
    following, words = (
        nodes.one("Reshape", nodes.one("Gather", name, offers.row, axis=0), flat)
        for name in ("tree_next", "tree_words")
    )
    nodes.one("GatherElements", following, place, name="stands.next", axis=1)
    used = nodes.one("Reshape", nodes.one("GatherElements", words, place, axis=1), nodes.integers(-1, 1))
    left = nodes.one("Gather", "words_left", rows, axis=0) if rows else "words_left"
    none = nodes.constant("no_word", np.int32(0))
    nodes.one("Where", nodes.one("Equal", left, used), none, left, name="words_left.next")
