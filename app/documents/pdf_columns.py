"""The order of reading of a page with columns of text.

A library for PDF groups lines by their distance, and so goes from one column to the other where a column has a gap.
Here, a gutter is a strip of a page that few lines cross, with many lines on both sides. Between two lines that cross a
gutter, such as a title, each column is read from top to bottom. The cells of a table are no columns: they are short.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Protocol, TypeVar

_MIN_LINES = 4  # of a column
_MIN_CHARS = 16  # of most lines of a column; a cell of a table has fewer
_MIN_GUTTER = 0.6  # of the size of the letters
_MAX_CROSSING = 0.1  # of the lines that stand beside others
_NEAR = 4  # lines that are looked at to find one beside another


class Placed(Protocol):
    """A line of text and its place on the page, in points from the lower left."""

    @property
    def text(self) -> str:
        """What it says."""

    left: float
    right: float
    top: float
    bottom: float
    size: float


Line = TypeVar("Line", bound=Placed)


def in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """Returns the lines of a page in the order of reading; the same order if it has no columns."""
    gutters = _gutters([line for line in lines if line.text.strip()])
    if not gutters:
        return list(lines)
    order: list[Line] = []
    columns: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]
    for line in sorted(lines, key=lambda line: -line.top):
        first, last = bisect_right(gutters, line.left), bisect_right(gutters, line.right)
        if first == last:
            columns[first].append(line)
            continue
        order += [each for column in columns for each in column] + [line]
        columns = [[] for _ in columns]
    return order + [each for column in columns for each in column]


def _gutters(lines: Sequence[Placed]) -> list[float]:
    """Returns the middles of the gutters, from left to right."""
    beside = _beside_others(lines)
    if len(beside) < 2 * _MIN_LINES:
        return []
    least = _MIN_GUTTER * median(line.size for line in beside)
    edges = sorted([(line.left, 1) for line in beside] + [(line.right, -1) for line in beside])
    gutters: list[float] = []
    strips: list[tuple[int, float, float]] = []  # lines that cross it, minus its width, its middle
    crossing, is_inside = 0, False
    for (place, change), (following, _) in pairwise(edges):
        crossing += change
        if crossing > _MAX_CROSSING * len(beside):
            if strips and -min(strips)[1] >= least:
                gutters.append(min(strips)[2])
            strips, is_inside = [], True
        elif is_inside:
            strips.append((crossing, place - following, (place + following) / 2))
    return gutters if _are_columns(lines, gutters) else []


def _beside_others(lines: Sequence[Line]) -> list[Line]:
    """Returns the lines that have another one beside them, from top to bottom."""
    sorted_ = sorted(lines, key=lambda line: -line.top)
    return [
        line
        for index, line in enumerate(sorted_)
        if any(_are_beside(line, other) for other in sorted_[max(0, index - _NEAR) : index + _NEAR + 1])
    ]


def _are_beside(one: Placed, other: Placed) -> bool:
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    return overlap > 0 and (one.right < other.left or other.right < one.left)


def _are_columns(lines: Sequence[Placed], gutters: Sequence[float]) -> bool:
    columns: list[list[Placed]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        first = bisect_right(gutters, line.left)
        if first == bisect_right(gutters, line.right):
            columns[first].append(line)
    return len(columns) > 1 and all(
        len(column) >= _MIN_LINES and median(len(line.text.strip()) for line in column) >= _MIN_CHARS
        for column in columns
    )
