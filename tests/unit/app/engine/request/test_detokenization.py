import math
from dataclasses import replace
from itertools import pairwise

import pytest

from app.engine.decoding.search import Hypothesis
from app.engine.interface import Alternative, SentenceTranslation
from app.engine.models.bundle import Confidence
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
    return Segment(0, "", text, (4, *tokenizer.encode(text), 2))


def hypothesis(tokenizer, text, score=-1.0, truncated=False):
    return Hypothesis(tuple(tokenizer.encode(text)), score, score, truncated)


def test_a_model_that_says_nothing_swallows_no_text(tokenizer, detokenizer):
    silence, second = Hypothesis((), -0.1, -0.1), hypothesis(tokenizer, "The dog.", truncated=True)
    [version] = detokenizer.versions(unit_of(tokenizer), [silence, second])
    assert (version.text, version.hypothesis, version.verdicts) == ("The dog.", second, (Verdict.TRUNCATED,))
    [version] = detokenizer.versions(unit_of(tokenizer), [silence])
    assert (version.text, version.verdicts) == (UNIT, (Verdict.COPIED_SOURCE,))


def test_bytes_that_make_no_character_are_dropped(tokenizer, detokenizer):
    first, second, third = (tokenizer.piece_id(f"<0x{byte:02X}>") for byte in "€".encode())
    dog = tokenizer.encode("Hund")
    tokens = (third, *dog, first, second, third, *dog, first, second)
    found = Hypothesis(tokens, -1.0, -1.0, attended=tuple(range(len(tokens))))
    [version] = detokenizer.versions(unit_of(tokenizer), [found])
    assert version.text == "Hund€ Hund" == detokenizer.prefix(unit_of(tokenizer), tokens)
    assert version.hypothesis.attended == tuple(range(1, len(tokens) - 2))


@pytest.mark.parametrize("loop", ["dog dog dog", "the dog the dog the dog", "dogogog", "dooooog"])
def test_the_source_is_better_than_a_loop(tokenizer, detokenizer, loop):
    segment = unit_of(tokenizer)
    [version] = detokenizer.versions(segment, [hypothesis(tokenizer, loop)])
    copy = detokenizer.last_resort(segment, version)
    assert copy is not None
    assert (copy.text, copy.verdicts, copy.hypothesis.tokens) == (UNIT, (Verdict.COPIED_SOURCE,), ())
    [good] = detokenizer.versions(segment, [hypothesis(tokenizer, "The dog, the dog.")])
    assert detokenizer.last_resort(segment, good) is None
    assert detokenizer.last_resort(unit_of(tokenizer, loop), version) is None, "the source says it as often"


def test_confidence_is_what_the_bundle_makes_of_the_probabilities(tokenizer):
    confidence = Confidence(bias=1.0, mean_log_probability=2.0, good_chrf=50)
    segment, found = unit_of(tokenizer), hypothesis(tokenizer, "The dog.", -3.0)

    def chance(detokenizer, best):
        versions = detokenizer.versions(segment, [best])
        return detokenizer.sentence(segment, versions, n_best=1, alignment=False).confidence

    length = len(found.tokens) + 1
    expected = 1 / (1 + math.exp(-(1 - 2 * 3 / length)))
    assert chance(Detokenizer(tokenizer, confidence), found) == pytest.approx(expected)
    assert chance(Detokenizer(tokenizer, confidence), Hypothesis((), -0.1, -0.1)) == 0.0
    assert chance(Detokenizer(tokenizer), found) is None


def test_a_sentence_has_the_wanted_number_of_different_alternatives(tokenizer, detokenizer):
    texts = ["The dog.", "A dog.", "The dog.", "The cat.", "A cat."]
    hypotheses = [hypothesis(tokenizer, text, -float(rank)) for rank, text in enumerate(texts)]
    versions = detokenizer.versions(unit_of(tokenizer), hypotheses)
    sentence = detokenizer.sentence(unit_of(tokenizer), versions, n_best=3, alignment=False)
    assert (sentence.text, sentence.score) == ("The dog.", 0.0)
    assert sentence.alternatives == (Alternative("A dog.", -1.0), Alternative("The cat.", -3.0))


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


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("Am 31. Mai 1999 um 10:45.", "Am \ue000. Mai \ue001 um \ue002."),
        ("Nur 7.000 von 3,5 und 1.2.3 nicht.", None),  # other languages write these otherwise
        ("(0-2), 4-4-2, 2017/18, 5%", "(\ue000), \ue001, \ue002, 5%"),  # no more than there are placeholders
        ("\ue001 sind 2", "\ue001 sind \ue000"),
        ("Keine.", None),
    ],
)
def test_placeholders_stand_in_for_numbers_that_languages_write_alike(tokenizer, text, numbered):
    detokenizer = Detokenizer(tokenizer, placeholders=("\ue000", "\ue001", "\ue002"))
    segment = unit_of(tokenizer, text)
    found = detokenizer.numbered(segment)
    assert (found and found.segment.source) == numbered
    if found:
        assert found.segment.ids == unit_of(tokenizer, numbered).ids
    assert Detokenizer(tokenizer).numbered(segment) is None, "a model without placeholders"


def test_numbers_come_back_where_their_placeholders_are(tokenizer):
    detokenizer = Detokenizer(tokenizer, placeholders=("\ue000", "\ue001"))
    segment = unit_of(tokenizer, "Der Hund 1999 und 2024")
    numbered = detokenizer.numbered(segment)
    assert numbered
    kept, lost = hypothesis(tokenizer, "\ue001 und \ue000 Hund"), hypothesis(tokenizer, "Hund \ue000")
    [version] = detokenizer.numbered_versions(segment, numbered, [lost, kept])
    assert (version.text, version.verdicts) == ("2024 und 1999 Hund", ())
    # Each piece of the translation looks at its own kind in the source.
    ids = list(numbered.segment.ids)
    looking = replace(kept, attended=tuple(ids.index(token, 1) for token in kept.tokens))
    [version] = detokenizer.numbered_versions(segment, numbered, [looking])
    sentence = detokenizer.sentence(segment, [version], n_best=1, alignment=True)
    linked = {
        (sentence.source[link.source_begin : link.source_end], sentence.text[link.target_begin : link.target_end])
        for link in sentence.alignment
    }
    assert linked >= {("1999", "1999"), ("2024", "2024")}
    assert all(source == target for source, target in linked)


def test_placeholders_that_the_source_lacks_are_dropped(tokenizer):
    detokenizer = Detokenizer(tokenizer, placeholders=("\ue000", "\ue001"))
    segment = unit_of(tokenizer, "Der \ue001 Hund")
    found = hypothesis(tokenizer, "\ue000Hund\ue000 und\ue001")
    found = replace(found, attended=tuple(range(len(found.tokens))))
    [version] = detokenizer.versions(segment, [found])
    assert version.text == "Hund und\ue001"
    assert len(version.hypothesis.attended) == len(version.hypothesis.tokens)
    assert detokenizer.prefix(segment, found.tokens) == version.text
    numbered = detokenizer.numbered(unit_of(tokenizer, "Hund 1999"))
    assert numbered
    [version] = detokenizer.numbered_versions(unit_of(tokenizer, "Hund 1999"), numbered, [found])
    assert version.text.count("1999") == 1 and "\ue001" not in version.text
