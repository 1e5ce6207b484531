"""Sentences get their protected spans back, and know where they are in the text as it was."""

from dataclasses import replace

import pytest

from app.engine.interface import Alternative, SentenceTranslation
from app.text.inline.placement import Edit
from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import protect
from app.text.quality_checks import Verdict
from app.translation.restoring import Restorer, restore

TEXT = "Hallo! Ich sah {0} gestern."


def no_edits(source: str, translation: str) -> list[Edit]:
    return []


def of(source: str, text: str, begin: int) -> SentenceTranslation:
    return SentenceTranslation(
        source=source, source_begin=begin, text=text, target_begin=begin, score=-1.0, alternatives=()
    )


def test_a_sentence_stands_where_it_is_in_the_original_text() -> None:
    protected = protect(TEXT, compile_patterns(["{0}"]))
    restorer = Restorer(protected.text, protected, {})
    restorer.add(restore(of("Hallo!", "Hi!", 0), protected, no_edits))
    source = protected.text[7:]
    sentence = restorer.add(restore(of(source, source.replace("Ich sah", "I saw"), 7), protected, no_edits))
    unrestored, restored = restorer.finish()
    assert (sentence.source, sentence.source_begin) == (TEXT[7:], 7)
    assert restored.text == "Hi! I saw {0} gestern." and not restorer.lost
    assert restored.text[sentence.target_begin :] == sentence.text
    [name] = [protected.text[begin:end] for begin, end in protected.stand_ins]
    assert restored.text == unrestored.text.replace(name, "{0}")


def test_a_lost_span_is_reported_and_in_the_text() -> None:
    protected = protect(TEXT, compile_patterns(["{0}"]))
    restorer = Restorer(protected.text, protected, {})
    restorer.add(restore(of(protected.text, "Hi! I was seen.", 0), protected, no_edits))
    assert restorer.lost == ["{0}"]
    assert restorer.finish()[1].text.count("{0}") == 1


def test_a_sentence_begins_as_the_mirror_wants_it() -> None:
    mirrored = restore(of("hallo", "Hello", 0), None, lambda source, translation: [Edit(0, 1, translation[0].lower())])
    assert Restorer("hallo", None, {}).add(mirrored).text == "hello"


@pytest.mark.parametrize("verdicts", [(), (Verdict.REPETITION,)])
def test_alternatives_that_are_worse_than_the_best_are_left_out(verdicts: tuple[Verdict, ...]) -> None:
    others = (
        Alternative("My name name is Tom.", -1.5, verdicts=(Verdict.REPETITION,)),
        Alternative("I'm Tom.", -2.0),
        Alternative("My name is 5.", -3.0, verdicts=(Verdict.DIGITS_CHANGED,)),
    )
    sentence = replace(of("Ich heiße Tom.", "My name is Tom.", 0), alternatives=others, verdicts=verdicts)
    for protected in (None, protect(sentence.source, compile_patterns(["Tom"]))):
        left = [other.text for other in restore(sentence, protected, no_edits).restored.alternatives]
        assert "I'm Tom." in left and not any("5" in text for text in left)
        assert ("My name name is Tom." in left) == bool(verdicts)


@pytest.mark.parametrize(("patterns", "expected"), [(["{0}"], "Hi! „Ja“ {0}"), (["“Ja”"], "Hi! “Ja” {0}")])
def test_quotation_marks_between_sentences_change_but_not_those_of_a_protected_span(patterns, expected) -> None:
    protected = protect("Hallo! “Ja” {0}", compile_patterns(patterns), ["\ue000"])
    restorer = Restorer(protected.text, protected, str.maketrans("“”", "„“"))
    restorer.add(restore(of("Hallo!", "Hi!", 0), protected, no_edits))
    assert restorer.finish()[1].text == expected
