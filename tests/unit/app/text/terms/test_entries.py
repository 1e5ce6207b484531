import pytest

from app.errors import InvalidGlossary
from app.text.terms.entries import MAX_TERM_CHARS, check_entries


def test_entries_lose_the_white_space_around_them() -> None:
    assert check_entries([(" Vorstand ", "board\n"), ("vorstand", "x y")]) == {"Vorstand": "board", "vorstand": "x y"}


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([], "there are none"),
        ([("a", "b"), (" a", "c")], "index 1 duplicates key with the index 0"),
        ([("a", "b"), ("", "c")], "source term with the index 1 is empty"),
        ([("a", " \t ")], "target term with the index 0 is empty"),
        ([("a", 5)], "target term with the index 0 is not a string"),
        ([("a\tb", "c")], "control character"),
        ([("a\u2028b", "c")], "control character"),
        ([("a\ud800", "c")], "control character"),
        ([("a" * (MAX_TERM_CHARS + 1), "c")], f"more than {MAX_TERM_CHARS} characters"),
        ([("a " * 21, "c")], "more than 20 words"),
        ([(str(number), "x") for number in range(4)], "more than 3 entries"),
    ],
)
def test_entries_that_cannot_be_used(entries: list[tuple[object, object]], message: str) -> None:
    with pytest.raises(InvalidGlossary, match=message):
        check_entries(entries, most=3)
