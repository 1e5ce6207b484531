"""Asterisks around words go around their translations; others are signs."""

import pytest

from app.text.protection.tags import Emphasis


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Das ist **sehr** gut", ["sehr"]),
        ("*Achtung!* Es ist ***neu***.", ["Achtung!", "neu"]),
        ("***ANGEBOT*** nur heute", ["ANGEBOT"]),
        ("*lacht* was? Ja, *alles* Gute!", ["lacht", "alles"]),
        ("*lacht* Was? Nein! *seufzt leise* Ich nicht.", []),
        ("2 * 3 * 4 und 2*3*4", []),
        ("Leser*in und Hörer*innen", []),
        ("Preis* und Menge*", []),
        ("*inkl. MwSt., **zzgl. Versand", []),
        ("*.txt *.doc /* nie */ /** auch **/", []),
        ("*ab hier\nund da*", []),
    ],
)
def test_asterisks_around_words_are_tags(text: str, words: list[str]) -> None:
    tags = list(Emphasis().finditer(text))
    assert [tag.nesting for tag in tags] == [1, -1] * len(words)
    assert [text[one.last : other.first] for one, other in zip(tags[::2], tags[1::2], strict=True)] == words
