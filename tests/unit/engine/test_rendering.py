import math
from itertools import pairwise

import pytest

from app.engine.assembly import Assembly
from app.engine.bundle import Confidence
from app.engine.decoding import Hypothesis
from app.engine.rendering import Renderer
from app.engine.tokenizer import Tokenizer
from app.engine.translation import Alternative, SentenceTranslation
from app.engine.units import Unit
from app.text.verdicts import Verdict

UNIT = "Der Hund."


@pytest.fixture(scope="module")
def tokenizer(tiny_tokenizer):
    return Tokenizer(tiny_tokenizer, tiny_tokenizer)


@pytest.fixture(scope="module")
def renderer(tokenizer):
    return Renderer(tokenizer)


def unit_of(tokenizer, text=UNIT):
    return Unit(0, "", text, (7, *tokenizer.encode(text), 2))


def hypothesis(tokenizer, text, score=-1.0, truncated=False):
    return Hypothesis(tuple(tokenizer.encode(text)), score, score, truncated)


def test_a_model_that_says_nothing_swallows_no_text(tokenizer, renderer):
    silence, second = Hypothesis((), -0.1, -0.1), hypothesis(tokenizer, "The dog.", truncated=True)
    [version] = renderer.versions(unit_of(tokenizer), [silence, second])
    assert (version.text, version.hypothesis, version.verdicts) == ("The dog.", second, (Verdict.TRUNCATED,))
    [version] = renderer.versions(unit_of(tokenizer), [silence])
    assert (version.text, version.verdicts) == (UNIT, (Verdict.COPIED_SOURCE,))


def test_confidence_is_what_the_bundle_makes_of_the_probabilities(tokenizer):
    confidence = Confidence(bias=1.0, mean_log_probability=2.0, good_chrf=50)
    unit, found = unit_of(tokenizer), hypothesis(tokenizer, "The dog.", -3.0)

    def chance(renderer, best):
        versions = renderer.versions(unit, [best])
        return renderer.sentence(unit, versions, n_best=1, alignment=False).confidence

    length = len(found.tokens) + 1
    expected = 1 / (1 + math.exp(-(1 - 2 * 3 / length)))
    assert chance(Renderer(tokenizer, confidence), found) == pytest.approx(expected)
    assert chance(Renderer(tokenizer, confidence), Hypothesis((), -0.1, -0.1)) == 0.0
    assert chance(Renderer(tokenizer), found) is None


def test_a_sentence_has_the_wanted_number_of_different_alternatives(tokenizer, renderer):
    texts = ["The dog.", "A dog.", "The dog.", "The cat.", "A cat."]
    hypotheses = [hypothesis(tokenizer, text, -float(rank)) for rank, text in enumerate(texts)]
    versions = renderer.versions(unit_of(tokenizer), hypotheses)
    sentence = renderer.sentence(unit_of(tokenizer), versions, n_best=3, alignment=False)
    assert (sentence.text, sentence.score) == ("The dog.", 0.0)
    assert sentence.alternatives == (Alternative("A dog.", -1.0), Alternative("The cat.", -3.0))


def test_links_follow_the_alignment_head(tokenizer, renderer):
    """Pieces that look at the tag or at the end of the sentence translate nothing."""
    unit = unit_of(tokenizer)
    ids = tokenizer.encode(UNIT)
    tag, end = 0, len(ids) + 1
    backwards = Hypothesis(tuple(ids), -1, -1, attended=tuple(range(len(ids), 0, -1)))
    links = renderer.links(unit, backwards)
    spelled = [(UNIT[link.source_begin : link.source_end], UNIT[link.target_begin : link.target_end]) for link in links]
    pieces = [source for source, _ in spelled]
    assert "".join(reversed(pieces)) == "DerHund." and pieces == [target for _, target in reversed(spelled)]
    assert renderer.links(unit, Hypothesis(tuple(ids), -1, -1, attended=(tag, end) + (tag,) * (len(ids) - 2))) == ()


def test_the_beginning_of_a_sentence_never_changes_later(tokenizer, renderer):
    """Bytes that are only a part of a character are held back."""
    text = "Der Hund 🐕 über"
    ids = tokenizer.encode(text)
    shown = [renderer.prefix(ids[:length]) for length in range(len(ids) + 1)]
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
    assembly = Assembly()
    first = assembly.add("- ", sentence("Eins.", "One.", "First."))
    second = assembly.add("\n\t", sentence("Zwei.", "Two!"))
    found = assembly.finish("\r\n")
    assert found.text == "- One.\n\tTwo!\r\n"
    assert found.alternatives == ("- First.\n\tTwo!\r\n",)
    assert found.sentences == (first, second)
    assert (second.source_begin, second.target_begin) == (9, 8)
    assert Assembly().finish(" \n") == Assembly().finish(" \n")
    assert Assembly().finish(" \n").text == " \n"
