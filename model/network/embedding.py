"""Adaptive embedding and softmax: rare pieces have narrower vectors (Baevski & Auli 2019; Grave et al. 2017).

Axes: V vocabulary, D model width. Cluster 0, the head, holds the most frequent pieces at full width; cluster n has
D / div_val^n channels.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn

from model.network.config import TransformerConfig
from model.network.stack import Stack


class AdaptiveEmbedding(nn.Module):
    """Ids (...) -> vectors (..., D); each cluster beyond the head has a table of its own and a projection to D."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.ranges = list(pairwise((0, *config.cutoffs, config.target_vocabulary)))
        widths = [config.width // config.div_val**cluster for cluster in range(len(self.ranges))]
        self.tables: Stack[nn.Embedding] = Stack(
            nn.Embedding(end - start, width) for (start, end), width in zip(self.ranges, widths, strict=True)
        )
        self.projections: Stack[nn.Linear] = Stack(nn.Linear(width, config.width, bias=False) for width in widths[1:])
        for table in self.tables:
            nn.init.normal_(table.weight, std=config.width**-0.5)
        for projection, width in zip(self.projections, widths[1:], strict=True):
            nn.init.normal_(projection.weight, std=width**-0.5)  # so that all pieces start with the same variance

    def forward(self, ids: Tensor) -> Tensor:
        """Sum over the clusters, in all but one of which a piece has zeros."""
        vectors: list[Tensor] = []
        for cluster, ((start, end), table) in enumerate(zip(self.ranges, self.tables, strict=True)):
            found = table((ids - start).clamp(0, end - start - 1))
            if cluster:
                found = self.projections[cluster - 1](found)
            vectors.append(found * ((ids >= start) & (ids < end)).unsqueeze(-1))
        return torch.stack(vectors).sum(0)


class AdaptiveSoftmax(nn.Module):
    """States (..., D) -> log-probabilities (..., V), exact; the weights are those of the embedding.

    log p(piece) = log p(its cluster) + log p(piece | its cluster). The head's softmax has one more entry for each of
    the other clusters.
    """

    def __init__(self, embedding: AdaptiveEmbedding, width: int) -> None:
        super().__init__()
        self.ranges, self.tables, self.projections = embedding.ranges, embedding.tables, embedding.projections
        self.clusters = nn.Linear(width, len(self.ranges) - 1, bias=False)

    def forward(self, states: Tensor) -> Tensor:
        """At least float32, whatever the states are: sums of log-probabilities need the digits."""
        precise = torch.promote_types(states.dtype, torch.float32)
        first, (frequent, *others) = self.ranges[0][1], self.tables
        head = torch.cat([states @ frequent.weight.T, self.clusters(states)], -1).log_softmax(-1, precise)
        parts = [head[..., :first]]
        for cluster, (table, projection) in enumerate(zip(others, self.projections, strict=True)):
            inside = (states @ projection.weight @ table.weight.T).log_softmax(-1, precise)
            parts.append(inside + head[..., first + cluster : first + cluster + 1])
        return torch.cat(parts, -1)
