"""Several steps in one run of a graph: the step of the decoder graph as the body of a loop.

Between two runs Python has to bind arrays, read results and decide; for one sentence that takes almost as long as the
step itself. So each decoder graph gets two multi-step graphs: one for greedy search of many sentences, one for the beam
search of one sentence. Their loops end early when every search is finished.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from export.graph_ends import array_names

_LOWEST = -1e300

State = tuple[str, onnx.ValueInfoProto, str]
"""A state of the loop: initial value, name in the body, next value."""
Scanned = tuple[str, int, list[str | int]]
"""An output that the loop collects: name, type, shape; in the body, the name ends in ``.step``."""


@dataclass(frozen=True)
class _Choice:
    """The second half of the loop's body, after the step: the choice of the next tokens.

    Attributes:
        beginning: Nodes before the loop that compute its initial states.
        nodes: Nodes from ``best`` and ``best.candidates``, (R, 1, K), to every name below and to ``goes_on.next``.
        count: Name of K, (1,) int64.
        parents: Name of the rows that the new rows continue, (R,) int64; None if each row continues itself.
        states: Loop states besides position and past.
        scanned: Outputs that the loop collects.
        inputs: Additional inputs of the graph.
    """

    beginning: list[onnx.NodeProto]
    nodes: list[onnx.NodeProto]
    count: str
    parents: str | None
    states: list[State]
    scanned: list[Scanned]
    inputs: list[onnx.ValueInfoProto]


def export_greedy(decoder: onnx.ModelProto, layers: int, eos_id: int) -> onnx.ModelProto:
    """Return the multi-step graph of an int8 decoder graph for greedy search.

    Its inputs are the decoder's, without the lengths of the past and K, which the loop computes. ``steps``, (1,) int64,
    is the maximum number of tokens that a row may grow by; the past must have capacity for them. Over the N steps made,
    it returns scores (N, R, 1) float32, candidates (N, R, 1) int64 and, if the model has an alignment head, the source
    positions with most attention (N, R, 1) int64; values after a row's end of sentence are meaningless. Then follows
    the past.

    Args:
        decoder: The decoder graph; it is not changed.
        layers: Decoder layers L.
        eos_id: End of sentence.
    """
    choice = _Choice(
        beginning=[_node("Less", ["tokens", "first"], ["none_ended"])],
        nodes=[
            _node("Squeeze", ["best", "third"], ["scores.step"]),
            _node("Squeeze", ["best.candidates", "third"], ["candidates.step"]),
            _node("Equal", ["candidates.step", "end_of_sentence"], ["ends"]),
            _node("Or", ["ended", "ends"], ["ended.next"]),
            _node("Cast", ["ended.next"], ["ended.integer"], to=TensorProto.INT32),
            _node("ReduceMin", ["ended.integer"], ["all_ended"], keepdims=0),
            _node("Equal", ["all_ended", "none"], ["goes_on.next"]),
            # A value that is both a state and a collected output needs two names.
            _node("Identity", ["candidates.step"], ["token.next"]),
        ],
        count="single",
        parents=None,
        states=[
            ("tokens", _info("token", TensorProto.INT64, ["rows", 1]), "token.next"),
            ("none_ended", _info("ended", TensorProto.BOOL, ["rows", 1]), "ended.next"),
        ],
        scanned=[("scores", TensorProto.FLOAT, ["rows", 1]), ("candidates", TensorProto.INT64, ["rows", 1])],
        inputs=[],
    )
    return _loop(decoder, layers, eos_id, choice)


def export_beam(decoder: onnx.ModelProto, layers: int, eos_id: int) -> onnx.ModelProto:
    """Return the multi-step graph of an int8 decoder graph for the beam search of one sentence, with R rows.

    It searches as ``app.engine.decoding.search.Search`` does, sums in float64 included. Of all rows' extensions it
    takes the R best, in order; of these, only as many count as there are hypotheses still to find, and none that is
    far behind the best. Its inputs are those of the greedy graph and

    * ``totals.given``, (R, 1, 1) float64: the log-probability of each hypothesis, -inf for an unused row;
    * ``threshold``, (1,) float64: how far behind the best a hypothesis may fall.

    It returns, over the N steps made:

    * totals (N, R) float64: the log-probability of each new hypothesis, -inf for none;
    * candidates (N, R) int64: its token, which may be the end of sentence;
    * parents (N, R) int64: the row that it extends;
    * if there is an alignment head, the source position with most attention for each extended row, (N, R, 1) int64;
    * the past of the new hypotheses.

    The arguments are the same as for ``export_greedy``.
    """
    choice = _Choice(
        beginning=[
            _node("Shape", ["tokens"], ["row_count"], start=0, end=1),
            _node("Squeeze", ["row_count"], ["row_count.scalar"]),
            _node("Range", ["zero", "row_count.scalar", "one"], ["row_numbers"]),
        ],
        nodes=_beam_choice(),
        count="candidate_count",
        parents="parents.step",
        states=[
            ("tokens", _info("token", TensorProto.INT64, ["rows", 1]), "token.next"),
            ("totals.given", _info("total", TensorProto.DOUBLE, ["rows", 1, 1]), "total.next"),
            ("row_count", _info("wanted", TensorProto.INT64, [1]), "wanted.next"),
        ],
        scanned=[
            ("totals", TensorProto.DOUBLE, ["rows"]),
            ("candidates", TensorProto.INT64, ["rows"]),
            ("parents", TensorProto.INT64, ["rows"]),
        ],
        inputs=[
            _info("totals.given", TensorProto.DOUBLE, ["rows", 1, 1]),
            _info("threshold", TensorProto.DOUBLE, [1]),
        ],
    )
    return _loop(decoder, layers, eos_id, choice)


def _beam_choice() -> list[onnx.NodeProto]:
    """The nodes that choose the next hypotheses of one sentence."""
    return [
        _node("Cast", ["best"], ["best.double"], to=TensorProto.DOUBLE),
        _node("Add", ["best.double", "total"], ["sums"]),
        _node("Reshape", ["sums", "flat"], ["sums.flat"]),
        _node("TopK", ["sums.flat", "row_count"], ["totals.best", "places.best"]),
        _node("Div", ["places.best", "candidate_count"], ["parents.step"]),
        _node("Reshape", ["best.candidates", "flat"], ["candidates.flat"]),
        _node("Gather", ["candidates.flat", "places.best"], ["candidates.step"]),
        # NaN is kept, so that the caller detects it.
        _node("GreaterOrEqual", ["row_numbers", "wanted"], ["surplus"]),
        _node("ReduceMax", ["totals.best"], ["leader"], keepdims=1),
        _node("Sub", ["leader", "threshold"], ["lowest_kept"]),
        _node("Less", ["totals.best", "lowest_kept"], ["far"]),
        _node("Or", ["surplus", "far"], ["dropped"]),
        _node("Where", ["dropped", "nothing", "totals.best"], ["totals.step"]),
        _node("Equal", ["candidates.step", "end_of_sentence"], ["ends"]),
        _node("Where", ["ends", "nothing", "totals.step"], ["totals.alive"]),
        _node("Reshape", ["totals.alive", "row_shape"], ["total.next"]),
        _node("ReduceMax", ["totals.alive"], ["highest"], keepdims=0),
        _node("Greater", ["highest", "lowest"], ["goes_on.next"]),
        _node("Greater", ["totals.step", "totals.alive"], ["found"]),
        _node("Cast", ["found"], ["found.integer"], to=TensorProto.INT64),
        _node("ReduceSum", ["found.integer"], ["found.count"], keepdims=1),
        _node("Sub", ["wanted", "found.count"], ["wanted.next"]),
        _node("Unsqueeze", ["candidates.step", "second"], ["token.next"]),
    ]


def _loop(decoder: onnx.ModelProto, layers: int, eos_id: int, choice: _Choice) -> onnx.ModelProto:
    """Put the step and the choice into a loop.

    .. code-block:: text

        beginning, nodes of the shortlist
        Loop(steps, states): lengths of the past -> step -> choice -> next states, collected outputs
        -> past, collected outputs of all steps
    """
    step, present = decoder.graph, array_names("present", layers)
    scanned = [*choice.scanned]
    if any(output.name == "alignment" for output in step.output):
        scanned.append(("alignment", TensorProto.INT64, ["rows", 1]))
    fixed = _fixed(step)
    [count] = [node for node in step.node if node.output[0] == "candidate_count"]
    states = _states(step, layers, choice)
    body = _body(
        step, layers, choice, states, scanned, {"candidate_count", *(out for node in fixed for out in node.output)}
    )
    nodes = [
        *choice.beginning,
        *fixed,
        *([_renamed(count, {"top": "row_count"})] if choice.count == "candidate_count" else []),
        _node(
            "Loop",
            ["steps", "always", *(initial for initial, _, _ in states)],
            [
                *(f"{state.name}.last" for _, state, _ in states[: -len(present)]),
                *present,
                *(name for name, _, _ in scanned),
            ],
            body=body,
        ),
    ]
    inputs = [item for item in step.input if item.name not in ("lengths", "top")]
    inputs = [_info("steps", TensorProto.INT64, [1]), *choice.inputs, *inputs]
    outputs = [_info(name, kind, ["steps_made", *shape]) for name, kind, shape in scanned]
    outputs += [item for item in step.output if item.name in present]
    outside = {name for node in nodes for name in node.input}
    used = outside.union(*(node.input for node in body.node))
    initializers = [tensor for tensor in _constants(eos_id) if tensor.name in used]
    initializers += [tensor for tensor in step.initializer if tensor.name in outside]
    return helper.make_model(
        helper.make_graph(nodes, "steps", inputs, outputs, initializers),
        opset_imports=decoder.opset_import,
        ir_version=decoder.ir_version,
    )


def _states(step: onnx.GraphProto, layers: int, choice: _Choice) -> list[State]:
    """The choice's states, the positions, and the past."""
    infos = {item.name: item for item in step.input}
    past = zip(array_names("past", layers), array_names("present", layers), strict=True)
    return [
        *choice.states,
        ("positions", _info("position", TensorProto.INT64, ["rows", 1]), "position.next"),
        *(
            (name, _renamed_info(infos[name], f"{name}.state"), f"{new}.moved" if choice.parents else new)
            for name, new in past
        ),
    ]


def _body(
    step: onnx.GraphProto, layers: int, choice: _Choice, states: list[State], scanned: list[Scanned], left_out: set[str]
) -> onnx.GraphProto:
    """One step and one choice; ``left_out`` are the names that nodes outside of the loop compute."""
    names = {"tokens": "token", "positions": "position", "candidate_count": choice.count}
    # The collected outputs take the names that the outputs of one step have.
    names |= {"scores": "best", "candidates": "best.candidates", "alignment": "alignment.step"}
    names |= {name: f"{name}.state" for name in array_names("past", layers)}
    moved = array_names("present", layers) if choice.parents else []
    nodes = [
        _node("Squeeze", ["position", "second"], ["position.row"]),
        _node("Cast", ["position.row"], ["lengths"], to=TensorProto.INT32),
        *(_renamed(node, names) for node in step.node if node.output[0] not in left_out),
        *choice.nodes,
        *(_node("Gather", [name, choice.parents or ""], [f"{name}.moved"], axis=0) for name in moved),
        _node("Add", ["position", "one"], ["position.next"]),
    ]
    used = {name for node in nodes for name in node.input}
    return helper.make_graph(
        nodes,
        "step",
        [_info("iteration", TensorProto.INT64, []), _info("goes_on", TensorProto.BOOL, [])]
        + [state for _, state, _ in states],
        [_info("goes_on.next", TensorProto.BOOL, [])]
        + [_renamed_info(state, new) for _, state, new in states]
        + [_info(f"{name}.step", kind, shape) for name, kind, shape in scanned],
        # Weights go into the body: ONNX Runtime packs only a graph's own initialisers for speed.
        [tensor for tensor in step.initializer if tensor.name in used],
    )


def _constants(eos_id: int) -> list[onnx.TensorProto]:
    values = {
        "first": np.array([0]),
        "second": np.array([1]),
        "third": np.array([2]),
        "flat": np.array([-1]),
        "row_shape": np.array([-1, 1, 1]),
        "zero": np.array(0),
        "one": np.array(1),
        "none": np.array(0, np.int32),
        "single": np.array([1]),
        "end_of_sentence": np.array([eos_id]),
        "always": np.array(True),
        "nothing": np.array(-np.inf),
        "lowest": np.array(_LOWEST),
    }
    return [numpy_helper.from_array(value, name) for name, value in values.items()]


def _node(operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(operator, list(inputs), list(outputs), **attributes)


def _info(name: str, kind: int, shape: Sequence[str | int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def _renamed_info(info: onnx.ValueInfoProto, name: str) -> onnx.ValueInfoProto:
    renamed: onnx.ValueInfoProto = onnx.ValueInfoProto.FromString(info.SerializeToString())
    renamed.name = name
    return renamed


def _fixed(step: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the nodes of a step that depend only on the shortlist: they run once, before the loop."""
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
