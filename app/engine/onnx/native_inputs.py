"""Inputs of the native decoder graph, see ``kernels/operators.c``. B sentences, R rows, S source length, C pieces."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.search import Beam

Array = NDArray[Any]


def padded(sources: Sequence[Array]) -> Array:
    """The places of the sources, (B, S) int32, filled up with zeros."""
    table = np.zeros((len(sources), max(map(len, sources))), dtype=np.int32)
    for row, source in zip(table, sources, strict=True):
        row[: len(source)] = source
    return table


def choices(pieces: Sequence[Array], greedy: Sequence[bool]) -> Array:
    """The pieces of the sentences that are searched greedily, (B, C) int32, filled up with -1.

    Args:
        pieces: Of each sentence; none for one that may choose from all.
        greedy: Of each sentence, as far as they are known.
    """
    if not any(greedy):
        return _no_choices(len(pieces))
    chosen = [each if limited else each[:0] for each, limited in zip_longest(pieces, greedy)]
    table = np.full((len(chosen), max(1, *map(len, chosen))), -1, dtype=np.int32)
    for row, some in zip(table, chosen, strict=True):
        row[: len(some)] = some
    return table


@lru_cache(maxsize=64)
def _no_choices(sentences: int) -> Array:
    return np.full((sentences, 1), -1, dtype=np.int32)


@lru_cache(maxsize=64)
def number(value: int) -> Array:
    """A number as an array, () int64. Equal numbers share one, so nobody may change it."""
    return np.array(value)


@lru_cache(maxsize=64)
def no_lexicons(sentences: int, rows: int) -> Mapping[str, Array]:
    """Nodes (1, 4), roots (B, 1) and progress (R, 2) of a batch without lexicons. Nobody may change them."""
    return {
        "nodes": np.zeros((1, 4), np.int32),
        "roots": np.zeros((sentences, 1), np.int32),
        "progress": np.zeros((rows, 2), np.int64),
    }


def lexicons_of(beams: Sequence[Beam]) -> dict[str, Array] | None:
    """The nodes of all sentences' trees in one table, with the roots and the progress renumbered; None without any."""
    known = [beam.lexicon for beam in beams if beam.lexicon]
    if not known:
        return None
    longest = 1 + max(max(trees.roots) for trees, _ in known)
    nodes, roots = [np.zeros((1, 4), np.int32)], np.zeros((len(beams), longest), np.int32)
    progress = np.zeros((sum(len(beam.tokens) for beam in beams), 2), np.int64)
    row, added = 0, 0  # node 0 of each sentence is left out
    for index, beam in enumerate(beams):
        if beam.lexicon:
            trees, used = beam.lexicon
            own = np.array(trees.nodes[1:], np.int32)
            own[:, 1:3] += added * (own[:, 1:3] > 0)
            nodes.append(own)
            for position, root in trees.roots.items():
                roots[index, position] = root + added
            progress[row : row + len(used)] = [(each.used, each.node + added if each.node else 0) for each in used]
            added += len(own)
        row += len(beam.tokens)
    return {"nodes": np.concatenate(nodes), "roots": roots, "progress": progress}
