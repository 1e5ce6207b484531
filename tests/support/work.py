"""Counts the work of a function instead of its seconds: the same on every machine."""

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import app
from tests.support.charged import Charges

_OURS = str(Path(app.__file__).parent)


class Work(NamedTuple):
    """The cost of a call: lines of the service's code that ran, characters that C code read, and memory.

    Attributes:
        lines: Lines that were run.
        charges: Characters and items, if the code is one of ``charged_copies``.
        peak_bytes: The most memory at a time.
    """

    lines: int
    charges: int
    peak_bytes: int


def work_of(function: Callable[[], object]) -> Work:
    Charges.total = 0
    lines = _lines(function)
    return Work(lines, Charges.total, peak_bytes(function))


def _lines(function: Callable[[], object]) -> int:
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
