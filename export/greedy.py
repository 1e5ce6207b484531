"""Several greedy steps in one run of a graph: the step of the decoder graph as the body of a loop.

Between two runs Python has to bind, read and decide; for one sentence that takes almost as long as the step itself.
The loop ends early when every row has ended.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from export.graphs import past_names, present_names

_SCANNED = ("scores", "candidates", "alignment")


def export_greedy(decoder: onnx.ModelProto, layers: int, eos_id: int) -> onnx.ModelProto:
    """The greedy twin of a decoder graph, of whatever precision.

    Its inputs are the decoder's without places, mask and K, which the loop makes for itself, and with ``steps``, (1,)
    int64, the most tokens a row may grow by; the past must have room for them. It returns, over the N steps it made,
    scores (N, R, 1) float32, candidates (N, R, 1) int64 and, if the model has an alignment head, the source positions
    that it looks at (N, R, 1) int64; what follows a row's end of sentence means nothing. Then the past.

    Args:
        decoder: The decoder graph; left as it is.
        layers: Decoder layers L.
        eos_id: End of sentence.
    """
    step, past, present = decoder.graph, past_names(layers), present_names(layers)
    constants = {
        "first": np.array([0]),
        "second": np.array([1]),
        "both": np.array([1, 2]),
        "third": np.array([2]),
        "zero": np.array(0),
        "one": np.array(1),
        "single": np.array([1]),
        "end_of_sentence": np.array([eos_id]),
        "always": np.array(True),
    }
    scanned = [name for name in _SCANNED if name != "alignment" or any(o.name == name for o in step.output)]
    # Where the graph gathers its past, that is done once, before the first step.
    gathers = {node.output[0]: node.input[0] for node in step.node if "parents" in node.input}
    names = {"tokens": "token", "positions": "position", "candidate_count": "single"}
    # What all steps find together has the names of what one step finds.
    names |= {"scores": "best", "candidates": "best.candidates", "alignment": "alignment.step"}
    names |= {taken: f"{name}.state" for taken, name in gathers.items()} | {name: f"{name}.state" for name in past}
    fixed = _fixed(step)
    left_out = {*gathers, "candidate_count", *(name for node in fixed for name in node.output)}
    body_nodes = [
        _node("Unsqueeze", ["position", "second"], ["position.column"]),
        _node("Concat", ["row_numbers", "position.column"], ["places"], axis=2),
        _node("LessOrEqual", ["columns", "position"], ["target_mask.flat"]),
        _node("Unsqueeze", ["target_mask.flat", "both"], ["target_mask"]),
        *(_renamed(node, names) for node in step.node if node.output[0] not in left_out),
        _node("Squeeze", ["best", "third"], ["scores.step"]),
        _node("Squeeze", ["best.candidates", "third"], ["candidates.step"]),
        _node("Equal", ["candidates.step", "end_of_sentence"], ["ends"]),
        _node("Or", ["ended", "ends"], ["ended.next"]),
        _node("Cast", ["ended.next"], ["ended.integer"], to=TensorProto.INT32),
        _node("ReduceMin", ["ended.integer"], ["all_ended"], keepdims=0),
        _node("Equal", ["all_ended", "none"], ["goes_on.next"]),
        _node("Add", ["position", "one"], ["position.next"]),
    ]
    # What is state and is collected, too, needs two names.
    body_nodes.append(_node("Identity", ["candidates.step"], ["token.next"]))
    states = [("token", "token.next"), ("position", "position.next"), ("ended", "ended.next")]
    states += [(f"{old}.state", new) for old, new in zip(past, present, strict=True)]
    used = {name for node in body_nodes for name in node.input}
    body = helper.make_graph(
        body_nodes,
        "greedy_step",
        [_info("iteration", TensorProto.INT64, []), _info("goes_on", TensorProto.BOOL, [])]
        + [_state(name, name, step) for name, _ in states],
        [_info("goes_on.next", TensorProto.BOOL, [])]
        + [_state(name, old, step) for old, name in states]
        + [_info(f"{name}.step", _scanned_type(name), ["rows", 1]) for name in scanned],
        # In the body, for ONNX Runtime lays out for speed only what a graph has itself.
        [tensor for tensor in step.initializer if tensor.name in used],
    )
    nodes = [
        _node("Shape", ["tokens"], ["row_count"], start=0, end=1),
        _node("Squeeze", ["row_count"], ["row_count.scalar"]),
        _node("Range", ["zero", "row_count.scalar", "one"], ["row_numbers.flat"]),
        _node("Unsqueeze", ["row_numbers.flat", "both"], ["row_numbers"]),
        _node("Shape", [past[0]], ["room"], start=1, end=2),
        _node("Squeeze", ["room"], ["room.scalar"]),
        _node("Range", ["zero", "room.scalar", "one"], ["columns"]),
        _node("Less", ["tokens", "first"], ["none_ended"]),
        *(_node("Gather", [name, "parents"], [taken], axis=0) for taken, name in gathers.items()),
        *fixed,
        _node(
            "Loop",
            ["steps", "always", "tokens", "positions", "none_ended", *(list(gathers) or past)],
            ["token.last", "position.last", "ended.last", *present, *scanned],
            body=body,
        ),
    ]
    inputs = [item for item in step.input if item.name not in ("places", "target_mask", "top")]
    inputs.insert(0, _info("steps", TensorProto.INT64, [1]))
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    initializers.append(numpy_helper.from_array(np.array(0, np.int32), "none"))
    used = {name for node in fixed for name in node.input}
    initializers += [tensor for tensor in step.initializer if tensor.name in used]
    outputs = [_info(name, _scanned_type(name), ["steps_made", "rows", 1]) for name in scanned]
    outputs += [item for item in step.output if item.name in present]
    return helper.make_model(
        helper.make_graph(nodes, "greedy", inputs, outputs, initializers),
        opset_imports=decoder.opset_import,
        ir_version=decoder.ir_version,
    )


def _node(operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, list(inputs), list(outputs), **attributes)


def _info(name: str, kind: int, shape: Sequence[str | int] | None) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _fixed(step: onnx.GraphProto) -> list[onnx.NodeProto]:
    """What a step computes of the shortlist alone, and so once for all steps."""
    known, constant = {"shortlist", "choices"}, {tensor.name for tensor in step.initializer}
    nodes = []
    for node in step.node:
        if known.intersection(node.input) and known.union(constant).issuperset(node.input):
            known.update(node.output)
            nodes.append(node)
    return nodes


def _renamed(node: onnx.NodeProto, names: dict[str, str]) -> onnx.NodeProto:
    renamed: onnx.NodeProto = onnx.NodeProto.FromString(node.SerializeToString())
    for ends in (renamed.input, renamed.output):
        for index, name in enumerate(ends):
            ends[index] = names.get(name, name)
    return renamed


def _state(name: str, state: str, step: onnx.GraphProto) -> onnx.ValueInfoProto:
    """What the loop carries from step to step, under one of its two names."""
    if not state.endswith(".state"):
        return _info(name, TensorProto.BOOL if state == "ended" else TensorProto.INT64, ["rows", 1])
    [past] = [item.type.tensor_type for item in step.input if item.name == state.removesuffix(".state")]
    return _info(name, past.elem_type, ["rows", "room", past.shape.dim[2].dim_value])


def _scanned_type(name: str) -> int:
    return int(TensorProto.FLOAT if name == "scores" else TensorProto.INT64)
