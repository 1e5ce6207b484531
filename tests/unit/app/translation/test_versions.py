"""The versions of a sentence, and which of them need another attempt."""

from dataclasses import replace

import pytest

from app.engine.options import SearchOptions
from app.text.inline.target_tokens import Link
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import protect
from app.text.quality_checks import Verdict, judge
from app.translation.questions import Done, step
from app.translation.retries import improved
from app.translation.rules.pair import Direction
from app.translation.sentence import Alternative, SentenceTranslation
from app.translation.versions import Versions
from languages.registry import language_of
from tests.support.sentences import of

UNKNOWN = Direction(language_of("und"), language_of("und"))


@pytest.mark.parametrize("loop", ["dog dog dog", "the dog the dog the dog", "dogogog", "dooooog"])
def test_the_source_is_better_than_a_loop(loop: str) -> None:
    def best(source: str, text: str) -> SentenceTranslation:
        return Versions(of(source, text, verdicts=(Verdict.REPETITION,)), None, UNKNOWN).result(SearchOptions())

    copy = best("Der Hund.", loop)
    assert (copy.text, copy.verdicts, copy.confidence) == ("Der Hund.", (Verdict.COPIED_SOURCE,), 0.0)
    assert best("Der Hund.", "The dog, the dog.").text == "The dog, the dog."
    assert best(loop, loop).text == loop, "the source says it as often"


def test_the_versions_that_lost_are_the_alternatives() -> None:
    first = replace(of("Hund.", "Cat.", verdicts=(Verdict.TRUNCATED,)), alternatives=(Alternative("Rat.", -3.0),))
    found = Versions(first, None, UNKNOWN)
    assert found.best.text == "Rat."
    assert [other.text for other in found.result(SearchOptions(n_best=2)).alternatives] == ["Cat."]
    assert found.result(SearchOptions()).alternatives == ()


@pytest.mark.parametrize(
    ("source", "said", "best"),
    [
        (
            "Die Stadt ergab sich kampflos.",
            "The city surrendered without without a fight.",
            "The city surrendered without a fight.",
        ),
        ("Danke!!!!", "Thanks!", "Thanks!"),  # a correction writes the marks
    ],
)
def test_what_needs_no_other_translation_asks_for_none(source: str, said: str, best: str) -> None:
    translation = of(source, said, verdicts=judge(source, said))
    options = SearchOptions()
    german = Direction(language_of("de"), language_of("en"))
    found = step(improved(translation, None, direction=german, options=options, placeholders=()))
    assert isinstance(found, Done)
    assert (found.result.text, found.result.verdicts) == (best, ())


@pytest.mark.parametrize(
    ("translation", "verdicts"),
    [("I give #1 up {}.", ()), ("{} I give #1 up.", ()), ("I give (#1) {} up.", (Verdict.MALFORMED,))],
)
def test_a_span_may_stand_beside_other_signs(translation: str, verdicts: tuple[Verdict, ...]) -> None:
    protected = protect("Ich gebe {name} auf #1 .", compile_patterns(["{name}"]))
    [(begin, end)] = protected.stand_ins
    version = of(protected.text, translation.format(protected.text[begin:end]))
    assert Versions(version, protected, UNKNOWN).best.verdicts == verdicts


@pytest.mark.parametrize(
    ("source", "leaves_out"), [("Please answer by May 28, 1945.", False), ("Please answer {}.", True)]
)
def test_words_beside_dates_count_as_translated(source: str, leaves_out: bool) -> None:
    patterns = compile_patterns(["{}"])._replace(numerals=("en", "de"))
    protected = protect(source, patterns, ("\ue000",))
    version = of(protected.text, "Bitte " + protected.text[-5:], alignment=(Link(0, 6, 0, 5),))
    direction = Direction(language_of("en"), language_of("de"))
    assert Versions(version, protected, direction).leaves_out == leaves_out
