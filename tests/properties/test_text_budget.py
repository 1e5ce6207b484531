"""Text functions end soon when nobody waits for them any more."""

import sys
from types import FrameType
from typing import Any

import pytest

from app.errors import Cancelled
from app.fairness.budget import Budget
from tests.properties.test_text_growth import FUNCTIONS, TEXTS
from tests.support import charged

CHARS = 20_000
OF_SENTENCES = ("quality", "mirroring", "formality", "spelling", "values", "data")
"""Functions that work on one sentence and are not cancelled."""


@pytest.mark.parametrize("text", ["words", "misnested", "brackets", "lists", "variables", "numbers", "lines"])
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name not in OF_SENTENCES])
def test_work_that_is_cancelled_ends_before_it_has_looked_twice_at_the_text(function: str, text: str) -> None:
    budget, calls, source = Budget(), 0, TEXTS[text](CHARS)
    FUNCTIONS[function](TEXTS[text](100))  # compiles expressions, which takes as many calls

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename != charged.__file__

    def work() -> None:
        budget.cancel()
        sys.setprofile(watch)
        try:
            FUNCTIONS[function](source)
        finally:
            sys.setprofile(None)

    with pytest.raises(Cancelled):
        budget.run(work)
    assert calls < 2 * CHARS
