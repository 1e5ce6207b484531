"""The attention head that aligns words is found, and no other head is taken for it."""

import numpy as np
import pytest
import torch

from export.marian.probe import choose_alignment
from export.marian.probe_sentences import LEAST_TOKENS
from export.marian.source import Vocabularies
from model.data.batches import Batch, pad
from model.network.transformer import Transformer
from model.training.loss import losses
from tests.support.tiny import SEED, tiny_config

SIZE, EOS, START, PADDING = 60, 2, 1, 0
PIECES: list[str | None] = [None, None, "</s>", *(f"▁w{index}" for index in range(SIZE - 3))]
VOCABULARIES = Vocabularies(source=PIECES, target=PIECES)


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


def unaligned(model: Transformer) -> Transformer:
    """The same weights, without the information which head aligns."""
    config = type(model.config)(**model.config.to_dict() | {"alignment_layer": None, "alignment_head": 0})
    other = Transformer(config).eval()
    other.load_state_dict(model.state_dict())
    return other


def test_the_head_is_found(copier: Transformer) -> None:
    model = unaligned(copier)
    found = choose_alignment(model, VOCABULARIES, sources(20, seed=1000), guided=None)
    assert (found.layer, found.head, found.used) == (0, 1, True)
    assert found.share is not None and found.share > 0.95
    assert found.copied_tokens > 60
    assert (model.config.alignment_layer, model.config.alignment_head) == (0, 1)


def test_a_head_that_was_trained_for_it_must_still_be_the_best(copier: Transformer) -> None:
    model = unaligned(copier)
    assert choose_alignment(model, VOCABULARIES, sources(20, seed=1000), guided=1).layer == 0


def test_too_few_copies(copier: Transformer) -> None:
    model = unaligned(copier)
    few = sources(2, seed=1000)
    assert sum(map(len, few)) < LEAST_TOKENS
    found = choose_alignment(model, VOCABULARIES, few, guided=None)
    assert (found.layer, found.head, found.used) == (None, None, False)
    assert model.config.alignment_layer is None
    trusted = choose_alignment(model, VOCABULARIES, few, guided=1)
    assert (trusted.layer, trusted.head, trusted.used) == (1, 0, True)
    assert model.config.alignment_layer == 1


def test_no_head_is_better_than_a_bad_one(copier: Transformer) -> None:
    """The words come in the right order, and the heads look anywhere."""
    model = unaligned(copier)
    with torch.no_grad():
        for layer in model.decoder:
            layer.cross_attention.query.weight.zero_()
            layer.cross_attention.query.bias.zero_()
    found = choose_alignment(model, VOCABULARIES, sources(60, seed=1000), guided=None)
    assert not found.used
    assert model.config.alignment_layer is None


def test_different_vocabularies_are_compared_by_pieces(copier: Transformer) -> None:
    """Where no target piece is a source piece, nothing is a copy."""
    foreign: list[str | None] = [piece and piece.upper() + "!" for piece in PIECES]
    found = choose_alignment(
        unaligned(copier), Vocabularies(source=PIECES, target=foreign), sources(20, seed=1000), guided=None
    )
    assert found.copied_tokens == 0 and found.share is None
