"""Feeds the text functions with repetitive texts in a process whose memory is limited: ``make fuzz``.

What breaks parsers is rarely random and mostly repetitive. So a text is a few fragments of markup, a short unit of such
fragments thousands of times, and a few more. A function fails if it raises anything but a refusal, if it needs more
memory than the limit, or if four times the text take more than eight times the processor time.
"""

import math
import resource
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from app.errors import InvalidRequest
from tests.properties.test_text_growth import FUNCTIONS, REPEATED

FRAGMENTS = [
    *REPEATED.values(),
    *"<>/&;\"'=-[]()!*_`~|#\\ \n\t\xa0\u200d\u0301\ue000{}%$@.,:aZ7字",
    "Tom",
    "</a>",
    "<!--",
    "]]>",
]
CHARS = 25_000
# The dearest texts take 1.2 KB a character.
MEMORY_BYTES = 256 << 20
_NOTICEABLE_S = 1.0


def text_of(seed: int, chars: int) -> str:
    """The text of a number: the same beginning, unit and end in any length."""
    random = Random(seed)
    begin, unit, end = ("".join(random.choices(FRAGMENTS, k=random.randint(1, 6))) for _ in range(3))
    return begin + unit * (chars // len(unit)) + end


Make = Callable[[int, int], Any]
"""Makes the input of a number in a length."""


def seconds(function: Callable[[Any], object], value: Any) -> float:
    """Processor time of one call."""
    began = time.thread_time()
    with suppress(InvalidRequest):  # too many spans, say
        function(value)
    return time.thread_time() - began


def fuzz(
    functions: Mapping[str, Callable[[Any], object]],
    inputs: Mapping[str, Make],
    chars: int,
    *,
    first: int = 0,
    count: int = 1_000_000,
    limit_s: float = math.inf,
) -> int:
    """Returns the number of failures, and prints each with what brings it about.

    Args:
        functions: What is tried.
        inputs: Of each function, what makes its inputs.
        chars: Length of the shorter of the two inputs of a number.
        first: The first number.
        count: How many there are at most.
        limit_s: Seconds after which no other number is begun.
    """
    end = time.monotonic() + limit_s
    with open("/proc/self/statm", encoding="ascii") as file:
        used_bytes = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used_bytes + MEMORY_BYTES, resource.RLIM_INFINITY))
    failures = tried = 0
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        tried += 1
        for name, function in functions.items():
            make = inputs[name]
            try:
                small, large = (seconds(function, make(seed, size)) for size in (chars, 4 * chars))
                reason = f"{small:.2f} s, and {large:.2f} s for four times the text" if large > 8 * small else ""
                reason = reason if large > _NOTICEABLE_S else ""
            except Exception as error:
                reason = repr(error)[:200]
            if reason:
                failures += 1
                print(f"{name}: {reason}\n  input {seed}: {make(seed, 0)!r}, {make(seed, 200)!r}", flush=True)
    print(f"{tried} inputs, {len(functions)} functions, {failures} failures")
    return failures


def main(first: int, count: int, chars: int = CHARS, limit_s: float = math.inf) -> int:
    """Feeds the text functions; the arguments are those of ``fuzz``."""
    inputs = dict.fromkeys(FUNCTIONS, text_of)
    return fuzz(FUNCTIONS, inputs, chars, first=first, count=count, limit_s=limit_s)


if __name__ == "__main__":
    sys.exit(main(0, count=1_000_000, limit_s=float(sys.argv[1])) > 0)
