"""What a GPU asks of the graphs: operators that it has, shapes that are known before a run, few launches."""

import onnx
import pytest
from onnx import TensorProto, helper

from export.arrays import arrays_of
from export.device_kernels import WITHOUT_KERNEL, kernels, run_nodes
from export.device_steps import device_graphs
from export.native_graphs import native_decoder, native_encoder
from tests.support.native import SHAPES, rounded_model

WHOLE, HALF, SINGLE, TRUTH = TensorProto.INT64, TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.BOOL
SMALL = TensorProto.INT32
NUMBERS, FLOATING = frozenset((SMALL, WHOLE, HALF, SINGLE)), frozenset((HALF, SINGLE))
# Operators of ONNX Runtime's CUDA provider with those of their types that matter here, from docs/OperatorKernels.md of
# its main branch of summer 2026 (release 1.31). The first input decides, of Where the second. ReduceMax has integers,
# too, but in four launches.
ON_CUDA = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Less", "Greater", "GreaterOrEqual", "Max", "Min", "TopK"), NUMBERS),
    **dict.fromkeys(("Cast", "Concat", "Gather", "GatherElements", "Equal", "Split", "Slice", "Transpose"), NUMBERS),
    **dict.fromkeys(("ScatterND", "TensorScatter", "ReduceSum", "Where"), NUMBERS),
    **dict.fromkeys(("Attention", "Gemm", "MatMul", "LayerNormalization", "SkipLayerNormalization"), FLOATING),
    **dict.fromkeys(("Gelu", "LogSoftmax", "Pad", "ReduceMax", "ReduceMin", "Relu", "Sigmoid", "Softplus"), FLOATING),
    "Or": {TRUTH},
}
MORE_TYPES = {"Cast": {TRUTH}, "Gather": {TRUTH}, "Equal": {TRUTH}}
# The inputs that the host reads.
ON_HOST = {
    **dict.fromkeys(("Reshape", "Squeeze", "Unsqueeze", "TopK", "ReduceMax", "ReduceMin", "ReduceSum"), (1,)),
    "Slice": (1, 2, 3),
}


def graphs_of(shape: str, *, has_lexicon: bool = False) -> dict[str, onnx.GraphProto]:
    model = rounded_model(**SHAPES[shape])
    native = (make(model.config, arrays_of(model)) for make in (native_encoder, native_decoder))
    made = device_graphs(*native, has_lexicon=has_lexicon)
    for graph in made.values():
        onnx.checker.check_model(graph, full_check=False)
    return {role: graph.graph for role, graph in made.items()}


def types_of(graph: onnx.GraphProto) -> dict[str, int]:
    """The element type of every array of a graph."""
    types = {each.name: each.type.tensor_type.elem_type for each in graph.input}
    types |= {each.name: each.data_type for each in graph.initializer}
    for node in graph.node:
        made = types[node.input[1 if node.op_type == "Where" else 0]]
        if node.op_type in {"Equal", "Less", "Greater", "GreaterOrEqual"}:
            made = TRUTH
        elif node.op_type == "Cast":
            [made] = (helper.get_attribute_value(each) for each in node.attribute if each.name == "to")
        types |= dict.fromkeys(node.output, made)
        if node.op_type == "TopK":
            types[node.output[1]] = WHOLE
    for each in graph.output:
        assert types[each.name] == each.type.tensor_type.elem_type
    return types


@pytest.mark.parametrize("has_lexicon", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_cuda_has_every_operator_for_its_types(shape, has_lexicon):
    for graph in graphs_of(shape, has_lexicon=has_lexicon).values():
        types = types_of(graph)
        for node in run_nodes(graph)[0]:
            if node.op_type in WITHOUT_KERNEL:
                continue
            decides = node.input[1 if node.op_type == "Where" else 0]
            assert types[decides] in ON_CUDA[node.op_type] | MORE_TYPES.get(node.op_type, set()), node.op_type
            if node.op_type == "Attention":  # a mask, or the output of scores, would mean a slow path
                assert not node.input[3]
                assert len(node.output) == 1


@pytest.mark.parametrize("has_lexicon", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", ["decoder", "beam"])
def test_a_step_can_be_captured(shape, role, has_lexicon):
    nodes, constants = run_nodes(graphs_of(shape, has_lexicon=has_lexicon)[role])
    for node in nodes:
        assert {node.input[index] for index in ON_HOST.get(node.op_type, ())} <= constants


@pytest.mark.parametrize(
    ("role", "has_lexicon", "most"),
    [("decoder", False, 52), ("beam", False, 75), ("decoder", True, 74), ("beam", True, 102)],
)
def test_a_step_of_two_layers_launches_few_kernels(role, has_lexicon, most):
    graph = graphs_of("pre-norm", has_lexicon=has_lexicon)[role]
    assert kernels(graph).total() <= most
    assert not WITHOUT_KERNEL & kernels(graph).keys()  # an output that is a view would be a copy


def test_states_are_float16_and_scores_float32():
    graphs = graphs_of("pre-norm", has_lexicon=True)
    types = {each.name: each.type.tensor_type.elem_type for role in ("decoder", "beam") for each in graphs[role].input}
    assert {types[name] for name in types if name.startswith(("past", "cross"))} == {TensorProto.FLOAT16}
    scores = ("score_history", "totals", "tree_shares", "tree_rests")
    assert {types[name] for name in scores} == {TensorProto.FLOAT}
