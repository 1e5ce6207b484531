import random

import pytest
from rapidfuzz.distance import Levenshtein

from app.text.memory import index
from app.text.memory.index import FuzzyIndex


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
