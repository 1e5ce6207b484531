"""Position signals: computed for any length, so a sequence may be longer than all that training has seen."""

import math

import torch
from torch import Tensor, nn

from model.network.config import TransformerConfig


def sinusoids(positions: Tensor, width: int, *, concatenated: bool, to_the_end: bool = False) -> Tensor:
    """Sinusoidal signals, section 3.5 of the paper: sin(p / 10000^(2i/D)) and cos of the same.

    Args:
        positions: (...,) integers.
        width: D, even.
        concatenated: False interleaves sine and cosine channels (the paper); True puts the D/2 sines before the D/2
            cosines (Transformer-XL's and Marian's layout).
        to_the_end: The lowest frequency is 1/10000 itself: sin(p / 10000^(i/(D/2-1))), as in tensor2tensor and Marian.
            The paper's formula stops one step before.

    Returns:
        (..., D) float32.
    """
    # The frequencies are computed in double precision: in float32 the error of p * f grows with p.
    steps = max(width // 2 - 1, 1) if to_the_end else width // 2
    exponents = torch.arange(width // 2, dtype=torch.float64, device=positions.device) / steps
    angles = positions.to(torch.float64).unsqueeze(-1) * torch.exp(-math.log(10000.0) * exponents)  # (..., D/2)
    pair = (angles.sin(), angles.cos())
    signal = torch.cat(pair, dim=-1) if concatenated else torch.stack(pair, dim=-1).flatten(-2)
    return signal.to(torch.float32)


class PositionSignal(nn.Module):
    """Maps positions (...,) to the signals (..., D) that are added to embeddings, by the scheme of the configuration.

    Relative positions and none add zeros.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.scheme, self.added = config.positions, config.adds_positions
        self.width = config.width
        self.learned: Tensor | None = None
        self._table: Tensor | None = None
        if self.scheme == "learned":
            self.learned = nn.Parameter(torch.randn(config.position_rows, config.width) * config.width**-0.5)

    def table(self, length: int) -> Tensor:
        """Signals of positions 0..length-1, (length, D).

        Raises:
            ValueError: Learned positions end before ``length``.
        """
        if self.learned is not None:
            if length > len(self.learned):
                raise ValueError(f"{length} positions asked for, {len(self.learned)} learned")
            return self.learned[:length]
        if not self.added:
            return torch.zeros(length, self.width)
        if self._table is None or len(self._table) < length:
            # Sinusoids are a constant of the scheme, not a weight: kept out of checkpoints, grown on demand.
            self._table = sinusoids(
                torch.arange(max(64, 2 * length)),
                self.width,
                concatenated=self.scheme != "sinusoidal",
                to_the_end=self.scheme == "sinusoidal-marian",
            )
        return self._table[:length]

    def forward(self, start: int, length: int) -> Tensor:
        """Signals of positions start..start+length-1, (length, D)."""
        return self.table(start + length)[start:]
