"""The two graphs of a translator without an encoder: the pass over the source, and a step of the target.

They have the names, inputs and outputs of ``export.graphs``, so the runtime serves them as any others. Each row attends
to its source and to its own past with one softmax. The keys and values of the source are not copied to the rows.

Axes: as in ``export.graphs``, and H heads, E channels a head.
"""

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from export.graph_nodes import (
    append,
    attend,
    embed,
    feed_forward,
    next_scores,
    padded_position_table,
    pick,
    position_table,
    self_projections,
)
from model.network.attention import KeysValues, MultiHeadAttention
from model.network.masks import mask_scores
from model.network.transformer import Transformer


class SourceGraph(nn.Module):
    """Source ids -> the keys and values of every layer."""

    positions: Tensor  # (N, D)

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model
        self.self_projections = self_projections(model.decoder)
        self.register_buffer("positions", padded_position_table(model))

    def forward(self, source: Tensor, source_mask: Tensor) -> tuple[Tensor, ...]:
        """(B, S) int64 and (B, S) bool -> keys and values, layer by layer, each (B, S, D)."""
        model, length = self.model, source.shape[1]
        states = embed(model, model.target_embedding, model.target_norm, source, lambda: self.positions[:length])
        order = torch.arange(length)
        mask = (order <= order.unsqueeze(1)) & source_mask.unsqueeze(1).unsqueeze(1)  # (B, 1, S, S)
        memories: list[Tensor] = []
        for index, (layer, projection) in enumerate(zip(model.decoder, self.self_projections, strict=True)):
            query, keys, values = projection(layer.self_residual.before(states)).chunk(3, dim=-1)
            memories += [keys, values]
            if index == len(model.decoder) - 1:
                break  # its states predict pieces of the source, which nobody asks for
            attended, _ = attend(layer.self_attention, query, KeysValues(keys, values), mask)
            states = layer.self_residual.after(states, layer.self_attention.output(attended))
            states = feed_forward(layer, states)
        return tuple(memories)


class StepGraph(nn.Module):
    """One decoding step for any mix of rows, each at a position of its own."""

    positions: Tensor  # (N, D)

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model
        self.self_projections = self_projections(model.decoder)
        self.register_buffer("positions", position_table(model))

    def forward(
        self,
        tokens: Tensor,
        positions: Tensor,
        places: Tensor,
        target_mask: Tensor,
        source_mask: Tensor,
        beam_rows: Tensor,
        row_beams: Tensor,
        parents: Tensor,
        cross: Sequence[Tensor],
        past: Sequence[Tensor],
    ) -> tuple[Tensor, ...]:
        """See ``export.graphs.DecoderGraph.forward``; ``cross`` holds what ``SourceGraph`` returns."""
        model, config = self.model, self.model.config
        lengths = pick(source_mask[:, 0].sum(-1).unsqueeze(-1), row_beams).squeeze(-1)  # (R, 1)
        signals = partial(F.embedding, positions + lengths, self.positions)
        states = embed(model, model.target_embedding, model.target_norm, tokens, signals)
        grown: list[Tensor] = []
        alignment: list[Tensor] = []
        for index, (layer, projection) in enumerate(zip(model.decoder, self.self_projections, strict=True)):
            query, *new = projection(layer.self_residual.before(states)).chunk(3, dim=-1)
            own = append(past[2 * index : 2 * index + 2], parents, places, new)
            grown += own
            source = KeysValues(cross[2 * index], cross[2 * index + 1])
            attended, looked = _attend_both(
                layer.self_attention, query, source, own, source_mask, target_mask, beam_rows, row_beams
            )
            if index == config.alignment_layer:
                alignment = [looked[:, :, config.alignment_head].argmax(dim=2)]
            states = layer.self_residual.after(states, layer.self_attention.output(attended))
            states = feed_forward(layer, states)
        return next_scores(model, states), *grown, *alignment


def _attend_both(
    attention: MultiHeadAttention,
    query: Tensor,
    source: KeysValues,
    own: KeysValues,
    source_mask: Tensor,
    target_mask: Tensor,
    beam_rows: Tensor,
    row_beams: Tensor,
) -> tuple[Tensor, Tensor]:
    """Attention of each row (R, 1, D) to its source and its past.

    Returns:
        The attended states (R, 1, D), and the weights on the source (R, 1, H, S).
    """
    on_source = attention.scores(pick(query, beam_rows), source.keys)  # (B, H, M, S)
    on_source = pick(mask_scores(on_source, source_mask).transpose(1, 2), row_beams)  # (R, 1, H, S)
    on_own = mask_scores(attention.scores(query, own.keys), target_mask).transpose(1, 2)  # (R, 1, H, P)
    weights = torch.softmax(torch.cat([on_source, on_own], -1), -1)
    length = on_source.shape[-1]
    looked = weights[..., :length]
    values = pick(looked, beam_rows).transpose(1, 2) @ attention.split(source.values)  # (B, H, M, E)
    attended = pick(values.transpose(1, 2), row_beams).flatten(2)  # (R, 1, D)
    past = weights[..., length:].transpose(1, 2) @ attention.split(own.values)  # (R, H, 1, E)
    return attended + past.transpose(1, 2).flatten(2), looked
