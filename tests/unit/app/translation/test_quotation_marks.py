"""The quotation marks that corrections look for are those of all languages."""

from babel.localedata import locale_identifiers

from languages.registry import language_of
from languages.signs import QUOTATION_MARKS


def test_no_language_has_other_quotation_marks() -> None:
    codes = {code.replace("_", "-") for code in locale_identifiers()}
    quotes = [quotes for code in codes if (quotes := language_of(code).writing.quotes)]
    assert len(quotes) > 100
    for one in quotes:
        assert set(QUOTATION_MARKS).issuperset(f"{one.opening}{one.closing}{one.inner.opening}{one.inner.closing}")
