"""The layers of encoder and decoder, and their parts.

Axes: B sentences, S source length, T target length, P earlier target positions, M remembered positions, D model width,
H heads. Masks are bool, True on what may be looked at.
"""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.network.attention import KeysValues, MultiHeadAttention, RecallingAttention, RelativeAttention
from model.network.config import TransformerConfig
from model.network.recurrent import SimpleRecurrentUnit

_ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class Residual(nn.Module):
    """A sub-layer's residual connection: norm(x + f(x)) post-norm, x + f(norm(x)) pre-norm (section 3.1)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.pre = config.norm == "pre"
        self.norm = nn.LayerNorm(config.width, eps=config.norm_epsilon)
        self.dropout = nn.Dropout(config.dropout)

    def before(self, states: Tensor) -> Tensor:
        """The input of the sub-layer."""
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
    """The kind that the configured positions and memory need."""
    if config.positions == "relative":
        return RelativeAttention(config)
    return RecallingAttention(config) if config.memory_length else MultiHeadAttention(config)


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = self_attention(config)
        self.self_residual = Residual(config)
        self.feed_forward = FeedForward(config, config.convolution_width)
        self.feed_forward_residual = Residual(config)
        self.convolves = config.convolution_width > 1

    def forward(
        self, states: Tensor, real: Tensor, mask: Tensor, memory: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Read a whole sentence.

        Args:
            states: (B, S, D).
            real: (B, S) bool, False on padding.
            mask: bool, broadcastable to (B, S, M + S).
            memory: (B, M, D), what entered this layer of the sentences before.

        Returns:
            States (B, S, D) and attention maps (B, H, S, M + S).
        """
        entered = self.self_residual.before(states)
        seen, recalled = self.self_attention.project(entered), 0
        if memory is not None:
            seen, recalled = self.recall(memory).append(seen), memory.shape[1]
        attended, maps = self.self_attention(entered, seen, mask, recalled)
        states = self.self_residual.after(states, attended)
        branch = self.feed_forward(self.feed_forward_residual.before(states), real if self.convolves else None)
        return self.feed_forward_residual.after(states, branch), maps

    def recall(self, states: Tensor) -> KeysValues:
        """Keys and values of remembered states (B, M, D)."""
        return self.self_attention.project(self.self_residual.before(states))


Past: TypeAlias = KeysValues | Tensor
"""A decoder layer's view of the target so far: keys and values (B, P, D), or the state (B, D) of a recurrent unit."""


class DecoderLayer(nn.Module):
    """Masked self-attention or a recurrent unit, attention to the source if there is an encoder, then feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        if config.recurrent:
            self.recurrence = SimpleRecurrentUnit(config)
        else:
            self.self_attention = self_attention(config)
        self.recurrent = config.recurrent
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
        past: Past | None,
        cross: KeysValues | None = None,
        cross_mask: Tensor | None = None,
        recalled: int = 0,
    ) -> tuple[Tensor, Past, Tensor | None, Tensor | None]:
        """Advance by the T positions of ``states``.

        Args:
            states: (B, T, D), the new positions.
            mask: broadcastable to (B, T, P + T) for P past positions.
            past: The layer's view of earlier positions, or None.
            cross: (B, S, D) keys and values of the source; without them the layer looks at its own past only.
            cross_mask: (B, 1, S), given with ``cross``.
            recalled: How many of the past positions, the first ones, are of earlier sentences.

        Returns:
            States (B, T, D), the view of all P + T positions, self-attention maps (B, H, T, P + T) unless the layer is
            recurrent, and with ``cross`` cross-attention maps (B, H, T, S).
        """
        branch, seen, self_maps = self._read_target(self.self_residual.before(states), mask, past, recalled)
        states = self.self_residual.after(states, branch)
        cross_maps = None
        if cross is not None and cross_mask is not None:
            attended, cross_maps = self.cross_attention(self.cross_residual.before(states), cross, cross_mask)
            states = self.cross_residual.after(states, attended)
        branch = self.feed_forward(self.feed_forward_residual.before(states))
        return self.feed_forward_residual.after(states, branch), seen, self_maps, cross_maps

    def _read_target(
        self, entered: Tensor, mask: Tensor, past: Past | None, recalled: int
    ) -> tuple[Tensor, Past, Tensor | None]:
        """The first sub-layer without its residual connection."""
        if self.recurrent:
            assert not isinstance(past, KeysValues)
            return *self.recurrence(entered, past), None
        seen = self.self_attention.project(entered)
        if past is not None:
            assert isinstance(past, KeysValues)
            seen = past.append(seen)
        attended, maps = self.self_attention(entered, seen, mask, recalled)
        return attended, seen, maps

    def recall(self, states: Tensor) -> KeysValues:
        """Keys and values of remembered states (B, M, D)."""
        return self.self_attention.project(self.self_residual.before(states))
