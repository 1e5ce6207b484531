"""Generated documents: what their pronouns stand for, and that the words for tests are others."""

import re
from itertools import pairwise
from random import Random

from model.data.references import reference_pairs
from model.evaluation.contrastive import find_examples

PRONOUNS = {"einen": {"er", "ihn"}, "eine": {"sie"}, "ein": {"es"}}


def test_a_pronoun_agrees_with_what_was_named():
    checked = 0
    for (german, _), (next_german, next_english) in pairwise(reference_pairs(300, Random(3))):
        named = re.fullmatch(r"Ich habe (einen|eine|ein) \S+ gekauft\.", german)
        if named and re.search(r"\bit\b", next_english, re.IGNORECASE) and "Darüber" not in next_german:
            assert PRONOUNS[named[1]] & set(re.findall(r"\w+", next_german.lower())), (german, next_german)
            checked += 1
    assert checked > 30


def test_the_words_for_tests_are_others():
    def nouns(held_out: bool) -> set[str]:
        pairs = reference_pairs(400, Random(1), held_out=held_out)
        return {german.split()[-2] for german, english in pairs if english.startswith("I bought")}

    assert len(nouns(True)) > 20
    assert not nouns(True) & nouns(False)


def test_the_contrastive_test_finds_all_kinds():
    pairs = list(reference_pairs(100, Random(1), held_out=True))
    assert {example.kind for example in find_examples(pairs, 3)} == {"er", "sie", "es", "du", "Sie"}
