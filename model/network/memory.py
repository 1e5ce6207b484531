"""Segment memory: states of the sentences before are keys and values of the next (Dai et al. 2019, section 3.2).

Axes: B sentences, M remembered positions, T own positions, D model width.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Memory(NamedTuple):
    """The inputs of each layer of a stack at the last positions of the sentences before, without gradient.

    Real positions come last, so that the distance between two positions is the distance between their columns.
    """

    states: list[Tensor]  # per layer, (B, M, D)
    mask: Tensor  # (B, M) bool, True on real positions


class Memories(NamedTuple):
    """The memories of encoder and decoder; None before the first sentence."""

    encoder: Memory | None
    decoder: Memory | None


def remember(before: Memory | None, inputs: Sequence[Tensor], real: Tensor, most: int) -> Memory:
    """The memory after a sentence.

    Args:
        before: The memory that the sentence was read with.
        inputs: What entered each layer, (B, T, D).
        real: (B, T) bool, False on padding.
        most: Positions to keep.

    Returns:
        The last ``most`` real positions, or fewer columns if no sentence has so many.
    """
    if before is not None:
        inputs = [torch.cat(pair, 1) for pair in zip(before.states, inputs, strict=True)]
        real = torch.cat([before.mask, real], 1)
    kept = min(most, int(real.sum(1).max()))
    order = real.int().argsort(dim=1, stable=True)[:, -kept:]  # padding, then the real positions in their order
    rows = torch.arange(len(real), device=real.device).unsqueeze(1)
    return Memory([states.detach()[rows, order] for states in inputs], real[rows, order])


def recall_mask(real: Tensor, first: int, length: int, limit: int | None) -> Tensor:
    """Which remembered positions the own positions first, first + 1, ... may look at.

    Args:
        real: (B, M) bool, see ``Memory.mask``.
        first: The first own position.
        length: T.
        limit: Distance from which on positions are not seen; None: all are.

    Returns:
        (B, T, M) bool.
    """
    visible = real.unsqueeze(1).expand(-1, length, -1)
    if limit is None:
        return visible
    columns = torch.arange(real.shape[1], device=real.device)
    own = torch.arange(first, first + length, device=real.device).unsqueeze(1)
    return visible & (real.shape[1] + own - columns < limit)
