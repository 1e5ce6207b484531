"""The attention head that aligns words is found, and no other head is taken for it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from app.engine.models.manifest import Alignment
from export.alignment_search import choose_alignment
from export.arrays import arrays_of
from export.marian.probe_sentences import LEAST_TOKENS
from export.written_graphs import written_decoder, written_encoder
from model.data.batches import Batch, pad
from model.network.transformer import Transformer
from model.training.loss import losses
from tests.support.tiny import SEED, tiny_config

SIZE, EOS, START, PADDING = 60, 2, 1, 0
PIECES = ["", "", "</s>", *(f" w{index}" for index in range(SIZE - 3))]


def sources(count: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [[*rng.permutation(np.arange(3, SIZE))[: rng.integers(3, 9)].tolist(), EOS] for _ in range(count)]


def blind_other_heads(model: Transformer) -> None:
    """Makes every head but head 1 of layer 0 look everywhere alike, so that no other can learn to align."""
    first, second = (layer.cross_attention.query for layer in model.decoder)
    rows = first.weight.shape[0] // model.config.heads
    with torch.no_grad():
        for parameter in (first.weight[:rows], first.bias[:rows], second.weight, second.bias):
            parameter.zero_()


@pytest.fixture(scope="module")
def copier() -> Transformer:
    """A model that has learned to copy, looking with head 1 of layer 0 at what it copies."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    config = tiny_config(
        source_vocabulary=SIZE,
        target_vocabulary=SIZE,
        width=32,
        encoder_layers=1,
        alignment_layer=0,
        alignment_head=1,
    )
    model = Transformer(config).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for update in range(200):
        rows = [np.array(source) for source in sources(16, seed=update)]
        links = [(row, place, place) for row, source in enumerate(rows) for place in range(len(source))]
        batch = Batch(
            source=pad(rows),
            target_input=pad([np.array([START, *source[:-1]]) for source in rows]),
            target_output=pad(rows),
            links=torch.tensor(links),
            link_weights=torch.ones(len(links)),
        )
        result = losses(model, batch, 0.0)
        optimizer.zero_grad()
        ((result.smoothed + result.alignment) / result.tokens).backward()
        optimizer.step()
        blind_other_heads(model)
    return model.eval()


def search(model: Transformer, sources: list[list[int]], *, target: list[str] = PIECES, **options: Any) -> Alignment:
    """The same weights, without the information which head aligns."""
    config = replace(model.config, alignment_layer=None, alignment_head=0)
    arrays = arrays_of(model)
    floats = written_encoder(config, arrays), written_decoder(config, arrays)
    return choose_alignment(config, floats, (PIECES.__getitem__, target.__getitem__), sources, **options)


def test_the_head_is_found(copier: Transformer) -> None:
    found = search(copier, sources(20, seed=1000), guided=None)
    assert (found.layer, found.head, found.used) == (0, 1, True)
    assert found.share is not None and found.share > 0.95
    assert found.copied_tokens > 60


def test_a_head_that_was_trained_for_it_must_still_be_the_best(copier: Transformer) -> None:
    assert search(copier, sources(20, seed=1000), guided=1).layer == 0
    own = search(copier, sources(20, seed=1000), guided=1, only_guided=True)
    assert (own.layer, own.head, own.used) == (1, 0, False)


def test_too_few_copies(copier: Transformer) -> None:
    few = sources(2, seed=1000)
    assert sum(map(len, few)) < LEAST_TOKENS
    found = search(copier, few, guided=None)
    assert (found.layer, found.head, found.used) == (None, None, False)
    trusted = search(copier, few, guided=1)
    assert (trusted.layer, trusted.head, trusted.used) == (1, 0, True)


def test_no_head_is_better_than_a_bad_one(copier: Transformer) -> None:
    """The words come in the right order, and the heads look anywhere."""
    model = Transformer(copier.config).eval()
    model.load_state_dict(copier.state_dict())
    with torch.no_grad():
        for layer in model.decoder:
            layer.cross_attention.query.weight.zero_()
            layer.cross_attention.query.bias.zero_()
    assert not search(model, sources(60, seed=1000), guided=None).used


def test_different_vocabularies_are_compared_by_pieces(copier: Transformer) -> None:
    """Where no target piece is a source piece, nothing is a copy."""
    foreign = [piece.upper() + "!" for piece in PIECES]
    found = search(copier, sources(20, seed=1000), target=foreign, guided=None)
    assert found.copied_tokens == 0 and found.share is None
