"""Slow, obvious search: no cache, no batch, the whole vocabulary at every step.

The oracle that fast decoders are tested against.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from model.network.transformer import Transformer

NextScores = Callable[[tuple[int, ...]], Sequence[float]]
"""Target tokens so far, without the start -> (V,) log-probabilities of the next one."""


class Scored(NamedTuple):
    """A translation without its end of sentence, and its score: log-probability over length penalty."""

    tokens: tuple[int, ...]
    score: float


def model_scores(model: Transformer, source: Sequence[int]) -> NextScores:
    """Next-token scores of a model for one source, recomputed from the beginning each time."""
    ids = torch.tensor([list(source)])

    @torch.no_grad()
    def scores(tokens: tuple[int, ...]) -> Sequence[float]:
        prefix = torch.tensor([[model.config.decoder_start_id, *tokens]])
        states, _ = model(ids, prefix)
        result: list[float] = torch.log_softmax(model.logits(states[0, -1]), dim=-1).tolist()
        return result

    return scores


def penalty(length: int, alpha: float) -> float:
    """((5 + |Y|) / 6) ** alpha (Wu et al. 2016), |Y| counting the end of sentence."""
    return float(((5.0 + length) / 6.0) ** alpha)


def greedy_search(next_scores: NextScores, *, eos_id: int, max_length: int) -> tuple[int, ...]:
    """The best token, again and again."""
    tokens: tuple[int, ...] = ()
    while len(tokens) < max_length:
        scores = next_scores(tokens)
        best = max(range(len(scores)), key=lambda token: scores[token])
        if best == eos_id:
            break
        tokens += (best,)
    return tokens


def beam_search(
    next_scores: NextScores,
    *,
    eos_id: int,
    max_length: int,
    beam: int,
    alpha: float,
    min_length: int = 0,
    no_repeat_ngram: int = 0,
    repetition_penalty: float = 1.0,
    threshold: float = math.inf,
) -> list[Scored]:
    """Beam search whose beam shrinks by one with each hypothesis that ends; all found, best first.

    What falls behind the best extension of a step by more than the threshold is given up.
    """
    live: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[Scored] = []
    while live:
        extensions = []
        for total, tokens in live:
            for token, score in enumerate(next_scores(tokens)):
                ngrams = _ngrams(tokens, no_repeat_ngram)
                if token == eos_id and len(tokens) < min_length:
                    continue
                if no_repeat_ngram and (*tokens, token)[-no_repeat_ngram:] in ngrams:
                    continue
                extensions.append(
                    (total + (score * repetition_penalty if token in tokens else score), (*tokens, token))
                )
        extensions.sort(key=lambda extension: -extension[0])
        live = []
        lowest = extensions[0][0] - threshold
        for total, tokens in [each for each in extensions[: beam - len(ended)] if each[0] >= lowest]:
            if tokens[-1] == eos_id:
                ended.append(Scored(tokens[:-1], total / penalty(len(tokens), alpha)))
            else:
                live.append((total, tokens))
        if live and len(live[0][1]) == max_length:
            break
    cut_off = [Scored(tokens, total / penalty(len(tokens), alpha)) for total, tokens in live]
    return sorted(ended, key=lambda s: -s.score) + sorted(cut_off, key=lambda s: -s.score)


def exhaustive_search(
    next_scores: NextScores, *, eos_id: int, vocabulary: int, max_length: int, alpha: float
) -> Scored:
    """The best of all translations of fewer than ``max_length`` tokens: every one is scored."""
    words = [token for token in range(vocabulary) if token != eos_id]
    candidates = itertools.chain.from_iterable(itertools.product(words, repeat=n) for n in range(max_length))

    def score(tokens: tuple[int, ...]) -> float:
        total = sum(next_scores(tokens[:n])[token] for n, token in enumerate((*tokens, eos_id)))
        return total / penalty(len(tokens) + 1, alpha)

    return max((Scored(tokens, score(tokens)) for tokens in candidates), key=lambda scored: scored.score)


def _ngrams(tokens: tuple[int, ...], size: int) -> set[tuple[int, ...]]:
    return {tokens[i : i + size] for i in range(len(tokens) - size + 1)} if size else set()
