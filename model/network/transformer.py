"""The Transformer of "Attention Is All You Need", in the order of the paper.

Axes: B sentences, S source length, T target length, V vocabulary, D model width, H heads. Ids are int64.
Masks are bool, True on real tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.network.attention import KeysValues, MultiHeadAttention, RelativeAttention
from model.network.config import TransformerConfig
from model.network.embedding import AdaptiveEmbedding, AdaptiveSoftmax
from model.network.masks import causal_mask, padding_mask
from model.network.positions import PositionSignal
from model.network.stack import Stack

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class Encoded(NamedTuple):
    """What the decoder needs of a source: its states and mask."""

    states: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool


@dataclass
class DecoderCache:
    """All that an incremental decoder remembers, explicit and owned by the caller.

    ``past`` grows by one position a step; ``cross`` never changes, and is what the exported encoder returns.
    """

    cross: list[KeysValues]  # per layer, (B, S, D)
    source_mask: Tensor  # (B, S) bool
    past: list[KeysValues] = field(default_factory=list)  # per layer, (B, T, D)

    @property
    def length(self) -> int:
        """Target positions seen so far."""
        return self.past[0].keys.shape[1] if self.past else 0

    def select(self, rows: Tensor) -> "DecoderCache":
        """The cache of the given rows, (R,) int64, in that order."""
        return DecoderCache(
            cross=[KeysValues(k[rows], v[rows]) for k, v in self.cross],
            source_mask=self.source_mask[rows],
            past=[KeysValues(k[rows], v[rows]) for k, v in self.past],
        )


class Residual(nn.Module):
    """A sub-layer's residual connection: norm(x + f(x)) post-norm, x + f(norm(x)) pre-norm (section 3.1)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.norm = nn.LayerNorm(config.width, eps=config.norm_epsilon)
        self.dropout = nn.Dropout(config.dropout)

    def before(self, states: Tensor) -> Tensor:
        """What the sub-layer sees."""
        entered: Tensor = self.norm(states) if self.pre else states
        return entered

    def after(self, states: Tensor, branch: Tensor) -> Tensor:
        """The sum of both paths."""
        total: Tensor = states + self.dropout(branch)
        left: Tensor = total if self.pre else self.norm(total)
        return left


class Convolution(nn.Linear):
    """A convolution over time, (B, T, C) -> (B, T, C'), as one product with windows of W positions.

    The weight (C', W * C) is that of ``nn.Conv1d``, (C', C, W), transposed. As a matrix it is quantised like any other.
    """

    def __init__(self, channels: int, outputs: int, *, width: int, bias: bool) -> None:
        super().__init__(width * channels, outputs, bias=bias)
        self.width = width

    def forward(self, states: Tensor) -> Tensor:
        """Beyond the first and the last position there are zeros."""
        if self.width > 1:
            length, beyond = states.shape[1], self.width // 2
            padded = F.pad(states, (0, 0, beyond, beyond))
            states = torch.cat([padded[:, shift : shift + length] for shift in range(self.width)], -1)
        return super().forward(states)


class FeedForward(nn.Module):
    """The position-wise network of section 3.3, (B, T, D) -> (B, T, D), or its kind that sees neighbours, too."""

    def __init__(self, config: TransformerConfig, width: int = 1) -> None:
        """``width`` is that of both convolutions; 1 leaves each position on its own."""
        super().__init__()
        self.inner = Convolution(config.width, config.feed_forward, width=width, bias=config.biases)
        self.outer = Convolution(config.feed_forward, config.width, width=width, bias=config.biases)
        self.activation = _ACTIVATIONS[config.activation]
        self.dropout = nn.Dropout(config.feed_forward_dropout)

    def forward(self, states: Tensor, mask: Tensor | None = None) -> Tensor:
        """``mask``, (B, T) bool, keeps padding out of the neighbours' windows; width 1 needs none."""
        if mask is None:
            result: Tensor = self.outer(self.dropout(self.activation(self.inner(states))))
            return result
        real = mask.unsqueeze(-1)
        hidden = self.dropout(self.activation(self.inner(states * real)))
        result = self.outer(hidden * real)
        return result


def self_attention(config: TransformerConfig) -> MultiHeadAttention:
    """The kind that the configured positions need."""
    return RelativeAttention(config) if config.positions == "relative" else MultiHeadAttention(config)


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = self_attention(config)
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config, config.convolution_width)
        self.feed_forward_residual = Residual(config)
        self.convolves = config.convolution_width > 1

    def forward(self, states: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """States (B, S, D) and mask (B, 1, S) -> states and attention maps (B, H, S, S)."""
        entered = self.self_residual.before(states)
        attended, maps = self.self_attention(entered, self.self_attention.project(entered), mask)
        states = self.self_residual.after(states, attended)
        branch = self.feed_forward(
            self.feed_forward_residual.before(states), mask.squeeze(1) if self.convolves else None
        )
        return self.feed_forward_residual.after(states, branch), maps


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the source if there is an encoder, then the feed-forward network."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = self_attention(config)
        self.self_residual = Residual(config)
        if not config.decoder_only:
            self.cross_attention = MultiHeadAttention(config)
            self.cross_residual = Residual(config)
        self.feed_forward = FeedForward(config)
        self.feed_forward_residual = Residual(config)

    def forward(
        self,
        states: Tensor,
        mask: Tensor,
        past: KeysValues | None,
        cross: KeysValues | None = None,
        cross_mask: Tensor | None = None,
    ) -> tuple[Tensor, KeysValues, Tensor, Tensor | None]:
        """Advance by the T positions of ``states``.

        Args:
            states: (B, T, D), the new positions.
            mask: broadcastable to (B, T, P + T) for P past positions.
            past: (B, P, D) keys and values of earlier positions, or None.
            cross: (B, S, D) keys and values of the source; without them the layer looks at its own past only.
            cross_mask: (B, 1, S), given with ``cross``.

        Returns:
            States (B, T, D), keys and values of all P + T positions, self-attention maps (B, H, T, P + T), and with
            ``cross`` cross-attention maps (B, H, T, S).
        """
        entered = self.self_residual.before(states)
        memory = self.self_attention.project(entered)
        if past is not None:
            memory = past.append(memory)
        attended, self_maps = self.self_attention(entered, memory, mask)
        states = self.self_residual.after(states, attended)
        cross_maps = None
        if cross is not None and cross_mask is not None:
            attended, cross_maps = self.cross_attention(self.cross_residual.before(states), cross, cross_mask)
            states = self.cross_residual.after(states, attended)
        branch = self.feed_forward(self.feed_forward_residual.before(states))
        return self.feed_forward_residual.after(states, branch), memory, self_maps, cross_maps


class AttentionMaps(NamedTuple):
    """Attention maps per layer, as ``Transformer.forward`` collects them."""

    encoder: list[Tensor]  # (B, H, S, S)
    decoder: list[Tensor]  # (B, H, T, T)
    cross: list[Tensor]  # (B, H, T, S)


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output projection."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.target_embedding: nn.Embedding | AdaptiveEmbedding = (
            AdaptiveEmbedding(config) if config.cutoffs else nn.Embedding(config.target_vocabulary, config.width)
        )
        self.source_embedding = (
            self.target_embedding if config.tie_source_target else nn.Embedding(config.source_vocabulary, config.width)
        )
        self.positions = PositionSignal(config)
        norms = config.embedding_norm
        self.source_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if norms else nn.Identity()
        self.target_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if norms else nn.Identity()
        self.encoder: Stack[EncoderLayer] = Stack(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.decoder: Stack[DecoderLayer] = Stack(DecoderLayer(config) for _ in range(config.decoder_layers))
        # Post-norm stacks end normalised; a pre-norm stack needs one norm more.
        final = config.norm == "pre"
        self.encoder_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if final else nn.Identity()
        self.decoder_norm = nn.LayerNorm(config.width, eps=config.norm_epsilon) if final else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)
        self.projection = self._projection()
        self.reset_parameters()

    def _projection(self) -> nn.Linear | AdaptiveSoftmax:
        config = self.config
        if isinstance(self.target_embedding, AdaptiveEmbedding):
            return AdaptiveSoftmax(self.target_embedding, config.width)
        projection = nn.Linear(config.width, config.target_vocabulary, bias=config.output_bias)
        if config.tie_output:
            projection.weight = self.target_embedding.weight
        return projection

    def reset_parameters(self) -> None:
        """Xavier for matrices (as tensor2tensor), N(0, 1/D) for embeddings, so that scaled ones have unit variance."""
        for name, parameter in self.named_parameters():
            if name.endswith("between") or "embedding.projections" in name:
                continue  # they start as they were made
            if "embedding" in name or name == "positions.learned":
                nn.init.normal_(parameter, std=self.config.width**-0.5)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def embed(self, ids: Tensor, table: nn.Module, norm: nn.Module, signals: Tensor) -> Tensor:
        """(B, T) ids and their position signals (T, D) or (B, T, D) -> (B, T, D) embeddings (section 3.4)."""
        states = table(ids)
        if self.config.scale_embeddings:
            states = states * self.config.width**0.5
        embedded: Tensor = self.dropout(norm(states + signals.to(states)))
        return embedded

    @property
    def dtype(self) -> torch.dtype:
        """Number type of the weights."""
        return next(self.parameters()).dtype

    def encode(self, source: Tensor) -> Encoded:
        """(B, S) source ids, padded with ``pad_id`` -> encoder states and mask."""
        return self._encode(source)[0]

    def _encode(self, source: Tensor) -> tuple[Encoded, list[Tensor]]:
        mask = padding_mask(source, self.config.pad_id)
        states = self.embed(source, self.source_embedding, self.source_norm, self.positions(0, source.shape[1]))
        maps = []
        for layer in self.encoder:
            states, layer_maps = layer(states, mask.unsqueeze(1))
            maps.append(layer_maps)
        return Encoded(self.encoder_norm(states), mask), maps

    def start(self, encoded: Encoded) -> DecoderCache:
        """Project the source once for all layers: the cache of a decoder that has seen no target yet."""
        cross = [layer.cross_attention.project(encoded.states) for layer in self.decoder]
        return DecoderCache(cross=cross, source_mask=encoded.mask)

    def decode(self, target: Tensor, encoded: Encoded) -> Tensor:
        """(B, T) target ids, starting with ``decoder_start_id`` -> states (B, T, D) that predict the next ids."""
        return self.advance(target, self.start(encoded))[0]

    def step(self, tokens: Tensor, cache: DecoderCache) -> Tensor:
        """One step: (B, 1) last ids -> (B, V) logits of the next; ``cache`` grows in place."""
        states, _, _ = self.advance(tokens, cache)
        return self.logits(states[:, -1])

    def advance(self, target: Tensor, cache: DecoderCache) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """Run the decoder over (B, T) new target ids; ``cache`` grows in place.

        Padding in ``target`` comes last, so causality keeps real positions from ever seeing it.

        Returns:
            States (B, T, D), self-attention maps and cross-attention maps, one a layer.
        """
        past_length, length = cache.length, target.shape[1]
        mask = causal_mask(past_length + length, target.device)[past_length:].unsqueeze(0)  # (1, T, P + T)
        signals = self.positions(past_length, length)
        states = self.embed(target, self.target_embedding, self.target_norm, signals)
        past: list[KeysValues | None] = list(cache.past) or [None] * len(self.decoder)
        cross_mask = cache.source_mask.unsqueeze(1)
        memories, self_maps, cross_maps = [], [], []
        for layer, layer_past, cross in zip(self.decoder, past, cache.cross, strict=True):
            states, memory, self_map, cross_map = layer(states, mask, layer_past, cross, cross_mask)
            memories.append(memory)
            self_maps.append(self_map)
            cross_maps.append(cross_map)
        cache.past = memories
        return self.decoder_norm(states), self_maps, cross_maps

    def predict(self, text: Tensor) -> Tensor:
        """(B, T) ids -> states (B, T, D) that predict the next ids: the decoder alone, as a language model.

        It has no source; Radford et al. 2018 call this the Transformer decoder.
        """
        mask = causal_mask(text.shape[1], text.device).unsqueeze(0)
        states = self.embed(text, self.target_embedding, self.target_norm, self.positions(0, text.shape[1]))
        for layer in self.decoder:
            states = layer(states, mask, None)[0]
        result: Tensor = self.decoder_norm(states)
        return result

    def logits(self, states: Tensor) -> Tensor:
        """(..., D) decoder states -> (..., V) scores before the softmax; of an adaptive softmax, log-probabilities."""
        scores: Tensor = self.projection(states)
        return scores

    def forward(self, source: Tensor, target: Tensor) -> tuple[Tensor, AttentionMaps]:
        """Teacher forcing: (B, S) source and (B, T) target ids -> decoder states (B, T, D) and all attention maps.

        The caller projects the states with ``logits``, on real positions only: over a large vocabulary that is a
        quarter of a training step.
        """
        encoded, encoder_maps = self._encode(source)
        states, self_maps, cross_maps = self.advance(target, self.start(encoded))
        return states, AttentionMaps(encoder_maps, self_maps, cross_maps)
