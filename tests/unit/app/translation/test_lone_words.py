"""Words alone that came back as they were, and what the model says about them after articles."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.engine.options import SearchOptions
from app.errors import Overloaded
from app.text.inline.target_tokens import Link
from app.text.quality_checks import Verdict
from app.text.terms.glossary import Term
from app.translation.lone_words import word_again
from app.translation.rules.pair import Direction
from app.translation.sentence import Alternative, SentenceTranslation, TextTranslation
from languages.registry import language_of
from tests.support.questions import answered_by


def between(source: str, target: str) -> Direction:
    return Direction(language_of(source), language_of(target))


EN_DE = between("en", "de")


def sentence(source: str, text: str, score: float = -0.3) -> SentenceTranslation:
    return SentenceTranslation(
        source=source, source_begin=0, text=text, target_begin=0, score=score, alternatives=(), confidence=0.8
    )


class Model:
    """Says what it is told to say; remembers what it was asked."""

    def __init__(self, **answers: tuple[str, float]) -> None:
        self.answers = {question.replace("_", " "): answer for question, answer in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        assert options.n_best == 1
        self.asked += texts
        found = [sentence(text, *self.answers.get(text, (text, -0.1))) for text in texts]
        return [TextTranslation(text=each.text, alternatives=(), sentences=(each,)) for each in found]


async def again(word: str, model: Model, source: str = "en", target: str = "de", **options) -> str | None:
    found = await answered_by(
        model, word_again(sentence(word, word), between(source, target), SearchOptions(**options))
    )
    return found and found.text


async def test_a_noun_is_found_after_articles() -> None:
    model = Model(an_apple=("ein Apfel", -0.3), the_apple=("der Apfel", -0.4))
    assert await again("Apple", model) == "Apfel"
    assert model.asked == ["an apple", "the apple", "Apple."]
    assert await again("Apple:", model) == "Apfel:"
    assert await again("APPLE!", model) == "APFEL!"
    german = Model(ein_Stuhl=("a chair", -0.4), der_Stuhl=("the chair", -0.4))
    assert await again("Stuhl", german, "de", "en-GB") == "Chair"


@pytest.mark.parametrize(
    ("with_a", "with_the"),
    [
        (("ein Berlin", -0.3), ("das Berlin", -0.3)),  # a name is copied
        (("ein Bin", -0.3), ("das Bündnis", -0.3)),  # the two differ
        (("ein Schläger", -1.8), ("der Schläger", -0.3)),  # one is unsure
        (("ein grauer", -0.3), ("der grauer", -0.3)),  # no noun
        (("Haus am See", -0.3), ("Haus am See", -0.3)),  # no article
    ],
)
async def test_what_looks_like_a_name_stays(with_a: tuple[str, float], with_the: tuple[str, float]) -> None:
    model = Model(a_berlin=with_a, the_berlin=with_the)
    assert await again("Berlin", model) is None
    assert len(model.asked) == 3


async def test_a_word_that_is_no_noun_is_found_as_a_sentence() -> None:
    assert await again("No", Model(**{"No.": ("Nein.", -0.3)})) == "Nein"
    assert await again("No", Model(**{"No.": ("Nein.", -0.8)})) is None
    assert await again("No", Model(**{"No.": ("Nein, danke.", -0.3)})) is None


@pytest.mark.parametrize("word", ["apple", "USA", "Apple Pie", "3D", "A", "Apple, ", "MacBook"])
async def test_only_words_with_a_capital_are_asked_for(word: str) -> None:
    model = Model()
    assert await again(word, model) is None
    assert not model.asked


async def test_translated_words_and_other_languages_are_left_alone() -> None:
    model = Model()
    options = SearchOptions()
    term = Term(begin=0, end=5, source="apple", target="Apple", forms=("Apple",))
    copied = sentence("Apple", "Apple")
    for asking in (
        word_again(sentence("Apple", "Apfel"), EN_DE, options),
        word_again(sentence("Apple", "Apple", 0), EN_DE, options),  # a label, which the bundle lists so
        word_again(copied, between("en", "fi"), options),
        word_again(copied, EN_DE, replace(options, prefix="Ap")),
        word_again(replace(copied, terms=(term,)), EN_DE, options),
    ):
        assert await answered_by(model, asking) is None
    assert not model.asked


async def test_the_copy_becomes_an_alternative() -> None:
    model = Model(an_apple=("ein Apfel", -0.3), the_apple=("der Apfel", -0.4))
    first = replace(
        sentence("Apple", "Apple"),
        verdicts=(Verdict.COPIED_SOURCE,),
        alignment=(Link(0, 5, 0, 5),),
        alternatives=(Alternative("Apples", -4.0), Alternative("Äpfel", -5.0)),
    )
    found = await answered_by(model, word_again(first, EN_DE, SearchOptions(n_best=3)))
    assert found is not None
    assert (found.text, found.score, found.verdicts, found.alignment) == ("Apfel", -0.4, (), (Link(0, 5, 0, 5),))
    assert [other.text for other in found.alternatives] == ["Apple", "Apples"]


async def test_a_failed_attempt_changes_nothing() -> None:
    async def fail(texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        raise Overloaded("full")

    assert await answered_by(fail, word_again(sentence("Apple", "Apple"), EN_DE, SearchOptions())) is None
