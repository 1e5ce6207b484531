"""The inputs and outputs that all decoder graphs have, whatever is between them."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 23


def array_names(what: str, layers: int) -> list[str]:
    """The names of keys and values (``cross``, ``past``, ``present`` and so on) in the order of the graphs."""
    return [f"{what}_{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def end_with_top_k(graph: onnx.ModelProto, vocabulary: int) -> onnx.ModelProto:
    """Replace the log-probabilities (R, 1, V) by the K best: scores (R, 1, K) float32, candidates (R, 1, K) int64.

    K is an input, (1,) int64; more than V asks for all. It is added here because a traced top-k would have a fixed K.
    """
    body = graph.graph
    body.initializer.append(numpy_helper.from_array(np.array([vocabulary], dtype=np.int64), "vocabulary"))
    body.node.extend(
        [
            helper.make_node("Min", ["top", "vocabulary"], ["candidate_count"]),
            helper.make_node("TopK", ["log_probabilities", "candidate_count"], ["scores", "candidates"], axis=-1),
        ]
    )
    body.input.append(helper.make_tensor_value_info("top", TensorProto.INT64, [1]))
    kept = [output for output in body.output if output.name != "log_probabilities"]
    del body.output[:]
    body.output.extend(
        [
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", 1, "candidates"]),
            helper.make_tensor_value_info("candidates", TensorProto.INT64, ["rows", 1, "candidates"]),
            *kept,
        ]
    )
    onnx.checker.check_model(graph)
    return graph
