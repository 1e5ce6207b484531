"""Combinations of keys have the names that the other language's keyboards have."""

import pytest

from app.text.numerals.grammar import localize


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("Strg+C", "Ctrl+C"),
        ("Strg + Alt + Entf", "Ctrl + Alt + Del"),
        ("Umschalt+Bild auf", "Shift+Page Up"),
        ("Alt-F4", "Alt-F4"),
        ("Cmd+Umschalt+4", "Cmd+Shift+4"),
        ("Strg+,", "Ctrl+,"),
        ("Strg + Pfeil auf/Pfeil ab", "Ctrl + Up/Down"),
        ("Strg-C", "Ctrl-C"),
    ],
)
def test_a_combination_is_written_with_the_other_keys(german: str, english: str) -> None:
    for text, source, target, other in ((german, "de", "en", english), (english, "en", "de", german)):
        [numeral] = localize(f"({text})", source, target)
        assert (numeral.begin, numeral.end) == (1, 1 + len(text))
        assert numeral.rewrite and numeral.rewrite.text == other


@pytest.mark.parametrize(
    ("text", "source", "target"),
    [
        ("Click [Delete]; [Home] or [Enter]", "en", "de"),  # buttons
        ("[Left] or [Right] wing", "en", "de"),
        ("Use [Up], [Down], [Left] and [Right] to move.", "en", "de"),
        ("[Ab] [Auf] Gleis, Alt+Auf der Straße", "de", "en"),
        ("Alt-Berlin und C++, a+b, Alt+Neu", "de", "en"),
        ("Der Wahl-O-Mat, die Alt-P-Partei, Windows-T", "de", "en"),
        ("A Win + Win situation, Option-A or Option-B, Windows + Enter-prise", "en", "de"),
        ("Strg allein, xStrg+C", "de", "en"),
        ("Strg+C", "de", "fi"),
        ("Windows-PC, Home+Office", "en", "de"),
    ],
)
def test_other_words_with_such_signs_are_none(text: str, source: str, target: str) -> None:
    assert [each for each in localize(text, source, target) if each.rewrite] == []
