"""Dictionary words take the place of others that inflect alike, on both sides at once."""

from collections.abc import Iterable
from random import Random

import pytest

from model.data.dictionary import Dictionary

Pair = tuple[str, str]

ENTRIES = [
    ("Jacke", "jacket"),
    ("Backe", "cheek"),  # another last letter than "jacket": in English it may be a plural
    ("Windjacke", "windcheater"),
    ("Strickjacke", "knit jacket"),
    ("Anorak", "anorak"),  # another ending: it may be of another gender
    ("hölzern", "wooden"),
    ("eisern", "iron"),  # a vowel first: "an iron"
    ("modern", "broken"),
    ("laufen", "to run"),
    ("kaufen", "to shun"),
    ("taufen", "spun"),
    ("Schuhe", "shoes"),
]
KNOWN = [("Jacke", "jacket cheek knit windcheater anorak wooden iron broken run shun spun")]


def made(pair: Pair, entries: Iterable[Pair] = ENTRIES, sentences: Iterable[Pair] = KNOWN) -> set[Pair | None]:
    dictionary = Dictionary(entries, list(sentences))
    return {dictionary.substitute(pair, Random(seed)) for seed in range(60)}


def test_a_noun_takes_the_place_of_one_with_the_same_endings() -> None:
    pair = ("Er hat eine Jacke.", "He has a jacket.")
    assert made(pair, [*ENTRIES, ("Tarnjacke", "blanket")], [*KNOWN, ("", "blanket")]) == {
        pair,
        ("Er hat eine Strickjacke.", "He has a knit jacket."),
        ("Er hat eine Tarnjacke.", "He has a blanket."),
    }


def test_an_adjective_keeps_its_ending() -> None:
    assert made(("Eine hölzerne Tür.", "A wooden door.")) == {
        ("Eine hölzerne Tür.", "A wooden door."),
        ("Eine moderne Tür.", "A broken door."),
    }


def test_an_infinitive_takes_the_place_of_an_infinitive() -> None:
    assert made(("Sie will laufen.", "She wants to run.")) == {
        ("Sie will laufen.", "She wants to run."),
        ("Sie will kaufen.", "She wants to shun."),
    }


@pytest.mark.parametrize(
    "pair",
    [
        ("Jacke wie Hose", "a jacket like trousers"),  # the first word of a text
        ("Er hat eine Jacke.", "He has a coat."),
        ("Seine Jacke und meine Jacke", "His jacket and mine"),
        ("Seine Jacke und meine", "His jacket, my jacket"),
        ("Die Tür ist hölzern.", "The door is wooden."),  # without an ending an adverb could stand there
        ("", ""),
    ],
)
def test_where_nothing_matches_there_is_no_copy(pair: Pair) -> None:
    assert made(pair) == {None}


def test_words_that_are_frequent_on_both_sides_are_not_put_in() -> None:
    pair = ("Er hat eine Strickjacke.", "He has a jacket.")
    often = [("Windjacke", "jacket")] * 21
    assert made(pair, [("Strickjacke", "jacket"), ("Windjacke", "jacket")], often) == {pair}
    assert len(made(pair, [("Strickjacke", "jacket"), ("Windjacke", "jacket")], often[1:])) == 2


def test_words_that_no_sentence_has_are_not_put_in() -> None:
    pair = ("Er hat eine Jacke.", "He has a jacket.")
    assert made(pair, [("Jacke", "jacket"), ("Kutterjacke", "reefer set")]) == {pair}


def test_function_words_stay() -> None:
    often = [("meine", "mine")] * 3_001 + KNOWN
    assert made(("Das sind meine", "These are mine"), [("mein", "mine"), ("rein", "fine")], often) == {None}


def test_two_words_at_most_are_replaced() -> None:
    nouns = ["Jacke", "Hacke", "Zacke", "Macke"], ["coat", "hat", "boat", "goat"]
    entries = list(zip(*nouns, strict=True))
    pair = ("Hier: " + " ".join(nouns[0]), "here: " + " ".join(nouns[1]))
    changed = {
        sum(a != b for a, b in zip(*map(str.split, (pair[1], found[1])), strict=True))
        for found in made(pair, entries, [pair])
        if found
    }
    assert changed == {0, 1, 2}
