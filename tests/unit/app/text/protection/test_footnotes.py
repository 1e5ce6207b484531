"""Raised digits behind amounts in plain text are marks of footnotes, and no part of the amount."""

import sys
import unicodedata

import pytest

from app.text.inline.target_tokens import links_of_same
from app.text.protection.defaults import untranslatable
from app.text.protection.footnotes import FOOTNOTE
from app.text.protection.protected import protect


@pytest.mark.parametrize(
    ("text", "translation", "expected"),
    [
        ("Nur 19 €¹ im Monat", "Just {} a month", "Just €19¹ a month"),
        ("Nur 19 €²⁾ im Monat", "A month just {}", "A month just €19²⁾"),
        ("Nur 1.500¹ Leute", "Just {} people", "Just 1,500¹ people"),
        ("Nur 50,5 %² mehr", "Just {} more", "Just 50.5%² more"),
        ("Nur 19 €1) im Monat", "Just {} a month", "Just €19 1) a month"),  # no amount of 191
    ],
)
def test_a_raised_mark_stays_behind_its_amount(text: str, translation: str, expected: str) -> None:
    protected = protect(text, untranslatable(text, frozenset())._replace(numerals=("de", "en")), ("\ue000",))
    [(begin, end)] = protected.stand_ins
    stand_in = protected.text[begin:end]
    translation = translation.format(stand_in)
    links = tuple(links_of_same(stand_in, begin, translation.index(stand_in)))
    assert protected.restore(translation, links).text == expected


@pytest.mark.parametrize(("text", "mark"), [("5 ₫¹", "¹"), ("50¢²", "²"), ("5 %²⁾", "²⁾")])
def test_a_mark_is_found_behind_any_sign(text: str, mark: str) -> None:
    assert FOOTNOTE.findall(text) == [mark]


def test_all_signs_of_currencies_are_known() -> None:
    signs = [sign for sign in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(sign) == "Sc"]
    assert [sign for sign in signs if not FOOTNOTE.search(f"{sign}¹")] == []
