import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from app.errors import Cancelled, InvalidRequest
from app.fairness.budget import Budget
from app.text.protection import patterns as module
from app.text.protection.defaults import untranslatable
from app.text.protection.patterns import check_patterns, compile_patterns, find, merged

EXPRESSIONS = ["a+", "[ab]{1,4}", r"\bb", "b\\b", "^a", "a$", "(?m)^b|c$", "é|ab*", "", "c{0,8}", "[^a]?a"]


@given(st.text("abc é\n", max_size=80), st.sampled_from(EXPRESSIONS))
def test_a_search_in_windows_finds_what_one_search_finds(text: str, expression: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WINDOW_CHARS", 30)
        patch.setattr(module, "MAX_MATCH_CHARS", 20)
        found = find(text, compile_patterns([f"regex:{expression}|a"]))
    matches = [match.span() for match in re2.finditer(f"{expression}|a", text)]
    if all(end - begin < 20 for begin, end in matches):
        assert found == merged(matches)


def test_expressions_share_a_bound_on_their_size() -> None:
    large = r"regex:[\p{L}\p{N}]{50}"
    assert compile_patterns([large] * 10).expressions
    with pytest.raises(InvalidRequest, match="protect pattern 1 is too large a regular expression"):
        compile_patterns([large] * 100)


def test_patterns_are_checked_before_they_are_compiled() -> None:
    assert check_patterns(["%s", "regex:("]) == ("%s", "regex:(")
    with pytest.raises(InvalidRequest, match="pattern 2 is not a regular expression"):
        compile_patterns(["%s", "regex:("])


def test_a_search_without_matches_can_be_stopped() -> None:
    budget = Budget()
    patterns = compile_patterns(["regex:x", "regex:(?:[ab]*a[ab]{20}c)"])

    class Stopping:
        """An expression during whose search the client goes away."""

        def finditer(self, *_: object) -> list[object]:
            budget.cancel()
            return []

    with pytest.raises(Cancelled):
        budget.run(find, "ab" * 100_000, patterns._replace(expressions=(Stopping(), *patterns.expressions)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%3$tH:%3$tM Uhr", ["%3$tH:%3$tM"]),
        ("Seite %d/%d", ["%d/%d"]),
        ("%d:%02d:%02d", ["%d:%02d:%02d"]),
        ("{width}×{height} px", ["{width}×{height}"]),
        ("{{first}}-{{last}}", ["{{first}}-{{last}}"]),
        ("%s, %s", ["%s", "%s"]),
        ("%s / %s", ["%s", "%s"]),
    ],
)
def test_variables_that_a_sign_joins_are_one_span(text: str, expected: list[str]) -> None:
    assert [text[begin:end] for begin, end in find(text, untranslatable(text, frozenset()))] == expected
