"""Words of content that nothing in a translation is aligned to are seen; common words are not meant."""

import pytest

from app.text.inline.target_tokens import Link
from app.translation.coverage import left_out
from languages.registry import language_of

ENGLISH = language_of("en")


def links(sentence: str, *words: str) -> list[Link]:
    """Links each of these words of the sentence to something."""
    return [Link(sentence.index(word), sentence.index(word) + len(word), 0, 1) for word in words]


@pytest.mark.parametrize(
    ("sentence", "aligned", "expected"),
    [
        ("\ue000 of \ue001 done", ["of"], ["done"]),
        ("\ue000 of \ue001 done", ["of", "done"], []),
        ("\ue000 of \ue001 done", [], []),  # no alignment says nothing
        ("Would you delete it?", ["delete"], []),
        ("a half-finished house", ["house", "half"], []),
        ("Tom commented on your post", ["commented"], ["post"]),
        ("Tom commented on your post " + "again " * 20, ["commented"], []),
    ],
)
def test_words_that_are_left_out(sentence: str, aligned: list[str], expected: list[str]) -> None:
    stand_ins = [(0, 3)] if sentence.startswith("Tom") else []
    assert left_out(sentence, links(sentence, *aligned), ENGLISH, stand_ins) == expected


def test_a_language_without_common_words_is_left_alone() -> None:
    assert not left_out("Tom on poissa", links("Tom on poissa", "Tom"), language_of("fi"))
