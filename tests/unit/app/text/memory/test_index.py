import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from app.text.memory import index
from app.text.memory.index import ChangedIndex, FuzzyIndex


def test_the_most_similar_come_first():
    texts = [(3, "Bitte öffnen Sie das Fenster."), (5, "Bitte öffnen Sie das Buch."), (9, "Guten Morgen!")]
    found = FuzzyIndex(texts).find("Bitte öffnen Sie die Fenster.", 0.6)
    assert [similar.id for similar in found] == [3, 5]
    assert found[0].similarity == pytest.approx(1 - 2 / 29)


def test_numbers_and_white_space_make_no_difference():
    [similar] = FuzzyIndex([(1, "Seite 3 von  1.000")]).find("Seite 12 von 9", 1)
    assert similar == (1, 1.0)


@pytest.mark.parametrize("text", ["", " ", "a", "\ud800", "\0", "x" * 6000, "😀😀😀", "0"])
@pytest.mark.parametrize("least", [0, 0.75, 1])
def test_any_text_may_be_looked_for(text, least):
    assert len(FuzzyIndex([(1, "a"), (2, "Guten Morgen!"), (3, "\ud800b")]).find(text, least)) <= 3
    assert FuzzyIndex([]).find(text, least) == []


def test_the_best_is_the_one_that_a_comparison_with_all_finds(monkeypatch):
    monkeypatch.setattr(index, "_AT_ONCE", 100)
    numbers = random.Random(1)
    words = ["haus", "der", "die", "groß", "klein", "läuft", "kauft", "und", "heute", "morgen", "wir", "niemals"]
    texts = [" ".join(numbers.choices(words, k=numbers.randint(3, 12))) for _ in range(1000)]
    built = FuzzyIndex(enumerate(texts))
    for _ in range(50):
        query = numbers.choice(texts).split()
        query[numbers.randrange(len(query))] = numbers.choice(words)
        text = " ".join(query)
        best = max(Levenshtein.normalized_similarity(text, other) for other in texts)
        found = built.find(text, 0.6)
        assert (found[0].similarity if found else 0) == (pytest.approx(best) if best >= 0.6 else 0)


ALIKE = [(1, "Der Warenkorb ist leer."), (2, "Der Warenkorb ist sehr leer."), (3, "Guten Morgen!"), (4, "der")]


def test_texts_that_share_most_are_alike():
    index = FuzzyIndex(ALIKE)
    assert [similar.id for similar in index.alike("Der Warenkorb war leer.", 5)] == [1, 2]
    assert [similar.id for similar in index.alike("Der Warenkorb war leer.", 1)] == [1]
    assert index.alike("Zwölf Boxkämpfer", 5) == index.alike("", 5) == FuzzyIndex([]).alike("Guten Morgen!", 5) == []


@given(st.lists(st.text("abc ", min_size=1, max_size=12), min_size=1, max_size=20), st.text("abc ", max_size=12))
def test_what_is_alike_shares_two_fifths_of_the_trigrams(texts, text):
    def trigrams(one: str) -> set[str]:
        padded = f" {' '.join(one.split())} \0"
        return {padded[at : at + 3] for at in range(len(padded) - 2)}

    found = FuzzyIndex(enumerate(texts)).alike(text, 5)
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
    assert all(share >= 0.4 and trigrams(texts[number]) & trigrams(text) for number, share in found)


def test_a_changed_index_knows_the_new_texts_and_no_old_ones():
    index = ChangedIndex(FuzzyIndex(ALIKE), [(1, "Etwas anderes."), (5, "Der Warenkorb war fast leer.")])
    assert [similar.id for similar in index.alike("Der Warenkorb war leer.", 5)] == [5, 2]
