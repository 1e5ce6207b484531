"""Sentence pairs from two versions of one document: a translated novel and its original, an article in two languages.

One side is translated by a model first, so that both are in one language (Sennrich and Volk 2010, "MT-based Sentence
Alignment"). Sentences are compared by the cosine of their TF-IDF vectors of words and character 4-grams, which a rough
translation shares with a free one. A monotone dynamic programme then finds the best chain of beads: 1-1, 1-2, 2-1, and
sentences without a counterpart.

Axes: N sentences of the first document, M of the second, F features.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_WORD = re.compile(r"\w+")
_GRAM = 4
# A bead gains what its cosine exceeds this by, for every two sentences in it. Worse beads are not made.
_WORTH = 0.15
# Minimum gain of a bead of three sentences over a bead of two.
_MERGING = 0.05
# Features of more than this share of the sentences say little, and most of the products' time would go into them.
_COMMON, _COMMON_LEAST = 0.05, 50
# Rows of the similarity matrix that are computed at a time.
_BLOCK = 256

Floats = NDArray[np.float32]


class Bead(NamedTuple):
    """Sentences ``first`` of one document that say what sentences ``second`` of the other say: half-open ranges."""

    first: tuple[int, int]
    second: tuple[int, int]
    cosine: float


def align_sentences(first: Sequence[str], second: Sequence[str]) -> list[Bead]:
    """Align two documents in one language, in time and bytes proportional to N x M.

    Args:
        first: The first document's sentences, translated into the language of the second's.
        second: The second document's sentences.

    Returns:
        The beads in order, weak ones too: callers keep those whose ``cosine`` is high enough.
    """
    if not first or not second:
        return []
    a, b = _vectors(first, second)
    # Unit vectors; of two neighbours together the direction of the sum.
    choices = np.zeros((len(first) + 1, len(second) + 1), np.int8)
    one, two = np.zeros((2, len(second) + 1), np.float32)  # the best sums of the row before, and of that before
    for row, (cosine, wide, tall) in enumerate(_cosines(a, b), start=1):
        candidates = np.full((4, len(second) + 1), -np.inf, np.float32)
        candidates[0] = one
        candidates[1, 1:] = one[:-1] + (cosine - _WORTH)
        candidates[2, 2:] = one[:-2] + 1.5 * (wide - _WORTH) - _MERGING
        if row > 1:
            candidates[3, 1:] = two[:-1] + 1.5 * (tall - _WORTH) - _MERGING
        choices[row] = candidates.argmax(0)
        best = candidates.max(0)
        reached = np.maximum.accumulate(best)
        choices[row][reached > best] = _SKIP_SECOND
        one, two = reached, one
    return _trace(choices, a, b)


_SKIP_FIRST, _SKIP_SECOND = 0, 4
# Choice -> sentences of the first and of the second document.
_STEPS = {1: (1, 1), 2: (1, 2), 3: (2, 1)}


def _trace(choices: NDArray[np.int8], a: sparse.csr_matrix, b: sparse.csr_matrix) -> list[Bead]:
    """Follow the choices back from the ends of both documents."""
    row, column = choices.shape[0] - 1, choices.shape[1] - 1
    beads = []
    while row and column:
        choice = int(choices[row, column])
        if choice == _SKIP_FIRST:
            row -= 1
        elif choice == _SKIP_SECOND:
            column -= 1
        else:
            down, right = _STEPS[choice]
            first, second = (row - down, row), (column - right, column)
            beads.append(Bead(first, second, _cosine(a[slice(*first)], b[slice(*second)])))
            row, column = first[0], second[0]
    return beads[::-1]


def _cosine(a: sparse.csr_matrix, b: sparse.csr_matrix) -> float:
    left, right = np.asarray(a.sum(0)).ravel(), np.asarray(b.sum(0)).ravel()
    return float(left @ right / max(1e-9, np.linalg.norm(left) * np.linalg.norm(right)))


def _cosines(a: sparse.csr_matrix, b: sparse.csr_matrix) -> Iterator[tuple[Floats, Floats, Floats]]:
    """For every sentence of the first document, its cosines with the sentences of the second.

    Yields:
        (M,) with each sentence, (M - 1,) with each two neighbours, and (M,) of it and the one before it with each.
    """
    pair_norm_b = _pair_norms(b)
    pair_norm_a = _pair_norms(a)
    before = np.zeros(b.shape[0], np.float32)
    transposed = b.T.tocsr()
    for begin in range(0, a.shape[0], _BLOCK):
        products = (a[begin : begin + _BLOCK] @ transposed).toarray()
        for offset, product in enumerate(products):
            row = begin + offset
            wide = (product[:-1] + product[1:]) / pair_norm_b
            tall = (before + product) / pair_norm_a[row - 1] if row else product
            yield product, wide, tall
            before = product


def _pair_norms(vectors: sparse.csr_matrix) -> Floats:
    """(N - 1,) lengths of the sums of neighbouring unit vectors."""
    inner = np.asarray(vectors[:-1].multiply(vectors[1:]).sum(1)).ravel()
    norms: Floats = np.sqrt(np.maximum(1e-9, 2 + 2 * inner)).astype(np.float32)
    return norms


def _vectors(first: Sequence[str], second: Sequence[str]) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Unit TF-IDF vectors (N, F) and (M, F) of both documents' sentences, over the rare features that both have."""
    counts = [[Counter(_features(sentence)) for sentence in side] for side in (first, second)]
    document_frequency = [Counter(name for row in rows for name in row) for rows in counts]
    total = len(first) + len(second)
    most = max(_COMMON * total, _COMMON_LEAST)
    shared = document_frequency[0].keys() & document_frequency[1].keys()
    rare = sorted(name for name in shared if document_frequency[0][name] + document_frequency[1][name] <= most)
    names = {name: index for index, name in enumerate(rare)}
    weight = np.zeros(max(1, len(names)), np.float32)
    for name, index in names.items():
        weight[index] = np.log(total / (document_frequency[0][name] + document_frequency[1][name]))
    matrices = []
    for rows in counts:
        found = [[(names[name], count) for name, count in row.items() if name in names] for row in rows]
        ends = np.cumsum([0] + [len(row) for row in found])
        indices = np.array([index for row in found for index, _ in row], np.int32)
        values = np.array([1 + np.log(count) for row in found for _, count in row], np.float32)
        matrix = sparse.csr_matrix((values * weight[indices], indices, ends), (len(rows), len(weight)), np.float32)
        norms = np.sqrt(np.maximum(1e-9, np.asarray(matrix.multiply(matrix).sum(1)).ravel()))
        matrices.append(sparse.csr_matrix(sparse.diags(1 / norms) @ matrix, dtype=np.float32))
    return matrices[0], matrices[1]


def _features(sentence: str) -> Iterator[str]:
    for word in _WORD.findall(sentence.lower()):
        yield word
        for start in range(len(word) - _GRAM + 1):
            yield "*" + word[start : start + _GRAM]
