"""Which words of a German sentence address its reader, and how."""

import pytest

from app.errors import InvalidRequest
from app.text.register import FORMALITIES, Register, choose_register
from app.translation.rules.pair import Direction, RuleOptions
from app.translation.rules.register import offending
from languages.address import Address
from languages.english.address import clues, is_command
from languages.german.address import ADDRESS
from languages.registry import language_of


def read_address(source: str, translation: str) -> Address:
    return ADDRESS.read(clues(source), translation)


def direction(register: Register, here: str = "en") -> Direction:
    return Direction(language_of(here), language_of("de"), RuleOptions(register=register))


MORE, LESS = direction(Register.FORMAL), direction(Register.INFORMAL)


@pytest.mark.parametrize(
    ("source", "formal", "informal"),
    [
        ("Do you know?", "Wissen Sie es?", "Weißt du es?"),
        ("Is that your car?", "Ist das Ihr Auto?", "Ist das dein Auto?"),
        ("I'll help you.", "Ich helfe Ihnen.", "Ich helfe dir."),
        ("You are late.", "Sie sind zu spät.", "Ihr seid zu spät."),
        ("You are late.", "Sie sind zu spät.", "Du bist zu spät."),
        ("Your bags are there.", "Ihre Taschen sind da.", "Eure Taschen sind da."),
        ("He said you knew it.", "Er sagte, Sie wüssten es.", "Er sagte, ihr wüsstet es."),
        ("Close the door.", "Schließen Sie die Tür.", "Schließ die Tür."),
        ("Please help me find Tom.", "Bitte helfen Sie mir, Tom zu finden.", "Bitte hilf mir Tom suchen."),
        ("Don't just stand there.", "Stehen Sie nicht nur da.", "Steh nicht nur da."),
        ("When you know, call.", "Wenn Sie es wissen, rufen Sie an.", "Wenn du's weißt, ruf an."),
        ('He asked: "Are you ill?"', "Er fragte: „Sind Sie krank?“", "Er fragte: „Bist du krank?“"),
    ],
)
def test_each_register_offends_the_other(source: str, formal: str, informal: str) -> None:
    assert not offending(MORE.pair(source, formal)) and offending(MORE.pair(source, informal))
    assert not offending(LESS.pair(source, informal)) and offending(LESS.pair(source, formal))


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("She is here.", "Sie ist hier."),
        ("They have come.", "Sie sind gekommen."),
        ("Her car is old.", "Ihr Auto ist alt."),
        ("I gave her a book.", "Ich gab ihr ein Buch."),
        ("She and you know that she left.", "Sie weiß, dass sie ging."),
        ("Please wait here.", "Bitte hier warten."),
        ("No smoking.", "Nicht rauchen!"),
        ("You can't smoke here.", "Hier darf man nicht rauchen."),
        ("Let's go.", "Gehen wir."),
        ("Water is cold.", "Wasser ist kalt."),
        ("The station is closed.", "Der Bahnhof ist zu."),
        ("", ""),
    ],
)
def test_what_addresses_nobody_offends_neither(source: str, translation: str) -> None:
    assert not offending(MORE.pair(source, translation)) and not offending(LESS.pair(source, translation))


def test_a_verb_that_does_not_agree_offends_both() -> None:
    assert "Können" in offending(LESS.pair("Can you see it?", "Können du es sehen?"))
    assert "Kannst" in offending(MORE.pair("Can you see it?", "Kannst Sie es sehen?"))
    assert not offending(LESS.pair("The man whom you see.", "Der Mann, den du siehst."))


def test_the_verb_before_a_pronoun_goes_with_it() -> None:
    assert read_address("Do you know?", "Das wissen Sie nicht?").formal == ("Sie", "wissen")
    assert read_address("Do you know?", "Das weißt du nicht?").informal == ("du",)
    assert read_address("Do you have it?", "Hast du es?").informal == ("du", "Hast")


def test_without_clues_of_the_source_only_the_clear_words_count() -> None:
    finnish = direction(Register.INFORMAL, "fi")
    assert not offending(finnish.pair("Vous êtes en retard.", "Sie sind zu spät."))
    assert offending(finnish.pair("Je vous aide.", "Ich helfe Ihnen."))


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("Open the window.", True),
        ("Please don't go.", True),
        ("And now just sit down!", True),
        ("Opening hours", False),
        ("Let us go.", False),
        ("I open the window.", False),
        ("Change is good.", False),
        ("", False),
    ],
)
def test_commands(source: str, command: bool) -> None:
    assert is_command(source) == command


def test_a_formality_chooses_a_register_where_there_is_one() -> None:
    assert [choose_register("formality", each, "de") for each in FORMALITIES] == [None, "more", "less", "more", "less"]
    ignored = ("default", "prefer_more", "prefer_less")
    assert [choose_register("formality", each, "en") for each in ignored] == [None] * 3
    for each in ("more", "less"):
        with pytest.raises(InvalidRequest, match=r"^Target language 'en' doesn't support formality\.$"):
            choose_register("formality", each, "en")
