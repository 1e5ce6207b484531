"""Ranges of a text that are in order."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Protocol, TypeVar


class Range(Protocol):
    """A part of a text, in code points."""

    @property
    def begin(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


R = TypeVar("R", bound=Range)


def overlapping(ranges: Sequence[R], begin: int, end: int) -> Sequence[R]:
    """Returns the ranges that share a character with a place. Takes logarithmic time, for a text has thousands.

    Args:
        ranges: In order of their begins, and of their ends.
        begin: Where the place begins.
        end: Where it ends.
    """
    first = bisect_right(ranges, begin, key=attrgetter("end"))
    return ranges[first : bisect_left(ranges, end, lo=first, key=attrgetter("begin"))]
