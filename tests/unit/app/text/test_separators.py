"""What parts a line comes back byte for byte, and what it parts are texts of their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text import separators as separators_module
from app.text.protection.defaults import untranslatable
from app.text.protection.protected import protect
from app.text.sentences import spans
from app.text.separators import separators


def texts(line: str, *, newlines: bool = True) -> list[str]:
    return [line[begin:end] for begin, end in spans(line, language="de", newlines=newlines)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Name          Menge   Preis", ["Name", "Menge", "Preis"]),
        ("Name\tMenge", ["Name", "Menge"]),
        ("Menge  Preis", ["Menge", "Preis"]),
        ("[ ] Ja   [ ] Nein   [x] Vielleicht", ["Ja", "Nein", "Vielleicht"]),
        ("[ ] Ja [x] Nein", ["Ja", "Nein"]),
        ("☐ Ja ☑ Nein", ["Ja", "Nein"]),
        ("( ) Ja ( ) Nein", ["Ja", "Nein"]),
        ("( ) Ja   (x) Nein   (•) Weiter", ["Ja", "Nein", "Weiter"]),
        ("Kapitel 1 .......... 5", ["Kapitel 1"]),
        ("Einleitung . . . . . . 5", ["Einleitung"]),
        ("Name: ________ Datum: ________", ["Name:", "Datum:"]),
        ("Start » Produkte » Brot", ["Start", "Produkte", "Brot"]),
        ("Über uns | Laden", ["Über uns", "Laden"]),
        ("Unser Laden – Startseite", ["Unser Laden", "Startseite"]),
        ("Unser Laden - Startseite", ["Unser Laden", "Startseite"]),
        ("Datei > Speichern unter > PDF", ["Datei", "Speichern unter", "PDF"]),
        ("Start → Konto", ["Start", "Konto"]),
        ("Name;Alter;Ort", ["Name", "Alter", "Ort"]),
        ("Anna;30;Bad Ems", ["Anna", "Bad Ems"]),
        ("Name|Alter|Ort", ["Name", "Alter", "Ort"]),
        ("Bitte senden - - - - -", ["Bitte senden"]),
    ],
)
def test_cells_names_and_steps_are_texts_of_their_own(line: str, expected: list[str]) -> None:
    assert texts(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "Er kam – wie immer – zu spät.",
        "Wenn x > 5 ist, dann gehen wir.",
        "Das ist  ein Satz.",  # a slip
        "Berlin – Die Regierung hat beschlossen.",
        "« Ja » ou « non »",
        "Er sagte: »Komm!«",
        "geöffnet 9 – 17 Uhr",
        "Der Wert f( ) von Punkt (x) fehlt.",
        "Er kam; sie ging; alle blieben.",
        "Hallo;wie geht es?",
        "Tee &lt;b&gt;kalt&lt;/b&gt;",
        "for(i=0;i<9;i++)",
        "Ja|Nein",
        "a||b||c",
        "F&uuml;r M&auml;nner",
        "Danke;-) Bis bald;-)",
        "The regex (foo|bar|baz) matches.",
        "`a|b|c` ist Code",
        "An a@b.de;c@d.de;e@f.de",
    ],
)
def test_a_sentence_stays_in_one_piece(line: str) -> None:
    assert not separators(line)


def test_a_paragraph_over_several_lines_is_parted_by_nothing_weak() -> None:
    assert texts("Unser Laden –\nStartseite", newlines=False) == ["Unser Laden –\nStartseite"]
    assert texts("Tee\tKaffee", newlines=False) == ["Tee\tKaffee"]


def test_a_sign_between_names_is_no_code_to_protect() -> None:
    known = frozenset("Datei SprchnustwxNW5.\n")
    expected = {
        "Datei > Speichern": (),
        "Datei x > 5 u": (">",),
        "Datei|Speichern|S": (),
        "Datei: ____": (),
        "| Datei | Spur |": (),
        "Datei ist ____ .": (),
        "Datei _neu_": ("_", "_"),
        "> Datei\n>> Neu.": (),
        ">= 5 Datei": (">=",),
    }
    for text, spans_ in expected.items():
        assert protect(text, untranslatable(text, known)).spans == spans_, text


@given(
    st.lists(
        st.sampled_from(
            ["Wort", "Haus", "10", " ", "   ", "\t", "...", "....", "[ ]", "( )", " – ", " | ", ">", ";", "|"]
        )
    )
)
def test_separators_are_in_order_and_disjoint(pieces: list[str]) -> None:
    line = "".join(pieces)
    done = 0
    for begin, end in separators(line):
        assert done <= begin < end <= len(line)
        done = end


_PIECES = [*"aB1 \t….[]x✓☐()|»›→>·•–—-_=*«;\n\u00a0?", "...", "  ", "--", "[x]", " . "]


@given(st.lists(st.sampled_from(_PIECES), max_size=9))
def test_what_separators_need_is_in_all_of_them(pieces: list[str]) -> None:
    found = separators_module._SEPARATOR.finditer("".join(pieces))
    assert all(separators_module._ANY_PART.search(match[0]) for match in found)
