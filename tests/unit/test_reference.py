"""The oracle of search against what is simpler still: brute force over every translation of a toy model."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from model.network.config import TransformerConfig
from model.network.transformer import Transformer
from tests.support.reference import Scored, beam_search, exhaustive_search, greedy_search, model_scores, penalty
from tests.support.toy import EOS, ToyModel

VOCABULARY, MAX_LENGTH, WIDE = 4, 5, 1000
SEEDS = pytest.mark.parametrize("seed", range(8))


def toy(seed: int) -> Callable[[tuple[int, ...]], list[float]]:
    return ToyModel(VOCABULARY, seed=seed).next_scores((3,))


def translations() -> Iterator[tuple[int, ...]]:
    """Every translation that the model itself ends within the limit."""
    words = [token for token in range(VOCABULARY) if token != EOS]
    for length in range(MAX_LENGTH):
        yield from itertools.product(words, repeat=length)


def wide_beam(seed: int, **options: Any) -> list[Scored]:
    return beam_search(toy(seed), **{"eos_id": EOS, "max_length": MAX_LENGTH, "beam": WIDE, "alpha": 0.6, **options})


def test_the_length_penalty_is_that_of_the_paper() -> None:
    assert penalty(1, 0.6) == 1
    assert penalty(7, 1.0) == 2
    assert penalty(7, 0.5) == pytest.approx(2**0.5)
    assert penalty(50, 0.0) == 1


@SEEDS
def test_greedy_takes_the_best_token_each_time(seed: int) -> None:
    found = greedy_search(toy(seed), eos_id=EOS, max_length=MAX_LENGTH)
    for length, token in enumerate(found):
        scores = toy(seed)(found[:length])
        assert token != EOS and scores[token] == max(scores)
    last = toy(seed)(found)
    assert len(found) == MAX_LENGTH or last[EOS] == max(last)


@SEEDS
@pytest.mark.parametrize("max_length", [1, 3, 8])
def test_greedy_is_a_beam_of_one(seed: int, max_length: int) -> None:
    [found] = beam_search(toy(seed), eos_id=EOS, max_length=max_length, beam=1, alpha=0.6)
    assert found.tokens == greedy_search(toy(seed), eos_id=EOS, max_length=max_length)


@SEEDS
@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_wide_beam_is_exhaustive_search(seed: int, alpha: float) -> None:
    best, *_ = wide_beam(seed, alpha=alpha)
    expected = exhaustive_search(toy(seed), eos_id=EOS, vocabulary=VOCABULARY, max_length=MAX_LENGTH, alpha=alpha)
    assert best.tokens == expected.tokens
    assert best.score == pytest.approx(expected.score)


@SEEDS
def test_exhaustive_search_finds_the_best_of_all(seed: int) -> None:
    scores = toy(seed)
    totals = {
        tokens: sum(scores(tokens[:at])[token] for at, token in enumerate((*tokens, EOS))) for tokens in translations()
    }
    assert len(totals) == 1 + 3 + 9 + 27 + 81
    best = max(totals, key=lambda tokens: totals[tokens])
    found = exhaustive_search(scores, eos_id=EOS, vocabulary=VOCABULARY, max_length=MAX_LENGTH, alpha=0)
    assert found == (best, pytest.approx(totals[best]))


@SEEDS
def test_a_wide_beam_finds_every_translation_with_its_score_best_first(seed: int) -> None:
    found = wide_beam(seed)
    ended = found[: len(list(translations()))]
    assert {item.tokens for item in ended} == set(translations())
    assert all(len(item.tokens) == MAX_LENGTH for item in found[len(ended) :]), "then those that were cut off"
    for group in (ended, found[len(ended) :]):
        assert [item.score for item in group] == sorted((item.score for item in group), reverse=True)
    scores = toy(seed)
    for tokens, score in ended[:10]:
        total = sum(scores(tokens[:at])[token] for at, token in enumerate((*tokens, EOS)))
        assert score == pytest.approx(total / penalty(len(tokens) + 1, 0.6))


@SEEDS
def test_a_minimal_length_leaves_out_the_shorter_ones_and_nothing_else(seed: int) -> None:
    every = wide_beam(seed)
    assert wide_beam(seed, min_length=3) == [item for item in every if len(item.tokens) >= 3]


@SEEDS
@pytest.mark.parametrize("size", [1, 2])
def test_no_ngram_twice_leaves_out_those_with_one_and_nothing_else(seed: int, size: int) -> None:
    def repeats(tokens: tuple[int, ...]) -> bool:
        ngrams = [tokens[at : at + size] for at in range(len(tokens) - size + 1)]
        return len(ngrams) > len(set(ngrams))

    ended = {tokens for tokens in translations() if not repeats(tokens)}
    found = [item for item in wide_beam(seed, no_repeat_ngram=size) if len(item.tokens) < MAX_LENGTH]
    assert {item.tokens for item in found} == ended
    plain = dict(wide_beam(seed))
    assert all(item.score == plain[item.tokens] for item in found)


def test_repeated_tokens_lose_score_by_the_penalty() -> None:
    scores = toy(0)
    plain, punished = dict(wide_beam(0)), dict(wide_beam(0, repetition_penalty=1.5))
    assert plain.keys() == punished.keys()
    assert punished[(0, 1, 3)] == plain[(0, 1, 3)]
    expected = plain[(0, 1, 0)] + 0.5 * scores((0, 1))[0] / penalty(4, 0.6)
    assert punished[(0, 1, 0)] == pytest.approx(expected)


def test_a_narrow_beam_keeps_its_width() -> None:
    widths: list[int] = []
    scores = toy(1)

    def counted(tokens: tuple[int, ...]) -> list[float]:
        widths.append(len(tokens))
        return scores(tokens)

    found = beam_search(counted, eos_id=EOS, max_length=MAX_LENGTH, beam=3, alpha=0.6)
    assert len(found) == 3
    assert max(widths.count(length) for length in set(widths)) <= 3


def test_a_models_scores_are_those_of_teacher_forcing() -> None:
    torch.manual_seed(2)
    config = TransformerConfig(
        source_vocabulary=9, target_vocabulary=9, width=8, heads=2, feed_forward=8, encoder_layers=1, decoder_layers=1
    )
    model = Transformer(config).eval()
    source, target = [4, 5, 2], (6, 7, 8)
    with torch.no_grad():
        states, _ = model(torch.tensor([source]), torch.tensor([[config.decoder_start_id, *target]]))
        expected = model.logits(states[0]).log_softmax(-1)
    scores = model_scores(model, source)
    for length in range(4):
        torch.testing.assert_close(torch.tensor(scores(target[:length])), expected[length])
