"""Word alignments as training targets, from the statistical aligner eflomal (Östling and Tiedemann 2016).

Pieces are aligned, not words: statistics are denser, and no mapping between two segmentations is needed.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

Links = NDArray[np.int16]
"""(N, 2): index of a piece on the first side, index of a piece on the second side."""


def align(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[Links]:
    """Align the pieces of sentence pairs, in both directions, and symmetrise.

    Args:
        pairs: Piece ids of both sides.

    Returns:
        One array of links a pair; empty where the aligner found none.
    """
    from eflomal import Aligner

    first = [" ".join(map(str, a)) for a, _ in pairs]
    second = [" ".join(map(str, b)) for _, b in pairs]
    with TemporaryDirectory() as folder:
        forward, reverse = Path(folder) / "forward", Path(folder) / "reverse"
        Aligner().align(first, second, links_filename_fwd=str(forward), links_filename_rev=str(reverse))
        with forward.open() as forward_lines, reverse.open() as reverse_lines:
            return [symmetrise(_links(f), _links(r)) for f, r in zip(forward_lines, reverse_lines, strict=True)]


def _links(line: str) -> set[tuple[int, int]]:
    """Pharaoh format: "0-0 1-2"."""
    return {(int(a), int(b)) for a, b in (link.split("-") for link in line.split())}


def symmetrise(forward: set[tuple[int, int]], reverse: set[tuple[int, int]]) -> Links:
    """Grow-diag (Koehn et al. 2003): the intersection, grown by neighbours of the union that cover a new piece."""
    links, union = forward & reverse, forward | reverse
    covered_a, covered_b = {a for a, _ in links}, {b for _, b in links}
    frontier = sorted(links)
    while frontier:
        a, b = frontier.pop(0)
        for neighbour in ((a + i, b + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
            fresh = neighbour[0] not in covered_a or neighbour[1] not in covered_b
            if neighbour in union and neighbour not in links and fresh:
                links.add(neighbour)
                covered_a.add(neighbour[0])
                covered_b.add(neighbour[1])
                frontier.append(neighbour)
    return np.array(sorted(links), dtype=np.int16).reshape(-1, 2)
