"""Nodes that an int8 graph can do without: for one row, a step costs about as much in nodes as in sums."""

from collections import Counter

import numpy as np
import onnx
from onnx import numpy_helper


def simplify(graph: onnx.ModelProto) -> None:
    """Take out, in place.

    * A ReLU before a quantisation whose zero is 0 goes: what is below zero becomes 0 there anyway.
    * The factor of an embedding goes into its scale.
    * The past is not gathered: in main memory the caller can move rows itself, and only those that need it.
    """
    uses = Counter(name for node in graph.graph.node for name in node.input)
    _drop_activations(graph.graph, uses)
    _fold_factor(graph.graph, uses)
    _drop_parents(graph.graph)


def _drop_parents(body: onnx.GraphProto) -> None:
    gathers = {node.output[0]: node.input[0] for node in body.node if "parents" in node.input}
    for node in body.node:
        for index, name in enumerate(node.input):
            node.input[index] = gathers.get(name, name)
    _replace(body, [node for node in body.node if node.output[0] not in gathers])
    for given in [given for given in body.input if given.name == "parents"]:
        body.input.remove(given)


def _drop_activations(body: onnx.GraphProto, uses: Counter[str]) -> None:
    zeros = {tensor.name for tensor in body.initializer if not np.any(numpy_helper.to_array(tensor))}
    activations = {node.output[0]: node for node in body.node if node.op_type == "Relu" and uses[node.output[0]] == 1}
    dropped = []
    for node in body.node:
        if node.op_type == "QuantizeLinear" and node.input[0] in activations and node.input[2] in zeros:
            dropped.append(activations[node.input[0]])
            node.input[0] = dropped[-1].input[0]
    _replace(body, [node for node in body.node if node not in dropped])


def _fold_factor(body: onnx.GraphProto, uses: Counter[str]) -> None:
    constants = {tensor.name: tensor for tensor in body.initializer}
    embeddings = {node.output[0]: node for node in body.node if node.op_type == "DequantizeLinear"}
    dropped = []
    for node in body.node:
        if node.op_type != "Mul" or node.input[0] not in embeddings or uses[node.input[0]] > 1:
            continue
        factor = constants.get(node.input[1])
        embedding = embeddings[node.input[0]]
        if factor is None or np.size(numpy_helper.to_array(factor)) > 1:
            continue
        scale = constants[embedding.input[1]]
        product = numpy_helper.to_array(scale) * numpy_helper.to_array(factor).reshape(())
        scale.CopyFrom(numpy_helper.from_array(product.astype(np.float32), scale.name))
        embedding.output[0] = node.output[0]
        dropped.append(node)
    _replace(body, [node for node in body.node if node not in dropped])


def _replace(body: onnx.GraphProto, nodes: list[onnx.NodeProto]) -> None:
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]  # the originals go with the list
    del body.node[:]
    body.node.extend(copies)
