"""Every mask of the model. A mask is True where the token is real, or may be looked at."""

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """(B, S) ids -> (B, S) bool, True on real tokens."""
    return ids != pad_id


def causal_mask(length: int, device: torch.device | None = None) -> Tensor:
    """(T, T) bool: position t may look at positions 0..t."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Rule out masked keys before a softmax.

    The lowest finite value instead of minus infinity keeps a row without any real key finite: its softmax is uniform,
    not NaN.

    Args:
        scores: (B, H, T, S).
        mask: bool, broadcastable to ``scores``.
    """
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
