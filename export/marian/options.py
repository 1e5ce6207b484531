"""Options of a Marian Transformer: which of them change its computation, and what is supported of them."""

from typing import Any

from export.marian.limits import SourceError

# The supported values, the default first.
_KNOWN: dict[str, tuple[Any, ...]] = {
    "type": ("transformer",),
    "transformer-decoder-autoreg": ("self-attention", "rnn"),
    "transformer-rnn-projection": (False,),
    "transformer-ffn-depth": (2,),
    "transformer-decoder-ffn-depth": (0, 2),
    "transformer-decoder-dim-ffn": (0,),
    "transformer-no-projection": (False,),
    "transformer-no-affine": (False,),
    "transformer-no-bias": (False,),
    "transformer-tied-layers": ([],),
    "ulr": (False,),
    "input-types": ([],),
    "lemma-dim-emb": (0,),
    "transformer-ffn-activation": ("swish", "relu", "gelu"),
    "transformer-postprocess-emb": ("d", "", "n", "nd"),
}
_POST_NORM, _PRE_NORM = ("", "dan", ""), ("n", "da", "n")


def check_options(options: dict[str, Any]) -> None:
    """Refuse a model that computes something else than ours.

    Raises:
        SourceError: Names the option.
    """
    for name, known in _KNOWN.items():
        if options.get(name, known[0]) not in known:
            raise SourceError(f"the model's option {name} is {options[name]!r:.40}, which is not supported")
    if is_recurrent(options) and options.get("dec-cell") != "ssru":
        raise SourceError(f"the model's option dec-cell is {options.get('dec-cell')!r:.40}, which is not supported")


def is_recurrent(options: dict[str, Any]) -> bool:
    """Whether the decoder has a recurrent unit in place of self-attention."""
    return options.get("transformer-decoder-autoreg") == "rnn"


def has_pre_norm(options: dict[str, Any]) -> bool:
    """Whether norms come before the sub-layers.

    Raises:
        SourceError: They are at neither of the two usual places.
    """
    names = ("transformer-preprocess", "transformer-postprocess", "transformer-postprocess-top")
    found = tuple(str(options.get(name, "")) for name in names)
    if found not in (_POST_NORM, _PRE_NORM):
        raise SourceError(f"the model's norms are placed as {found}, which is neither post-norm nor pre-norm")
    return found == _PRE_NORM


def normalises_embeddings(options: dict[str, Any]) -> bool:
    """Whether a norm follows the embeddings."""
    return "n" in options.get("transformer-postprocess-emb", "d")
