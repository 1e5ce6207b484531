"""Pictures of the weights of each attention head.

Axes: H heads, S source length, T target length.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Maps = Sequence[NDArray[np.floating[Any]]]


@dataclass(frozen=True)
class SentenceMaps:
    """The attention of one translation; each row of a map is a query, and its columns are what it looks at.

    Attributes:
        source: S labels of the source's tokens.
        target: T labels of the tokens that the decoder was given, the start first.
        encoder: Per layer (H, S, S).
        decoder: Per layer (H, T, T), self-attention.
        cross: Per layer (H, T, S), attention to the source.
    """

    source: Sequence[str]
    target: Sequence[str]
    encoder: Maps = field(default_factory=list)
    decoder: Maps = field(default_factory=list)
    cross: Maps = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, NDArray[np.floating[Any]], Sequence[str], Sequence[str]]]:
        """Each layer's name, its map (H, ..., ...), and the labels of its queries and of what they look at."""
        kinds = (
            ("encoder", self.encoder, self.source, self.source),
            ("decoder", self.decoder, self.target, self.target),
            ("cross", self.cross, self.target, self.source),
        )
        for kind, maps, queries, keys in kinds:
            for layer, each in enumerate(maps, start=1):
                yield f"{kind} {layer}", each, queries, keys


def draw_maps(maps: SentenceMaps, out: Path) -> None:
    """Draw a PNG with a row for each layer and a column for each head.

    Raises:
        OSError: ``out`` can't be written.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = list(maps.rows())
    heads = len(rows[0][1])
    side = max(2.0, 0.17 * max(len(maps.source), len(maps.target)) + 1.0)  # inches: labels must not overlap
    figure, grid = pyplot.subplots(
        len(rows), heads, figsize=(side * heads, side * len(rows)), squeeze=False, layout="constrained"
    )
    for line, (name, each, queries, keys) in zip(grid, rows, strict=True):
        for head, (axes, weights) in enumerate(zip(line, each, strict=True), start=1):
            axes.imshow(weights, vmin=0, vmax=1, cmap="magma_r")
            axes.set_title(f"{name}, head {head}", fontsize=8)
            axes.set_xticks(range(len(keys)), _plain(keys), rotation=90, fontsize=6)
            axes.set_yticks(range(len(queries)), _plain(queries), fontsize=6)
    figure.savefig(out, dpi=110, format="png")
    pyplot.close(figure)


def _plain(labels: Sequence[str]) -> list[str]:
    """Escape signs that matplotlib would take for a formula."""
    return [label.replace("$", r"\$") for label in labels]
