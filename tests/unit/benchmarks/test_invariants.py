"""The rules by which translations are measured: what they let pass and what not."""

import pytest

from benchmarks.invariants import ending, keeps_capitals, keeps_digits, keeps_title_case, loops


@pytest.mark.parametrize(
    ("german", "english", "kept"),
    [
        ("1.234,50 Euro", "1,234.50 euros", True),
        ("Es sind 3,5 Prozent.", "It is 3.5 percent.", True),
        ("Es kostet 4.763,13 $.", "It costs $4,763.13.", True),
        ("1000 Leute", "1,000 people", True),
        ("10000 Leute", "10\u00a0000 people", True),
        ("Um 7.30 Uhr", "At 7:30", True),
        ("Die 3 Kinder", "The three children", True),
        ("Die drei Kinder", "The 3 children", True),
        ("Am 3. Oktober", "On October 3rd", True),
        ("Die 3 Kinder", "The children", False),
        ("Die 13 Kinder", "The thirteen children", False),
        ("1.234 Leute", "1.243 people", False),
        ("2019 und 2019", "2019", False),
        ("im Jahr 2019", "in 219", False),
        ("im Jahr", "in the year 2019", False),
        ("Kein Wort", "No word", True),
        ("Von 10 bis 13 Uhr", "From 10:00 to 13:00", True),
        ("Um 10.30 Uhr", "At 10:00", False),
        ("Um 10 Uhr", "At 11:00", False),
        ("Am 04.05.2018 um 11:11", "On 4 May 2018 at 11:11", True),
        ("Am 1. Januar 2018", "On 01 January 2018", True),
        ("Am 04.05.2018", "On 4 June 2018", False),
        ("Am 04.05.2018", "On 5 May 2018", False),
        ("Am 24.12.2018", "On December 24, 2018", True),
        ("Am 04.05.2018", "On May 04, 2018", True),
        ("Bis 04.05.2018", "You may come until 04.05.2018.", True),
        ("Am 01.12.2018 entschieden", "Decided on 01.12.2018", True),
        ("Um 9 Uhr", "At 09:00", True),
        ("Um 10.00 Uhr", "At 10:00", True),
        ("Um 10.00 Uhr", "At 10", True),
    ],
)
def test_digits(german: str, english: str, kept: bool) -> None:
    assert keeps_digits(german, english, ("de", "en")) == kept
    assert keeps_digits(english, german, ("en", "de")) == kept


def test_times_of_a_list() -> None:
    assert keeps_digits("Von 8.00 bis 10.00 Uhr", "From 8:00 to 10:00", ("de", "en"))


def test_separators_are_those_of_the_target_or_of_the_source() -> None:
    assert keeps_digits("Am 25.07.1982", "On 25.07.1982", ("de", "en"))
    assert not keeps_digits("Am 25.07.1982", "On 25,07.1982", ("de", "en"))
    assert not keeps_digits("1.234.567,80 Euro", "1.234.567.80 euros", ("de", "en"))
    assert not keeps_digits("They paid $4,763.13.", "Sie zahlten $4.763.13.", ("en", "de"))


@pytest.mark.parametrize(
    ("source", "translation", "found"),
    [
        ("Salat", "salad", False),
        ("Salat", "salad salad", False),  # "bye bye", "very very"
        ("Salat", "salad salad salad", True),
        ("nein nein nein", "no no no", False),
        ("nein nein", "no no no", True),
        ("nein nein nein", "no no no no", False),
        ("Na!!!", "Well!!!!!", False),
        ("Na!", "Well! Well! Well!", True),
        ("Salat", "salad, salad, salad, salad", True),
        ("Ich bin da.", "I am I am I am here.", True),
        ("Ich bin da.", "I am here, I am there, I am", False),
        ("hahaha", "hahaha", False),
        ("Lachen", "hahahaha", True),
        ("Ja", "yes " + " ".join(f"word{number}" for number in range(20)), True),
        ("......", "......", False),
    ],
)
def test_loops(source: str, translation: str, found: bool) -> None:
    assert loops(source, translation) == found


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Ja.", "."),
        ("Ja", ""),
        ("Ja?!", "?!"),
        ("Ja …", "…"),
        ("Ja...", "…"),
        ("„Ja!“", "!"),
        ('"Yes".', "."),
        ("(ja)", ""),
    ],
)
def test_endings(text: str, mark: str) -> None:
    assert ending(text) == mark


def test_letter_case() -> None:
    assert keeps_capitals("DAS IST GROß!", "THAT IS 1 BIG CITY!")
    assert not keeps_capitals("DAS IST GROSS!", "THAT Is BIG!")
    assert keeps_title_case("Das Ist Groß", "That Is Big")
    assert keeps_title_case("Ein Buch Von Tom", "A Book by Tom")
    assert not keeps_title_case("Das Ist Groß", "That is big")
