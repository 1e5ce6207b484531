"""French: what its room adds to the rules, through the rules themselves."""

import pytest

from app.text.register import Register
from app.text.terms.glossary import Glossary, uses
from app.translation.rules.pair import Direction, RuleOptions
from app.translation.rules.register import offending
from languages.registry import language_of
from tests.support.rules import corrected, written
from tests.support.segmentation import split


@pytest.mark.parametrize(
    "sentences",
    [
        ["M. Dupont et Mme. Durand sont là.", "Voir fig. 3, av. J.-C.", "Oui !"],
        ["Le 2e étage est libre.", "Il a 80 ans."],
    ],
)
def test_abbreviations_end_no_sentence(sentences: list[str]) -> None:
    assert list(split(" ".join(sentences), language="fr").sentences) == sentences


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Wirklich?", "Vraiment?", "Vraiment\u202f?"),
        ("Wirklich?", "Vraiment ?", "Vraiment\u202f?"),
        ("Halt! Wer da? Ich: Tom.", "Halte! Qui va là ? Moi: Tom.", "Halte\u202f! Qui va là\u202f? Moi\u00a0: Tom."),
        ("Um 10:30 Uhr.", "À 10:30.", "À 10:30."),
        ("Er sagte: „Ja“.", "Il a dit : „Oui“.", "Il a dit\u00a0: «\u00a0Oui\u00a0»."),
        ("Das 2. Haus", "La 2ème maison", "La 2e maison"),
        ("Das 1. Haus", "Le 1st étage", "Le 1er étage"),
    ],
)
def test_marks_have_their_spaces(source: str, translation: str, expected: str) -> None:
    assert corrected(source, translation, "de", "fr") == expected
    assert corrected(source, expected, "de", "fr") == expected


def test_canada_writes_a_space_before_the_colon_alone() -> None:
    assert corrected("Ja! Name: Tom", "Oui! Nom: Tom", "de", "fr-CA") == "Oui! Nom\u00a0: Tom"


@pytest.mark.parametrize(
    ("source", "translation", "expected"),
    [
        ("Vraiment\u202f?", "Wirklich ?", "Wirklich?"),
        ("Halte\u202f! Qui va là\u202f?", "Halt ! Wer da ?", "Halt! Wer da?"),
        ("Il dit «\u00a0Oui\u00a0».", "Er sagt «\u00a0Ja\u00a0».", "Er sagt „Ja“."),
    ],
)
def test_other_languages_lose_the_spaces(source: str, translation: str, expected: str) -> None:
    assert corrected(source, translation, "fr", "de") == expected


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("Es kostet 6.917.892,40 Euro.", "de", "fr", "Es kostet 6\u202f917\u202f892,40 Euro."),
        ("1\u202f234,56 €", "fr", "en", "€1,234.56"),
        ("le 25/07/1982", "fr", "de", "le 25.07.1982"),
        ("le 3 mai 2020", "fr", "de", "le 3. Mai 2020"),
        ("am 3. Mai 2020", "de", "fr", "am 3 mai 2020"),
        ("um halb acht", "de", "fr", "à sept heures et demie"),
        ("à sept heures et demie", "fr", "de", "um halb acht"),
        ("à une heure moins le quart", "fr", "en", "at a quarter to one"),
        ("at a quarter past 1", "en", "fr", "à 1 heure et quart"),
        ("3,5 Mio. €", "de", "fr", "3,5\u00a0millions\u00a0€"),
    ],
)
def test_numbers_and_times(text: str, source: str, target: str, expected: str) -> None:
    assert written(text, source, target) == expected


def test_terms_are_found_behind_elided_words() -> None:
    glossary = Glossary({"entreprise": "Firma", "cheval": "Pferd"}, "fr", "de")
    assert [term.source for term in glossary.find("Les chevaux de l'entreprise")] == ["cheval", "entreprise"]
    [term] = Glossary({"Firma": "entreprise"}, "de", "fr").find("Die Firma")
    assert uses("C'est le nom de l’entreprise.", [term])[0].status == "inflected"


@pytest.mark.parametrize(
    ("source", "formal", "informal"),
    [
        ("You are late.", "Vous êtes en retard.", "Tu es en retard."),
        ("Is that your car?", "C'est votre voiture ?", "C'est ta voiture ?"),
        ("I see you.", "Je vous vois.", "Je t'aperçois."),
    ],
)
def test_each_register_offends_the_other(source: str, formal: str, informal: str) -> None:
    for register, right, wrong in ((Register.FORMAL, formal, informal), (Register.INFORMAL, informal, formal)):
        direction = Direction(language_of("en"), language_of("fr"), RuleOptions(register=register))
        assert offending(direction.pair(source, wrong)) and not offending(direction.pair(source, right))
