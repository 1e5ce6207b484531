"""Which words should be aligned with themselves, and which are."""

import pytest

from app.text.inline.target_tokens import Link
from benchmarks.alignment import common_words, is_aligned


def test_words_that_both_sides_have_once() -> None:
    found = common_words("Am 3. Mai 2019 sah Tom Anna, Anna sah 12:30.", "On May 3, 2019, Tom saw Anna at 12:30.")
    assert found == {"2019": "number", "12:30": "number", "Tom": "name"}


@pytest.mark.parametrize(
    ("links", "aligned"),
    [
        ([Link(4, 7, 0, 3)], True),
        ([Link(0, 3, 0, 3)], False),
        ([Link(0, 3, 0, 1), Link(4, 7, 1, 3)], True),
        ([Link(4, 7, 0, 1), Link(0, 3, 1, 3)], False),
        ([Link(4, 7, 4, 7)], False),
        ([], False),
    ],
)
def test_a_word_is_aligned_to_what_most_of_it_is_linked_to(links: list[Link], aligned: bool) -> None:
    assert is_aligned("Tom", "Sah Tom", "Tom saw", links) == aligned
