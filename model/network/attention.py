"""Multi-head scaled dot-product attention (sections 3.2.1 and 3.2.2 of the paper).

Axes: B sentences, H heads, T queries, S keys, D model width, E = D / H channels per head.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from model.network.config import TransformerConfig
from model.network.masks import mask_scores


class KeysValues(NamedTuple):
    """Projected keys and values of one attention layer, each (B, S, D)."""

    keys: Tensor
    values: Tensor


class MultiHeadAttention(nn.Module):
    """softmax(Q K^T / sqrt(E)) V in H heads, with its four projections.

    Keys and values are projected by ``project`` and passed in, so that a decoder can keep them between steps.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.width, config.width, bias=config.biases)
        self.key = nn.Linear(config.width, config.width, bias=config.biases)
        if config.biases:
            # It moves all scores of a query alike, which softmax doesn't see, so there is nothing to learn but rounding
            # errors. In bfloat16 it grew until they were all that was left of the scores.
            self.key.bias.requires_grad_(False)
        self.value = nn.Linear(config.width, config.width, bias=config.biases)
        self.output = nn.Linear(config.width, config.width, bias=config.biases)
        self.dropout = nn.Dropout(config.attention_dropout)

    def project(self, states: Tensor) -> KeysValues:
        """(B, S, D) states -> keys and values (B, S, D)."""
        return KeysValues(self.key(states), self.value(states))

    def forward(self, states: Tensor, memory: KeysValues, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Look from ``states`` at ``memory``.

        Args:
            states: (B, T, D), the queries before their projection.
            memory: (B, S, D) keys and values.
            mask: bool, broadcastable to (B, T, S); True where a query may look.

        Returns:
            The attended states (B, T, D), and the attention maps (B, H, T, S) before dropout.
        """
        query = self._split(self.query(states))  # (B, H, T, E)
        keys, values = self._split(memory.keys), self._split(memory.values)  # (B, H, S, E)
        scores = (query * query.shape[-1] ** -0.5) @ keys.transpose(-2, -1)  # (B, H, T, S)
        maps = torch.softmax(mask_scores(scores, mask.unsqueeze(-3)), dim=-1)
        attended = self.dropout(maps) @ values  # (B, H, T, E)
        return self.output(attended.transpose(1, 2).flatten(2)), maps  # (B, T, D)

    def _split(self, states: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, E)."""
        return states.reshape(*states.shape[:-1], self.heads, -1).transpose(1, 2)
