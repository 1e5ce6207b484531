"""Building blocks of the graphs: parts of attention, and look-ups that are one ONNX node each."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from app.engine.decoding.padding import pad_to_multiple
from model.network.attention import KeysValues, MultiHeadAttention, RelativeAttention, distance_signals
from model.network.layers import DecoderLayer, EncoderLayer
from model.network.masks import mask_scores
from model.network.stack import Stack
from model.network.transformer import Transformer


def fuse(*layers: nn.Linear) -> nn.Linear:
    """Join linear layers of the same input into one layer, with their outputs side by side."""
    fused = nn.Linear(
        layers[0].in_features,
        sum(layer.out_features for layer in layers),
        bias=layers[0].bias is not None,
        dtype=layers[0].weight.dtype,
    )
    with torch.no_grad():
        fused.weight.copy_(torch.cat([layer.weight for layer in layers]))
        if fused.bias is not None:
            fused.bias.copy_(torch.cat([layer.bias for layer in layers]))
    return fused


def attend(
    attention: MultiHeadAttention, query: Tensor, memory: KeysValues, mask: Tensor, bias: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention as one ONNX node, or as plain operators where its scores are no products.

    Args:
        attention: The module, whose projections have been made.
        query: (B, T, D).
        memory: (B, S, D) keys and values.
        mask: Broadcastable to (B, 1, T, S) bool.
        bias: Broadcastable to (B, H, T, S), added to the scores.

    Returns:
        The attended states (B, T, D), and the scores (B, H, T, S) before bias, mask and softmax, or the attention maps
        where the scores are no products. Without a bias, the highest score among the keys that aren't masked has the
        highest weight. Maps would be simpler, but on CUDA the operator returns none. Scores that aren't used cost
        nothing.
    """
    if attention.scoring == "additive":
        return attention.attend(query, memory, mask.squeeze(1), bias)
    attended, _, _, scores = torch.onnx.ops.attention(
        query,
        memory.keys,
        memory.values,
        attn_mask=mask if bias is None else mask_scores(bias, mask),
        q_num_heads=attention.heads,
        kv_num_heads=attention.heads,
        qk_matmul_output_mode=0,  # before bias, mask and softmax
    )
    return attended, scores


def take(tensor: Tensor, index: Tensor, axis: int = 0) -> Tensor:
    """The elements at the indices of an axis. This makes one ONNX node; indexing would make two."""
    shape = (*tensor.shape[:axis], *index.shape, *tensor.shape[axis + 1 :])
    return torch.onnx.ops.symbolic("Gather", (tensor, index), {"axis": axis}, dtype=tensor.dtype, shape=shape)


def pick(tensor: Tensor, places: Tensor) -> Tensor:
    """The elements of (A, B, ...) at the indices (..., 2) of its first two axes; one ONNX node."""
    shape = (*places.shape[:-1], *tensor.shape[2:])
    return torch.onnx.ops.symbolic("GatherND", (tensor, places), dtype=tensor.dtype, shape=shape, version=13)


def put(past: Tensor, places: Tensor, new: Tensor) -> Tensor:
    """(R, P, D) with (R, 1, D) put at the places (R, 1, 2), each a row and a position; one ONNX node."""
    return torch.onnx.ops.symbolic("ScatterND", (past, places, new), dtype=past.dtype, shape=past.shape, version=18)


def position_table(model: Transformer) -> Tensor:
    """Signals of all positions that the graphs serve, (position_rows, D), in the model's own number type."""
    return model.positions.table(model.config.position_rows).detach().to(model.dtype)


def distance_table(attention: RelativeAttention, length: int) -> Tensor:
    """Projected signals of the distances 0 to length - 1, (1, length, D)."""
    signals = distance_signals(length - 1, 0, attention.distance.in_features).flip(1)
    table: Tensor = attention.distance(signals.to(attention.distance.weight.dtype))
    return table.detach()


def padded_position_table(model: Transformer) -> Tensor:
    """The same table up to a whole block, because the runtime pads to blocks, maybe beyond the last position."""
    table = position_table(model)
    return F.pad(table, (0, 0, 0, pad_to_multiple(len(table)) - len(table)))


def self_projections(layers: Iterable[EncoderLayer | DecoderLayer]) -> "Stack[nn.Linear]":
    """Query, key and value of each layer's self-attention, as one linear layer."""
    attentions = [layer.self_attention for layer in layers]
    return Stack(fuse(attention.query, attention.key, attention.value) for attention in attentions)


def embed(
    model: Transformer,
    embedding: nn.Module,
    norm: Callable[[Tensor], Tensor],
    ids: Tensor,
    signals: Callable[[], Tensor],
) -> Tensor:
    """Embeddings of ids, (B, T, D), with the signals of their positions if the model adds them."""
    states = embedding(ids)
    if model.config.scale_embeddings:
        states = states * model.config.width**0.5
    return norm(states + signals() if model.positions.added else states)


def append(past: Sequence[Tensor], parents: Tensor, places: Tensor, new: Sequence[Tensor]) -> KeysValues:
    """Keys and values (R, P, D) of the rows' parents with those of the new tokens (R, 1, D)."""
    keys, values = (put(take(old, parents), places, each) for old, each in zip(past, new, strict=True))
    return KeysValues(keys, values)


def feed_forward(layer: EncoderLayer | DecoderLayer, states: Tensor, mask: Tensor | None = None) -> Tensor:
    """The second sublayer, with its residual connection."""
    branch = layer.feed_forward(layer.feed_forward_residual.before(states), mask)
    return layer.feed_forward_residual.after(states, branch)


def next_scores(model: Transformer, states: Tensor) -> Tensor:
    """Log-probabilities of the next token, in float32 whatever the weights are: their sums need the digits."""
    logits = model.logits(model.decoder_norm(states)).float()
    return logits if model.config.cutoffs else torch.log_softmax(logits, dim=-1)
