import math
from dataclasses import replace
from itertools import pairwise

import pytest

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Alternative, SentenceTranslation
from app.engine.models.manifest import Confidence
from app.engine.models.tokenizer import Tokenizer
from app.engine.request.detokenization import Detokenizer
from app.engine.request.segmentation import Segment
from app.engine.text_builder import TextBuilder
from app.text.quality_checks import Verdict

UNIT = "Der Hund."


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer):
    return Tokenizer(tiny_tokenizer, tiny_tokenizer)


@pytest.fixture(scope="module")
def detokenizer(tokenizer):
    return Detokenizer(tokenizer)


def unit_of(tokenizer, text=UNIT):
    return Segment(0, 0, "", text, (4, *tokenizer.encode(text), 2))


def hypothesis(tokenizer, text, score=-1.0, truncated=False):
    return Hypothesis(tuple(tokenizer.encode(text)), score, score, truncated)


def test_a_model_that_says_nothing_swallows_no_text(tokenizer, detokenizer):
    silence, second = Hypothesis((), -0.1, -0.1), hypothesis(tokenizer, "The dog.", -2.0, truncated=True)
    sentence = detokenizer.sentence(unit_of(tokenizer), [silence, second], alignment=False)
    assert (sentence.text, sentence.score, sentence.verdicts) == ("The dog.", -2.0, (Verdict.TRUNCATED,))
    assert sentence.alternatives == ()
    sentence = detokenizer.sentence(unit_of(tokenizer), [silence], alignment=True)
    assert (sentence.text, sentence.verdicts, sentence.alignment) == (UNIT, (Verdict.COPIED_SOURCE,), ())


def test_bytes_that_make_no_character_are_dropped(tokenizer, detokenizer):
    first, second, third = (tokenizer.piece_id(f"<0x{byte:02X}>") for byte in "€".encode())
    dog = tokenizer.encode("Hund")
    tokens = (third, *dog, first, second, third, *dog, first, second)
    segment = unit_of(tokenizer, "Der Hund und der Hund.")
    found = Hypothesis(tokens, -1.0, -1.0, attended=tuple(range(len(tokens))))
    sentence = detokenizer.sentence(segment, [found], alignment=True)
    assert sentence.text == "Hund€ Hund" == detokenizer.prefix(segment, tokens)
    whole = Hypothesis(tokens[1:-2], -1.0, -1.0, attended=found.attended[1:-2])
    assert sentence.alignment == detokenizer.links(segment, whole)


def test_confidence_is_what_the_bundle_makes_of_the_probabilities(tokenizer):
    confidence = Confidence(bias=1.0, mean_log_probability=2.0, good_chrf=50)
    segment, found = unit_of(tokenizer), hypothesis(tokenizer, "The dog.", -3.0)

    def chance(detokenizer, best):
        return detokenizer.sentence(segment, [best], alignment=False).confidence

    length = len(found.tokens) + 1
    expected = 1 / (1 + math.exp(-(1 - 2 * 3 / length)))
    assert chance(Detokenizer(tokenizer, confidence), found) == pytest.approx(expected)
    assert chance(Detokenizer(tokenizer, confidence), Hypothesis((), -0.1, -0.1)) == 0.0
    assert chance(Detokenizer(tokenizer), found) is None


def test_the_alternatives_differ_from_each_other(tokenizer, detokenizer):
    texts = ["The dog.", "A dog.", "The dog.", "The cat."]
    hypotheses = [hypothesis(tokenizer, text, -float(rank)) for rank, text in enumerate(texts)]
    sentence = detokenizer.sentence(unit_of(tokenizer), hypotheses, alignment=False)
    assert (sentence.text, sentence.score) == ("The dog.", 0.0)
    assert sentence.alternatives == (Alternative("A dog.", -1.0), Alternative("The cat.", -3.0))
    assert [version.text for version in sentence.versions] == ["The dog.", "A dog.", "The cat."]


def test_links_follow_the_alignment_head(tokenizer, detokenizer):
    """Pieces that look at the tag or at the end of the sentence translate nothing."""
    segment = unit_of(tokenizer)
    ids = tokenizer.encode(UNIT)
    tag, end = 0, len(ids) + 1
    backwards = Hypothesis(tuple(ids), -1, -1, attended=tuple(range(len(ids), 0, -1)))
    links = detokenizer.links(segment, backwards)
    spelled = [(UNIT[link.source_begin : link.source_end], UNIT[link.target_begin : link.target_end]) for link in links]
    pieces = [source for source, _ in spelled]
    assert "".join(reversed(pieces)) == "DerHund." and pieces == [target for _, target in reversed(spelled)]
    assert (
        detokenizer.links(segment, Hypothesis(tuple(ids), -1, -1, attended=(tag, end) + (tag,) * (len(ids) - 2))) == ()
    )


def test_the_beginning_of_a_sentence_never_changes_later(tokenizer, detokenizer):
    """Bytes that are only a part of a character are held back."""
    text = "Der Hund 🐕 über"
    ids = tokenizer.encode(text)
    shown = [detokenizer.prefix(unit_of(tokenizer), ids[:length]) for length in range(len(ids) + 1)]
    assert shown[0] == "" and shown[-1] == text
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))


def sentence(source, text, *others):
    return SentenceTranslation(
        source=source,
        source_begin=0,
        text=text,
        target_begin=0,
        score=-1.0,
        alternatives=tuple(Alternative(other, -2.0) for other in others),
    )


def test_a_text_is_put_together_with_its_gaps_and_alternatives():
    assembly = TextBuilder()
    first = assembly.add("- ", sentence("Eins.", "One.", "First."))
    second = assembly.add("\n\t", sentence("Zwei.", "Two!"))
    found = assembly.finish("\r\n")
    assert found.text == "- One.\n\tTwo!\r\n"
    assert found.alternatives == ("- First.\n\tTwo!\r\n",)
    assert found.sentences == (first, second)
    assert (second.source_begin, second.target_begin) == (9, 8)
    assert TextBuilder().finish(" \n").text == " \n"


def test_placeholders_that_the_source_lacks_are_dropped(tokenizer):
    detokenizer = Detokenizer(tokenizer, placeholders=("\ue000", "\ue001"))
    segment = unit_of(tokenizer, "Der \ue001 Hund")
    found = hypothesis(tokenizer, "\ue000Hund\ue000 und\ue001")
    found = replace(found, attended=tuple(range(len(found.tokens))))
    sentence = detokenizer.sentence(segment, [found], alignment=True)
    assert sentence.text == "Hund und\ue001" == detokenizer.prefix(segment, found.tokens)
    assert all(link.target_end <= len(sentence.text) for link in sentence.alignment)
