"""The Simpler Simple Recurrent Unit of Kim et al. 2019 ("From Research to Production and Back", section 2.2).

It takes the place of a decoder layer's self-attention. All that it remembers of the target is a state of D numbers, so
a step costs the same at any position, and no keys and values are kept. Axes: B sentences, T target length, D width.
"""

import torch
from torch import Tensor, nn

from model.network.config import TransformerConfig


class SimpleRecurrentUnit(nn.Module):
    """f = sigmoid(W_f x + b_f); c = f * c_before + (1 - f) * W x; the output is ReLU(c). c is zero at the start.

    Only the products need the inputs, so those of all positions are made at once; the loop has no products.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.candidate = nn.Linear(config.width, config.width, bias=False)  # W
        self.gate = nn.Linear(config.width, config.width, bias=config.biases)  # W_f, b_f

    def forward(self, states: Tensor, before: Tensor | None) -> tuple[Tensor, Tensor]:
        """Read T positions.

        Args:
            states: (B, T, D).
            before: (B, D), the state after the positions so far; None at the start.

        Returns:
            Outputs (B, T, D), and the state (B, D) after them.
        """
        kept = torch.sigmoid(self.gate(states))
        added = (1 - kept) * self.candidate(states)
        state = torch.zeros_like(states[:, 0]) if before is None else before
        found: list[Tensor] = []
        for share, new in zip(kept.unbind(1), added.unbind(1), strict=True):
            state = share * state + new
            found.append(state)
        return torch.relu(torch.stack(found, 1)), state
