"""Names of parameters: ours, MarianMT's in the transformers library, and Marian's own."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from export.marian.limits import SourceError
from model.network.config import ConfigError, TransformerConfig
from model.network.transformer import Transformer

FORBIDDEN = -512.0
"""Logit bias of a token that must never be produced. Its probability is exactly 0 in float32, as with minus infinity.
But scores stay finite, in float16 too, and so small that their rounding doesn't look like an error."""

_SLACK_BYTES = 4 << 20  # for parameters that files don't hold: the row of the start, biases

_SUB_LAYERS = {
    "self_attention": ("self_attn", "self"),
    "cross_attention": ("encoder_attn", "context"),
    "self_residual": ("self_attn_layer_norm", "self_Wo"),
    "cross_residual": ("encoder_attn_layer_norm", "context_Wo"),
    "feed_forward_residual": ("final_layer_norm", "ffn_ffn"),
}
_PROJECTIONS = {"query": ("q_proj", "q"), "key": ("k_proj", "k"), "value": ("v_proj", "v"), "output": ("out_proj", "o")}
_FEED_FORWARD = {"inner": ("fc1", "1"), "outer": ("fc2", "2")}
_IN_LAYER = re.compile(r"(encoder|decoder)\.(\d+)\.(\w+)\.(\w+)\.(weight|bias)")


@dataclass(frozen=True)
class Foreign:
    """A parameter in a foreign file: its name, and whether its matrix is (in, out), while ours is (out, in)."""

    name: str
    transposed: bool = False


def huggingface_name(name: str) -> Foreign:
    """Return MarianMT's name for a parameter inside one of our layers."""
    stack, layer, part, piece, kind = _parts(name)
    if part == "feed_forward":
        inner = _FEED_FORWARD[piece][0]
    elif piece == "norm":
        inner = _SUB_LAYERS[part][0]
    else:
        inner = f"{_SUB_LAYERS[part][0]}.{_PROJECTIONS[piece][0]}"
    return Foreign(f"model.{stack}.layers.{layer}.{inner}.{kind}")


def marian_name(name: str, *, pre_norm: bool) -> Foreign:
    """Return Marian's name for a parameter inside one of our layers; Marian counts layers from 1."""
    stack, layer, part, piece, kind = _parts(name)
    prefix = f"{stack}_l{layer + 1}"
    if piece == "norm":
        suffix = "_pre" if pre_norm else ""
        return Foreign(f"{prefix}_{_SUB_LAYERS[part][1]}_ln_{'scale' if kind == 'weight' else 'bias'}{suffix}")
    middle, letter = (
        ("ffn", _FEED_FORWARD[piece][1]) if part == "feed_forward" else (_SUB_LAYERS[part][1], _PROJECTIONS[piece][1])
    )
    return Foreign(f"{prefix}_{middle}_{'W' if kind == 'weight' else 'b'}{letter}", transposed=kind == "weight")


def make_config(stored_bytes: int, **values: Any) -> TransformerConfig:
    """Make a configuration of our model.

    Args:
        stored_bytes: Size of the stored weights; a model that needs more memory is refused before it is allocated.
        values: Fields of ``TransformerConfig``.

    Raises:
        SourceError: It describes no model, or a larger one than the weights are of.
    """
    try:
        config = TransformerConfig(**values)
    except ConfigError as error:
        raise SourceError(f"the configuration describes no model: {error}") from error
    for name in ("pad_id", "eos_id"):
        if not 0 <= getattr(config, name) < config.source_vocabulary:
            raise SourceError(f"{name} {getattr(config, name)} is not in the source vocabulary")
    with torch.device("meta"):
        parameters = sum(parameter.numel() for parameter in Transformer(config).parameters())
    if 2 * parameters > stored_bytes + _SLACK_BYTES:
        raise SourceError(f"the configuration describes {parameters:,} parameters, and the file of weights holds fewer")
    return config


def assemble(
    config: TransformerConfig,
    tables: Mapping[str, Tensor],
    take: Callable[[Foreign, tuple[int, ...]], Tensor],
    name_of: Callable[[str], Foreign],
    forbidden: set[int],
) -> Transformer:
    """Our model with foreign weights, in float32 and evaluation mode.

    Args:
        config: With ``output_bias``.
        tables: Parameters outside the layers, by our names; tied tables once, as in ``named_parameters``.
        take: Gives a foreign parameter of an expected shape as it lies in its file.
        name_of: Translates our names.
        forbidden: Ids that must never be produced.

    Raises:
        SourceError: A parameter is missing or of another shape.
    """
    model = Transformer(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            shape = tuple(parameter.shape)
            if name in tables:
                value = tables[name]
                if tuple(value.shape) != shape:
                    raise SourceError(f"{name} is of shape {tuple(value.shape)}, not {shape}")
            else:
                foreign = name_of(name)
                value = take(foreign, shape[::-1] if foreign.transposed else shape)
                value = value.T if foreign.transposed else value
            parameter.copy_(value)
        if not all(bool(torch.isfinite(parameter).all()) for parameter in model.parameters()):
            raise SourceError("the weights are not all finite")
        cast(nn.Linear, model.projection).bias[sorted(forbidden)] = FORBIDDEN
    return model.eval()


def _parts(name: str) -> tuple[str, int, str, str, str]:
    match = _IN_LAYER.fullmatch(name)
    if match is None:
        raise SourceError(f"the model has no counterpart of {name}")
    stack, layer, part, piece, kind = match.groups()
    return stack, int(layer), part, piece, kind
