"""Corrected sentences go into a translated text; everything else in it stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents.corrections import Correction, Place, TranslatedText
from app.documents.formats.html import PAGE
from app.documents.inline import INLINE, objects_of, plain
from app.text.markup.extraction import MARKDOWN, Rules

WORDS = st.sampled_from(["red", "house", "Zebra", "&", "<b>", "naïve", "3,000", "—", "ein"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def corrected(text: str, markup: Rules | None, old: str, new: str) -> str:
    """The text with one sentence replaced, wherever it is."""
    translated = TranslatedText(text, markup)
    [place] = [Place(number, block.index(old)) for number, block in enumerate(translated.blocks) if old in block]
    return translated.corrected([Correction(place, old, new)])


@pytest.mark.parametrize(
    ("markup", "text", "old", "new", "expected"),
    [
        (None, "One. Two <3. Three.", "Two <3.", "Due & <3.", "One. Due & <3. Three."),
        (
            INLINE,
            'A <g0>very old</g0> house.<x id="1"/> Here.',
            "A very old house.",
            "A really old & tall house.",
            'A <g0>really old</g0> &amp; tall house.<x id="1"/> Here.',
        ),
        (INLINE, 'One.<br id="0"/>Two.', "Two.", "Deux.", 'One.<br id="0"/>Deux.'),
        (
            INLINE,
            'Page <m id="0"></m> is old.',
            'Page <m id="0"></m> is old.',
            'Old is <m id="0"></m>.',
            'Old is <m id="0"></m>.',
        ),
        (
            INLINE,
            'Page <m id="0"></m> is old.',
            'Page <m id="0"></m> is old.',
            "It is old.",
            'It <m id="0"></m> is old.',
        ),
        (
            PAGE,
            '<html lang="de"><p title="A cat">The <b>cat</b> sleeps.</p><p>Run <code>a &lt; b</code>.</p>',
            "The cat sleeps.",
            "Our cat is asleep.",
            '<html lang="de"><p title="A cat">Our <b>cat</b> is asleep.</p><p>Run <code>a &lt; b</code>.</p>',
        ),
        (PAGE, '<p title="A cat">The dog.</p>', "A cat", "One cat", '<p title="One cat">The dog.</p>'),
        (
            MARKDOWN,
            "# Title\n\nA **bold** word.\n",
            "A bold word.",
            "Some bold words.",
            "# Title\n\nSome **bold** words.\n",
        ),
    ],
)
def test_a_sentence_is_replaced_and_markup_stays_at_its_words(
    markup: Rules | None, text: str, old: str, new: str, expected: str
) -> None:
    assert corrected(text, markup, old, new) == expected


@st.composite
def formatted(draw: st.DrawFn) -> str:
    """A paragraph of an office file with some formatting."""
    pieces, open_, number = [], [], 0
    for word in draw(st.lists(st.sampled_from(["red", "house", "blue", "sky", "tree"]), min_size=2, max_size=9)):
        if draw(st.booleans()):
            pieces.append(f"<g{number}>")
            open_.append(number)
            number += 1
        pieces.append(word)
        if open_ and draw(st.booleans()):
            pieces.append(f"</g{open_.pop()}>")
        if draw(st.integers(0, 4)) == 0:
            pieces.append(f'<x id="{number}"/>')
            number += 1
        pieces.append(" ")
    return "".join(pieces[:-1]) + "".join(f"</g{each}>" for each in reversed(open_))


@given(formatted(), SENTENCES)
def test_any_correction_keeps_every_object_and_says_what_was_written(text: str, new: str) -> None:
    translated = TranslatedText(text, INLINE)
    [block] = translated.blocks
    found = translated.corrected([Correction(Place(0, 0), block, new)])
    assert objects_of(found) == objects_of(text) and objects_of(text)[1]
    assert "".join(plain(found).split()) == "".join(new.split())  # spaces part objects from words


def test_several_sentences_of_a_text_are_replaced_together() -> None:
    text = TranslatedText("<g0>One.</g0> Two. <g1>Three.</g1>", INLINE)
    corrections = [Correction(Place(0, 10), "Three.", "Trois."), Correction(Place(0, 0), "One.", "Un.")]
    assert text.corrected(corrections) == "<g0>Un.</g0> Two. <g1>Trois.</g1>"


@pytest.mark.parametrize(
    "corrections",
    [
        [Correction(Place(0, 1), "One.", "Un.")],
        [Correction(Place(7, 0), "One.", "Un.")],
        [Correction(Place(0, 0), "One.", "Un."), Correction(Place(0, 0), "One. Two.", "Deux.")],
    ],
)
def test_what_is_not_at_its_place_is_refused(corrections: list[Correction]) -> None:
    with pytest.raises(ValueError, match="place"):
        TranslatedText("One. Two.", INLINE).corrected(corrections)
