"""Replace a model by a standard Transformer with other weights, where both compute the same."""

from dataclasses import replace

import torch

from model.network.attention import MultiHeadAttention
from model.network.config import TransformerConfig
from model.network.decoder_only import new_model
from model.network.transformer import Transformer


def standard_config(config: TransformerConfig) -> TransformerConfig:
    """The configuration with scores by "scaled-dot" where those are the same with other weights."""
    return replace(config, scoring="scaled-dot") if config.scoring in ("dot", "general") else config


@torch.no_grad()
def standardised(model: Transformer) -> Transformer:
    """The model, or a standard one that computes the same: q.k and q.W.k are (sqrt(E) q).k and (sqrt(E) q W).k, scaled.

    Graphs, and operators fused for them, then need to know one kind of score only.
    """
    config = standard_config(model.config)
    if config == model.config:
        return model
    standard = new_model(config).to(model.dtype).eval()
    standard.load_state_dict({name: tensor for name, tensor in model.state_dict().items() if "between" not in name})
    for old, new in zip(model.modules(), standard.modules(), strict=True):
        if isinstance(old, MultiHeadAttention) and isinstance(new, MultiHeadAttention):
            between = old.between if old.scoring == "general" else torch.eye(config.head_width, dtype=model.dtype)
            factor = between.transpose(-2, -1) * config.head_width**0.5  # (H, E, E), or (E, E)
            weight = old.query.weight.reshape(config.heads, -1, config.width)  # (H, E, D)
            new.query.weight.copy_((factor @ weight).flatten(0, 1))
            if config.biases:
                bias = old.query.bias.reshape(config.heads, -1, 1)  # (H, E, 1)
                new.query.bias.copy_((factor @ bias).flatten())
    return standard
