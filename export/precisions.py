"""The twins of a float32 graph: int8 for the CPU, and shared half-precision storage for the rest."""

import copy
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

# Initialisers smaller than this stay inside their graph, as they are.
_SMALL_BYTES = 64 * 1024


def fold_transposes(graph: onnx.ModelProto) -> None:
    """Turn ``Transpose(weight)`` into a transposed weight, in place: quantisation only sees constant matrices."""
    body = graph.graph
    weights = {tensor.name: tensor for tensor in body.initializer}
    for node in [node for node in body.node if node.op_type == "Transpose" and node.input[0] in weights]:
        order = next((list(attribute.ints) for attribute in node.attribute if attribute.name == "perm"), None)
        array = np.ascontiguousarray(numpy_helper.to_array(weights[node.input[0]]).transpose(order))
        body.initializer.append(numpy_helper.from_array(array, node.output[0]))
        body.node.remove(node)
    used = {name for node in body.node for name in node.input}
    for tensor in [tensor for tensor in body.initializer if tensor.name not in used]:
        body.initializer.remove(tensor)


def quantize(graph: onnx.ModelProto) -> onnx.ModelProto:
    """8-bit integer weights per output channel, and activations quantised at run time.

    Weights take 7 of the 8 bits: without VNNI instructions the products of 8-bit weights saturate 16-bit sums, and the
    result would depend on the processor. Embeddings are quantised too, which halves the file.
    """
    graph = copy.deepcopy(graph)
    fold_transposes(graph)
    with TemporaryDirectory() as folder:
        source, target = Path(folder) / "float32.onnx", Path(folder) / "int8.onnx"
        onnx.save(graph, source)
        quantize_dynamic(
            source,
            target,
            op_types_to_quantize=["MatMul", "Gather"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        return onnx.load(target)


def store_halves(graph: onnx.ModelProto) -> None:
    """Store large float32 weights as float16 with a cast behind them, in place, where that loses nothing.

    ONNX Runtime folds the casts when it loads the graph: it computes in float32 from a file of half the size.
    """
    casts = []
    for tensor in graph.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and tensor.ByteSize() >= _SMALL_BYTES:
            name, array = tensor.name, numpy_helper.to_array(tensor)
            half = array.astype(np.float16)
            if not np.array_equal(half.astype(np.float32), array):
                continue  # the table of positions, say
            tensor.CopyFrom(numpy_helper.from_array(half, f"{name}.float16"))
            casts.append(helper.make_node("Cast", [f"{name}.float16"], [name], to=TensorProto.FLOAT))
    for index, cast in enumerate(casts):
        graph.graph.node.insert(index, cast)


def share_weights(graphs: Iterable[onnx.ModelProto], weights: Path) -> None:
    """Move the large initialisers of several graphs, in place, into one file next to them; equal ones once."""
    places: dict[bytes, tuple[int, int]] = {}
    with weights.open("wb") as file:
        for graph in graphs:
            for tensor in graph.graph.initializer:
                content = tensor.raw_data
                if len(content) < _SMALL_BYTES:
                    continue
                if content not in places:
                    file.write(b"\0" * (-file.tell() % 64))
                    places[content] = (file.tell(), len(content))
                    file.write(content)
                offset, length = places[content]
                tensor.ClearField("raw_data")
                tensor.data_location = TensorProto.EXTERNAL
                for key, value in (("location", weights.name), ("offset", str(offset)), ("length", str(length))):
                    tensor.external_data.add(key=key, value=value)
