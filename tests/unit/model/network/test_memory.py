"""Segment memory against its formula, written out sentence by sentence without padding, batches or caches."""

from typing import Any

import pytest
import torch
from torch import Tensor

from model.data.batches import Batch
from model.network.config import ConfigError
from model.network.memory import Memories, recall_mask, remember
from model.network.transformer import Transformer
from model.training.loss import losses
from tests.support.slow_attention import SOURCE, TARGET, VOCABULARY, close, config, randomised, slow_attention

# Two documents of three sentences, padded.
SOURCES = [SOURCE, torch.tensor([[11, 2, 0, 0], [12, 13, 14, 2]]), torch.tensor([[15, 16, 2], [17, 18, 2]])]
TARGETS = [TARGET, torch.tensor([[1, 20, 21, 22, 23], [1, 24, 0, 0, 0]]), torch.tensor([[1, 25], [1, 26]])]
# Longer than a sentence, shorter than two.
MEMORY = 6
KINDS: dict[str, dict[str, Any]] = {
    "absolute": {"norm": "pre"},
    "relative": {"positions": "relative"},
    "same length": {"positions": "relative", "same_length": True, "norm": "pre"},
    "additive": {"scoring": "additive", "same_length": True},
}


def recalling(kind: str) -> Any:
    return randomised(Transformer(config(memory_length=MEMORY, **KINDS[kind])))


def slow_self_attention(layer: Any, states: Tensor, remembered: Tensor, *, causal: bool, same: bool) -> Tensor:
    """Equation (2) of section 3.2: queries of the own positions, keys and values of the remembered ones, too."""
    before, length = len(remembered), len(states)
    mask = [
        [
            before + i - j < MEMORY or not same if j < before else j - before <= i or not causal
            for j in range(before + length)
        ]
        for i in range(length)
    ]
    both = layer.self_residual.before(torch.cat([remembered, states]))
    attended = slow_attention(layer.self_attention, both[before:], both, torch.tensor(mask), before)
    return layer.self_residual.after(states, attended)


def slow_document(
    model: Transformer, sources: list[list[int]], targets: list[list[int]]
) -> list[tuple[Tensor, Tensor]]:
    """Encoder and decoder states of each sentence, whose layers keep the last states that entered them."""
    width, same = model.config.width, model.config.same_length
    kept = {layer: torch.zeros(0, width) for layer in (*model.encoder, *model.decoder)}
    found = []
    for source, target in zip(sources, targets, strict=True):
        tables = (model.source_embedding, model.source_norm), (model.target_embedding, model.target_norm)
        encoded, states = (
            model.embed(torch.tensor(ids), table, norm, model.positions(0, len(ids)))
            for ids, (table, norm) in zip((source, target), tables, strict=True)
        )
        for layer in model.encoder:
            entered = encoded
            encoded = slow_self_attention(layer, encoded, kept[layer], causal=False, same=same)
            kept[layer] = torch.cat([kept[layer], entered])[-MEMORY:]
            branch = layer.feed_forward(layer.feed_forward_residual.before(encoded))
            encoded = layer.feed_forward_residual.after(encoded, branch)
        encoded = model.encoder_norm(encoded)
        for layer in model.decoder:
            entered = states
            states = slow_self_attention(layer, states, kept[layer], causal=True, same=same)
            kept[layer] = torch.cat([kept[layer], entered])[-MEMORY:]
            everywhere = torch.ones(len(states), len(encoded), dtype=torch.bool)
            query = layer.cross_residual.before(states)
            states = layer.cross_residual.after(
                states, slow_cross_attention(layer.cross_attention, query, encoded, everywhere)
            )
            branch = layer.feed_forward(layer.feed_forward_residual.before(states))
            states = layer.feed_forward_residual.after(states, branch)
        found.append((encoded, model.decoder_norm(states)))
    return found


def slow_cross_attention(attention: Any, query: Tensor, encoded: Tensor, mask: Tensor) -> Tensor:
    return slow_attention(attention, query, encoded, mask)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_a_document_is_read_by_the_papers_formula(kind: str) -> None:
    model = recalling(kind)
    memories, found = None, []
    for source, target in zip(SOURCES, TARGETS, strict=True):
        encoded = model.encode(source, memories.encoder if memories else None)
        states, _, memories = model.read(source, target, memories)
        found.append((encoded, states))
    for row in range(2):
        sources = [[int(token) for token in source[row] if token] for source in SOURCES]
        targets = [[int(token) for token in target[row] if token] for target in TARGETS]
        expected = slow_document(model, sources, targets)
        for (encoded, states), (slow_encoded, slow_states) in zip(found, expected, strict=True):
            close(encoded.states[row, : len(slow_encoded)], slow_encoded)
            close(states[row, : len(slow_states)], slow_states)


@pytest.mark.parametrize("kind", KINDS)
@torch.no_grad()
def test_cached_steps_with_memory_are_the_full_pass(kind: str) -> None:
    model = recalling(kind)
    memories = model.read(SOURCES[0], TARGETS[0], None)[2]
    memories = model.read(SOURCES[1], TARGETS[1], memories)[2]
    states = model.read(SOURCES[2], TARGET, memories)[0]
    cache = model.start(model.encode(SOURCES[2], memories.encoder), memories.decoder)
    cache = cache.select(torch.tensor([1, 0])).select(torch.tensor([1, 0]))
    for position in range(TARGET.shape[1]):
        close(model.step(TARGET[:, position : position + 1], cache), model.logits(states[:, position]))
    assert cache.length == TARGET.shape[1]


def test_no_gradient_passes_through_the_memory() -> None:
    model = recalling("absolute")
    memories = model.read(SOURCES[0], TARGETS[0], None)[2]
    states, _, _ = model.read(SOURCES[1], TARGETS[1], memories)
    states.sum().backward()
    learnt = model.target_embedding.weight.grad.abs().sum(1) > 0
    assert learnt[[11, 12, 20, 24]].all()
    assert not learnt[[5, 6, 15, 17]].any(), "pieces of the first sentence only"
    assert model.encoder[0].self_attention.recall_weight.grad.any()


@torch.no_grad()
def test_memory_keeps_the_last_real_positions_in_their_order() -> None:
    def states(*rows: list[int]) -> Tensor:
        return torch.tensor(rows, dtype=torch.float32).unsqueeze(-1)

    first = states([1, 2, 3], [4, 0, 0])
    memory = remember(None, [first], first.squeeze(-1) > 0, 4)
    assert memory.states[0].squeeze(-1).tolist() == [[1, 2, 3], [0, 0, 4]]
    second = states([5, 6], [7, 0])
    memory = remember(memory, [second], second.squeeze(-1) > 0, 4)
    assert memory.states[0].squeeze(-1).tolist() == [[2, 3, 5, 6], [0, 0, 4, 7]]
    assert memory.mask.int().tolist() == [[1, 1, 1, 1], [0, 0, 1, 1]]
    assert recall_mask(memory.mask, 1, 2, 4).int().tolist() == [
        [[0, 0, 1, 1], [0, 0, 0, 1]],
        [[0, 0, 1, 1], [0, 0, 0, 1]],
    ]


@torch.no_grad()
def test_batches_that_follow_are_learnt_with_memory() -> None:
    """The losses of a document are those of its sentences, each read with what is remembered of those before."""
    model = recalling("absolute")
    parts = [
        Batch(source, target[:, :-1], target[:, 1:], torch.zeros(0, 3, dtype=torch.int64), torch.zeros(0))
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
    memories: Memories | None = None
    likelihood = 0.0
    for part in parts:
        states, _, memories = model.read(part.source, part.target_input, memories)
        scores = model.logits(states).log_softmax(-1).gather(-1, part.target_output.unsqueeze(-1)).squeeze(-1)
        likelihood -= float((scores * (part.target_output != 0)).sum())
    together = losses(model, parts[0]._replace(following=tuple(parts[1:])), 0.1)
    assert float(together.likelihood) == pytest.approx(likelihood, rel=1e-4)
    assert together.tokens == parts[0]._replace(following=tuple(parts[1:])).tokens == 6 + 5 + 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory_length": -1}, "memory_length must be at least 0"),
        ({"memory_length": 4, "encoder_layers": 0}, "memory_length needs encoder_layers"),
        ({"same_length": True}, "same_length needs memory_length"),
    ],
)
def test_choices_that_contradict_each_other_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config(**options)
    assert VOCABULARY
