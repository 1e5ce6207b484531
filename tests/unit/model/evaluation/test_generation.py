"""Translating a corpus with a checkpoint, against the oracle."""

from copy import deepcopy
from functools import cache
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from model.evaluation.generation import translate_corpus
from model.network.transformer import Transformer
from tests.support.reference import greedy_search, model_scores
from tests.unit.model.evaluation.test_inference import tiny

SOURCES = [[*rng.choices(range(4, 14), k=rng.randint(1, 9)), 2] for rng in [Random(1)] for _ in range(24)]


@cache
def ending() -> Transformer:
    """A model most of whose translations end by themselves."""
    model = deepcopy(tiny())
    with torch.no_grad():
        model.projection.bias[model.config.eos_id] += 1.5
    return model


@cache
def references() -> list[tuple[int, ...]]:
    """The oracle's translations."""
    return [greedy_search(model_scores(ending(), source), eos_id=2, max_length=10) for source in SOURCES]


@pytest.mark.parametrize("batch_tokens", [1, 20, 10_000])
def test_a_corpus_is_translated_as_the_reference_does(batch_tokens: int) -> None:
    advanced: list[int] = []
    found = translate_corpus(
        ending(), [np.array(ids) for ids in SOURCES], batch_tokens=batch_tokens, advance=advanced.append
    )
    assert list(accumulate(advanced))[-1] == len(SOURCES)
    assert (len(advanced) == len(SOURCES)) is (batch_tokens == 1)
    compared = 0
    for translation, expected in zip(found, references(), strict=True):
        if translation and len(expected) < 10:
            assert tuple(translation) == expected
            compared += 1
    assert compared > 8


def test_nothing_to_translate() -> None:
    assert translate_corpus(tiny(), [], batch_tokens=100) == []


def test_rows_leave_a_batch_in_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    class AsOnAGpu(torch.autocast):
        def __init__(self, device: str, dtype: torch.dtype, enabled: bool) -> None:
            super().__init__(device, dtype)

    monkeypatch.setattr("model.evaluation.generation.torch.autocast", AsOnAGpu)
    model = deepcopy(ending())
    step, in_bfloat16 = model.step, list[bool]()

    def watched(*arguments: Any) -> torch.Tensor:
        in_bfloat16.append(torch.is_autocast_enabled("cpu"))
        return step(*arguments)

    monkeypatch.setattr(model, "step", watched)
    assert any(translate_corpus(model, [np.array(ids) for ids in SOURCES], batch_tokens=10_000))
    assert len(in_bfloat16) > 4 and all(in_bfloat16)
