"""The graphs for the native operators of ``kernels/``: one node each, which computes the whole model.

They hold no weights of their own: matrices are stored as float16 as the float graphs have them, so both share a file.
The operators make 8-bit integers of them when they are loaded, in the layout that the processor wants.

They compute any model that ``TransformerConfig.native`` allows. PyTorch is not needed to write them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from export.arrays import Arrays, side_by_side
from model.network.config import TransformerConfig

DOMAIN = "dragoman"
_OPSET = 23
ACTIVATIONS = {"relu": 0, "gelu": 1, "swish": 2}
NO_LAYER = -1

Ends = Mapping[str, tuple[int, Sequence[str | int]]]
"""Inputs or outputs: element type and shape of each."""
Weights = Iterator[tuple[str, NDArray[np.generic]]]


def native_encoder(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """The encoder graph of the operator Encode.

    It takes ``source``, (T,) int64, the ids of all sentences, and ``lengths``, (B,) int64; it returns ``features``,
    (2L, T, D) float32, the cross-attention keys and values of the decoder's L layers.
    """
    sizes = {"vocabulary": config.source_vocabulary, "layers": config.encoder_layers}
    return _graph(
        "Encode",
        {"source": (TensorProto.INT64, ["positions"]), "lengths": (TensorProto.INT64, ["sentences"])},
        {"features": (TensorProto.FLOAT, [2 * config.decoder_layers, "positions", config.width])},
        _attributes(config) | sizes | {"cross_layers": config.decoder_layers},
        dict(_encoder_weights(config, arrays)),
    )


def native_decoder(config: TransformerConfig, arrays: Arrays, *, choices: bool = False) -> onnx.ModelProto:
    """The decoder graph of the operator Decode; what it takes and returns is described in ``kernels/operators.c``.

    With ``choices``, greedy searches may be limited to some pieces of the vocabulary.
    """
    shape: list[str | int] = [2 * config.decoder_layers, "places", config.width]
    memory = (TensorProto.FLOAT, shape)
    alignment = NO_LAYER if config.alignment_layer is None else config.alignment_layer
    return _graph(
        "Decode",
        {
            "memory": memory,
            "rows": (TensorProto.INT64, ["rows", 2]),
            "totals": (TensorProto.DOUBLE, ["rows"]),
            "histories": (TensorProto.INT32, ["rows", "room"]),
            "sentences": (TensorProto.INT64, ["sentences", 3]),
            "sources": (TensorProto.INT32, ["sentences", "source"]),
            "fresh": (TensorProto.INT32, ["wanted", "steps"]),
            "thresholds": (TensorProto.DOUBLE, ["sentences"]),
            "top": (TensorProto.INT64, []),
            "nodes": (TensorProto.INT32, ["nodes", 4]),
            "roots": (TensorProto.INT32, ["sentences", "looked_at"]),
            "progress": (TensorProto.INT64, ["rows", 2]),
            **({"choices": (TensorProto.INT32, ["sentences", "choices"])} if choices else {}),
            "keys": (TensorProto.INT8, ["strips", "quads", "strip"]),
            "key_scales": (TensorProto.FLOAT, ["neighbours"]),
            "key_sums": (TensorProto.INT32, ["neighbours", 2]),
            "key_tokens": (TensorProto.INT32, ["neighbours"]),
            "key_counts": (TensorProto.INT64, ["sentences"]),
        },
        {
            "scores": (TensorProto.DOUBLE, ["steps_made", "hypotheses", "candidates"]),
            "tokens": (TensorProto.INT64, ["steps_made", "hypotheses", "candidates"]),
            "parents": (TensorProto.INT64, ["steps_made", "hypotheses"]),
            "attended": (TensorProto.INT64, ["steps_made", "hypotheses"]),
            "next_histories": (TensorProto.INT32, ["hypotheses", "room"]),
            "next_memory": memory,
            "states": (TensorProto.INT8, ["stepped", config.width]),
            "state_scales": (TensorProto.FLOAT, ["stepped"]),
        },
        _attributes(config)
        | {"vocabulary": config.target_vocabulary, "layers": config.decoder_layers, "eos": config.eos_id}
        | {"alignment_layer": alignment, "alignment_head": config.alignment_head}
        | ({"recurrent": 1} if config.recurrent else {})
        | ({"choices": 1} if choices else {})
        | {"neighbours": 1},
        dict(_decoder_weights(config, arrays)),
    )


def _graph(
    operator: str,
    inputs: Ends,
    outputs: Ends,
    attributes: Mapping[str, Any],
    weights: Mapping[str, NDArray[np.generic]],
) -> onnx.ModelProto:
    node = helper.make_node(operator, [*inputs, *weights], list(outputs), domain=DOMAIN, **attributes)
    graph = helper.make_graph(
        [node],
        operator.lower(),
        [helper.make_tensor_value_info(name, *described) for name, described in inputs.items()],
        [helper.make_tensor_value_info(name, *described) for name, described in outputs.items()],
        [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in weights.items()],
    )
    opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(DOMAIN, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=11)


def _attributes(config: TransformerConfig) -> dict[str, Any]:
    return {
        "width": config.width,
        "heads": config.heads,
        "feed_forward": config.feed_forward,
        "positions": config.max_positions,
        "pre_norm": int(config.norm == "pre"),
        "embedding_norm": int(config.embedding_norm),
        "activation": ACTIVATIONS[config.activation],
        "embedding_scale": float(config.width**0.5) if config.scale_embeddings else 1.0,
        "epsilon": config.norm_epsilon,
    }


def _encoder_weights(config: TransformerConfig, arrays: Arrays) -> Weights:
    """The weights of the encoder, in the order in which ``kernels/packing.c`` reads them."""
    yield from _tables(config, arrays, "source")
    for index in range(config.encoder_layers):
        yield from _self_attention(arrays, f"encoder.{index}")
        yield from _feed_forward(arrays, f"encoder.{index}")
    if config.norm == "pre":
        yield from _norm(arrays, "encoder_norm", "encoder_norm")
    crosses = (f"decoder.{layer}.cross_attention" for layer in range(config.decoder_layers))
    yield from _linear(arrays, "cross", *(f"{cross}.{part}" for cross in crosses for part in ("key", "value")))


def _decoder_weights(config: TransformerConfig, arrays: Arrays) -> Weights:
    yield from _tables(config, arrays, "target")
    for index in range(config.decoder_layers):
        name = f"decoder.{index}"
        yield from _recurrence(arrays, name) if config.recurrent else _self_attention(arrays, name)
        yield from _norm(arrays, f"{name}.cross_norm", f"{name}.cross_residual.norm")
        yield from _linear(arrays, f"{name}.cross_query", f"{name}.cross_attention.query")
        yield from _linear(arrays, f"{name}.cross_output", f"{name}.cross_attention.output")
        yield from _feed_forward(arrays, name)
    if config.norm == "pre":
        yield from _norm(arrays, "decoder_norm", "decoder_norm")
    # As it lies in the file: the embedding, where they are tied.
    projection = arrays["target_embedding.weight" if config.tie_output else "projection.weight"]
    yield "projection.weight", projection.astype(np.float16)
    yield "projection.bias", arrays.get("projection.bias", np.zeros(len(projection), np.float32))


def _tables(config: TransformerConfig, arrays: Arrays, side: str) -> Weights:
    yield "embedding", arrays[f"{side}_embedding.weight"].astype(np.float16)
    yield "positions", arrays["positions"]
    if config.embedding_norm:
        yield from _norm(arrays, "embedding_norm", f"{side}_norm")


def _self_attention(arrays: Arrays, layer: str) -> Weights:
    yield from _norm(arrays, f"{layer}.self_norm", f"{layer}.self_residual.norm")
    parts = (f"{layer}.self_attention.{part}" for part in ("query", "key", "value"))
    yield from _linear(arrays, f"{layer}.self_projection", *parts)
    yield from _linear(arrays, f"{layer}.self_output", f"{layer}.self_attention.output")


def _recurrence(arrays: Arrays, layer: str) -> Weights:
    yield from _norm(arrays, f"{layer}.self_norm", f"{layer}.self_residual.norm")
    parts = (f"{layer}.recurrence.{part}" for part in ("candidate", "gate"))
    yield from _linear(arrays, f"{layer}.self_projection", *parts)


def _feed_forward(arrays: Arrays, layer: str) -> Weights:
    yield from _norm(arrays, f"{layer}.inner_norm", f"{layer}.feed_forward_residual.norm")
    for part in ("inner", "outer"):
        yield from _linear(arrays, f"{layer}.{part}", f"{layer}.feed_forward.{part}")


def _linear(arrays: Arrays, name: str, *layers: str) -> Weights:
    """Layers with the same input side by side: (inputs, outputs) and (outputs,)."""
    weight, bias = side_by_side(arrays, *layers)
    yield f"{name}.weight", weight.astype(np.float16)
    yield f"{name}.bias", bias


def _norm(arrays: Arrays, name: str, layer: str) -> Weights:
    yield f"{name}.gain", arrays[f"{layer}.weight"]
    yield f"{name}.bias", arrays[f"{layer}.bias"]
