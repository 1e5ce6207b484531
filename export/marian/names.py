"""Names of parameters: ours, MarianMT's in the transformers library, and Marian's own."""

import re
from dataclasses import dataclass

from export.marian.limits import SourceError

FORBIDDEN = -512.0
"""Logit bias of a token that must never be produced. Its probability is exactly 0 in float32, as with minus infinity.
But scores stay finite, in float16 too, and so small that their rounding doesn't look like an error."""

_SUB_LAYERS = {
    "self_attention": ("self_attn", "self"),
    "cross_attention": ("encoder_attn", "context"),
    "self_residual": ("self_attn_layer_norm", "self_Wo"),
    "cross_residual": ("encoder_attn_layer_norm", "context_Wo"),
    "feed_forward_residual": ("final_layer_norm", "ffn_ffn"),
}
_PROJECTIONS = {"query": ("q_proj", "q"), "key": ("k_proj", "k"), "value": ("v_proj", "v"), "output": ("out_proj", "o")}
_FEED_FORWARD = {"inner": ("fc1", "1"), "outer": ("fc2", "2")}
_RECURRENCE = {"candidate": "", "gate": "f"}
_OUTSIDE = {
    "source_norm": "encoder_emb",
    "target_norm": "decoder_emb",
    "encoder_norm": "encoder_top",
    "decoder_norm": "decoder_top",
}
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


def marian_name(name: str, *, pre_norm: bool, recurrent: bool = False) -> Foreign:
    """Return Marian's name for a parameter of ours; Marian counts layers from 1."""
    outside, _, kind = name.partition(".")
    if outside in _OUTSIDE:
        suffix = "_pre" if outside.startswith(("source", "target")) else ""
        return Foreign(f"{_OUTSIDE[outside]}_ln_{'scale' if kind == 'weight' else 'bias'}{suffix}")
    stack, layer, part, piece, kind = _parts(name)
    prefix = f"{stack}_l{layer + 1}"
    if piece == "norm":
        suffix = "_pre" if pre_norm else ""
        own = "rnn_ffn" if recurrent and stack == "decoder" and part == "self_residual" else _SUB_LAYERS[part][1]
        return Foreign(f"{prefix}_{own}_ln_{'scale' if kind == 'weight' else 'bias'}{suffix}")
    if part == "recurrence":
        middle, letter = "rnn", _RECURRENCE[piece]
    elif part == "feed_forward":
        middle, letter = "ffn", _FEED_FORWARD[piece][1]
    else:
        middle, letter = _SUB_LAYERS[part][1], _PROJECTIONS[piece][1]
    return Foreign(f"{prefix}_{middle}_{'W' if kind == 'weight' else 'b'}{letter}", transposed=kind == "weight")


def _parts(name: str) -> tuple[str, int, str, str, str]:
    match = _IN_LAYER.fullmatch(name)
    if match is None:
        raise SourceError(f"the model has no counterpart of {name}")
    stack, layer, part, piece, kind = match.groups()
    return stack, int(layer), part, piece, kind
