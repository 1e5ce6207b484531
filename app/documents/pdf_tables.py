"""Tables of a PDF page: the text between two ruled lines is a cell, and rows are read from top to bottom.

A library for PDF joins the cells of a row to one line where they are close, and reads a table column by column.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

_MAX_WIDTH = 2.0  # of a ruled line, in points
_MAX_RULES = 2_000  # of a page; one that has more is a drawing


class Rules(NamedTuple):
    """The ruled lines of a page, sorted.

    Attributes:
        upright: Of each: where it stands, where it begins below, and where it ends.
        level: The heights of the others.
    """

    upright: Sequence[tuple[float, float, float]]
    level: Sequence[float]


def rules_of(page: Any) -> Rules:
    """Returns the ruled lines of a page that pdfminer laid out; programs draw them as lines or as thin rectangles."""
    from pdfminer.layout import LTLine, LTRect

    shapes = [shape for shape in page if isinstance(shape, (LTLine, LTRect))]
    upright = sorted((shape.x0, shape.y0, shape.y1) for shape in shapes if shape.width < min(_MAX_WIDTH, shape.height))
    level = sorted(shape.y0 for shape in shapes if shape.height < min(_MAX_WIDTH, shape.width))
    return Rules(upright, level) if len(upright) + len(level) <= _MAX_RULES else Rules((), ())


def cells(box: Sequence[Any], rules: Rules) -> list[list[list[Any]]]:
    """Divides the lines of a box of text at ruled lines.

    Returns:
        The characters of each line of each cell; of a box that isn't in a table, all is one cell.
    """
    divided = [list(_between(line, rules)) for line in box]
    if all(len(pieces) <= 1 for pieces in divided):
        return [[list(line) for line in box]]
    found: dict[tuple[int, int], list[list[Any]]] = {}
    for line, pieces in zip(box, divided, strict=True):
        row = -bisect_left(rules.level, (line.y0 + line.y1) / 2)
        for column, chars in pieces:
            found.setdefault((row, column), []).append(chars)
    return [found[cell] for cell in sorted(found)]


def _between(line: Any, rules: Rules) -> Iterator[tuple[int, list[Any]]]:
    """Yields the pieces of a line between upright rules, and how many rules stand on the left of each."""
    middle = (line.y0 + line.y1) / 2
    begin, end = (bisect_right(rules.upright, (edge,)) for edge in (line.x0, line.x1))
    places = [place for place, bottom, top in rules.upright[begin:end] if bottom <= middle <= top]
    chars: list[Any] = []
    column, right = begin, line.x0
    for char in line:
        if chars and hasattr(char, "x0"):  # white space that is only implied has no place
            crossed = bisect_right(places, char.x0) - bisect_left(places, right)
            if crossed > 0:
                yield column, chars
                column, chars = column + crossed, []
        right = getattr(char, "x1", right)
        chars.append(char)
    if chars:
        yield column, chars


class Placed(Protocol):
    """A line of text and its upper and lower edge."""

    top: float
    bottom: float


Line = TypeVar("Line", bound=Placed)


def in_rows(boxes: Sequence[Sequence[Line]]) -> list[Sequence[Line]]:
    """Returns the boxes of a page from top to bottom; boxes beside each other keep their order."""
    edges = [(max(line.top for line in box), min(line.bottom for line in box)) for box in boxes]
    order = sorted(range(len(boxes)), key=lambda index: -edges[index][0])
    rows: list[list[int]] = []
    lowest = 0.0
    for index in order:
        top, bottom = edges[index]
        if rows and top > lowest:
            rows[-1].append(index)
            lowest = min(lowest, bottom)
        else:
            rows.append([index])
            lowest = bottom
    return [boxes[index] for row in rows for index in sorted(row)]
