"""Searches over a model that is a table: for each translation so far, the likely tokens, and where the head looks."""

import math

import pytest

from app.engine.decoding.lexicon_search import LexiconSearch, interpolated
from app.engine.decoding.search import Hypothesis
from app.engine.decoding.word_trees import RareWord
from app.engine.options import SearchOptions

# Source positions 0 to 3: die Narkose wirkt, end. "anesthesia" is two tokens.
EOS, THE, NUTS, ANES, THESIA, WORKS, DRUG = range(7)
PIECES = ("</s>", "▁the", "▁nuts", "▁anes", "thesia", "▁works", "▁drug")


def model(tokens: tuple[int, ...]) -> tuple[dict[int, float], int]:
    """Says "the nuts work", for it doesn't know the second word."""
    if not tokens:
        return {THE: 0.9, NUTS: 0.05}, 0
    if tokens[-1] == THE:
        return {NUTS: 0.15, WORKS: 0.1}, 1
    if tokens[-1] == ANES:
        return {NUTS: 0.8, WORKS: 0.1}, 1
    if tokens[-1] == WORKS:
        return {EOS: 0.9, THE: 0.05}, 3
    return {WORKS: 0.7, NUTS: 0.2}, 2


def translate(*rare_words: RareWord, beam: int = 1, **options: object) -> list[Hypothesis]:
    search = LexiconSearch(
        start_id=-1, eos_id=EOS, max_length=12, rare_words=rare_words, pieces=PIECES,
        options=SearchOptions(beam_size=beam, n_best=beam, **options),
    )  # fmt: skip
    live: list[tuple[int, ...]] = [()]
    while search.rows:
        offered = [model(tokens) for tokens in live]
        ranked = [sorted(chances.items(), key=lambda item: -item[1]) for chances, _ in offered]
        parents = search.advance(
            [[math.log(chance) for _, chance in row] for row in ranked],
            [[token for token, _ in row] for row in ranked],
            [position for _, position in offered],
        )
        live = [(*live[parent], token) for parent, token in zip(parents, search.last_tokens, strict=True)]
    return search.hypotheses()


def test_the_lexicon_has_the_word_where_the_alignment_head_looks() -> None:
    assert translate()[0].tokens == (THE, NUTS, WORKS)
    [best] = translate(RareWord((1,), ((ANES, THESIA),)))
    assert best.tokens == (THE, ANES, THESIA, WORKS)
    assert best.log_probability == pytest.approx(math.log(0.9 * 0.2 * 0.9 * 0.7 * 0.9))


def test_a_beam_keeps_what_the_model_would_say() -> None:
    found = {each.tokens: each.log_probability for each in translate(RareWord((1,), ((ANES, THESIA),)), beam=4)}
    assert found[THE, NUTS, WORKS] == pytest.approx(math.log(0.9 * 0.15 * (1 - 0.2) * 0.7 * 0.9))


def test_a_model_that_is_sure_has_its_way() -> None:
    """It is sure of the first word."""
    assert translate(RareWord((0,), ((DRUG,),)))[0].tokens == (THE, NUTS, WORKS)


def test_what_both_say_is_likelier_than_what_one_says() -> None:
    assert interpolated(math.log(0.3), 0.2) == pytest.approx(math.log(0.8 * 0.3 + 0.2), abs=1e-6)
    [best] = translate(RareWord((1,), ((NUTS,),)))
    assert best.log_probability == pytest.approx(math.log(0.9 * (0.8 * 0.15 + 0.2) * 0.7 * 0.9), abs=1e-5)


def test_all_translations_of_a_word_are_offered() -> None:
    found = [each.tokens for each in translate(RareWord((1,), ((DRUG,), (ANES, THESIA))), beam=4)]
    assert (THE, DRUG, WORKS) in found
    assert (THE, ANES, THESIA, WORKS) in found


def test_a_word_is_offered_once() -> None:
    """The head looks at the second word twice: the translation is written the first time."""
    found = translate(RareWord((1,), ((ANES,),)), beam=4)
    assert all(each.tokens.count(ANES) <= 1 for each in found)
    assert found[0].tokens[:2] == (THE, ANES)


def test_what_the_options_forbid_is_not_offered() -> None:
    forbidden = LexiconSearch(
        start_id=-1,
        eos_id=EOS,
        max_length=9,
        rare_words=[RareWord((0,), ((ANES,),))],
        pieces=PIECES,
        options=SearchOptions(beam_size=1),
        avoided=[(ANES,)],
    )
    forbidden.advance([[-0.1, -2.0]], [[THE, NUTS]], [0])
    assert forbidden.last_tokens == [THE]


def test_without_an_alignment_head_it_is_a_search_like_any_other() -> None:
    search = LexiconSearch(
        start_id=-1,
        eos_id=EOS,
        max_length=9,
        rare_words=[RareWord((0,), ((ANES,),))],
        pieces=PIECES,
        options=SearchOptions(beam_size=1),
    )
    search.advance([[-0.1, -2.0]], [[THE, NUTS]])
    assert search.last_tokens == [THE]


def test_a_name_has_smaller_shares() -> None:
    """The model gives the wrong word 0.15, more than the beginning of a name gets: 0.1 of the lexicon."""
    name = RareWord((1,), ((ANES, THESIA),), is_name=True)
    assert translate(name)[0].tokens == (THE, NUTS, WORKS)
    found = {each.tokens: each.log_probability for each in translate(name, beam=4)}
    assert found[THE, ANES, THESIA, WORKS] == pytest.approx(math.log(0.9 * 0.1 * 0.6 * 0.7 * 0.9))
