"""Each variant against its paper's formula, written out slowly, or against PyTorch's own module."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.data.batches import Batch
from model.network.attention import MultiHeadAttention, RelativeAttention, shift
from model.network.config import ConfigError, TransformerConfig
from model.network.decoder_only import new_model
from model.network.embedding import AdaptiveEmbedding, AdaptiveSoftmax
from model.network.layers import FeedForward
from model.network.masks import causal_mask, padding_mask
from model.network.recurrent import SimpleRecurrentUnit
from model.network.transformer import Transformer
from model.training.loss import losses
from tests.support.slow_attention import (
    HEADS,
    SOURCE,
    TARGET,
    VOCABULARY,
    WIDTH,
    close,
    config,
    randomised,
    signal,
    slow_attention,
)
from tests.support.variants import CHOICES


@pytest.mark.parametrize("masked", ["encoder", "decoder", "step"])
@pytest.mark.parametrize(
    "options",
    [{}, {"scoring": "dot"}, {"scoring": "general"}, {"scoring": "additive"}, {"positions": "relative"}],
    ids=["scaled-dot", "dot", "general", "additive", "relative"],
)
@torch.no_grad()
def test_attention_is_its_papers_formula(options: dict[str, Any], masked: str) -> None:
    kind = RelativeAttention if "positions" in options else MultiHeadAttention
    attention = randomised(kind(config(**options)))
    keys = torch.randn(2, 6, WIDTH)
    mask = torch.ones(2, 6, 6, dtype=torch.bool)
    mask[1, :, 4:] = False
    if masked != "encoder":
        mask = causal_mask(6).expand(2, -1, -1)
    queries = keys[:, -1:] if masked == "step" else keys
    mask = mask[:, -queries.shape[1] :]
    states, maps = attention(queries, attention.project(keys), mask)
    for row in range(2):
        close(states[row], slow_attention(attention, queries[row], keys[row], mask[row]))
    assert not maps.masked_select(~mask.unsqueeze(1)).any()


@torch.no_grad()
def test_the_recurrent_unit_is_its_papers_formula() -> None:
    """Kim et al. 2019, one number at a time; and the state of one call is where the next goes on."""
    unit = randomised(SimpleRecurrentUnit(config(decoder_cell="ssru")))
    states = torch.randn(2, 6, WIDTH)
    found, last = unit(states, None)
    weights, gates, biases = (each.tolist() for each in (unit.candidate.weight, unit.gate.weight, unit.gate.bias))
    for row in range(2):
        cell = [0.0] * WIDTH
        for position in range(6):
            x = states[row, position].tolist()
            for i in range(WIDTH):
                kept = 1 / (1 + math.exp(-sum(w * each for w, each in zip(gates[i], x, strict=True)) - biases[i]))
                new = sum(w * each for w, each in zip(weights[i], x, strict=True))
                cell[i] = kept * cell[i] + (1 - kept) * new
            close(found[row, position], torch.tensor([max(0.0, each) for each in cell]))
        close(last[row], torch.tensor(cell))
    before, state = unit(states[:, :2], None)
    after, end = unit(states[:, 2:], state)
    close(torch.cat([before, after], 1), found)
    close(end, last)


def test_a_recurrent_model_has_no_self_attention_in_its_decoder() -> None:
    model = Transformer(config(decoder_cell="ssru"))
    assert not [
        name for name in dict(model.named_parameters()) if name.startswith("decoder") and "self_attention" in name
    ]
    assert model.config.variants == ('decoder_cell = "ssru"',)
    for other in ({"memory_length": 8}, {"encoder_layers": 0}, {"positions": "relative"}):
        with pytest.raises(ConfigError, match="can't be combined"):
            config(decoder_cell="ssru", **other)


def test_the_shift_puts_each_distance_where_its_query_and_key_are() -> None:
    distances = torch.arange(4, -4, -1)  # of 3 queries and 5 keys: 4 to -3
    products = distances.expand(1, 1, 3, -1)
    assert shift(products, 3, 5)[0, 0].tolist() == [[2, 1, 0, -1, -2], [3, 2, 1, 0, -1], [4, 3, 2, 1, 0]]
    assert shift(torch.tensor([[[[2, 1, 0, -1]]]]), 1, 3).tolist() == [[[[2, 1, 0]]]]


def test_masks_written_out() -> None:
    assert padding_mask(SOURCE, 0).int().tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]
    assert causal_mask(4).int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


@pytest.mark.parametrize("width", [1, 3, 5])
@torch.no_grad()
def test_the_convolutional_network_is_two_of_pytorchs_convolutions(width: int) -> None:
    network = randomised(FeedForward(config(feed_forward_kind="conv"), width))
    states, mask = torch.randn(2, 5, WIDTH), padding_mask(SOURCE, 0)

    def convolve(layer: nn.Linear, states: Tensor) -> Tensor:
        kernel = layer.weight.unflatten(1, (width, -1)).transpose(1, 2)  # (C', C, W)
        return F.conv1d(states.transpose(1, 2), kernel, layer.bias, padding=width // 2).transpose(1, 2)

    for row, length in enumerate(mask.sum(1).tolist()):  # alone, so without any padding
        expected = convolve(network.outer, F.relu(convolve(network.inner, states[row : row + 1, :length])))
        close(network(states, mask)[row : row + 1, :length], expected)
    if width == 1:
        linear = randomised(FeedForward(config()), seed=0)
        linear.load_state_dict(network.state_dict())
        torch.testing.assert_close(network(states), linear(states), rtol=0, atol=1e-6)


@torch.no_grad()
def test_the_adaptive_softmax_is_pytorchs() -> None:
    """PyTorch's own (Grave et al. 2017), with its tails' weights from our embedding."""
    settings = config(cutoffs=(10, 22), div_val=2)
    embedding = randomised(AdaptiveEmbedding(settings))
    softmax = randomised(AdaptiveSoftmax(embedding, WIDTH), seed=1)
    theirs = nn.AdaptiveLogSoftmaxWithLoss(WIDTH, VOCABULARY, cutoffs=[10, 22], div_value=2)
    tables = [table.weight for table in embedding.tables]
    theirs.head.weight.copy_(torch.cat([tables[0], softmax.clusters.weight]))
    for (reduce, expand), projection, table in zip(theirs.tail, embedding.projections, tables[1:], strict=True):
        reduce.weight.copy_(projection.weight.T)
        expand.weight.copy_(table)
    states = torch.randn(7, WIDTH)
    close(softmax(states), theirs.log_prob(states))
    close(softmax(states).exp().sum(-1), torch.ones(7))


@torch.no_grad()
def test_the_adaptive_embedding_looks_each_piece_up_in_its_cluster() -> None:
    embedding = randomised(AdaptiveEmbedding(config(cutoffs=(10, 22), div_val=4)))
    rows = [embedding.tables[0].weight]
    rows += [p(t.weight) for p, t in zip(embedding.projections, list(embedding.tables)[1:], strict=True)]
    close(embedding(torch.arange(VOCABULARY).view(5, 6)), torch.cat(rows).view(5, 6, WIDTH))
    assert [tuple(table.weight.shape) for table in embedding.tables] == [(10, 16), (12, 4), (8, 1)]


def test_an_adaptive_model_has_one_set_of_tables_and_starts_with_even_variance() -> None:
    torch.manual_seed(0)
    small = TransformerConfig(source_vocabulary=3000, target_vocabulary=3000, width=64, heads=2, cutoffs=(500, 1500))
    model = Transformer(small)
    assert sum(parameter.numel() for parameter in model.target_embedding.parameters()) == (
        500 * 64 + 1000 * 16 + 1500 * 4 + 64 * 16 + 64 * 4
    )
    vectors = model.target_embedding(torch.arange(3000)).std(1) * 8
    for part in (slice(0, 500), slice(500, 1500), slice(1500, 3000)):
        assert vectors[part].mean().item() == pytest.approx(1, rel=0.25)
    assert not {name for name in dict(model.named_parameters()) if name.startswith("projection.tables")}


def test_without_positions_order_is_seen_by_relative_distances_only() -> None:
    turned = SOURCE[:1].flip(1)
    for scheme, sees_order in (("none", False), ("relative", True), ("sinusoidal-halves", True)):
        model = randomised(Transformer(config(positions=scheme)))
        states, others = model.encode(SOURCE[:1]).states, model.encode(turned).states.flip(1)
        assert torch.allclose(states, others, atol=1e-4) != sees_order


@torch.no_grad()
def test_a_decoder_alone_reads_source_and_target_as_one_text() -> None:
    """PyTorch's own layers over both in one row, one sentence at a time, without any padding or cache."""
    model = randomised(new_model(config(encoder_layers=0, norm="pre")))
    states, maps = model(SOURCE, TARGET)
    for row, length in enumerate([5, 3]):
        ids = torch.cat([SOURCE[row, :length], TARGET[row]])
        signals = torch.stack([signal(position) for position in range(len(ids))])
        interleaved = signals.view(-1, 2, WIDTH // 2).transpose(1, 2).flatten(1)
        together = (model.target_embedding(ids) * WIDTH**0.5 + interleaved).unsqueeze(0)
        causal = nn.Transformer.generate_square_subsequent_mask(len(ids))
        for layer in model.decoder:
            theirs = nn.TransformerEncoderLayer(WIDTH, HEADS, 24, 0.0, batch_first=True, norm_first=True).eval()
            attention = layer.self_attention
            parts = (attention.query, attention.key, attention.value)
            theirs.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
            theirs.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
            theirs.self_attn.out_proj.load_state_dict(attention.output.state_dict())
            theirs.linear1.load_state_dict(layer.feed_forward.inner.state_dict())
            theirs.linear2.load_state_dict(layer.feed_forward.outer.state_dict())
            theirs.norm1.load_state_dict(layer.self_residual.norm.state_dict())
            theirs.norm2.load_state_dict(layer.feed_forward_residual.norm.state_dict())
            together = theirs(together, causal)
        close(states[row], model.decoder_norm(together)[0, length:])
    for own, source in zip(maps.decoder, maps.cross, strict=True):
        close(own.sum(-1) + source.sum(-1), torch.ones(2, HEADS, 4))
        assert not source[1, :, :, 3:].any()


@pytest.mark.parametrize("name", CHOICES)
def test_every_weight_learns(name: str) -> None:
    torch.manual_seed(0)
    sizes = {"alignment_layer": 1} | CHOICES[name]
    if "cutoffs" in sizes:
        sizes["cutoffs"] = (10, 22)
    model = new_model(config(**sizes))
    source, target = torch.randint(3, VOCABULARY, (8, 9)), torch.randint(3, VOCABULARY, (8, 7))
    links = torch.tensor([[0, 1, 2]])
    batch = Batch(source, target[:, :-1], target[:, 1:], links, torch.ones(1))
    result = losses(model, batch._replace(following=(batch,)), 0.1)
    (result.smoothed + result.alignment).backward()
    still = [name for name, p in model.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.any())]
    assert not still


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"convolution_width": 3}, 'convolution_width needs feed_forward_kind = "conv"'),
        ({"convolution_width": 2, "feed_forward_kind": "conv"}, "convolution_width must be odd, not 2"),
        (
            {"positions": "relative", "scoring": "dot"},
            'relative positions need encoder_layers and scoring = "scaled-dot"',
        ),
        ({"cutoffs": (20, 10)}, "cutoffs must ascend, within the vocabulary"),
        ({"cutoffs": (10, 30)}, "cutoffs must ascend, within the vocabulary"),
        ({"cutoffs": (10, 20, 25)}, "width 16 can't be divided by div_val 4 for each of the cutoffs"),
        ({"cutoffs": (10,), "tie_output": False}, "cutoffs need tie_source_target and tie_output"),
        ({"cutoffs": (2,)}, "the special ids must be in the first of the clusters"),
        ({"encoder_layers": 0, "positions": "relative"}, "relative positions need encoder_layers"),
        ({"encoder_layers": 0, "tie_source_target": False}, "without encoder_layers there is one embedding"),
        ({"scoring": "cosine"}, "scoring must be one of scaled-dot, dot, general, additive, not 'cosine'"),
    ],
)
def test_choices_that_contradict_each_other_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("(", r"\(")):
        config(**options)


def test_lists_of_toml_are_the_same_configuration() -> None:
    settings = config(cutoffs=(10, 20))
    assert TransformerConfig.from_dict(settings.to_dict() | {"cutoffs": [10, 20]}) == settings
    assert settings.variants == ("cutoffs = [10, 20]",)
    assert config(scoring="general").variants == config().variants == ()
