"""What a GPU asks of the graphs: operators that it has, shapes that are known before a run, few launches."""

import onnx
import pytest
from onnx import TensorProto

from export.arrays import arrays_of
from export.device_steps import device_graphs
from export.native_graphs import native_decoder, native_encoder
from tests.support.native import SHAPES, rounded_model

# Operators that ONNX Runtime 1.31 has for CUDA with the types that the graphs use, by its docs/OperatorKernels.md.
ON_CUDA = set(
    "Add Attention Cast Div Equal Gather GatherElements Gelu Gemm Greater GreaterOrEqual LayerNormalization Less"
    " LogSoftmax MatMul Mul Or Pad ReduceMax ReduceSum Relu ScatterND Sigmoid SkipLayerNormalization Slice Split Sub"
    " TensorScatter TopK Transpose Where".split()
)
# Other views of the same memory.
WITHOUT_KERNEL = set("Reshape Squeeze Unsqueeze".split())
# The inputs that the host reads.
ON_HOST = {
    **dict.fromkeys(("Reshape", "Squeeze", "Unsqueeze", "TopK", "ReduceMax", "ReduceSum"), (1,)),
    "Slice": (1, 2, 3),
}


def graphs_of(shape: str) -> dict[str, onnx.GraphProto]:
    model = rounded_model(**SHAPES[shape])
    made = device_graphs(*(make(model.config, arrays_of(model)) for make in (native_encoder, native_decoder)))
    for graph in made.values():
        onnx.checker.check_model(graph, full_check=False)
    return {role: graph.graph for role, graph in made.items()}


def run_nodes(graph: onnx.GraphProto) -> tuple[list[onnx.NodeProto], set[str]]:
    """The nodes that run in every step, and the names of all constants: what follows from constants alone is one."""
    constants, nodes = {tensor.name for tensor in graph.initializer}, []
    for node in graph.node:
        if constants.issuperset(filter(None, node.input)):
            constants.update(node.output)
        else:
            nodes.append(node)
    return nodes, constants


@pytest.mark.parametrize("shape", SHAPES)
def test_cuda_has_every_operator(shape):
    for graph in graphs_of(shape).values():
        nodes, _ = run_nodes(graph)
        assert {node.op_type for node in nodes} <= ON_CUDA | WITHOUT_KERNEL
        for node in nodes:
            if node.op_type == "Attention":  # a mask, or the output of scores, would mean a slow path
                assert not node.input[3]
                assert len(node.output) == 1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", ["decoder", "beam"])
def test_a_step_can_be_captured(shape, role):
    nodes, constants = run_nodes(graphs_of(shape)[role])
    for node in nodes:
        assert {node.input[index] for index in ON_HOST.get(node.op_type, ())} <= constants


@pytest.mark.parametrize(("role", "most"), [("decoder", 75), ("beam", 110)])
def test_a_step_of_two_layers_launches_few_kernels(role, most):
    nodes, _ = run_nodes(graphs_of("pre-norm")[role])
    assert sum(node.op_type not in WITHOUT_KERNEL for node in nodes) <= most


def test_states_are_float16_and_scores_float32():
    graphs = graphs_of("pre-norm")
    types = {each.name: each.type.tensor_type.elem_type for role in ("decoder", "beam") for each in graphs[role].input}
    assert {types[name] for name in types if name.startswith(("past", "cross"))} == {TensorProto.FLOAT16}
    assert types["score_history"] == types["totals"] == types["total_history"] == TensorProto.FLOAT
