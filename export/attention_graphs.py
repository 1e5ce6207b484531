"""Graphs that also return the weights of each attention head."""

import copy

import onnx
from onnx import TensorProto, helper

from app.engine.models.manifest import Graphs
from app.engine.onnx.attention import MAP

ATTENTION = Graphs(encoder="encoder.attention.onnx", decoder="decoder.attention.onnx")
"""The files of a bundle with these graphs."""

_AFTER_SOFTMAX = 3


def with_maps(graph: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of a float32 graph with one more output for each attention, in the order of the layers.

    A map is the fourth output of the operator Attention, after the softmax; where attention is written out as several
    nodes, it is the output of the softmax.
    """
    made = copy.deepcopy(graph)
    maps: list[str] = []
    for node in made.graph.node:
        if node.op_type == "Attention":
            node.output.extend([""] * (4 - len(node.output)))
            node.output[3] = node.output[3] or f"{node.output[0]}.map"
            others = [attribute for attribute in node.attribute if attribute.name != "qk_matmul_output_mode"]
            del node.attribute[:]
            node.attribute.extend([*others, helper.make_attribute("qk_matmul_output_mode", _AFTER_SOFTMAX)])
            maps.append(node.output[3])
        elif node.op_type == "Softmax":
            maps.append(node.output[0])
    for index, found in enumerate(maps):
        name = f"{MAP}{index}"
        made.graph.node.append(helper.make_node("Identity", [found], [name]))
        made.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return made
