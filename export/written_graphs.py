"""Float32 graphs of a model, written node by node from its weights; PyTorch is not needed.

``dragoman import`` writes both graphs so, in the service's environment, and ``dragoman export`` those of standard and
recurrent models: PyTorch takes a hundred times as long to trace them. The graphs of other models are traced, see
``export.graphs``, whose axes, inputs and outputs these graphs share.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from app.engine.decoding.padding import pad_to_multiple
from export.arrays import Arrays, side_by_side
from export.graph_ends import OPSET, array_names, end_with_top_k
from model.network.config import TransformerConfig

_ACTIVATIONS = {"relu": "Relu", "gelu": "Gelu"}
_BEFORE_MASK = 0  # what Attention's fourth output is: the scores before mask and softmax


def state_names(what: str, layers: int) -> list[str]:
    """The names of the states (``past``, ``present``) of recurrent layers."""
    return [f"{what}_state_{layer}" for layer in range(layers)]


def written_encoder(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """Source ids (B, S) and mask -> the cross-attention keys and values of every decoder layer, each (B, S, D)."""
    graph = _Graph(config, arrays)
    length = graph.add("Shape", "source", start=1, end=2)
    rows = pad_to_multiple(len(arrays["positions"]))  # the runtime pads to blocks, maybe beyond the last position
    table = np.pad(arrays["positions"], ((0, rows - len(arrays["positions"])), (0, 0)))
    signals = graph.add("Slice", graph.constant(table, "positions.table"), graph.integers(0), length, graph.integers(0))
    states = graph.embed("source", "source", signals)
    mask = graph.add("Unsqueeze", "source_mask", graph.integers(1, 2))  # (B, 1, 1, S)
    mask = graph.add("Expand", mask, graph.add("Concat", graph.integers(1, 1), length, graph.integers(1), axis=0))
    for index in range(config.encoder_layers):
        name = f"encoder.{index}"
        entered = graph.before(states, f"{name}.self_residual")
        attention = f"{name}.self_attention"
        joined = graph.linear(entered, *(f"{attention}.{part}" for part in ("query", "key", "value")))
        attended = graph.attend([*graph.parts(joined, 3), mask])
        states = graph.after(states, graph.linear(attended, f"{attention}.output"), f"{name}.self_residual")
        states = graph.feed_forward(states, name)
    crosses = [
        f"decoder.{layer}.cross_attention.{part}" for layer in range(config.decoder_layers) for part in ("key", "value")
    ]
    features = graph.linear(graph.final_norm(states, "encoder_norm"), *crosses)
    names = array_names("cross", config.decoder_layers)
    graph.node("Split", [features], names, axis=-1, num_outputs=len(names))
    return graph.model(
        {"source": (TensorProto.INT64, ["batch", "source"]), "source_mask": (TensorProto.BOOL, ["batch", "source"])},
        dict.fromkeys(names, (TensorProto.FLOAT, ["batch", "source", config.width])),
    )


def written_decoder(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """One step of a decoder for any mix of rows; ends with a top-k over the vocabulary.

    The past of a recurrent decoder is L states (Q, 1, D) of Q earlier rows. Each row continues the state of its parent;
    a row at position 0 begins with zeros, whatever its parent holds.
    """
    graph, layers = _Graph(config, arrays), config.decoder_layers
    signals = graph.add("Gather", graph.constant(arrays["positions"], "positions.table"), "positions", axis=0)
    states = graph.embed("target", "tokens", signals)
    alignment: dict[str, tuple[int, list[str | int]]] = {}
    for index in range(layers):
        name = f"decoder.{index}"
        entered = graph.before(states, f"{name}.self_residual")
        branch = graph.recur(entered, index) if config.recurrent else graph.attend_to_target(entered, index)
        states = graph.after(states, branch, f"{name}.self_residual")
        query = graph.linear(graph.before(states, f"{name}.cross_residual"), f"{name}.cross_attention.query")
        source = [f"cross_{kind}_{index}" for kind in ("keys", "values")]
        scores = f"scores.{index}" if index == config.alignment_layer else ""
        attended = graph.attend([graph.add("GatherND", query, "members"), *source, "source_mask"], scores)
        branch = graph.linear(graph.add("GatherND", attended, "seats"), f"{name}.cross_attention.output")
        states = graph.after(states, branch, f"{name}.cross_residual")
        if scores:
            graph.look(scores)
            alignment["alignment"] = (TensorProto.INT64, ["rows", 1])
        states = graph.feed_forward(states, name)
    graph.predict(graph.final_norm(states, "decoder_norm"))
    names = state_names if config.recurrent else array_names
    room: list[str | int] = [1] if config.recurrent else ["past"]
    target: dict[str, tuple[int, list[str | int]]] = {
        "places": (TensorProto.INT64, ["rows", 1, 2]),
        "target_mask": (TensorProto.BOOL, ["rows", 1, 1, "past"]),
    }
    inputs: dict[str, tuple[int, list[str | int]]] = {
        "tokens": (TensorProto.INT64, ["rows", 1]),
        "positions": (TensorProto.INT64, ["rows", 1]),
        "source_mask": (TensorProto.BOOL, ["sentences", 1, "beams", "source"]),
        "members": (TensorProto.INT64, ["sentences", "beams", 2]),
        "seats": (TensorProto.INT64, ["rows", 1, 2]),
        "parents": (TensorProto.INT64, ["rows"]),
        **dict.fromkeys(array_names("cross", layers), (TensorProto.FLOAT, ["sentences", "source", config.width])),
        **dict.fromkeys(names("past", layers), (TensorProto.FLOAT, ["earlier_rows", *room, config.width])),
        **({} if config.recurrent else target),
    }
    outputs: dict[str, tuple[int, list[str | int]]] = {
        "log_probabilities": (TensorProto.FLOAT, ["rows", 1, config.target_vocabulary]),
        **dict.fromkeys(names("present", layers), (TensorProto.FLOAT, ["rows", *room, config.width])),
        **alignment,
    }
    return end_with_top_k(graph.model(inputs, outputs), config.target_vocabulary)


class _Graph:
    """A graph in the making. Methods return the name of their result."""

    def __init__(self, config: TransformerConfig, arrays: Arrays) -> None:
        self._config, self._arrays = config, arrays
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def node(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        self._nodes.append(helper.make_node(operator, inputs, outputs, **attributes))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node with one result."""
        name = f"{operator.lower()}.{len(self._nodes)}"
        self.node(operator, inputs, [name], **attributes)
        return name

    def constant(self, array: NDArray[Any], name: str) -> str:
        self._constants[name] = numpy_helper.from_array(np.asarray(array, order="C"), name)
        return name

    def integers(self, *numbers: int) -> str:
        return self.constant(np.array(numbers), "integers." + ".".join(map(str, numbers)))

    def linear(self, states: str, *names: str) -> str:
        """Layers of the same input, as one product with their outputs side by side."""
        weight, bias = side_by_side(self._arrays, *names)
        product = self.add("MatMul", states, self.constant(weight, f"{names[0]}.weight"))
        return self.add("Add", product, self.constant(bias, f"{names[0]}.bias"))

    def parts(self, states: str, count: int) -> list[str]:
        """The last axis in equal parts."""
        names = [f"part.{len(self._nodes)}.{part}" for part in range(count)]
        self.node("Split", [states], names, axis=-1, num_outputs=count)
        return names

    def norm(self, states: str, name: str) -> str:
        gain, bias = (self.constant(self._arrays[f"{name}.{kind}"], f"{name}.{kind}") for kind in ("weight", "bias"))
        return self.add("LayerNormalization", states, gain, bias, axis=-1, epsilon=self._config.norm_epsilon)

    def before(self, states: str, residual: str) -> str:
        """See ``model.network.layers.Residual``."""
        return self.norm(states, f"{residual}.norm") if self._config.norm == "pre" else states

    def after(self, states: str, branch: str, residual: str) -> str:
        total = self.add("Add", states, branch)
        return total if self._config.norm == "pre" else self.norm(total, f"{residual}.norm")

    def final_norm(self, states: str, name: str) -> str:
        return self.norm(states, name) if self._config.norm == "pre" else states

    def embed(self, side: str, ids: str, signals: str) -> str:
        config = self._config
        table = self.constant(self._arrays[f"{side}_embedding.weight"], f"{side}_embedding.weight")
        states = self.add("Gather", table, ids, axis=0)
        if config.scale_embeddings:
            states = self.add("Mul", states, self.constant(np.array(config.width**0.5, np.float32), "embedding_scale"))
        states = self.add("Add", states, signals)
        return self.norm(states, f"{side}_norm") if config.embedding_norm else states

    def attend(self, given: Sequence[str], scores: str = "") -> str:
        """Query, keys, values and mask -> the attended states; ``scores`` names those before mask and softmax."""
        attended = f"attended.{len(self._nodes)}"
        heads = {"q_num_heads": self._config.heads, "kv_num_heads": self._config.heads}
        outputs = [attended, "", "", scores] if scores else [attended]
        self.node("Attention", given, outputs, qk_matmul_output_mode=_BEFORE_MASK, **heads)
        return attended

    def recur(self, entered: str, layer: int) -> str:
        """The recurrent unit, (R, 1, D): c = f c_before + (1 - f) W x, as W x + f (c_before - W x)."""
        names = (f"decoder.{layer}.recurrence.{part}" for part in ("candidate", "gate"))
        candidate, gate = self.parts(self.linear(entered, *names), 2)
        fresh = self.add("Unsqueeze", self.add("Equal", "positions", self.integers(0)), self.integers(2))  # (R, 1, 1)
        zero = self.constant(np.array(0, np.float32), "zero")
        state = self.add("Where", fresh, zero, self.add("Gather", f"past_state_{layer}", "parents", axis=0))
        kept = self.add("Mul", self.add("Sigmoid", gate), self.add("Sub", state, candidate))
        self.node("Add", [candidate, kept], [f"present_state_{layer}"])
        return self.add("Relu", f"present_state_{layer}")

    def attend_to_target(self, entered: str, layer: int) -> str:
        """Self-attention of each row to its own past, with the keys and values of the new position in it, (R, 1, D)."""
        name = f"decoder.{layer}.self_attention"
        joined = self.linear(entered, *(f"{name}.{part}" for part in ("query", "key", "value")))
        query, *new = self.parts(joined, 3)
        grown = [f"present_{kind}_{layer}" for kind in ("keys", "values")]
        for present, each in zip(grown, new, strict=True):
            past = self.add("Gather", present.replace("present", "past"), "parents", axis=0)
            self.node("ScatterND", [past, "places", each], [present])
        attended = self.attend([query, *grown, "target_mask"])
        return self.linear(attended, f"{name}.output")

    def feed_forward(self, states: str, layer: str) -> str:
        entered = self.before(states, f"{layer}.feed_forward_residual")
        inner = self.linear(entered, f"{layer}.feed_forward.inner")
        kind = self._config.activation
        active = (
            self.add("Mul", inner, self.add("Sigmoid", inner))
            if kind == "swish"
            else self.add(_ACTIVATIONS[kind], inner)
        )
        outer = self.linear(active, f"{layer}.feed_forward.outer")
        return self.after(states, outer, f"{layer}.feed_forward_residual")

    def look(self, scores: str) -> None:
        """The source position (R, 1) that the alignment head looks at most, from its scores (B, H, M, S)."""
        head = self.add(
            "Gather", scores, self.constant(np.array(self._config.alignment_head), "alignment_head"), axis=1
        )
        mask = self.add("Squeeze", "source_mask", self.integers(1))
        never = self.constant(np.array(np.finfo(np.float32).min), "never")
        seen = self.add("Where", mask, head, never)
        self.node("ArgMax", [self.add("GatherND", seen, "seats")], ["alignment"], axis=2, keepdims=0)

    def predict(self, states: str) -> None:
        """Log-probabilities (R, 1, V)."""
        tied, name = (
            self._config.tie_output,
            "target_embedding.weight" if self._config.tie_output else "projection.weight",
        )
        table = name if tied else self.constant(self._arrays[name], name)
        logits = self.add("MatMul", states, self.add("Transpose", table, perm=[1, 0]))
        if self._config.output_bias:
            logits = self.add("Add", logits, self.constant(self._arrays["projection.bias"], "projection.bias"))
        self.node("LogSoftmax", [logits], ["log_probabilities"], axis=-1)

    def model(
        self, inputs: dict[str, tuple[int, list[str | int]]], outputs: dict[str, tuple[int, list[str | int]]]
    ) -> onnx.ModelProto:
        def described(ends: dict[str, tuple[int, list[str | int]]]) -> list[onnx.ValueInfoProto]:
            return [helper.make_tensor_value_info(name, *each) for name, each in ends.items()]

        graph = helper.make_graph(
            self._nodes, "model", described(inputs), described(outputs), list(self._constants.values())
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)
