"""Attention written out from the papers' formulas, one number at a time, and small models to hold to it."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from model.network.attention import MultiHeadAttention, RecallingAttention, RelativeAttention
from model.network.config import TransformerConfig

WIDTH, HEADS, VOCABULARY = 16, 2, 30
E = WIDTH // HEADS
SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])
TARGET = torch.tensor([[1, 14, 15, 16], [1, 17, 18, 19]])


def config(**options: Any) -> TransformerConfig:
    sizes = {"encoder_layers": 2, "decoder_layers": 2, "width": WIDTH, "heads": HEADS, "feed_forward": 24}
    return TransformerConfig(source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, **(sizes | options))


def randomised(module: nn.Module, seed: int = 0) -> Any:
    """No bias is zero and no vector is one, so that none can be forgotten unnoticed."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return module.eval()


def close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-4, atol=5e-5)


def head(vector: Tensor, number: int) -> Tensor:
    return vector[number * E : (number + 1) * E]


def signal(distance: int) -> Tensor:
    """Sines, then cosines."""
    angles = [distance / 10000 ** (2 * i / WIDTH) for i in range(WIDTH // 2)]
    return torch.tensor([*map(math.sin, angles), *map(math.cos, angles)])


def score(attention: MultiHeadAttention, query: Tensor, key: Tensor, number: int, distance: int) -> float:
    """The score of one query and one key, (D,) each, in one head."""
    q, k = head(query, number), head(key, number)
    if isinstance(attention, RelativeAttention):
        r = head(attention.distance.weight @ signal(distance), number)
        u, v = head(attention.content_bias, number), head(attention.distance_bias, number)
        return float((q @ k + q @ r + u @ k + v @ r) / math.sqrt(E))  # equation (5) of Dai et al.
    if attention.scoring == "additive":
        return float(sum(attention.weight[number][e] * math.tanh(q[e] + k[e]) for e in range(E)))
    if attention.scoring == "general":
        return float(sum(q[a] * attention.between[number][a][b] * k[b] for a in range(E) for b in range(E)))
    return float(q @ k) / (1 if attention.scoring == "dot" else math.sqrt(E))


def slow_attention(
    attention: MultiHeadAttention, queries: Tensor, keys: Tensor, mask: Tensor, recalled: int = 0
) -> Tensor:
    """One sentence, one query, one head, one key at a time; the last query belongs to the last key.

    The first ``recalled`` keys are of earlier sentences.
    """
    result = []
    for i, state in enumerate(queries):
        query, row = attention.query(state), []
        for number in range(HEADS):
            looked = [j for j in range(len(keys)) if mask[i, j]]
            scores = []
            for j in looked:
                found = score(attention, query, attention.key(keys[j]), number, len(keys) - len(queries) + i - j)
                if j < recalled and isinstance(attention, RecallingAttention):
                    found += float(head(query, number) @ head(attention.recall_weight, number))
                    found += float(attention.recall_bias[number])
                scores.append(found)
            weights = [math.exp(each - max(scores)) for each in scores]
            values = [head(attention.value(keys[j]), number) for j in looked]
            row.append(sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights))
        result.append(attention.output(torch.cat(row)))
    return torch.stack(result)
