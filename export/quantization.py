"""8-bit integer versions of float32 graphs, for the CPU.

Activations are quantised with fixed scales, measured on the float32 graphs with calibration text (Jacob et al. 2018,
section 3.1). ONNX Runtime's dynamic quantisation uses one scale for all rows of a batch instead, so that a sentence's
translation depends on its neighbours. Fixed scales and exact integer sums avoid that.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import OrtValue

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import default_max_length
from app.engine.onnx.model import OnnxModel
from app.engine.onnx.sessions import Binding, Kind
from app.engine.options import SearchOptions
from export.graph_ends import array_names
from export.graph_fusion import simplify
from model.network.config import TransformerConfig

Array = NDArray[Any]
Feeds = Mapping[str, Array]
Ranges = Mapping[str, tuple[float, float]]
"""The range of each tensor that is multiplied by a constant matrix; values beyond it are clipped."""

# Weights have 7 bits. On processors without VNNI, the sum of two products of 8-bit activations and 8-bit weights
# saturates 16 bits, so with 8-bit weights the result would depend on the processor.
_LARGEST_WEIGHT = 63
_LARGEST_EMBEDDING = 127
_LARGEST_ACTIVATION = 255
# Shares of the largest value that are tried as the end of the range, and how many values of a tensor they are tried on.
_SHARES = np.linspace(1.0, 0.4, 31)
_SAMPLED = 200


def fold_transposes(graph: onnx.ModelProto) -> None:
    """Turn ``Transpose(weight)`` into a transposed weight, in place: only constant matrices are quantised."""
    body = graph.graph
    weights = _initializers(graph)
    for node in [node for node in body.node if node.op_type == "Transpose" and node.input[0] in weights]:
        order = next((list(attribute.ints) for attribute in node.attribute if attribute.name == "perm"), None)
        array = np.ascontiguousarray(numpy_helper.to_array(weights[node.input[0]]).transpose(order))
        body.initializer.append(numpy_helper.from_array(array, node.output[0]))
        body.node.remove(node)
    _drop_unused(graph)


class _Recorder(OnnxModel):
    """The runtime; records the inputs of the decoder graph."""

    def __init__(self, encoder: Path, decoder: Path, pad_id: int) -> None:
        super().__init__(encoder, decoder, pad_id=pad_id, provider="cpu", threads=1)
        self.recorded: list[Feeds] = []

    def bind(self, small: Mapping[str, Array], large: Mapping[str, OrtValue], kind: Kind = "step") -> Binding:
        self._large = large
        return super().bind(small, large, kind)

    def step(self, binding: Binding, past: list[OrtValue], present: list[OrtValue]) -> list[Array]:
        # Copies: the memory is used again.
        values = {**self._large, **dict(zip(self.past, past, strict=True))}
        self.recorded.append(
            {name: array.copy() for name, array in binding.small.items()}
            | {name: value.numpy().copy() for name, value in values.items()}
        )
        return super().step(binding, past, present)


def encoder_feeds(config: TransformerConfig, sources: Iterable[Sequence[int]]) -> Iterator[Feeds]:
    """Yield the inputs of the encoder graph for the sources, one at a time and so without padding, without memories."""
    most = config.memory_length
    names = array_names("memory", config.encoder_layers if most else 0)
    nothing = dict.fromkeys(names, np.zeros((1, most, config.width), dtype=np.float32))
    if most:
        nothing["memory_mask"] = np.zeros((1, most), dtype=bool)
    for source in sources:
        ids = np.array([source], dtype=np.int64)
        yield {"source": ids, "source_mask": np.ones_like(ids, dtype=bool)} | nothing


def decoder_feeds(
    encoder: Path, decoder: Path, config: TransformerConfig, sources: Iterable[Sequence[int]]
) -> Iterator[Feeds]:
    """Yield the inputs of the float32 decoder graph in greedy translations of the sources, one at a time.

    A generator, because the features and the past of a few hundred sentences take gigabytes in a large model.
    """
    model = _Recorder(encoder, decoder, config.pad_id)
    for source in sources:
        decode(
            model,
            [source],
            start_id=config.decoder_start_id,
            eos_id=config.eos_id,
            options=SearchOptions(beam_size=1),
            # As long as the service lets a translation become: a model that was hardly trained never ends.
            max_length=min(default_max_length(len(source)), config.max_positions),
        )
        yield from model.recorded
        model.recorded.clear()


def observe(graph: onnx.ModelProto, feeds: Iterable[Feeds]) -> Ranges:
    """Run a float32 graph and find the range of each tensor that a constant matrix is multiplied with.

    Take the range with the least squared error, not the largest value seen: a few outliers would cost all other values
    their precision.
    """
    graph = copy.deepcopy(graph)
    fold_transposes(graph)
    names = list(dict.fromkeys(node.input[0] for node in _multiplications(graph)))
    graph.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    tables = {node.output[0]: numpy_helper.to_array(table) for node, table in _embeddings(graph)}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # one sentence at a time gives threads nothing to do
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    low, high = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)  # zero is always within the range
    sampled: dict[str, list[Array]] = {name: [] for name in names}
    for name in tables.keys() & low.keys():  # calibration text may miss rare pieces, but the table has them all
        low[name], high[name] = float(tables[name].min()), float(tables[name].max())
    rng = np.random.default_rng(0)
    for given in feeds:
        for name, array in zip(names, session.run(names, dict(given)), strict=True):
            low[name] = min(low[name], float(array.min()))
            high[name] = max(high[name], float(array.max()))
            sampled[name].append(array.reshape(-1)[rng.integers(0, array.size, _SAMPLED)])
    return {name: _best_range(np.concatenate(sampled[name]), low[name], high[name]) for name in names}


def _best_range(values: Array, low: float, high: float) -> tuple[float, float]:
    """Return the share of the range (low, high) with the least squared error in 8 bits."""

    def error(share: float) -> float:
        scale = max(high - low, 1e-6) * share / _LARGEST_ACTIVATION
        rounded = np.clip(np.rint(values / scale), np.rint(low * share / scale), np.rint(high * share / scale)) * scale
        return float(np.square(rounded - values).sum())

    share = float(min(_SHARES, key=error))
    return low * share, high * share


def quantize(graph: onnx.ModelProto, ranges: Ranges) -> onnx.ModelProto:
    """Return the int8 version of a float32 graph.

    Every product with a constant matrix becomes an integer product. Activations are unsigned with one scale for each
    tensor; weights are signed with one scale for each output channel. Embeddings are stored as integers, which saves
    half the file. Then ``export.graph_fusion`` removes nodes that int8 or the CPU doesn't need.

    Args:
        graph: The float32 graph; it is not changed.
        ranges: The result of ``observe``.
    """
    graph = copy.deepcopy(graph)
    fold_transposes(graph)
    body, weights = graph.graph, _initializers(graph)
    multiplications = {node.output[0]: node for node in _multiplications(graph)}
    embeddings = {node.output[0] for node, _ in _embeddings(graph)}
    biases = {
        node.input[0]: node
        for node in body.node
        if node.op_type == "Add" and node.input[0] in multiplications and node.input[1] in weights
    }
    quantized: set[str] = set()  # activations and weights that have an integer twin by now
    nodes: list[onnx.NodeProto] = []
    for node in body.node:
        if node.output[0] in multiplications:
            activation, weight = node.input
            if activation not in quantized:
                nodes.append(_quantize_activation(body, activation, *ranges[activation]))
            if weight not in quantized:
                _quantize_weight(body, weights[weight])
            quantized |= {activation, weight}
            bias = biases.get(node.output[0])
            names = [f"{activation}.integer", f"{weight}.integer", f"{activation}.scale", f"{weight}.scale"]
            names += [f"{activation}.zero", f"{weight}.zero", *([bias.input[1]] if bias else [])]
            output = bias.output[0] if bias else node.output[0]
            nodes.append(helper.make_node("MatMulIntegerToFloat", names, [output], domain="com.microsoft"))
        elif node.output[0] in embeddings:
            nodes += _quantize_embedding(body, weights[node.input[0]], node)
        elif node not in biases.values():
            nodes.append(node)
    del body.node[:]
    body.node.extend(nodes)
    simplify(graph)
    if all(domain.domain != "com.microsoft" for domain in graph.opset_import):
        graph.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    _drop_unused(graph)
    return graph


def _multiplications(graph: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """Yield the products with a constant matrix on the right."""
    weights = _initializers(graph)
    for node in graph.graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            yield node


def _embeddings(graph: onnx.ModelProto) -> Iterator[tuple[onnx.NodeProto, onnx.TensorProto]]:
    """Yield the look-ups of pieces with their tables, without the look-ups of positions."""
    weights = _initializers(graph)
    for node in graph.graph.node:
        if node.op_type == "Gather" and node.input[0] in weights and not node.input[0].startswith("positions"):
            table = weights[node.input[0]]
            if len(table.dims) == 2 and table.data_type == TensorProto.FLOAT:
                yield node, table


def _quantize_activation(body: onnx.GraphProto, name: str, low: float, high: float) -> onnx.NodeProto:
    scale = np.float32(max(high - low, 1e-6) / _LARGEST_ACTIVATION)
    zero = np.uint8(round(-low / float(scale)))
    body.initializer.append(numpy_helper.from_array(np.array(scale), f"{name}.scale"))
    body.initializer.append(numpy_helper.from_array(np.array(zero), f"{name}.zero"))
    return helper.make_node("QuantizeLinear", [name, f"{name}.scale", f"{name}.zero"], [f"{name}.integer"])


def _quantize_weight(body: onnx.GraphProto, weight: onnx.TensorProto) -> None:
    array = numpy_helper.to_array(weight)  # (in, out)
    largest = np.maximum(np.abs(array).max(axis=0), 1e-8).astype(np.float32) / _LARGEST_WEIGHT
    scale, least = largest, np.full(array.shape[1], np.inf)
    for share in _SHARES:  # the scale with the least squared error for each output channel, as for activations
        error = np.square(_rounded_weight(array, largest * np.float32(share)) * largest * share - array).sum(axis=0)
        scale, least = np.where(error < least, largest * np.float32(share), scale), np.minimum(error, least)
    body.initializer.extend(
        [
            numpy_helper.from_array(_rounded_weight(array, scale).astype(np.int8), f"{weight.name}.integer"),
            numpy_helper.from_array(scale, f"{weight.name}.scale"),
            numpy_helper.from_array(np.zeros(len(scale), np.int8), f"{weight.name}.zero"),
        ]
    )


def _rounded_weight(array: Array, scale: Array) -> Array:
    return np.clip(np.rint(array / scale), -_LARGEST_WEIGHT, _LARGEST_WEIGHT)


def _quantize_embedding(body: onnx.GraphProto, table: onnx.TensorProto, node: onnx.NodeProto) -> list[onnx.NodeProto]:
    array, name, output = numpy_helper.to_array(table), f"{table.name}.embedding", node.output[0]
    scale = np.float32(np.abs(array).max() / _LARGEST_EMBEDDING)
    body.initializer.append(numpy_helper.from_array(np.rint(array / scale).astype(np.int8), name))
    body.initializer.append(numpy_helper.from_array(np.array(scale), f"{name}.scale"))
    gather = helper.make_node("Gather", [name, node.input[1]], [f"{output}.stored"], axis=0)
    return [gather, helper.make_node("DequantizeLinear", [f"{output}.stored", f"{name}.scale"], [output])]


def _initializers(graph: onnx.ModelProto) -> dict[str, onnx.TensorProto]:
    return {tensor.name: tensor for tensor in graph.graph.initializer}


def _drop_unused(graph: onnx.ModelProto) -> None:
    used = {name for node in graph.graph.node for name in node.input}
    for tensor in [tensor for tensor in graph.graph.initializer if tensor.name not in used]:
        graph.graph.initializer.remove(tensor)
