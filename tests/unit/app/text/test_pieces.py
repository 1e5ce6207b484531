"""Pieces of long texts: all of the text, cut where nothing is lost."""

import pytest

from app.text.pieces import PIECE_CHARS, pieces
from app.text.protection.patterns import compile_patterns, find

SIZE = 3 * PIECE_CHARS


@pytest.mark.parametrize("unit", ["Das ist ein Satz. ", "Ja.\n", "a_b ", "1 ", " ", "a", "字。", "&amp;", "\n"])
def test_pieces_are_the_text(unit):
    text = unit * (SIZE // len(unit))
    places = list(pieces(text, language="de"))
    assert "".join(text[begin:end] for begin, end in places) == text
    assert all(0 < end - begin <= PIECE_CHARS for begin, end in places)


def test_pieces_end_with_sentences():
    text = "Er kam am 3. Mai nach Bonn. " * (SIZE // 28)
    ends = [text[:end] for _, end in pieces(text, language="de")]
    assert all(end.endswith("Bonn.") for end in ends[:-1])


def test_pieces_end_with_lines_if_they_can():
    text = "Er kam. Sie ging.\n" * (SIZE // 18)
    assert all(text[end] == "\n" for _, end in list(pieces(text, language="de"))[:-1])


def test_a_short_text_is_one_piece():
    assert list(pieces("Das ist ein Satz. " * 10)) == [(0, 180)]
    assert list(pieces("")) == []


def test_a_range_is_cut_in_its_own_places():
    text = "x" * 10 + "Ja. " * PIECE_CHARS
    places = list(pieces(text, begin=10, end=len(text) - 4))
    assert places[0][0] == 10
    assert places[-1][1] == len(text) - 4


def test_what_must_be_kept_is_not_cut():
    span = "{{ Bonn. Ein Ort }}"
    text = f"{span} " * (SIZE // 20)
    patterns = compile_patterns([span])
    for begin, end in pieces(text, kept=lambda around: find(around, patterns)):
        assert text[begin:end].count("{{") == text[begin:end].count("}}")


def test_no_reference_is_cut():
    for shift in range(6):
        text = "x" * shift + "&amp;" * (SIZE // 5)
        assert all(text[end - 1] == ";" for _, end in pieces(text))
