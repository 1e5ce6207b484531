"""Sentences that are too long for a model are broken where they lose least."""

from collections.abc import Callable

import pytest

from app.text.long_sentences import break_long


def at_most(chars: int) -> Callable[[str], bool]:
    return lambda piece: len(piece) <= chars


def test_what_fits_is_not_broken() -> None:
    assert break_long("Das passt, und wie.", language="de", fits=at_most(100)) == ["Das passt, und wie."]
    assert break_long("", language="de", fits=at_most(100)) == []


def test_breaks_prefer_clauses_to_conjunctions_to_spaces() -> None:
    text = "Ich weiß, dass du kamst; aber ich war leider lange weg und du gingst wieder einmal allein heim."
    assert break_long(text, language="de", fits=at_most(40)) == [
        "Ich weiß, dass du kamst; ",
        "aber ich war leider lange weg ",
        "und du gingst wieder einmal allein heim.",
    ]


def test_a_break_leaves_no_stub_for_a_clauses_sake() -> None:
    assert break_long("Ja, das war gestern schon einmal so", language="de", fits=at_most(20)) == [
        "Ja, das war gestern ",
        "schon einmal so",
    ]


def test_a_decimal_comma_is_no_clause_end() -> None:
    assert break_long("etwa 1234567,5678", language="de", fits=at_most(15)) == ["etwa ", "1234567,5678"]


def test_an_ordinal_and_a_short_form_are_no_clause_ends() -> None:
    text = "Bis zum 15. Januar kommt der Brief an Dr. Meier"
    assert break_long(text, language="de", fits=at_most(40)) == ["Bis zum 15. Januar kommt der Brief an ", "Dr. Meier"]
    assert break_long("Er sagte alles. Gut", language="de", fits=at_most(17)) == ["Er sagte alles. ", "Gut"]


def test_nothing_is_broken_inside_of_what_must_stay_whole() -> None:
    date = "15. August 2024"
    text = f"Spätestens am {date} ist es da"
    begin = text.index(date)
    pieces = break_long(text, language="de", fits=at_most(22), inside=lambda place: begin < place < begin + len(date))
    assert pieces == ["Spätestens am ", f"{date} ist ", "es da"]


def test_a_break_inside_a_word_keeps_accents_and_joined_emoji_whole() -> None:
    accented = "e\u0301"
    assert break_long(accented * 4, language="de", fits=at_most(3)) == [accented] * 4
    family = "👩\u200d👩\u200d👧"
    assert break_long(family * 3, language="de", fits=at_most(7)) == [family] * 3
    thumb = "👍🏽"
    assert break_long(thumb * 3, language="de", fits=at_most(3)) == [thumb] * 3


def test_what_fits_wins_over_whole_characters() -> None:
    assert break_long("e\u0301\u0302\u0303", language="de", fits=at_most(2)) == ["e\u0301", "\u0302\u0303"]


def test_characters_that_do_not_fit_are_pieces_of_their_own() -> None:
    assert break_long("ab c", language="de", fits=lambda piece: False) == list("ab c")


def test_every_piece_fits_when_fitting_is_not_a_matter_of_length() -> None:
    def fits(piece: str) -> bool:
        return len(piece.split()) <= 3

    pieces = break_long("ein, zwei drei vier, fünf sechs sieben acht neun zehn", language="de", fits=fits)
    assert "".join(pieces) == "ein, zwei drei vier, fünf sechs sieben acht neun zehn"
    assert all(fits(piece) for piece in pieces)


@pytest.mark.parametrize("unit", ["a", " ", "a ", "a, ", "\u0301", "😀", "wort und so, "])
def test_the_work_of_breaking_grows_with_the_length_only(unit: str) -> None:
    seen_chars = 0

    def fits(piece: str) -> bool:
        nonlocal seen_chars
        seen_chars += len(piece)
        return len(piece) <= 400

    text = unit * (500_000 // len(unit))
    assert "".join(break_long(text, language="de", fits=fits)) == text
    assert seen_chars < 20 * len(text)


def test_a_name_between_ideographs_is_not_cut_in_two() -> None:
    text = "字Tom字Boston字Paris" * 20
    pieces = break_long(text, language="de", fits=lambda piece: len(piece) <= 24)
    assert "".join(pieces) == text
    assert sum(piece.count(name) for piece in pieces for name in ("Tom", "Boston", "Paris")) == 60
