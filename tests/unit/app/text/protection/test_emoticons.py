"""Emoticons and emoji stay where they are, with the spaces around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.notation import GARBLES, WORDS, check_seen, seen, translation

_TEXT = st.lists(WORDS, min_size=1, max_size=3, unique=True).map(" ".join)
_FACES = st.sampled_from(
    [
        ":)",
        ":-(",
        ";-)",
        ":D",
        ":P",
        ":'(",
        "=)",
        "<3",
        "xD",
        "^^",
        "^_^",
        ">.<",
        "-.-",
        "o.O",
        "T_T",
        "\\o/",
        "😊",
        "😂😂",
        "❤️",
        "👍🏽",
    ]
)


@given(GARBLES, st.lists(_TEXT, min_size=1, max_size=3), _FACES, st.booleans())
def test_faces_part_texts(garble, texts: list[str], face: str, at_end: bool) -> None:
    text = f" {face} ".join(texts) + f" {face}" * (at_end or len(texts) == 1)
    assert seen(text) == texts
    translated = translation(text, garble)
    assert translated.count(face) == text.count(face)
    assert [part.casefold() for part in translated.split(face)] == [
        garble(part.strip()).casefold().join((part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]))
        if part.strip()
        else part
        for part in text.split(face)
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Tut mir leid :( ich komme später", ["Tut mir leid", "ich komme später"]),
        ("Bis morgen 😊", ["Bis morgen"]),
        ("noch nicht mal mittag >.<", ["noch nicht mal mittag"]),
        ("Wir lachen 😂😂 bin grad unterwegs", ["Wir lachen", "bin grad unterwegs"]),
        ("Ich esse 🍕 gern", ["Ich esse \ue000 gern"]),
        ("Pizza 🍕! Und Bier 🍺.", ["Pizza", "Und Bier"]),
        ("Sooooo schön!!!1", ["Sooooo schön"]),
        ("Danke:) bis dann", ["Danke", "bis dann"]),
        ("Sehr schön :blobcat: :verified:", ["Sehr schön"]),
        ("@anna Guten Morgen", ["Guten Morgen"]),
    ],
)
def test_sentences_beside_faces(text: str, sentences: list[str]) -> None:
    check_seen(text, sentences)


@pytest.mark.parametrize(
    "text", ["Es gibt 8) und x) und D: hier", "a => b, 3:2, um 12:30 (siehe oben:) da", "Teil: das (ja)", "x < 3 und y"]
)
def test_other_signs_are_no_faces(text: str) -> None:
    assert len(seen(text)) == 1
