r"""Escapes of resource files: ``\n`` parts texts, ``\'`` is an apostrophe, ``\u00fc`` a letter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.markup.extraction import Rules, extract
from app.text.protection.defaults import untranslatable
from tests.support.notation import GARBLES, KNOWN, WORDS, check_seen, seen, translation

_SENTENCES = st.lists(st.lists(WORDS, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=4)
_BREAK = st.sampled_from([r"\n", r"\N", r"\n\n", r"\r\n", r"\t", r" \n", r"\n "])


@given(GARBLES, _SENTENCES, _BREAK)
def test_line_breaks_part_texts(garble, sentences: list[str], sign: str) -> None:
    text = sign.join(sentences)
    assert translation(text, garble).casefold() == sign.join(map(garble, sentences)).casefold()


@given(
    st.lists(st.sampled_from(["it's", "'tis", '"gut"', "we'll", "Hund", '"so', 'ja"', "don't"]), min_size=1, max_size=6)
)
def test_escaped_marks_are_read_and_written(words: list[str]) -> None:
    plain = " ".join(words)
    text = plain.replace("'", "\\'").replace('"', '\\"')
    translated = translation(text, lambda sentence: f'{sentence} "it\'s"')
    for mark in "'\"":
        if mark in plain:
            assert translated.count(mark) == translated.count(f"\\{mark}") > 0
        else:
            assert f"\\{mark}" not in translated


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (r"Don\'t panic, it\'s easy.", ["Don't panic, it's easy."]),
        (
            r"Don\'t worry, we\'ll keep \"%1$s\" for you.\nTap here to continue.",
            ["Don't worry, we'll keep \"\ue000\" for you.", "Tap here to continue."],
        ),
        (r"Line one\nLine two", ["Line one", "Line two"]),
        (r"I waited for him.\NHe didn't come.", ["I waited for him.", "He didn't come."]),
        (r"Gr\u00fc\u00dfe aus K\u00f6ln", ["Grüße aus Köln"]),
        (r"Hallo \ud83d\ude00 Welt", ["Hallo", "Welt"]),
        (r"Line one\\nLine two", ["Line one", "Line two"]),
        (r"{name}\n%s", []),
    ],
)
def test_escapes(text: str, sentences: list[str]) -> None:
    check_seen(text, sentences, source="en", target="de")


def test_letters_are_escaped_as_in_the_source() -> None:
    assert translation(r"Gr\u00fc\u00dfe", lambda _: "Übel 😀") == r"\u00dcbel \ud83d\ude00"
    assert translation(r"It\'s", lambda _: "Geht's „so“") == r"Geht\'s „so“"


@pytest.mark.parametrize(
    "text",
    [
        r"Die Datei C:\new\text.txt ist da",
        r"Die Formel \nu und \theta und \right",
        r"In src\node\models\main steht es",
        r'Das Zeichen "\n" ist ein Umbruch',
    ],
)
def test_paths_and_formulas_have_no_line_breaks(text: str) -> None:
    assert len(seen(text)) == 1
    assert translation(text) == text


def test_escapes_in_xml() -> None:
    markup = r"<resources><string name='a'>Don\'t <b>stop</b> now\nGo &amp; see</string></resources>"
    document = extract(markup, Rules(syntax="xml"), untranslatable(markup, frozenset(KNOWN)))
    assert document.texts == ("Don't stop now \u2029 Go & see",) or document.texts == ("Don't stop now\u2029Go & see",)
    assert document.rebuild(document.texts).text == markup
    written = document.rebuild([document.texts[0].replace("Go", "Let's go")]).text
    assert r"Don\'t <b>stop</b> now\nLet\'s go &amp; see" in written
