"""A sentence in the target language stays, and nothing that only looks like one does."""

import pytest

from app.engine.options import SearchOptions
from app.translation.questions import Done, step
from app.translation.retries import improved
from app.translation.rules.pair import Direction
from app.translation.rules.target_language import is_translated
from app.translation.sentence import SentenceTranslation
from languages.registry import language_of

DE_EN, EN_DE = (Direction(language_of(here), language_of(there)) for here, there in (("de", "en"), ("en", "de")))


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Please contact our support team.", DE_EN),
        ("This text is already in English and should stay the same.", DE_EN),
        ("Bitte wenden Sie sich an uns.", EN_DE),
        ("Your order has been shipped.", DE_EN),
        ("Ihre Bestellung wurde bereits versandt.", EN_DE),
        ("Wir freuen uns auf Ihren Besuch und danken für das Vertrauen.", EN_DE),
    ],
)
def test_a_sentence_in_the_target_language_is_seen(text: str, direction: Direction) -> None:
    assert is_translated(text, direction)


@pytest.mark.parametrize(
    "text",
    [
        "Star Wars Das Imperium",
        "Tom Hanks, Anna Smith, Robert Brown, Mary Jones",
        "Er hat The Return of the King gesehen.",
        "Call of Duty Ghosts Edition",
        "Yes we can",
        "Die Sonne scheint heute.",
        "Siehe Müller, a. a. O., S. 12.",
        "",
    ],
)
def test_a_german_sentence_is_none(text: str) -> None:
    assert not is_translated(text, DE_EN)


def test_languages_without_common_words_and_equal_ones_have_none() -> None:
    text = "Please contact our support team."
    assert not is_translated(text, Direction(language_of("tr"), language_of("en")))
    assert not is_translated(text, Direction(language_of("en"), language_of("en-GB")))


def test_it_comes_back_unchanged_whatever_the_model_says() -> None:
    text = "Please contact our support team."
    first = SentenceTranslation(
        source=text, source_begin=0, text="Bitte bind our Team.", target_begin=0, score=-2.0, alternatives=()
    )
    asking = improved(first, None, direction=DE_EN, options=SearchOptions(), placeholders=())
    outcome = step(asking)
    assert isinstance(outcome, Done)  # without a second call
    kept = outcome.result
    assert (kept.text, kept.verdicts) == (text, ())
