"""Foreign models after reading, as our Transformer: what the oracles are compared with."""

import torch

from export.marian.source import MarianModel
from model.network.transformer import Transformer


def as_transformer(read: MarianModel) -> Transformer:
    """The model with the weights that were read, in evaluation mode."""
    model = Transformer(read.config).eval()
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, parameter in parameters.items():
            own = "positions" if name == "positions.learned" else name
            parameter.copy_(torch.from_numpy(read.arrays[own].copy()))
    return model
