"""What stands in the margins of all pages: their numbers, and running titles."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.documents.pdf_columns import Placed

_MARGIN = 0.1  # of the height of a page
_NUMBER = re.compile(r"\W*(\d{1,4})\W*")
_MIN_PAGES = 3  # on which a number beside other text goes on; a table at an edge may have such numbers on two


class _Number(NamedTuple):
    line: Placed
    distance: int  # from the place of its page in the file: the same on all pages
    is_alone: bool


class Margins:
    """The lines in the margins of a file's pages."""

    def __init__(self) -> None:
        self._pages = 0
        self._lines: list[Placed] = []
        self._numbers: list[_Number] = []

    def add(self, lines: Sequence[Placed], bottom: float, top: float) -> None:
        """Looks at the next page, which has these lines between these edges."""
        self._pages += 1
        lines = [line for line in lines if line.text.strip()]
        if not lines:
            return
        size = _MARGIN * (top - bottom)
        upper = [line for line in lines if line.bottom > top - size]
        lower = [line for line in lines if line.top < bottom + size]
        self._lines += upper + lower
        highest, lowest = max(line.bottom for line in lines), min(line.top for line in lines)
        self._add_numbers([line for line in upper if line.top > highest])
        self._add_numbers([line for line in lower if line.bottom < lowest])

    def _add_numbers(self, row: Sequence[Placed]) -> None:
        if row:
            for line in {min(row, key=lambda line: line.left), max(row, key=lambda line: line.right)}:
                if number := _NUMBER.fullmatch(line.text):
                    self._numbers.append(_Number(line, int(number[1]) - self._pages, len(row) == 1))

    def numbers(self) -> set[Placed]:
        """Returns the numbers of pages: alone above or below all else, or the outermost of the outermost row."""
        pages = Counter(number.distance for number in self._numbers)
        return {
            line
            for line, distance, is_alone in self._numbers
            if pages[distance] >= (2 if is_alone else _MIN_PAGES) or (is_alone and distance == 0)
        }

    def titles(self) -> set[Placed]:
        """Returns the lines that are on several pages."""
        pages = Counter(line.text for line in self._lines)
        return {line for line in self._lines if pages[line.text] > 1}
