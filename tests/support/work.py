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
    """The cost of a call: lines of the service's code that ran, characters that C code read, and memory.

    Attributes:
        lines: Lines that were run.
        charges: Characters and items, if the code is one of ``charged_copies``; its lines are statements.
        peak_bytes: The most memory at a time.
    """

    lines: int
    charges: int
    peak_bytes: int


def work_of(function: Callable[[], object]) -> Work:
    """Counts the lines of any code, slowly."""
    return Work(lines_of(function), 0, peak_bytes(function))


def work_of_copies(function: Callable[[], object]) -> Work:
    """Counts what ``charged_copies`` do."""
    COUNTS.lines = COUNTS.charges = 0.0
    peak = peak_bytes(function)
    return Work(int(COUNTS.lines), int(COUNTS.charges), peak)


def lines_of(function: Callable[[], object]) -> int:
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
