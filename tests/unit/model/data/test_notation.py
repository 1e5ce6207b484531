import re
from random import Random

import pytest

from model.data.notation import decimal, notation_pairs, replace_number

LANGUAGES = ("de", "en")


def value(text: str, language: str) -> float:
    """The value of a number, by the rules of its language."""
    group, point = (".", ",") if language == "de" else (",", ".")
    return float(text.replace(group, "").replace(point, "."))


@pytest.mark.parametrize(
    ("number", "digits", "german", "english"),
    [(4763.13, 2, "4.763,13", "4,763.13"), (0.5, 1, "0,5", "0.5"), (1234567.0, 0, "1.234.567", "1,234,567")],
)
def test_both_notations_of_a_number(number: float, digits: int, german: str, english: str) -> None:
    assert (decimal(number, digits, "de"), decimal(number, digits, "en")) == (german, english)


def test_both_sides_of_generated_pairs_hold_the_same_values() -> None:
    number = re.compile(r"\d+(?:[.,]\d+)*")
    compared = 0
    for german, english in notation_pairs(LANGUAGES, 2_000, Random(1)):
        digits = ["".join(sorted(re.sub(r"\D", "", side))) for side in (german, english)]
        assert digits[0] == digits[1], (german, english)
        if german.startswith("Der Wert"):
            found = [number.findall(side)[0] for side in (german, english)]
            assert value(found[0], "de") == value(found[1], "en")
            compared += 1
    assert compared > 10


def test_the_order_of_the_languages_is_the_callers() -> None:
    swapped = list(notation_pairs(("en", "de"), 50, Random(1)))
    assert [(b, a) for a, b in swapped] == list(notation_pairs(LANGUAGES, 50, Random(1)))


def test_a_number_that_both_sides_have_gets_separators() -> None:
    pair = ("Er hat 25 Hunde seit 1998.", "He has had 25 dogs since 1998.")
    for seed in range(20):
        changed = replace_number(pair, LANGUAGES, Random(seed))
        assert changed is not None
        german, english = (re.search(r"(?:hat|had) (\S+)", side) for side in changed)
        assert german and english and value(german[1], "de") == value(english[1], "en")
        assert german[1] != "25" and all("1998." in side for side in changed)


@pytest.mark.parametrize(
    "pair",
    [
        ("Ohne Zahl.", "Without a number."),
        ("Um 5 und 5 Uhr.", "At 5 and 5."),
        ("Am 12.5. um 10:30.", "On 12.5. at 10:30."),
        ("Im Jahr 1998.", "In 1998."),
        ("COVID-19 kam.", "COVID-19 came."),
    ],
)
def test_other_numbers_are_left_alone(pair: tuple[str, str]) -> None:
    assert replace_number(pair, LANGUAGES, Random(1)) is None
