"""The letter of a menu's entry: the model sees the word, and one sign is before a letter of its translation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.markup.extraction import Rules, extract
from app.text.protection.defaults import untranslatable
from tests.support.notation import KNOWN, seen, translation

_LABEL = st.lists(st.sampled_from(["Datei", "Speichern", "unter", "Bearbeiten", "als"]), min_size=1, max_size=3)


@given(
    _LABEL, st.integers(0, 30), st.sampled_from(["&", "_", "~"]), st.text("abcdefg xyz", min_size=1).filter(str.strip)
)
def test_one_sign_is_before_a_letter(words: list[str], place: int, sign: str, translated: str) -> None:
    label = " ".join([words[0].capitalize(), *words[1:]])
    place %= len(label)
    if not label[place].isalpha() or (sign == "~" and place and label[place - 1].isalpha()):
        return
    found = translation(label[:place] + sign + label[place:], lambda _: translated)
    assert found.count(sign) == 1
    assert found[found.index(sign) + 1].isalpha()
    letters = [one.lower() for one in translated]
    if label[place].lower() in letters:
        assert found[found.index(sign) + 1].lower() == label[place].lower()


@pytest.mark.parametrize(
    ("text", "shown", "translated", "expected"),
    [
        ("&Bearbeiten", "Bearbeiten", "Edit", "&Edit"),
        ("Be&enden", "Beenden", "Quit", "&Quit"),
        ("E&xit", "Exit", "Fix it", "Fi&x it"),
        ("&Datei öffnen…", "Datei öffnen…", "Open a dog…", "Open a &dog…"),
        ("_Save As", "Save As", "Speichern", "_Speichern"),
        ("Prefere_nces", "Preferences", "Einstellungen", "Ei_nstellungen"),
        ("~Datei", "Datei", "File", "~File"),
        ("Find && &Replace", "Find & Replace", "Suche & ersetze", "Suche && e&rsetze"),
        ("&File\\tCtrl+O", "File", "Datei", "&Datei"),
    ],
)
def test_mnemonics(text: str, shown: str, translated: str, expected: str) -> None:
    assert seen(text)[0] == shown
    asked = (shown, shown.replace(" & ", " und "))  # models know the word better than the sign
    assert translation(text, lambda sentence: translated if sentence in asked else sentence).startswith(expected)


@pytest.mark.parametrize(
    "text",
    [
        "R&D und Q&A bei AT&T",
        "Johnson&Johnson",
        "drag&drop und rock&roll",
        "A & B",
        "Tom &amp; Jerry",
        "https://x.de/?a=1&b=2",
        "user_name",
        "MAX_SIZE",
        "Anna_Meier",
        "Das ist _sehr_ gut",
        "~5 Minuten",
        "Ja && nein",
    ],
)
def test_other_signs_are_no_mnemonics(text: str) -> None:
    assert translation(text) == text
    assert untranslatable(text, frozenset(KNOWN)).decoders == ()


def test_a_mnemonic_in_xml() -> None:
    markup = "<source>&amp;Datei</source>"
    document = extract(markup, Rules(syntax="xml"), untranslatable("<source>&Datei</source>", frozenset(KNOWN)))
    assert document.texts == ("Datei",)
    assert document.rebuild(["File"]).text in ("<source>&amp;File</source>", "<source>&File</source>")
