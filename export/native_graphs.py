"""The graphs for the native operators of ``kernels/``: one node each, which computes the whole model.

They hold no weights of their own: matrices are stored as float16 as the float graphs have them, so both share a file.
The operators make 8-bit integers of them when they are loaded, in the layout that the processor wants.

They compute any standard Transformer. A model that ``TransformerConfig.variants`` names has no native graphs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from export.graph_nodes import fuse
from model.network.attention import MultiHeadAttention
from model.network.config import TransformerConfig
from model.network.layers import DecoderLayer, EncoderLayer
from model.network.transformer import Transformer

DOMAIN = "dragoman"
_OPSET = 23
_ACTIVATIONS = {"relu": 0, "gelu": 1, "swish": 2}
_NO_LAYER = -1

Ends = Mapping[str, tuple[int, Sequence[str | int]]]
"""Inputs or outputs: element type and shape of each."""
Weights = Iterator[tuple[str, NDArray[np.generic]]]


def native_encoder(model: Transformer) -> onnx.ModelProto:
    """The encoder graph of the operator Encode.

    It takes ``source``, (T,) int64, the ids of all sentences, and ``lengths``, (B,) int64; it returns ``features``,
    (2L, T, D) float32, the cross-attention keys and values of the decoder's L layers.
    """
    config = model.config
    sizes = {"vocabulary": config.source_vocabulary, "layers": config.encoder_layers}
    return _graph(
        "Encode",
        {"source": (TensorProto.INT64, ["positions"]), "lengths": (TensorProto.INT64, ["sentences"])},
        {"features": (TensorProto.FLOAT, [2 * config.decoder_layers, "positions", config.width])},
        _attributes(config) | sizes | {"cross_layers": config.decoder_layers},
        dict(_encoder_weights(model)),
    )


def native_decoder(model: Transformer) -> onnx.ModelProto:
    """The decoder graph of the operator Decode; what it takes and returns is described in ``kernels/operators.c``."""
    config = model.config
    shape: list[str | int] = [2 * config.decoder_layers, "places", config.width]
    memory = (TensorProto.FLOAT, shape)
    alignment = _NO_LAYER if config.alignment_layer is None else config.alignment_layer
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
        },
        {
            "scores": (TensorProto.DOUBLE, ["steps_made", "hypotheses", "candidates"]),
            "tokens": (TensorProto.INT64, ["steps_made", "hypotheses", "candidates"]),
            "parents": (TensorProto.INT64, ["steps_made", "hypotheses"]),
            "attended": (TensorProto.INT64, ["steps_made", "hypotheses"]),
            "next_histories": (TensorProto.INT32, ["hypotheses", "room"]),
            "next_memory": memory,
        },
        _attributes(config)
        | {"vocabulary": config.target_vocabulary, "layers": config.decoder_layers, "eos": config.eos_id}
        | {"alignment_layer": alignment, "alignment_head": config.alignment_head},
        dict(_decoder_weights(model)),
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
        "activation": _ACTIVATIONS[config.activation],
        "embedding_scale": float(config.width**0.5) if config.scale_embeddings else 1.0,
        "epsilon": config.norm_epsilon,
    }


def _encoder_weights(model: Transformer) -> Weights:
    """The weights of the encoder, in the order in which ``kernels/packing.c`` reads them."""
    yield from _tables(model, model.source_embedding, model.source_norm)
    for index, layer in enumerate(model.encoder):
        yield from _self_attention(f"encoder.{index}", layer)
        yield from _feed_forward(f"encoder.{index}", layer)
    yield from _norm("encoder_norm", model.encoder_norm)
    crosses = [layer.cross_attention for layer in model.decoder]
    yield from _linear("cross", *(linear for cross in crosses for linear in (cross.key, cross.value)))


def _decoder_weights(model: Transformer) -> Weights:
    yield from _tables(model, model.target_embedding, model.target_norm)
    for index, layer in enumerate(model.decoder):
        yield from _self_attention(f"decoder.{index}", layer)
        yield from _norm(f"decoder.{index}.cross_norm", layer.cross_residual.norm)
        yield from _linear(f"decoder.{index}.cross_query", layer.cross_attention.query)
        yield from _linear(f"decoder.{index}.cross_output", layer.cross_attention.output)
        yield from _feed_forward(f"decoder.{index}", layer)
    yield from _norm("decoder_norm", model.decoder_norm)
    assert isinstance(model.projection, nn.Linear)
    # As it lies in the file: the embedding, where they are tied.
    yield "projection.weight", _half(model.projection.weight)
    yield "projection.bias", _bias(model.projection)


def _tables(model: Transformer, embedding: nn.Module, norm: nn.Module) -> Weights:
    assert isinstance(embedding, nn.Embedding)  # others are variants
    yield "embedding", _half(embedding.weight)
    places = model.config.max_positions
    table = model.positions.table(places) if model.positions.added else torch.zeros(places, model.config.width)
    yield "positions", _float(table)
    yield from _norm("embedding_norm", norm)


def _self_attention(name: str, layer: EncoderLayer | DecoderLayer) -> Weights:
    attention: MultiHeadAttention = layer.self_attention
    yield from _norm(f"{name}.self_norm", layer.self_residual.norm)
    yield from _linear(f"{name}.self_projection", attention.query, attention.key, attention.value)
    yield from _linear(f"{name}.self_output", attention.output)


def _feed_forward(name: str, layer: EncoderLayer | DecoderLayer) -> Weights:
    yield from _norm(f"{name}.inner_norm", layer.feed_forward_residual.norm)
    yield from _linear(f"{name}.inner", layer.feed_forward.inner)
    yield from _linear(f"{name}.outer", layer.feed_forward.outer)


def _linear(name: str, *layers: nn.Linear) -> Weights:
    """(inputs, outputs) and (outputs,) of layers with the same input, side by side."""
    fused = fuse(*layers)
    yield f"{name}.weight", _half(fused.weight.T)
    yield f"{name}.bias", _bias(fused)


def _norm(name: str, norm: nn.Module) -> Weights:
    if isinstance(norm, nn.LayerNorm):
        yield f"{name}.gain", _float(norm.weight)
        yield f"{name}.bias", _float(norm.bias)


def _bias(layer: nn.Linear) -> NDArray[np.float32]:
    if layer.bias is None:
        return np.zeros(layer.out_features, np.float32)
    return _float(layer.bias)


def _float(tensor: Tensor) -> NDArray[np.float32]:
    return tensor.detach().float().numpy()


def _half(tensor: Tensor) -> NDArray[np.float16]:
    return tensor.detach().half().numpy()
