"""Counts the work of a function instead of its seconds: the same on every machine."""

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import app
from tests.support.charged import COUNTS

_OURS = str(Path(app.__file__).parent)


class Work(NamedTuple):
    """What ``charged_copies`` do in a call.

    Attributes:
        lines: Statements that were run.
        charges: Characters and items that C code read.
    """

    lines: int
    charges: int


def work_of_copies(function: Callable[[], object]) -> Work:
    """Counts what ``charged_copies`` do."""
    COUNTS.lines = COUNTS.charges = 0.0
    function()
    return Work(int(COUNTS.lines), int(COUNTS.charges))


def check_growth(call: Callable[[int], Callable[[], object]], size: int, size_for_memory: int) -> None:
    """Checks that a call on twice as much takes at most twice the work of copies, and twice the memory.

    Args:
        call: A size -> a call of copies.
        size: At which work is counted.
        size_for_memory: At which memory is; it takes five times as long.
    """
    small, large = (work_of_copies(call(each)) for each in (size, 2 * size))
    assert large.lines <= 2.3 * small.lines + 1_000
    # Looks at a bounded stretch of the text are longer in the larger one, up to their bound.
    assert large.charges <= 2.7 * small.charges + 2_000
    calls = [call(each) for each in (size_for_memory, 2 * size_for_memory)]
    peaks = [peak_bytes(each) for each in calls]
    if not _in_proportion(*peaks):  # a cache or another thread may have grown in that moment
        peaks = [peak_bytes(each) for each in calls]
    assert _in_proportion(*peaks), peaks


def _in_proportion(small: int, large: int) -> bool:
    return large <= 2.6 * small + 20_000  # lists and dicts grow in leaps


def lines_of(function: Callable[[], object]) -> int:
    """Counts the lines of the service's code, slowly."""
    lines = 0

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        return count if frame.f_code.co_filename.startswith(_OURS) else None

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


def peak_bytes(function: Callable[[], object]) -> int:
    """The most memory at a time that Python objects take, those of other threads included."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
