import math
from dataclasses import replace
from itertools import pairwise

import pytest

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Version
from app.engine.models.manifest import Confidence
from app.engine.models.tokenizer import Tokenizer
from app.engine.request.detokenization import Detokenizer
from app.engine.request.segmentation import Segment
from app.text.quality_checks import Verdict
from app.translation.sentence import judged

TEXT = "Der Hund."


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer):
    return Tokenizer(tiny_tokenizer, tiny_tokenizer)


@pytest.fixture(scope="module")
def detokenizer(tokenizer):
    return Detokenizer(tokenizer)


def segment_of(tokenizer, text=TEXT):
    return Segment(0, 0, text, (4, *tokenizer.encode(text), 2))


def hypothesis(tokenizer, text, score=-1.0, truncated=False):
    return Hypothesis(tuple(tokenizer.encode(text)), score, score, truncated)


def test_a_model_that_says_nothing_swallows_no_text(tokenizer, detokenizer):
    silence, second = Hypothesis((), -0.1, -0.1), hypothesis(tokenizer, "The dog.", -2.0, truncated=True)
    draft = detokenizer.draft(segment_of(tokenizer), [silence, second], alignment=False)
    assert draft.versions == (Version("The dog.", -2.0, truncated=True),)
    draft = detokenizer.draft(segment_of(tokenizer), [silence], alignment=True)
    assert draft.versions == (Version("", -0.1),) and draft.text == TEXT
    sentence = judged(draft)
    assert (sentence.text, sentence.verdicts, sentence.alignment) == (TEXT, (Verdict.COPIED_SOURCE,), ())


def test_bytes_that_make_no_character_are_dropped(tokenizer, detokenizer):
    first, second, third = (tokenizer.piece_id(f"<0x{byte:02X}>") for byte in "€".encode())
    dog = tokenizer.encode("Hund")
    tokens = (third, *dog, first, second, third, *dog, first, second)
    segment = segment_of(tokenizer, "Der Hund und der Hund.")
    found = Hypothesis(tokens, -1.0, -1.0, attended=tuple(range(len(tokens))))
    [version] = detokenizer.draft(segment, [found], alignment=True).versions
    assert version.text == "Hund€ Hund" == detokenizer.prefix(segment, tokens)
    whole = Hypothesis(tokens[1:-2], -1.0, -1.0, attended=found.attended[1:-2])
    assert version.alignment == detokenizer.links(segment, whole)


def test_confidence_is_what_the_bundle_makes_of_the_probabilities(tokenizer):
    confidence = Confidence(bias=1.0, mean_log_probability=2.0, good_chrf=50)
    segment, found = segment_of(tokenizer), hypothesis(tokenizer, "The dog.", -3.0)

    def chance(detokenizer, best):
        return detokenizer.draft(segment, [best], alignment=False).versions[0].confidence

    length = len(found.tokens) + 1
    expected = 1 / (1 + math.exp(-(1 - 2 * 3 / length)))
    assert chance(Detokenizer(tokenizer, confidence), found) == pytest.approx(expected)
    assert chance(Detokenizer(tokenizer, confidence), Hypothesis((), -0.1, -0.1)) == 0.0
    assert chance(Detokenizer(tokenizer), found) is None


def test_the_alternatives_differ_from_each_other(tokenizer, detokenizer):
    texts = ["The dog.", "A dog.", "The dog.", "The cat."]
    hypotheses = [hypothesis(tokenizer, text, -float(rank)) for rank, text in enumerate(texts)]
    draft = detokenizer.draft(segment_of(tokenizer), hypotheses, alignment=False)
    assert draft.versions == (Version("The dog.", 0.0), Version("A dog.", -1.0), Version("The cat.", -3.0))
    assert [version.text for version in judged(draft).versions] == ["The dog.", "A dog.", "The cat."]


def test_links_follow_the_alignment_head(tokenizer, detokenizer):
    """Pieces that look at the tag or at the end of the sentence translate nothing."""
    segment = segment_of(tokenizer)
    ids = tokenizer.encode(TEXT)
    tag, end = 0, len(ids) + 1
    backwards = Hypothesis(tuple(ids), -1, -1, attended=tuple(range(len(ids), 0, -1)))
    links = detokenizer.links(segment, backwards)
    spelled = [(TEXT[link.source_begin : link.source_end], TEXT[link.target_begin : link.target_end]) for link in links]
    pieces = [source for source, _ in spelled]
    assert "".join(reversed(pieces)) == "DerHund." and pieces == [target for _, target in reversed(spelled)]
    assert (
        detokenizer.links(segment, Hypothesis(tuple(ids), -1, -1, attended=(tag, end) + (tag,) * (len(ids) - 2))) == ()
    )


def test_the_beginning_of_a_sentence_never_changes_later(tokenizer, detokenizer):
    """Bytes that are only a part of a character are held back."""
    text = "Der Hund 🐕 über"
    ids = tokenizer.encode(text)
    shown = [detokenizer.prefix(segment_of(tokenizer), ids[:length]) for length in range(len(ids) + 1)]
    assert shown[0] == "" and shown[-1] == text
    assert all(later.startswith(earlier) for earlier, later in pairwise(shown))


def test_placeholders_that_the_source_lacks_are_dropped(tokenizer):
    detokenizer = Detokenizer(tokenizer, placeholders=("\ue000", "\ue001"))
    segment = segment_of(tokenizer, "Der \ue001 Hund")
    found = hypothesis(tokenizer, "\ue000Hund\ue000 und\ue001")
    found = replace(found, attended=tuple(range(len(found.tokens))))
    [version] = detokenizer.draft(segment, [found], alignment=True).versions
    assert version.text == "Hund und\ue001" == detokenizer.prefix(segment, found.tokens)
    assert all(link.target_end <= len(version.text) for link in version.alignment)
