"""Makes the float16 version of a float32 graph, for GPUs."""

import copy

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

_LARGEST = float(np.finfo(np.float16).max)


def halved(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Return the float16 version of a float32 graph, which is not changed.

    Log-probabilities stay float32, because their sums need the digits: the logits are cast before the softmax.
    Constants beyond the range of float16, such as those of masks, become the largest number that it has.
    """
    made = copy.deepcopy(graph)
    body = made.graph
    for tensor in body.initializer:
        _halve(tensor)
    single: set[str] = set()  # values that stay float32
    nodes: list[onnx.NodeProto] = []
    for node in body.node:
        if node.op_type == "LogSoftmax":
            logits, node.input[0] = node.input[0], f"{node.input[0]}.single"
            nodes.append(helper.make_node("Cast", [logits], [node.input[0]], to=TensorProto.FLOAT))
            single.add(node.input[0])
        for attribute in node.attribute:
            if attribute.HasField("t"):
                _halve(attribute.t)
            elif node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
        if single.intersection(node.input):
            single.update(node.output)
        nodes.append(node)
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]  # the originals go with the list
    del body.node[:]
    body.node.extend(copies)
    for value in (*body.input, *body.output):
        kind = value.type.tensor_type
        if kind.elem_type == TensorProto.FLOAT and value.name not in single:
            kind.elem_type = TensorProto.FLOAT16
    del body.value_info[:]  # the types of all other values follow
    onnx.checker.check_model(made)
    return made


def _halve(tensor: onnx.TensorProto) -> None:
    if tensor.data_type == TensorProto.FLOAT:
        array = numpy_helper.to_array(tensor).clip(-_LARGEST, _LARGEST).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
