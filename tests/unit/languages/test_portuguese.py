"""Portuguese of Brazil and Portugal: what its room adds to the rules, through the rules themselves."""

import pytest

from app.text.register import Register
from app.text.terms.glossary import Glossary
from app.translation.rules.pair import Direction, RuleOptions
from app.translation.rules.register import offending
from languages.registry import language_of
from tests.support.rules import corrected, written
from tests.support.segmentation import split


def test_abbreviations_end_no_sentence() -> None:
    sentences = ["O Sr. Silva mora na Av. Paulista.", "A Dra. Ana viu a fig. 3."]
    assert list(split(" ".join(sentences), language="pt-BR").sentences) == sentences


@pytest.mark.parametrize(
    ("source", "translation", "target", "expected"),
    [
        ("Er sagte „Ja“.", "Ele disse „Sim“.", "pt", "Ele disse “Sim”."),
        ("Er sagte „Ja“.", "Ele disse „Sim“.", "pt-BR", "Ele disse “Sim”."),
        ("Er sagte „Ja“.", "Ele disse „Sim“.", "pt-PT", "Ele disse «Sim»."),
        ("Das 2. Haus", "O 2nd andar", "pt", "O 2º andar"),
    ],
)
def test_quotation_marks_and_ordinals(source: str, translation: str, target: str, expected: str) -> None:
    assert corrected(source, translation, "de", target) == expected


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("It costs 1,234.56 euros.", "en", "pt", "It costs 1.234,56 euros."),
        ("1.234,56 kg", "pt", "en", "1,234.56 kg"),
        ("em 25/07/1982", "pt", "de", "em 25.07.1982"),
        ("3 de maio de 2020", "pt", "de", "3. Mai 2020"),
        ("am 3. Mai 2020", "de", "pt", "am 3 de maio de 2020"),
        ("um halb acht", "de", "pt", "às sete e meia"),
        ("um halb zwei", "de", "pt", "à uma e meia"),
        ("às sete e meia", "pt", "de", "um halb acht"),
        ("às sete e quinze", "pt", "en", "at a quarter past seven"),
        ("$4.5bn", "en", "pt-BR", "$\u00a04,5 bilhões"),
        ("$4.5bn", "en", "pt-PT", "4,5 mil milhões\u00a0$"),
    ],
)
def test_numbers_and_times(text: str, source: str, target: str, expected: str) -> None:
    assert written(text, source, target) == expected


def test_terms_are_found_in_the_plural() -> None:
    entries = {"cidade": "Stadt", "cão": "Hund", "animal": "Tier", "viagem": "Reise", "flor": "Blume"}
    found = Glossary(entries, "pt", "de").find("As cidades, os cães, os animais, as viagens e as flores.")
    assert [term.source for term in found] == list(entries)


def test_registers_are_told_where_the_words_are_clear() -> None:
    formal = Direction(language_of("en"), language_of("pt-PT"), RuleOptions(register=Register.FORMAL))
    informal = Direction(language_of("en"), language_of("pt-PT"), RuleOptions(register=Register.INFORMAL))
    assert offending(formal.pair("I see you.", "Eu vejo-te.")) and offending(informal.pair("Sir?", "O senhor vem?"))
    for direction in (formal, informal):
        assert not offending(direction.pair("You come.", "Você vem."))
