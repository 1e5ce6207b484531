"""Read a MarianMT folder of the transformers library."""

from pathlib import Path
from typing import Any

import numpy as np

from export.arrays import Array, Arrays, sinusoids
from export.marian.limits import SourceError, count, read_json, read_text
from export.marian.mapping import assemble, make_config
from export.marian.names import Foreign, huggingface_name
from export.marian.source import MarianModel, Vocabularies
from export.marian.vocabulary import read_json_vocabulary, read_sentencepiece
from export.marian.weights import Weights, open_weights
from model.network.config import TransformerConfig

CONFIG = "config.json"
FILES = (
    CONFIG,
    "generation_config.json",
    "tokenizer_config.json",
    "vocab.json",
    "target_vocab.json",
    "source.spm",
    "target.spm",
    "README.md",
)

# No model was trained on longer inputs; a paragraph of this length already translates badly.
LONGEST = 512

_SHARED = "model.shared.weight"
_SOURCE = "model.encoder.embed_tokens.weight"
_TARGET = "model.decoder.embed_tokens.weight"
_OUTPUT = "lm_head.weight"
_BIAS = "final_logits_bias"
_POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
_OUTSIDE_LAYERS = {_SHARED, _SOURCE, _TARGET, _OUTPUT, _BIAS, *_POSITIONS}

_ACTIVATIONS = {"swish": "swish", "silu": "swish", "relu": "relu", "gelu": "gelu"}
# Options of older versions, with the value that every MarianMT model has.
_FIXED = {"normalize_before": False, "normalize_embedding": False, "add_final_layer_norm": False}


def read_huggingface(folder: Path) -> MarianModel:
    """Read config, weights and vocabularies.

    Raises:
        SourceError: It is no MarianMT model, or is damaged.
    """
    facts = read_json(folder / CONFIG)
    if facts.get("model_type") != "marian":
        raise SourceError(f"{folder / CONFIG}: model_type is {facts.get('model_type')!r:.40}, not 'marian'")
    weights = open_weights(folder)
    config = _config(facts, weights.stored_bytes)
    tokenizer = _optional(folder / "tokenizer_config.json")
    source = read_json_vocabulary(folder / "vocab.json", config.source_vocabulary)
    target = source
    if tokenizer.get("separate_vocabs", not config.tie_source_target):
        target = read_json_vocabulary(folder / "target_vocab.json", config.target_vocabulary)
    elif config.target_vocabulary != config.source_vocabulary:
        raise SourceError(f"{folder / CONFIG}: vocabularies of two sizes need a target_vocab.json")
    for pieces in (source, target):
        if pieces[config.eos_id] != "</s>":
            raise SourceError(f"{folder}: the vocabulary's </s> is not the configuration's eos_token_id")
    for name in ("source.spm", "target.spm"):
        read_sentencepiece(folder / name)
    card = folder / "README.md"
    forbidden = forbidden_ids(facts, _optional(folder / "generation_config.json"), config)
    return MarianModel(
        config=config,
        arrays=_arrays(config, weights, forbidden),
        vocabularies=Vocabularies(source=source, target=target),
        source_pieces=folder / "source.spm",
        target_pieces=folder / "target.spm",
        longest_source=min(config.max_positions, LONGEST),
        card=read_text(card) if card.exists() else "",
        languages=_languages(tokenizer),
        weights=weights.path,
    )


def _config(facts: dict[str, Any], stored_bytes: int) -> TransformerConfig:
    for name, value in _FIXED.items():
        if facts.get(name, value) != value:
            raise SourceError(f"the configuration's {name} is {facts[name]!r:.40}, which is not supported")
    for one, other in (
        ("encoder_ffn_dim", "decoder_ffn_dim"),
        ("encoder_attention_heads", "decoder_attention_heads"),
    ):
        if facts.get(one) != facts.get(other):
            raise SourceError(f"{one} and {other} differ, which is not supported")
    activation = facts.get("activation_function")
    if activation not in _ACTIVATIONS:
        raise SourceError(f"the activation is {activation!r:.40}, not one of {', '.join(_ACTIVATIONS)}")
    source_vocabulary = count(facts, "vocab_size", "vocabulary")
    shared = bool(facts.get("share_encoder_decoder_embeddings", True))
    own = facts.get("decoder_vocab_size") is not None and not shared
    return make_config(
        stored_bytes,
        source_vocabulary=source_vocabulary,
        target_vocabulary=count(facts, "decoder_vocab_size", "vocabulary") if own else source_vocabulary,
        encoder_layers=count(facts, "encoder_layers", "layers"),
        decoder_layers=count(facts, "decoder_layers", "layers"),
        width=count(facts, "d_model", "width"),
        heads=count(facts, "encoder_attention_heads", "heads"),
        feed_forward=count(facts, "encoder_ffn_dim", "feed-forward width"),
        activation=_ACTIVATIONS[activation],
        positions="sinusoidal-halves",
        # Sinusoidal positions have no limit, but no Marian model was trained beyond this one.
        max_positions=min(count(facts, "max_position_embeddings", "positions"), 2 * LONGEST),
        scale_embeddings=bool(facts.get("scale_embedding", False)),
        tie_source_target=shared,
        tie_output=bool(facts.get("tie_word_embeddings", True)),
        output_bias=True,
        pad_id=_id(facts, "pad_token_id"),
        eos_id=_id(facts, "eos_token_id"),
        decoder_start_id=_id(facts, "decoder_start_token_id"),
    )


def _id(facts: dict[str, Any], name: str) -> int:
    value = facts.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise SourceError(f"the configuration's {name} is {value!r:.40}, not an id")
    return value


def forbidden_ids(facts: dict[str, Any], generation: dict[str, Any], config: TransformerConfig) -> set[int]:
    """Return the ids that must never be produced: the start, which Marian has no id for, and the ids that files forbid.

    Raises:
        SourceError: The files forbid something that is not an id.
    """
    lists = generation.get("bad_words_ids") or facts.get("bad_words_ids") or []
    forbidden = {config.pad_id, config.decoder_start_id}
    if not isinstance(lists, list) or not all(isinstance(ids, list) for ids in lists):
        raise SourceError("bad_words_ids is not a list of lists")
    for ids in lists:
        if len(ids) == 1:  # forbidden sequences don't occur in Marian models
            if not isinstance(ids[0], int) or not 0 <= ids[0] < config.target_vocabulary or ids[0] == config.eos_id:
                raise SourceError(f"bad_words_ids forbids {ids[0]!r:.40}")
            forbidden.add(ids[0])
    return forbidden


def _arrays(config: TransformerConfig, weights: Weights, forbidden: set[int]) -> Arrays:
    source_shape = (config.source_vocabulary, config.width)
    target_shape = (config.target_vocabulary, config.width)
    # A file stores tied tables once, under the name that came first.
    target_names = [_SHARED, _TARGET, _SOURCE] if config.tie_source_target else [_TARGET]
    target_names += [_OUTPUT] if config.tie_output else []
    tables: dict[str, Array] = {
        "target_embedding.weight": _first(weights, target_names, target_shape),
        "projection.bias": (
            weights.take(Foreign(_BIAS), (1, config.target_vocabulary))[0]
            if _BIAS in weights
            else np.zeros(config.target_vocabulary, np.float32)
        ),
        "positions": sinusoids(np.arange(config.max_positions), config.width, to_the_end=False),
    }
    if not config.tie_source_target:
        tables["source_embedding.weight"] = _first(weights, [_SOURCE], source_shape)
    if not config.tie_output:
        tables["projection.weight"] = _first(weights, [_OUTPUT], target_shape)
    _check_positions(weights, config)
    taken: set[str] = set()

    def take(foreign: Foreign, shape: tuple[int, ...]) -> Array:
        taken.add(foreign.name)
        return weights.take(foreign, shape)

    arrays = assemble(config, tables, take, huggingface_name, forbidden)
    left = sorted(weights.shapes.keys() - taken - _OUTSIDE_LAYERS)
    if left:
        raise SourceError(f"{weights.path}: {left[0]:.60} is not a parameter of MarianMT")
    return arrays


def _first(weights: Weights, names: list[str], shape: tuple[int, ...]) -> Array:
    name = next((name for name in names if name in weights), names[0])
    return weights.take(Foreign(name), shape)


def _check_positions(weights: Weights, config: TransformerConfig) -> None:
    """Check the table of positions that some files store, although positions are computed."""
    for name in _POSITIONS:
        if name in weights:
            shape = weights.shapes[name]
            if len(shape) != 2 or shape[1] != config.width or not 1 <= shape[0] <= 1 << 16:
                raise SourceError(f"{weights.path}: {name} is of shape {shape}")
            expected = sinusoids(np.arange(shape[0]), config.width, to_the_end=False)
            if not np.allclose(weights.take(Foreign(name), shape), expected, rtol=0, atol=1e-2):
                raise SourceError(f"{weights.path}: {name} does not hold sinusoids, which is not supported")


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}


def _languages(tokenizer: dict[str, Any]) -> tuple[str, str] | None:
    source, target = tokenizer.get("source_lang"), tokenizer.get("target_lang")
    return (source, target) if isinstance(source, str) and isinstance(target, str) else None
