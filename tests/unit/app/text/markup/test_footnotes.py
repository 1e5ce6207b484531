"""Marks of footnotes stay directly behind what they stood behind, and no number takes them in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.inline.target_tokens import Link
from app.text.markup.extraction import HTML, MARKDOWN, extract
from app.text.protection.patterns import NOTHING

GERMAN, ENGLISH = (NOTHING._replace(numerals=pair) for pair in (("de", "en"), ("en", "de")))
MARKS = st.sampled_from(["1", "12", "1)", "(2)", "[3]", "*", "**", "†", "1,2", "a)"])


def put_back(source, patterns, translate=str, rules=HTML):
    """Translates every word of the only text by itself, and rebuilds the page."""
    document = extract(source, rules, patterns)
    [text] = document.texts
    translation, links, done = "", [], 0
    for word in text.split(" "):
        new = translate(word)
        links.append(Link(done, done + len(word), len(translation), len(translation) + len(new)))
        translation, done = f"{translation}{new} ", done + len(word) + 1
    return text, document.rebuild([translation.rstrip()], [links]).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>Ab 19 €<sup>1)</sup> im Monat</p>", "<p>Ab €19<sup>1)</sup> im Monat</p>"),
        ("<p>Ab 19 €<sup>1</sup> im Monat</p>", "<p>Ab €19<sup>1</sup> im Monat</p>"),
        ("<p>Nur 4,99 €<sup>*</sup></p>", "<p>Nur €4.99<sup>*</sup></p>"),
        ("<p><b>1.299 €</b><sup>1</sup> jetzt</p>", "<p><b>€1,299</b><sup>1</sup> jetzt</p>"),
        ("<p>1.299 €<sup>1,</sup><sup>2</sup> jetzt</p>", "<p>€1,299<sup>1,</sup><sup>2</sup> jetzt</p>"),
        ("<p>1.299 €<sup>1</sup>, <sup>2</sup> jetzt</p>", "<p>€1,299<sup>1</sup>, <sup>2</sup> jetzt</p>"),
        ('<p>3,5 %<a href="#n1">1</a> Zins</p>', '<p>3.5%<a href="#n1">1</a> Zins</p>'),
        ('<p>3,5 %<sup><a href="#n1">[1]</a></sup> Zins</p>', '<p>3.5%<sup><a href="#n1">[1]</a></sup> Zins</p>'),
        ("<p>1.500<sup>a</sup> Leute</p>", "<p>1,500<sup>a</sup> Leute</p>"),
        ("<p>3.500,5 €<span>*</span> Preis</p>", "<p>€3,500.5<span>*</span> Preis</p>"),
    ],
)
def test_a_mark_stays_behind_its_amount(source: str, expected: str) -> None:
    text, written = put_back(source, GERMAN)
    assert written == expected
    assert "1)" not in text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>Das Haus<sup>2</sup> ist groß</p>", "Das Haus ist groß"),
        ("<p>80 m<sup>2</sup> Fläche</p>", "80 m2 Fläche"),  # an exponent belongs to its unit
        ("<p>108 g/km<sup>2, 3</sup> Ausstoß</p>", "108 g/km Ausstoß"),  # an exponent is one number
        ("<p>Das 2<sup>nd</sup> Haus</p>", "Das 2nd Haus"),
        ("<p>Wort <sup>1</sup> hier</p>", "Wort 1 hier"),  # it touches nothing
        ("<p>Haus<b>2</b> hier</p>", "Haus2 hier"),
        ("<p><sup>1)</sup> inkl. Steuer</p>", "inkl. Steuer"),
        ("<p>19,<sup>99</sup> hier</p>", "19,99 hier"),  # raised cents
    ],
)
def test_only_a_mark_is_no_word(source: str, text: str) -> None:
    assert extract(source).texts == (text,)


@given(mark=MARKS, amount=st.integers(1_000, 9_999_999), fraction=st.sampled_from(["", ",50"]))
def test_the_value_stays_and_the_mark_comes_back_once(mark: str, amount: int, fraction: str) -> None:
    german = f"{amount:,}".replace(",", ".") + fraction
    english = f"{amount:,}" + fraction.replace(",", ".")
    _, written = put_back(f"<p>Ab {german} €<sup>{mark}</sup> pro Stück</p>", GERMAN)
    assert written == f"<p>Ab €{english}<sup>{mark}</sup> pro Stück</p>"
    _, back = put_back(f"<p>From {english}<sup>{mark}</sup> each</p>", ENGLISH)
    assert back == f"<p>From {german}<sup>{mark}</sup> each</p>"


def test_a_mark_follows_its_amount_to_another_place() -> None:
    document = extract("<p>Heute 1.500 €<sup>1</sup> zahlen</p>", HTML, GERMAN)
    [text] = document.texts
    assert text.startswith("Heute") and text.endswith("zahlen")
    amount = text.removeprefix("Heute ").removesuffix(" zahlen")
    words = [Link(0, 5, 5 + len(amount), 10 + len(amount)), Link(6, 6 + len(amount), 4, 4 + len(amount))]
    assert document.rebuild([f"Pay {amount} today"], [words]).text == "<p>Pay €1,500<sup>1</sup> today</p>"


@pytest.mark.parametrize("mark", ["[^1]", "<sup>1</sup>"])
def test_markdown_has_marks_too(mark: str) -> None:
    assert put_back(f"Nur 1.500 €{mark} im Monat", GERMAN, rules=MARKDOWN)[1] == f"Nur €1,500{mark} im Monat"
