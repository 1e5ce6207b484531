"""Spelling of a region, in place: case and everything around the differing letters stay."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.inline.placement import apply
from app.text.regional_spelling import spelling_edits
from languages.english.spelling import spelling
from languages.registry import language_of


def spelled(text: str, locale: str | None, source: str = "") -> str:
    return apply(spelling_edits(source, text, language_of(locale or "en")), text)


@pytest.mark.parametrize(
    ("american", "british"),
    [
        ("The color of the center", "The colour of the centre"),
        ("Color is gray. Favorite: TRAVELING!", "Colour is grey. Favourite: TRAVELLING!"),
        ("He realized that the aluminum traveled.", "He realised that the aluminium travelled."),
        ("We analyze organizations' behavior.", "We analyse organisations' behaviour."),
        ('"Honor the plow," she said.', '"Honour the plough," she said.'),
        ("A theater-goer 5 kilometers away", "A theatre-goer 5 kilometres away"),
    ],
)
def test_both_ways(american: str, british: str) -> None:
    assert spelled(american, "en-GB") == british and spelled(british, "en-US") == american
    assert spelled(american, "en-US") == american and spelled(british, "en-GB") == british
    for locale in (None, "de-AT", "en"):
        assert spelled(american, locale) == american


@pytest.mark.parametrize("locale", ["de-CH", "de-LI"])
@pytest.mark.parametrize(
    ("german", "swiss"),
    [
        ("Die Straße ist groß.", "Die Strasse ist gross."),
        ("STRAßE, STRAẞE, Maßstab, Fußballgroßereignis", "STRASSE, STRASSE, Massstab, Fussballgrossereignis"),
        ("Die Strasse ist lang, das Wasser tief.", "Die Strasse ist lang, das Wasser tief."),
    ],
)
def test_swiss_german_has_no_sharp_s(locale: str, german: str, swiss: str) -> None:
    assert spelled(german, locale) == swiss
    assert {spelled(german, other) for other in ("de-DE", "de-AT", "de", None)} == {german}


def test_names_of_the_source_keep_their_sharp_s() -> None:
    swiss = spelled("Frau Weiß grüßt die Straße.", "de-CH", source="Ms Weiß greets the street.")
    assert swiss == "Frau Weiß grüsst die Strasse."


def test_some_words_have_one_way_only() -> None:
    assert spelled("Use the computer program in practice.", "en-GB") == "Use the computer program in practice."
    assert spelled("A programme, a tyre, to practise", "en-US") == "A program, a tire, to practice"
    assert spelled("It is licensed, on disc, and the analyses fit.", "en-US").startswith("It is licensed, on disc")
    assert "analyses" in spelled("The analyses", "en-US")


def test_names_keep_their_spelling() -> None:
    assert spelled("We saw Pearl Harbor and the Theater.", "en-GB") == "We saw Pearl Harbor and the Theater."
    assert spelled("a labor day", "en-GB", source="ein labor day") == "a labor day"


words = st.sampled_from([*spelling("GB"), *spelling("US"), "the", "Tom", "ß", "5"])


@given(st.lists(words | words.map(str.upper) | words.map(str.title)).map(" ".join))
def test_there_and_back_changes_nothing_more(text: str) -> None:
    british = spelled(text, "en-GB")
    assert spelled(british, "en-GB") == british
    assert len(british.split()) == len(text.split())
    edits = spelling_edits("", text, language_of("en-GB"))
    assert all(one.end <= other.begin for one, other in pairwise(edits))
    assert all(edit.begin > 0 and text[edit.begin - 1].isalpha() for edit in edits), "first letters stay"
