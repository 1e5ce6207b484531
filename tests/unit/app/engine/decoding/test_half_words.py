"""Searches over a model that begins a word of its own before its alignment head looks at the rare word."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.engine.decoding.half_words import endings_of, last_word
from app.engine.decoding.lexicon_search import LexiconSearch
from app.engine.decoding.search import Hypothesis
from app.engine.decoding.word_trees import RareWord
from app.engine.options import SearchOptions

ENDINGS = endings_of(["de"])
PIECES = (
    "</s>", "▁Er", "▁", "▁Z", "▁grin", "will", "ste", "▁Zwilling", "e", "▁sch", "mecken", "▁Das", "▁(", "B", "▁sah",
)  # fmt: skip
EOS = 0
AT = 3  # the rare word's positions are this one and the next
Step = tuple[str, int, str]  # what is written, where the head looks, and what the model would write


def search_of(*translation: str, prefix: tuple[str, ...] = ()) -> LexiconSearch:
    tokens = tuple(map(PIECES.index, translation))
    return LexiconSearch(
        start_id=-1, eos_id=EOS, max_length=20, rare_words=[RareWord((AT, AT + 1), (tokens,))], pieces=PIECES,
        endings=ENDINGS, options=SearchOptions(beam_size=1), prefix=[PIECES.index(piece) for piece in prefix] or None,
    )  # fmt: skip


def steps(search: LexiconSearch, *wanted: Step) -> list[tuple[str, ...]]:
    """Make the steps; returns what was stable after each. The model is unsure where the lexicon's word wins."""
    stable = []
    for written, position, best in wanted:
        chances = [-5.0, -6.0] if best != written else [-0.01, -6.0]
        search.advance([chances], [[PIECES.index(best), PIECES.index("mecken")]], [position])
        assert not search.rows or search.last_tokens == [PIECES.index(written)]
        stable.append(texts(search.best_tokens))
    return stable


def texts(tokens: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(PIECES[token] for token in tokens)


def found(search: LexiconSearch, *wanted: Step) -> tuple[tuple[str, ...], tuple[int, ...], Hypothesis]:
    steps(search, *wanted, ("</s>", 6, "</s>"))
    [best] = search.hypotheses()
    return texts(best.tokens), best.attended, best


def test_the_beginning_of_the_translation_goes() -> None:
    """It was written while the head looked at another word."""
    tokens, attended, best = found(
        search_of("▁Zwilling"), ("▁Er", 0, "▁Er"), ("▁Z", 1, "▁Z"), ("▁Zwilling", AT, "will")
    )
    assert (tokens, attended) == (("▁Er", "▁Zwilling"), (0, AT))
    assert best.log_probability == pytest.approx(math.log(0.2) + 3 * -0.01)
    assert best.score == pytest.approx(best.log_probability / (9 / 6))


@pytest.mark.parametrize(
    ("before", "position", "following", "is_half"),
    [
        (0, AT, "mecken", True),
        (AT - 1, AT - 1, "mecken", True),  # the head is late: the word before is translated
        (0, AT - 1, "mecken", True),  # it is short
        (0, AT - 2, "mecken", False),  # another word's translation
        (AT - 1, AT - 1, "e", False),  # a whole word, which lacks an ending
        (0, AT, "▁sah", False),  # a whole word
    ],
)
def test_a_word_goes_that_translates_the_rare_word(before: int, position: int, following: str, is_half: bool) -> None:
    search = search_of("▁grin", "ste")
    tokens, _, _ = found(
        search, ("▁Er", before, "▁Er"), ("▁sch", position, "▁sch"), ("▁grin", AT + 1, following), ("ste", AT + 1, "ste")
    )
    assert tokens == (("▁Er", "▁grin", "ste") if is_half else ("▁Er", "▁sch", "▁grin", "ste"))


def test_what_looks_like_an_ending_may_continue_the_translation() -> None:
    tokens, _, _ = found(
        search_of("▁sch", "e"), ("▁Er", 0, "▁Er"), ("▁sch", 1, "▁sch"), ("▁sch", AT, "e"), ("e", AT, "e")
    )
    assert tokens == ("▁Er", "▁sch", "e")


@pytest.mark.parametrize(("before", "is_half"), [(0, False), (AT - 1, True)])
def test_a_long_word_stays_that_translates_the_word_before(before: int, is_half: bool) -> None:
    """Unless something else does: "Wasser" of "water softener"."""
    tokens, _, _ = found(
        search_of("▁sah"), ("▁Er", before, "▁Er"), ("▁Zwilling", AT - 1, "▁Zwilling"), ("▁sah", AT, "mecken")
    )
    assert tokens == (("▁Er", "▁sah") if is_half else ("▁Er", "▁Zwilling", "▁sah"))


def test_of_two_spaces_one_goes() -> None:
    tokens, _, _ = found(search_of("▁grin", "ste"), ("▁", 0, "▁"), ("▁grin", AT, "▁sah"), ("ste", AT, "ste"))
    assert tokens == ("▁grin", "ste")


def test_the_space_of_a_translation_stays() -> None:
    tokens, _, _ = found(search_of("▁", "ste"), ("▁Er", 0, "▁Er"), ("▁", AT, "ste"), ("ste", AT, "ste"))
    assert tokens == ("▁Er", "▁", "ste")


def test_a_bracket_in_front_of_a_half_word_stays() -> None:
    tokens, _, _ = found(
        search_of("▁grin"), ("▁Er", 0, "▁Er"), ("▁(", 1, "▁("), ("B", AT, "B"), ("▁grin", AT, "mecken")
    )
    assert tokens == ("▁Er", "▁(", "▁grin")


def test_what_the_lexicon_wrote_stays() -> None:
    """The model would make a compound of the first word; the second begins with it."""
    words = [RareWord((1,), ((3,),)), RareWord((2,), ((3, 5),))]
    search = LexiconSearch(
        start_id=-1,
        eos_id=EOS,
        max_length=20,
        rare_words=words,
        pieces=PIECES,
        endings=ENDINGS,
        options=SearchOptions(beam_size=1),
    )
    tokens, _, _ = found(search, ("▁Er", 0, "▁Er"), ("▁Z", 1, "▁sah"), ("▁Z", 2, "will"), ("will", 2, "will"))
    assert tokens == ("▁Er", "▁Z", "▁Z", "will")


def test_a_prefix_stays() -> None:
    search = search_of("▁Zwilling", prefix=("▁Er", "▁Z"))
    tokens, _, _ = found(search, ("▁Er", 0, "▁sah"), ("▁Z", 1, "▁sah"), ("▁Zwilling", AT, "will"))
    assert tokens == ("▁Er", "▁Z", "▁Zwilling")


words = st.lists(st.sampled_from(["will", "ste"]), max_size=3).map(lambda parts: ["▁Z", *parts])


@settings(max_examples=300)
@given(begun=words, translation=words, positions=st.lists(st.integers(0, AT - 1), min_size=4, max_size=4), best=words)
def test_what_is_stable_begins_the_result(begun, translation, positions, best):
    """Whatever word the model has begun, and whatever it would write next. The last words are whole, and so stable."""
    search = search_of(*translation)
    stable = steps(
        search,
        ("▁Er", 0, "▁Er"),
        *((piece, position, piece) for piece, position in zip(begun, positions, strict=False)),
        (translation[0], AT, best[-1] if best[1:] else "▁sah"),
        *((piece, AT, piece) for piece in translation[1:]),
        *((piece, 5, piece) for piece in ("▁sah", "▁Das", "▁sah", "</s>")),
    )
    result = texts(search.hypotheses()[0].tokens)
    assert all("".join(result).startswith("".join(part)) for part in stable)
    assert stable[-2] == result[:-1]


def test_a_last_word_begins_with_its_space() -> None:
    assert last_word(["▁Er", "▁Z", "will"]) == 1
    assert last_word(["▁Er", "▁", "ste"]) == 1
    assert last_word(["▁Er", "▁(", "B", "ste"]) == 2
    assert last_word(["▁Er", "▁sah", "."]) == 3
    assert last_word(["▁Er", "▁Z", "will"], first=2) == 3  # its beginning is not asked for
    assert last_word([]) == 0


def test_without_an_alignment_head_nothing_goes() -> None:
    search = search_of("▁Zwilling")
    for token in ("▁Z", "▁Zwilling", "</s>"):
        search.advance([[-0.1, -3.0]], [[PIECES.index(token), 1]])
    assert texts(search.hypotheses()[0].tokens) == ("▁Z", "▁Zwilling")
