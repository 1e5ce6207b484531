"""The copies of ``tests.support.charged`` notice work that grows faster than the text, wherever it hides."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.charged import COUNTERS, charged_code
from tests.support.work import work_of_copies

QUADRATIC = {
    "a loop in a loop": "for a in text:\n  for b in text:\n   pass",
    "a loop in a branch": "for a in text:\n  if a:\n   while n < len(text) * len(text):\n    n += 1",
    "a list": "[a for a in text for b in text]",
    "a dict": "{b: a for a in text for b in text}",
    "a list that takes little": "[a for a in text for b in text if b == 'x']",
    "a generator": "any(b == 'x' for a in text for b in text)",
    "a search": "for a in text:\n  'x' in text",
    "a slice": "for a in text:\n  text[1:]",
    "a method": "for a in text:\n  text.replace('x', 'y')",
}


def function_of(body: str) -> Callable[[str], Any]:
    names = dict(COUNTERS)
    exec(charged_code(f"def function(text):\n n = 0\n {body}\n", "copy.py"), names)
    return names["function"]


@pytest.mark.parametrize("body", QUADRATIC.values(), ids=QUADRATIC)
def test_quadratic_work_is_counted(body: str) -> None:
    function = function_of(body)
    small, large = (work_of_copies(lambda text="a" * chars: function(text)) for chars in (100, 200))
    assert large.lines + large.charges > 3.5 * (small.lines + small.charges)


def test_linear_work_is_counted_as_such() -> None:
    function = function_of("for a in text:\n  n += 1")
    small, large = (work_of_copies(lambda text="a" * chars: function(text)) for chars in (100, 200))
    assert 1.9 * small.lines < large.lines < 2.1 * small.lines
