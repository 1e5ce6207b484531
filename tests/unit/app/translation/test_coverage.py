"""Words of content that nothing in a translation is aligned to are seen; common words are not meant."""

from itertools import starmap

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
        ("Tom quickly closed windows", ["quickly", "closed"], ["windows"]),
        ("Tom quickly closed four windows", ["quickly", "closed", "four"], []),  # one word of many
    ],
)
def test_words_that_are_left_out(sentence: str, aligned: list[str], expected: list[str]) -> None:
    stand_ins = [(0, 3)] if sentence.startswith("Tom") else []
    assert left_out(sentence, "", links(sentence, *aligned), ENGLISH, stand_ins) == expected


def test_a_language_without_common_words_is_left_alone() -> None:
    assert not left_out("Tom on poissa", "", links("Tom on poissa", "Tom"), language_of("fi"))


@pytest.mark.parametrize(
    ("sentence", "translation", "moved", "expected"),
    [
        ("Seite \ue000 von \ue001", "page \ue000 \ue001", [], ["von"]),
        ("Seite \ue000 von \ue001", "page \ue000 of \ue001", [], []),
        ("Seite \ue000 von \ue001", "page \ue001 \ue000", [], []),
        ("\ue000 und \ue001 und \ue002", "\ue000 \ue001 and \ue002", [], ["und"]),
        ("dass \ue000 heute \ue001 sah", "that \ue000 \ue001 saw", [], []),
        ("Darf \ue000 ich \ue001 gehen?", "May I \ue000 \ue001 go?", [(7, 10, 4, 5)], []),
        ("Darf \ue000 ich \ue001 gehen?", "May \ue000 \ue001 go?", [(7, 10, 4, 5)], ["ich"]),  # linked to a placeholder
        ("Darf \ue000 ich \ue001 gehen, " + "wenn " * 20, "May \ue000 \ue001 go, ", [], []),
    ],
)
def test_a_word_between_two_placeholders_is_left_out_or_moves(sentence, translation, moved, expected) -> None:
    assert left_out(sentence, translation, list(starmap(Link, moved)), language_of("fi")) == expected
