"""Remove nodes from an int8 graph: for one row, the overhead of the nodes costs about as much as the arithmetic."""

from collections import Counter

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def simplify(graph: onnx.ModelProto) -> None:
    """Remove nodes and fuse others, in place.

    * A ReLU before a quantisation with zero point 0 is removed: values below zero become 0 there anyway.
    * The factor of an embedding is multiplied into its scale.
    * Self-attention becomes ONNX Runtime's own node. It reads only a row's own length of the past, whatever the
      capacity, and appends in place if the caller binds the same memory twice. Rows are not gathered: in
      main memory the caller can move them itself, and only those that need it. Inputs are then ``lengths``, (R,) int32,
      positions, and ``room``, () int32, P, instead of places, mask and parents; the past is 2L tensors (R, H, P, E) of
      H heads with E channels.
    """
    uses = Counter(name for node in graph.graph.node for name in node.input)
    _drop_activations(graph.graph, uses)
    _fold_factor(graph.graph, uses)
    _attend_in_place(graph.graph)


def _attend_in_place(body: onnx.GraphProto) -> None:
    makers = {name: node for node in body.node for name in node.output}
    fused: dict[str, onnx.NodeProto] = {}  # by what was attended
    left_out = []
    for node in body.node:
        if node.op_type != "Attention" or "target_mask" not in node.input:
            continue
        query, *present, _ = node.input
        split, scatters = makers[query], [makers[name] for name in present]
        gathers = [makers[scatter.input[0]] for scatter in scatters]
        heads = next(attribute.i for attribute in node.attribute if attribute.name == "q_num_heads")
        past = [gather.input[0] for gather in gathers]
        fused[node.output[0]] = helper.make_node(
            "GroupQueryAttention",
            [split.input[0], "", "", *past, "lengths", "room"],
            [node.output[0], *present],
            domain="com.microsoft",
            num_heads=heads,
            kv_num_heads=heads,
        )
        left_out += [split, *scatters, *gathers]
        for info in (*body.input, *body.output):
            if info.name in past or info.name in present:
                width = info.type.tensor_type.shape.dim[2].dim_value
                shape = ["rows", heads, "room", width // heads]
                info.CopyFrom(helper.make_tensor_value_info(info.name, TensorProto.FLOAT, shape))
    if not fused:
        return
    _replace(body, [fused.get(node.output[0], node) for node in body.node if node not in left_out])
    for given in [given for given in body.input if given.name in ("places", "target_mask", "parents")]:
        body.input.remove(given)
    body.input.append(helper.make_tensor_value_info("lengths", TensorProto.INT32, ["rows"]))
    body.input.append(helper.make_tensor_value_info("room", TensorProto.INT32, []))


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
