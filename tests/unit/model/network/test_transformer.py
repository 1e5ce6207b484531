import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.network.config import TransformerConfig
from model.network.decoder_only import new_model
from model.network.transformer import DecoderCache, DecoderLayer, EncoderLayer, Transformer
from tests.support.paper import paper_base, paper_big

WIDTH, HEADS, VOCABULARY = 16, 4, 30
ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


def transformer(**options: Any) -> Transformer:
    """A small model with random biases and norms, so that none can be forgotten unnoticed."""
    torch.manual_seed(7)
    values = {
        "source_vocabulary": VOCABULARY,
        "target_vocabulary": VOCABULARY,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "width": WIDTH,
        "heads": HEADS,
        "feed_forward": 24,
        **options,
    }
    model = new_model(TransformerConfig(**values)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() in (1, 3):
                parameter.add_(torch.randn_like(parameter) * 0.2)
    return model


def ids(*rows: list[int]) -> Tensor:
    """Rows of ids, padded with 0."""
    longest = max(map(len, rows))
    return torch.tensor([row + [0] * (longest - len(row)) for row in rows])


SOURCE = ids([5, 6, 7, 8, 2], [9, 10, 2], [11, 12, 13, 2])
TARGET = ids([1, 14, 15, 16], [1, 17, 18, 19], [1, 20, 21, 22])


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=2e-5)


def copy_attention(ours: nn.Module, theirs: nn.MultiheadAttention) -> None:
    state = ours.state_dict()
    for kind in ("weight", "bias"):
        stacked = torch.cat([state[f"{part}.{kind}"] for part in ("query", "key", "value")])
        getattr(theirs, f"in_proj_{kind}").copy_(stacked)
        getattr(theirs.out_proj, kind).copy_(state[f"output.{kind}"])


def torch_layer(layer: EncoderLayer | DecoderLayer, config: TransformerConfig) -> nn.Module:
    """PyTorch's own layer with our weights."""
    kind = nn.TransformerEncoderLayer if isinstance(layer, EncoderLayer) else nn.TransformerDecoderLayer
    theirs = kind(
        config.width,
        config.heads,
        config.feed_forward,
        dropout=0.0,
        activation=ACTIVATIONS[config.activation],
        layer_norm_eps=config.norm_epsilon,
        batch_first=True,
        norm_first=config.norm == "pre",
    )
    residuals = [layer.self_residual, layer.feed_forward_residual]
    with torch.no_grad():
        copy_attention(layer.self_attention, theirs.self_attn)
        if isinstance(layer, DecoderLayer):
            copy_attention(layer.cross_attention, theirs.multihead_attn)
            residuals.insert(1, layer.cross_residual)
        theirs.linear1.load_state_dict(layer.feed_forward.inner.state_dict())
        theirs.linear2.load_state_dict(layer.feed_forward.outer.state_dict())
        for number, residual in enumerate(residuals, start=1):
            getattr(theirs, f"norm{number}").load_state_dict(residual.norm.state_dict())
    return theirs


def embedded(model: Transformer, batch: Tensor) -> Tensor:
    """Section 3.4 and 3.5, written out."""
    signal = [
        [(math.cos if c % 2 else math.sin)(p / 10000 ** ((c - c % 2) / WIDTH)) for c in range(WIDTH)]
        for p in range(batch.shape[1])
    ]
    return F.embedding(batch, model.target_embedding.weight) * math.sqrt(WIDTH) + torch.tensor(signal)


@pytest.mark.parametrize("activation", ["relu", "gelu", "swish"])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_whole_model_is_made_of_pytorchs_own_layers(norm: str, activation: str) -> None:
    model = transformer(norm=norm, activation=activation)
    padding = SOURCE == 0
    states = embedded(model, SOURCE)
    for layer in model.encoder:
        states = torch_layer(layer, model.config)(states, src_key_padding_mask=padding)
    memory = model.encoder_norm(states)
    states = embedded(model, TARGET)
    causal = torch.triu(torch.ones(TARGET.shape[1], TARGET.shape[1], dtype=torch.bool), diagonal=1)
    for layer in model.decoder:
        states = torch_layer(layer, model.config)(
            states, memory, tgt_mask=causal, memory_key_padding_mask=padding, tgt_is_causal=True
        )
    expected = model.decoder_norm(states)

    close(model.encode(SOURCE).states[~padding], memory[~padding])
    close(model.decode(TARGET, model.encode(SOURCE)), expected)
    close(model(SOURCE, TARGET)[0], expected)
    close(model.logits(expected), expected @ model.target_embedding.weight.T)
    assert isinstance(model.encoder_norm, nn.LayerNorm if norm == "pre" else nn.Identity)


SCHEMES = pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm": "pre", "activation": "gelu"},
        {"positions": "learned", "embedding_norm": True, "scale_embeddings": False},
        {"positions": "sinusoidal-halves", "activation": "swish", "output_bias": True, "biases": False},
        {"encoder_layers": 1, "decoder_layers": 3, "tie_source_target": False, "tie_output": False},
        {"positions": "relative"},
        {"positions": "none", "scoring": "general"},
        {"scoring": "additive", "feed_forward_kind": "conv", "convolution_width": 3},
        {"scoring": "dot", "cutoffs": (10, 22), "div_val": 2},
        {"encoder_layers": 0},
    ],
    ids=[
        "paper",
        "pre-norm",
        "learned",
        "marian",
        "untied",
        "relative",
        "general",
        "additive-conv",
        "dot-adaptive",
        "decoder-only",
    ],
)


@SCHEMES
def test_steps_with_a_cache_give_what_the_full_pass_gives(options: dict[str, Any]) -> None:
    model = transformer(**options)
    full = model.logits(model.decode(TARGET, model.encode(SOURCE)))
    cache = model.start(model.encode(SOURCE))
    for position in range(TARGET.shape[1]):
        assert cache.length == position
        close(model.step(TARGET[:, position : position + 1], cache), full[:, position])
    assert [tuple(past.keys.shape) for past in cache.past] == [(3, 4, WIDTH)] * model.config.decoder_layers


def test_several_positions_may_be_appended_to_a_cache_at_once() -> None:
    model = transformer(norm="pre")
    cache = model.start(model.encode(SOURCE))
    model.step(TARGET[:, :1], cache)
    states, self_maps, _ = model.advance(TARGET[:, 1:], cache)
    close(states, model.decode(TARGET, model.encode(SOURCE))[:, 1:])
    assert self_maps[0].shape == (3, HEADS, 3, 4)


def test_select_takes_rows_in_order_and_may_repeat_them() -> None:
    model = transformer()
    cache = model.start(model.encode(SOURCE))
    for position in range(2):
        model.step(TARGET[:, position : position + 1], cache)
    rows = torch.tensor([2, 0, 2])
    chosen = cache.select(rows)
    full = model.logits(model.decode(TARGET[rows, :3], model.encode(SOURCE[rows])))
    close(model.step(TARGET[rows, 2:3], chosen), full[:, -1])
    assert cache.length == 2, "the original is untouched"
    assert cache.select(torch.tensor([], dtype=torch.int64)).source_mask.shape == (0, 5)


def test_a_new_cache_can_select_before_its_first_step() -> None:
    model = transformer()
    cache = model.start(model.encode(SOURCE)).select(torch.tensor([1]))
    assert isinstance(cache, DecoderCache) and cache.length == 0
    close(
        model.step(TARGET[1:2, :1], cache),
        model.logits(model.decode(TARGET[1:2, :1], model.encode(SOURCE[1:2])))[:, -1],
    )


@SCHEMES
def test_a_sentence_does_not_notice_its_batch_mates(options: dict[str, Any]) -> None:
    model = transformer(**options)
    together, _ = model(SOURCE, TARGET)
    for row, length in enumerate([5, 3, 4]):
        alone, _ = model(SOURCE[row : row + 1, :length], TARGET[row : row + 1])
        close(together[row : row + 1], alone)
    order = torch.tensor([2, 0, 1])
    close(model(SOURCE[order], TARGET[order])[0], together[order])
    wider = F.pad(SOURCE, (0, 6))
    close(model(wider, TARGET)[0], together)


def test_the_future_and_padding_of_the_target_change_nothing() -> None:
    model = transformer()
    states, _ = model(SOURCE, TARGET)
    other = TARGET.clone()
    other[:, 2:] = 0
    close(model(SOURCE, other)[0][:, :2], states[:, :2])
    changed = TARGET.clone()
    changed[:, 1] = 29
    assert not torch.allclose(model(SOURCE, changed)[0][:, 2:], states[:, 2:]), "the past does change something"


def test_attention_maps_of_every_layer() -> None:
    model = transformer(encoder_layers=3, decoder_layers=2)
    _, maps = model(SOURCE, TARGET)
    assert [tuple(m.shape) for m in maps.encoder] == [(3, HEADS, 5, 5)] * 3
    assert [tuple(m.shape) for m in maps.decoder] == [(3, HEADS, 4, 4)] * 2
    assert [tuple(m.shape) for m in maps.cross] == [(3, HEADS, 4, 5)] * 2
    padding = (SOURCE == 0)[:, None, None, :]
    for each in (*maps.encoder, *maps.decoder, *maps.cross):
        close(each.sum(-1), torch.ones(each.shape[:-1]))
    for each in (*maps.encoder, *maps.cross):
        assert not each.masked_select(padding).any(), "no weight on padding"
    for each in maps.decoder:
        assert not each.triu(diagonal=1).any(), "no weight on the future"


def test_one_table_serves_three_places() -> None:
    model = transformer()
    assert model.source_embedding is model.target_embedding
    assert model.projection.weight is model.target_embedding.weight
    assert sum(parameter.shape == (VOCABULARY, WIDTH) for parameter in model.parameters()) == 1


def test_tables_can_be_of_their_own() -> None:
    model = transformer(tie_source_target=False, tie_output=False, source_vocabulary=41)
    assert model.source_embedding.weight.shape == (41, WIDTH)
    tables = [model.source_embedding.weight, model.target_embedding.weight, model.projection.weight]
    assert len({id(table) for table in tables}) == 3


def test_the_final_logits_bias_is_added() -> None:
    model = transformer(output_bias=True)
    states = torch.randn(2, WIDTH)
    close(model.logits(states), states @ model.target_embedding.weight.T + model.projection.bias)
    assert transformer().projection.bias is None


def test_without_biases_only_norms_have_any() -> None:
    names = [name for name, _ in transformer(biases=False).named_parameters() if name.endswith("bias")]
    assert names and all("norm" in name for name in names)


def test_dropout_acts_in_training_only() -> None:
    model = transformer(dropout=0.5)
    assert torch.equal(model(SOURCE, TARGET)[0], model(SOURCE, TARGET)[0])
    model.train()
    assert not torch.equal(model(SOURCE, TARGET)[0], model(SOURCE, TARGET)[0])


def test_scaled_embeddings_start_with_unit_variance() -> None:
    torch.manual_seed(0)
    config = TransformerConfig(
        source_vocabulary=400, target_vocabulary=400, width=64, heads=4, encoder_layers=1, decoder_layers=1
    )
    model = Transformer(config)
    assert model.target_embedding.weight.std().item() * 64**0.5 == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize(("config", "millions"), [(paper_base(37000), 65), (paper_big(37000), 213)])
def test_the_papers_models_have_the_papers_parameters(config: TransformerConfig, millions: int) -> None:
    with torch.device("meta"):
        count = sum(parameter.numel() for parameter in Transformer(config).parameters())
    width, inner = config.width, config.feed_forward
    attention, norm = 4 * (width * width + width), 2 * width
    feed_forward = width * inner + inner + inner * width + width
    encoder, decoder = attention + feed_forward + 2 * norm, 2 * attention + feed_forward + 3 * norm
    assert count == 37000 * width + 6 * (encoder + decoder)
    assert count / 1e6 == pytest.approx(millions, rel=0.03)
