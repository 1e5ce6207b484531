"""Searches over a model that is a table: for each translation so far, the likely tokens, and where the head looks."""

import math
from collections.abc import Callable

import pytest

from app.engine.decoding.search import Hypothesis
from app.engine.decoding.term_search import TermConstraint, TermConstraints, TermSearch
from app.engine.options import SearchOptions

# Source positions 0 to 3: der Vorstand tagt, end. "executive" is two tokens, and "s" continues a word.
EOS, THE, BOARD, EXEC, UTIVE, S, MEETS, MEET, A = range(9)
UNLIKELY = {EOS: 1e-9, **dict.fromkeys(range(20, 40), 1e-6), **dict.fromkeys(range(1, 9), 1e-7)}
WORD_PARTS = frozenset({UTIVE, S})
Model = Callable[[tuple[int, ...]], tuple[dict[int, float], int]]


def model(tokens: tuple[int, ...]) -> tuple[dict[int, float], int]:
    """Says "the board meets", or in the plural "boards meet"."""
    last = tokens[-1] if tokens else None
    if last is None:
        return {THE: 0.9, A: 0.05}, 0
    if last in (THE, A):
        return {BOARD: 0.9, MEETS: 0.05}, 1
    if last == EXEC:
        return {UTIVE: 0.01, MEETS: 0.5}, 1
    if last in (BOARD, UTIVE):
        return {MEETS: 0.8, S: 0.1, EOS: 0.05}, 2
    if last == S:
        return {MEET: 0.9, EOS: 0.05}, 2
    return {EOS: 0.9, MEETS: 0.02, THE: 0.02}, 3


def translate(constraints: TermConstraints, model: Model = model, beam: int = 8, longest: int = 12) -> list[Hypothesis]:
    search = TermSearch(
        start_id=-1, eos_id=EOS, max_length=longest, options=SearchOptions(beam_size=beam, n_best=beam),
        constraints=constraints, word_parts=WORD_PARTS,
    )  # fmt: skip
    live: list[tuple[int, ...]] = [()]
    while search.rows:
        offered = [model(tokens) for tokens in live]
        ranked = [sorted((UNLIKELY | chances).items(), key=lambda item: -item[1]) for chances, _ in offered]
        parents = search.advance(
            [[math.log(chance) for _, chance in row] for row in ranked],
            [[token for token, _ in row] for row in ranked],
            [position for _, position in offered],
        )
        live = [(*live[parent], token) for parent, token in zip(parents, search.last_tokens, strict=True)]
    return search.hypotheses()


def constraint(*sequences: tuple[int, ...], at: int = 1) -> TermConstraint:
    return TermConstraint(frozenset({at}), sequences)


def test_a_term_takes_the_place_that_the_alignment_head_shows() -> None:
    best = translate(TermConstraints((constraint((EXEC, UTIVE)),)))[0]
    assert best.tokens == (THE, EXEC, UTIVE, MEETS)
    assert best.attended == (0, 1, 1, 2)
    assert not best.truncated


def test_the_log_probability_is_that_of_the_model() -> None:
    best = translate(TermConstraints((constraint((EXEC, UTIVE)),), guide=(THE, MEETS)))[0]
    assert best.log_probability == pytest.approx(sum(map(math.log, (0.9, 1e-7, 0.01, 0.8, 0.9))))


@pytest.mark.parametrize(("plural", "expected"), [(0.1, (THE, BOARD, MEETS)), (0.99, (THE, BOARD, S, MEET))])
def test_the_model_chooses_the_form(plural: float, expected: tuple[int, ...]) -> None:
    def other(tokens: tuple[int, ...]) -> tuple[dict[int, float], int]:
        chances, position = model(tokens)
        return (chances | {S: plural, MEETS: 1 - plural} if tokens and tokens[-1] == BOARD else chances), position

    assert translate(TermConstraints((constraint((BOARD,), (BOARD, S)),)), other)[0].tokens == expected


def test_a_form_ends_where_a_word_does() -> None:
    def other(tokens: tuple[int, ...]) -> tuple[dict[int, float], int]:
        return ({S: 0.95, MEETS: 0.04}, 2) if tokens and tokens[-1] == BOARD else model(tokens)

    assert translate(TermConstraints((constraint((BOARD,)),)), other)[0].tokens == (THE, BOARD, MEETS)


def test_two_terms_in_any_order() -> None:
    terms = (constraint((MEET,), at=2), constraint((EXEC, UTIVE)))
    assert translate(TermConstraints(terms), beam=12)[0].tokens == (THE, EXEC, UTIVE, MEET)


def test_a_guide_keeps_the_words_of_the_free_translation() -> None:
    def undecided(tokens: tuple[int, ...]) -> tuple[dict[int, float], int]:
        return model(tokens) if tokens else ({THE: 0.5, A: 0.4}, 0)

    term = constraint((EXEC, UTIVE))
    assert translate(TermConstraints((term,)), undecided)[0].tokens[0] == THE
    assert translate(TermConstraints((term,), guide=(A,)), undecided)[0].tokens[0] == A


def test_a_term_that_has_no_place_does_not_keep_the_search_going() -> None:
    best = translate(TermConstraints((constraint((EXEC, UTIVE), at=9),)))[0]
    assert best.tokens == (THE, BOARD, MEETS)
    assert not best.truncated


def test_the_length_limit_holds() -> None:
    [best, *_] = translate(TermConstraints((constraint((EXEC, UTIVE)),)), longest=2)
    assert best.truncated and len(best.tokens) == 2
