"""Sentences get their protected spans back, and know where they are in the text as it was."""

from dataclasses import replace

import pytest

from app.text.protection.patterns import compile_patterns
from app.text.protection.protected import Protected, protect
from app.text.quality_checks import Verdict
from app.translation.assembly import ItemBuilder
from app.translation.passages import Passage, Segment
from app.translation.restoring import RestoredSentence, restore
from app.translation.rules.pair import Direction
from app.translation.segment_writer import SegmentWriter
from app.translation.sentence import Alternative, SentenceTranslation, TextKey, TextTranslation
from languages.registry import language_of

TEXT = "Hallo! Ich sah {0} gestern."
DE_EN = Direction(language_of("de"), language_of("en"))


def of(source: str, text: str, begin: int) -> SentenceTranslation:
    return SentenceTranslation(
        source=source, source_begin=begin, text=text, target_begin=begin, score=-1.0, alternatives=()
    )


def restored(sentence: SentenceTranslation, protected: Protected, direction: Direction | None = None):
    part = protected.part(sentence.source_begin, sentence.source_begin + len(sentence.source))
    return restore(sentence, protected, part, direction)


def written(
    text: str, protected: Protected | None, *sentences: RestoredSentence, direction: Direction | None = None
) -> Segment:
    """The segment with its sentences."""
    before = TextTranslation(text=text)
    segment = Segment(TextKey(0), "de", protected, text, before, before, needs_model=True)
    items = [ItemBuilder(None)]  # type: ignore[arg-type]
    writer = SegmentWriter([Passage(item=0, segments=[segment])], items, direction)
    assert writer.at(0) == (segment, TextKey(0))
    events = [writer.add(sentence) for sentence in sentences]
    writer.finish()
    assert tuple(event.sentence for event in events) == segment.restored.sentences
    return segment


def test_a_sentence_stands_where_it_is_in_the_original_text() -> None:
    protected = protect(TEXT, compile_patterns(["{0}"]))
    source = protected.text[7:]
    second = of(source, source.replace("Ich sah", "I saw"), 7)
    segment = written(
        protected.text, protected, restored(of("Hallo!", "Hi!", 0), protected), restored(second, protected)
    )
    sentence = segment.restored.sentences[1]
    assert (sentence.source, sentence.source_begin) == (TEXT[7:], 7)
    assert segment.restored.text == "Hi! I saw {0} gestern." and not segment.lost
    assert segment.restored.text[sentence.target_begin :] == sentence.text
    [name] = [protected.text[begin:end] for begin, end in protected.stand_ins]
    assert segment.restored.text == segment.translation.text.replace(name, "{0}")


def test_a_lost_span_is_reported_and_in_the_text() -> None:
    protected = protect(TEXT, compile_patterns(["{0}"]))
    segment = written(protected.text, protected, restored(of(protected.text, "Hi! I was seen.", 0), protected))
    assert segment.lost == ("{0}",)
    assert segment.restored.text.count("{0}") == 1


def test_a_sentence_is_corrected_unless_somebody_is_writing_it() -> None:
    sentence = of("hallo du", "Hello you.", 0)
    assert written("hallo du", None, restore(sentence, None, None, DE_EN)).restored.text == "hello you"
    assert written("hallo du", None, restore(sentence, None, None, None)).restored.text == "Hello you."


@pytest.mark.parametrize("verdicts", [(), (Verdict.REPETITION,)])
def test_alternatives_that_are_worse_than_the_best_are_left_out(verdicts: tuple[Verdict, ...]) -> None:
    others = (
        Alternative("My name name is Tom.", -1.5, verdicts=(Verdict.REPETITION,)),
        Alternative("I'm Tom.", -2.0),
        Alternative("My name is 5.", -3.0, verdicts=(Verdict.DIGITS_CHANGED,)),
    )
    sentence = replace(of("Ich heiße Tom.", "My name is Tom.", 0), alternatives=others, verdicts=verdicts)
    protected = protect(sentence.source, compile_patterns(["Tom"]))
    for found in (restore(sentence, None, None, DE_EN), restored(sentence, protected, DE_EN)):
        left = [other.text for other in found.restored.alternatives]
        assert "I'm Tom." in left and not any("5" in text for text in left)
        assert ("My name name is Tom." in left) == bool(verdicts)


@pytest.mark.parametrize(("patterns", "expected"), [(["{0}"], "Hi! “Yes” {0}"), (["„Yes“"], "Hi! „Yes“ {0}")])
def test_quotation_marks_between_sentences_change_but_not_those_of_a_protected_span(patterns, expected) -> None:
    protected = protect("Hallo! „Yes“ {0}", compile_patterns(patterns), ["\ue000"])
    segment = written(protected.text, protected, restored(of("Hallo!", "Hi!", 0), protected), direction=DE_EN)
    assert segment.restored.text == expected
