"""Weights on disk: float16 where that is lossless, and one file for the graphs that share them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Initialisers smaller than this stay inside their graph, unchanged.
_SMALL_BYTES = 64 * 1024


def store_halves(graph: onnx.ModelProto) -> None:
    """Store large float32 weights as float16 followed by a cast, in place, where that is lossless.

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
    """Move the large initialisers of several graphs, in place, into one file; equal initialisers are stored once."""
    places: dict[bytes, tuple[int, int]] = {}
    with weights.open("wb") as file:
        for graph in graphs:
            for tensor in _constants(graph.graph):
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


def rename_weights(graph: onnx.ModelProto, prefix: str) -> None:
    """Put a prefix before the names of the files that a graph's initialisers are in, in place."""
    for tensor in _constants(graph.graph):
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = prefix + entry.value


def _constants(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    """Yield the initialisers of a graph and of the loops in it."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _constants(attribute.g)
