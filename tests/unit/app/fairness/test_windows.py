"""Searches in windows find what searches in one go find."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.fairness import windows

EXPRESSIONS = [r"\d+", r"(?<!\w)a{1,3}b?(?!\w)", r"\bab\b", r"a.{0,2}b", r"1++(?:[.,]1++)*+(?!b)"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@given(text=st.text("ab1., ", max_size=60))
@example(text="1111111111b1")
def test_windows_change_nothing(expression: str, text: str) -> None:
    compiled = re.compile(expression)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_WINDOW_CHARS", 5)
        patch.setattr(windows, "_REACH_CHARS", 5)
        found = [match.span() for match in windows.finditer(compiled, text)]
    assert found == [match.span() for match in compiled.finditer(text)]
