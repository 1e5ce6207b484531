"""The configuration and the weights of a Marian Transformer, in our terms, from a ``.bin`` file."""

import math
from functools import partial

import numpy as np

from export.arrays import Array, Arrays, layer_shapes, sinusoids
from export.bergamot.binary import BinaryWeights
from export.marian.limits import SourceError, count
from export.marian.mapping import assemble
from export.marian.names import FORBIDDEN, Foreign, marian_name
from export.marian.options import check_options, has_pre_norm, is_recurrent, normalises_embeddings
from model.network.config import ConfigError, TransformerConfig

POSITIONS = 512
"""Longest target; Marian's sinusoidal positions have no limit."""
_OUTPUT_BIAS = "decoder_ff_logit_out_b"


def read_config(file: BinaryWeights, eos_id: int) -> TransformerConfig:
    """The shape of the model.

    Marian starts a translation from an empty embedding. So the tables get one more row, all zeros, for padding and
    start. Tables of two sizes are padded to one size.

    Raises:
        SourceError: It is no Transformer that can be imported, or the file holds a smaller one than its options say.
    """
    options = file.options
    check_options(options)
    shared = "Wemb" in file
    rows = 1 + max(file.rows(name) for name in (["Wemb"] if shared else ["encoder_Wemb", "decoder_Wemb"]))
    count({"vocabulary": rows}, "vocabulary", "vocabulary")
    if "Wpos" in file or any(f"decoder_ff_logit_out_{name}" in file for name in ("W", "Wt")):
        raise SourceError(f"{file.path} has learned positions or an output matrix of its own, which is not supported")
    layers = count(options, "dec-depth", "layers")
    try:
        config = TransformerConfig(
            source_vocabulary=rows,
            target_vocabulary=rows,
            encoder_layers=count(options, "enc-depth", "layers"),
            decoder_layers=layers,
            width=count(options, "dim-emb", "width"),
            heads=count(options, "transformer-heads", "heads"),
            feed_forward=count(options, "transformer-dim-ffn", "feed-forward width"),
            norm="pre" if has_pre_norm(options) else "post",
            embedding_norm=normalises_embeddings(options),
            activation=options.get("transformer-ffn-activation", "swish"),
            decoder_cell="ssru" if is_recurrent(options) else "attention",
            positions="sinusoidal-marian",
            max_positions=POSITIONS,
            tie_source_target=shared,
            output_bias=True,
            norm_epsilon=1e-6,
            pad_id=rows - 1,
            eos_id=eos_id,
            decoder_start_id=rows - 1,
            alignment_layer=layers - 1,  # head 0 of the last layer was trained towards alignments
        )
    except ConfigError as error:
        raise SourceError(f"{file.path}: its options describe no model: {error}") from error
    if config.export_obstacle:
        raise SourceError(f"{file.path}: {config.export_obstacle}")
    needed = sum(math.prod(shape) for _, shape in layer_shapes(config))
    if needed > file.parameters:
        raise SourceError(f"{file.path}: its options describe {needed:,} parameters in layers, and it holds fewer")
    return config


def read_arrays(file: BinaryWeights, config: TransformerConfig, never: set[int]) -> Arrays:
    """All weights, as ``export.arrays`` names them, rounded to what float16 holds.

    Args:
        file: The file.
        config: From ``read_config``.
        never: Target ids that must never be produced.

    Raises:
        SourceError: A parameter is missing, unknown or of another shape.
    """
    tables: dict[str, Array] = {}
    for side in ("source", "target"):
        table = "Wemb" if config.tie_source_target else {"source": "encoder_Wemb", "target": "decoder_Wemb"}[side]
        values = _rounded(file.take(table, (file.rows(table), config.width)))
        tables[f"{side}_embedding.weight"] = np.pad(values, ((0, config.target_vocabulary - len(values)), (0, 0)))
    targets = file.rows("Wemb" if config.tie_source_target else "decoder_Wemb")
    tables["projection.bias"] = bias = np.full(config.target_vocabulary, FORBIDDEN, np.float32)
    bias[:targets] = file.take(_OUTPUT_BIAS, (targets,)) if _OUTPUT_BIAS in file else 0
    tables["positions"] = sinusoids(np.arange(config.max_positions), config.width, to_the_end=True)

    def take(foreign: Foreign, shape: tuple[int, ...]) -> Array:
        return _rounded(file.take(foreign.name, shape))

    name_of = partial(marian_name, pre_norm=config.norm == "pre", recurrent=config.recurrent)
    arrays = assemble(config, tables, take, name_of, never)
    file.check_all_taken()
    return arrays


def _rounded(array: Array) -> Array:
    return array.astype(np.float16).astype(np.float32)
