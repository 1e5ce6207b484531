"""Multi-head attention (sections 3.2.1 and 3.2.2 of the paper), with the paper's scores or others.

Axes: B sentences, H heads, T queries, S keys, D model width, E = D / H channels per head.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from model.network.config import TransformerConfig
from model.network.masks import mask_scores
from model.network.positions import sinusoids


class KeysValues(NamedTuple):
    """Projected keys and values of one attention layer, each (B, S, D)."""

    keys: Tensor
    values: Tensor

    def append(self, later: "KeysValues") -> "KeysValues":
        """Both one after the other, (B, S + S', D)."""
        return KeysValues(torch.cat([self.keys, later.keys], 1), torch.cat([self.values, later.values], 1))


class MultiHeadAttention(nn.Module):
    """softmax(scores) V in H heads, with its four projections; scores are Q K^T / sqrt(E) unless configured otherwise.

    Keys and values are projected by ``project`` and passed in, so that a decoder can keep them between steps.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.scoring = config.scoring
        self.query = nn.Linear(config.width, config.width, bias=config.biases)
        self.key = nn.Linear(config.width, config.width, bias=config.biases)
        if config.biases and self.scoring != "additive":
            # It moves all scores of a query alike, which softmax doesn't see, so there is nothing to learn but rounding
            # errors. In bfloat16 it grew until they were all that was left of the scores.
            self.key.bias.requires_grad_(False)
        self.value = nn.Linear(config.width, config.width, bias=config.biases)
        self.output = nn.Linear(config.width, config.width, bias=config.biases)
        self.dropout = nn.Dropout(config.attention_dropout)
        if self.scoring == "general":
            self.between = nn.Parameter(torch.eye(config.head_width).repeat(config.heads, 1, 1))  # (H, E, E)
        if self.scoring == "additive":
            self.weight = nn.Parameter(torch.empty(config.heads, config.head_width))
            nn.init.xavier_uniform_(self.weight)

    def project(self, states: Tensor) -> KeysValues:
        """(B, S, D) states -> keys and values (B, S, D)."""
        return KeysValues(self.key(states), self.value(states))

    def forward(self, states: Tensor, memory: KeysValues, mask: Tensor, recalled: int = 0) -> tuple[Tensor, Tensor]:
        """Look from ``states`` at ``memory``.

        Args:
            states: (B, T, D), the queries before their projection.
            memory: (B, S, D) keys and values.
            mask: bool, broadcastable to (B, T, S); True where a query may look.
            recalled: How many of the S keys, the first ones, are of earlier sentences.

        Returns:
            The attended states (B, T, D), and the attention maps (B, H, T, S) before dropout.
        """
        query = self.query(states)
        bias = self.recall_scores(query, recalled, memory.keys.shape[1]) if recalled else None
        attended, maps = self.attend(query, memory, mask, bias)
        return self.output(attended), maps

    def attend(
        self, query: Tensor, memory: KeysValues, mask: Tensor, bias: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """``forward`` for projected queries (B, T, D), without the output projection.

        ``bias``, broadcastable to (B, H, T, S), is added to the scores.
        """
        scores = self.scores(query, memory.keys)
        if bias is not None:
            scores = scores + bias
        maps = torch.softmax(mask_scores(scores, mask.unsqueeze(-3)), dim=-1)
        attended = self.dropout(maps) @ self.split(memory.values)  # (B, H, T, E)
        return attended.transpose(1, 2).flatten(2), maps  # (B, T, D)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """Projected queries (B, T, D) and keys (B, S, D) -> scores (B, H, T, S)."""
        if self.scoring == "additive":
            added = torch.tanh(query.unsqueeze(2) + keys.unsqueeze(1)) * self.weight.flatten()  # (B, T, S, D)
            return added.reshape(*added.shape[:-1], self.heads, -1).sum(-1).permute(0, 3, 1, 2)
        heads = self.split(query)  # (B, H, T, E)
        if self.scoring == "general":
            heads = heads @ self.between
        if self.scoring == "scaled-dot":
            heads = heads * heads.shape[-1] ** -0.5
        return heads @ self.split(keys).transpose(-2, -1)

    def recall_scores(self, query: Tensor, recalled: int, keys: int) -> Tensor:
        """The number added to the scores (B, H, T, S) of the first ``recalled`` keys; none in this class."""
        return query.new_zeros(1, 1, 1, keys)

    def split(self, states: Tensor) -> Tensor:
        """(B, T, D) -> (B, H, T, E)."""
        return states.reshape(*states.shape[:-1], self.heads, -1).transpose(1, 2)


class RecallingAttention(MultiHeadAttention):
    """Self-attention that distinguishes keys of earlier sentences from keys of its own sentence.

    Signals added to embeddings can't: the third word of each sentence has the same signal. So q.w + b is added to the
    score of such a key, in each head. w and b are learned and start as zeros.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.recall_weight = nn.Parameter(torch.zeros(config.width))  # w of all heads
        self.recall_bias = nn.Parameter(torch.zeros(config.heads))

    def recall_scores(self, query: Tensor, recalled: int, keys: int) -> Tensor:
        """See ``MultiHeadAttention.recall_scores``."""
        return self.recall_score(query) * (torch.arange(keys, device=query.device) < recalled)

    def recall_score(self, query: Tensor) -> Tensor:
        """Projected queries (B, T, D) -> what they add to the score of any key of an earlier sentence, (B, H, T, 1)."""
        return self.split(query * self.recall_weight).sum(-1, keepdim=True) + self.recall_bias.view(-1, 1, 1)


class RelativeAttention(MultiHeadAttention):
    """Self-attention that scores distances (Dai et al. 2019, "Transformer-XL", section 3.3).

    The score of query i and key j is ((q_i + u) . k_j + (q_i + v) . W_R r_{i-j}) / sqrt(E). The signal r of a distance
    is sinusoidal and fixed; W_R, and per head u and v, are learned. The last query belongs to the last key. An encoder
    has distances of both signs, a decoder's mask leaves those from 0 on.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        self.distance = nn.Linear(config.width, config.width, bias=False)  # W_R
        self.content_bias = nn.Parameter(torch.zeros(config.width))  # u of all heads
        self.distance_bias = nn.Parameter(torch.zeros(config.width))  # v of all heads

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """See ``MultiHeadAttention.scores``."""
        signals = distance_signals(keys.shape[1] - 1, -query.shape[1], query.shape[-1]).to(query)
        return super().scores(query + self.content_bias, keys) + self.distance_scores(query, self.distance(signals))

    def distance_scores(self, query: Tensor, distances: Tensor) -> Tensor:
        """Score all distances of T queries to S keys with one product, and shift each row to its place.

        Args:
            query: (B, T, D), projected.
            distances: (1, S + T, D), projected signals of the distances S - 1, S - 2, ... -T.

        Returns:
            (B, H, T, S).
        """
        length, keys = query.shape[1], distances.shape[1] - query.shape[1]
        return shift(self.distance_products(query, distances), length, keys)

    def distance_products(self, query: Tensor, distances: Tensor) -> Tensor:
        """Queries (B, T, D) and N projected signals of distances (1, N, D) -> (B, H, T, N)."""
        return super().scores(query + self.distance_bias, distances)


def distance_signals(first: int, last: int, width: int) -> Tensor:
    """Signals of the distances first, first - 1, ... last, (1, first - last + 1, D) float32."""
    return sinusoids(torch.arange(first, last - 1, -1), width, concatenated=True).unsqueeze(0)


def shift(products: Tensor, length: int, keys: int) -> Tensor:
    """(B, H, T, S + T) scores of the distances S - 1 to -T -> (B, H, T, S), those of query i and key j at [i, j].

    Query i has key j at the distance S - T + i - j, so in column T - 1 - i + j: each row begins one column before the
    row above. Read in rows that are one column shorter, all begin at the same.
    """
    width = length + keys - 1
    flat = products.flatten(2)[..., length - 1 : length - 1 + length * width]
    return flat.reshape(*flat.shape[:2], length, width)[..., :keys]
