"""A float32 graph in the making: the parts of a Transformer as ONNX nodes, as ``model.network`` has them in PyTorch.

Attention is ONNX's own operator (opset 23) on 3-D tensors, which spares transposes, wherever its scores are products.

Axes: B sentences, T queries, S keys, D width, H heads, E = D / H channels a head, V vocabulary.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from app.engine.decoding.padding import pad_to_multiple
from export.arrays import Arrays, side_by_side
from export.graph_ends import OPSET, Ends
from model.network.config import TransformerConfig

_ACTIVATIONS = {"relu": "Relu", "gelu": "Gelu"}
_BEFORE_MASK = 0  # what Attention's fourth output is: the scores before bias, mask and softmax
TO_THE_END = int(np.iinfo(np.int64).max)


class GraphWriter:
    """Methods add nodes and constants, and return the name of their result."""

    def __init__(self, config: TransformerConfig, arrays: Arrays) -> None:
        self.config, self.arrays = config, arrays
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def node(self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> None:
        """A node with any number of results."""
        self._nodes.append(helper.make_node(operator, inputs, outputs, **attributes))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node with one result."""
        name = f"{operator.lower()}.{len(self._nodes)}"
        self.node(operator, inputs, [name], **attributes)
        return name

    def constant(self, array: NDArray[Any], name: str) -> str:
        """An initializer."""
        self._constants[name] = numpy_helper.from_array(np.asarray(array, order="C"), name)
        return name

    def array(self, name: str) -> str:
        """An array of the model."""
        return self.constant(self.arrays[name], name)

    def integers(self, *numbers: int) -> str:
        """An axis of numbers, int64."""
        return self.constant(np.array(numbers), "integers." + ".".join(map(str, numbers)))

    def integer(self, number: int) -> str:
        """Without axes."""
        return self.constant(np.array(number), f"integer.{number}")

    def number(self, value: float, name: str) -> str:
        """Without axes, float32."""
        return self.constant(np.array(value, np.float32), name)

    def zero(self) -> str:
        """Float32."""
        return self.number(0, "zero")

    def never(self) -> str:
        """What masks make of a score; see ``model.network.masks.mask_scores``."""
        return self.constant(np.array(np.finfo(np.float32).min), "never")

    def length(self, tensor: str, axis: int) -> str:
        """(1,) int64."""
        return self.add("Shape", tensor, start=axis, end=axis + 1)

    def range(self, length: str) -> str:
        """0, 1 and so on, (length,) int64."""
        return self.add("Range", self.integer(0), self.add("Squeeze", length, self.integers(0)), self.integer(1))

    def slice(self, tensor: str, start: str, end: str, axis: int) -> str:
        """From start to end of an axis, both (1,) int64."""
        return self.add("Slice", tensor, start, end, self.integers(axis))

    def first(self, tensor: str, length: str, axis: int = 0) -> str:
        """The first elements of an axis; length is (1,) int64."""
        return self.slice(tensor, self.integers(0), length, axis)

    def unsqueeze(self, tensor: str, *axes: int) -> str:
        """With new axes."""
        return self.add("Unsqueeze", tensor, self.integers(*axes))

    def parts(self, states: str, count: int) -> list[str]:
        """The last axis in equal parts."""
        names = [f"part.{len(self._nodes)}.{part}" for part in range(count)]
        self.node("Split", [states], names, axis=-1, num_outputs=count)
        return names

    def linear(self, states: str, *names: str) -> str:
        """Layers of the same input, as one product with their outputs side by side."""
        weight, bias = side_by_side(self.arrays, *names)
        product = self.add("MatMul", states, self.constant(weight, f"{names[0]}.weight"))
        return self.add("Add", product, self.constant(bias, f"{names[0]}.bias"))

    def projected(self, states: str, attention: str) -> list[str]:
        """Query, keys and values of a self-attention, each (B, T, D)."""
        return self.parts(self.linear(states, *(f"{attention}.{part}" for part in ("query", "key", "value"))), 3)

    def norm(self, states: str, name: str) -> str:
        """A layer norm."""
        gain, bias = (self.array(f"{name}.{kind}") for kind in ("weight", "bias"))
        return self.add("LayerNormalization", states, gain, bias, axis=-1, epsilon=self.config.norm_epsilon)

    def before(self, states: str, residual: str) -> str:
        """See ``model.network.layers.Residual``."""
        return self.norm(states, f"{residual}.norm") if self.config.norm == "pre" else states

    def after(self, states: str, branch: str, residual: str) -> str:
        """See ``model.network.layers.Residual``."""
        total = self.add("Add", states, branch)
        return total if self.config.norm == "pre" else self.norm(total, f"{residual}.norm")

    def final_norm(self, states: str, name: str) -> str:
        """The norm that closes a pre-norm stack."""
        return self.norm(states, name) if self.config.norm == "pre" else states

    def embed(self, side: str, ids: str, signals: Callable[[], str]) -> str:
        """Embeddings of ids, (B, T, D), with the signals of their positions if the model adds them."""
        config, table = self.config, f"{side}_embedding"
        if config.cutoffs:
            states = self._adaptive_embedding(table, ids)
        else:
            states = self.add("Gather", self.array(f"{table}.weight"), ids, axis=0)
        if config.scale_embeddings:
            states = self.add("Mul", states, self.number(config.width**0.5, "embedding_scale"))
        if config.adds_positions:
            states = self.add("Add", states, signals())
        return self.norm(states, f"{side}_norm") if config.embedding_norm else states

    def first_signals(self, length: str) -> str:
        """Signals of the first positions; of a whole block of them, because the runtime pads to blocks."""
        table = self.arrays["positions"]
        beyond = pad_to_multiple(len(table)) - len(table)
        return self.first(self.constant(np.pad(table, ((0, beyond), (0, 0))), "positions.table"), length)

    def signals(self, positions: str) -> str:
        """Signals of positions."""
        return self.add("Gather", self.constant(self.arrays["positions"], "positions.table"), positions, axis=0)

    def _clusters(self) -> list[tuple[int, int]]:
        """The ids of each cluster, see ``model.network.embedding``."""
        return list(pairwise((0, *self.config.cutoffs, self.config.target_vocabulary)))

    def _adaptive_embedding(self, name: str, ids: str) -> str:
        states = ""
        for cluster, (start, end) in enumerate(self._clusters()):
            reached = self.add("GreaterOrEqual", ids, self.integer(start))
            inside = self.add("And", reached, self.add("Less", ids, self.integer(end)))
            row = self.add("Where", inside, self.add("Sub", ids, self.integer(start)), self.integer(0))
            found = self.add("Gather", self.array(f"{name}.tables.{cluster}.weight"), row, axis=0)
            if cluster:
                projection = self.array(f"{name}.projections.{cluster - 1}.weight")
                found = self.add("MatMul", found, self.add("Transpose", projection, perm=[1, 0]))
                found = self.add("Where", self.unsqueeze(reached, -1), found, states)
            states = found
        return states

    def feed_forward(self, states: str, layer: str, mask: str = "") -> str:
        """The second sublayer with its residual connection; ``mask``, (B, T) bool, if it sees neighbours."""
        entered = self.before(states, f"{layer}.feed_forward_residual")
        if mask:
            mask = self.unsqueeze(mask, 2)
            entered = self._windows(entered, mask)
        inner = self.linear(entered, f"{layer}.feed_forward.inner")
        if self.config.activation == "swish":
            active = self.add("Mul", inner, self.add("Sigmoid", inner))
        else:
            active = self.add(_ACTIVATIONS[self.config.activation], inner)
        if mask:
            active = self._windows(active, mask)
        outer = self.linear(active, f"{layer}.feed_forward.outer")
        return self.after(states, outer, f"{layer}.feed_forward_residual")

    def _windows(self, states: str, mask: str) -> str:
        """Each position beside its neighbours, (B, T, W * D); padding is zeros. See ``layers.Convolution``."""
        width = self.config.convolution_width
        beyond = width // 2
        real = self.add("Where", mask, states, self.zero())
        padded = self.add("Pad", real, self.integers(0, beyond, 0, 0, beyond, 0))
        ends = [*range(1 - width, 0), TO_THE_END]
        shifted = [self.slice(padded, self.integers(start), self.integers(end), 1) for start, end in enumerate(ends)]
        return self.add("Concat", *shifted, axis=-1)

    def heads(self, states: str) -> str:
        """(B, T, D) -> (B, H, T, E)."""
        split = self.add("Reshape", states, self.integers(0, 0, self.config.heads, self.config.head_width))
        return self.add("Transpose", split, perm=[0, 2, 1, 3])

    def joined(self, heads: str) -> str:
        """(B, T, H, E) -> (B, T, D)."""
        return self.add("Reshape", heads, self.integers(0, 0, self.config.width))

    def attend(
        self, query: str, seen: Sequence[str], mask: str, *, layer: str, bias: str = "", scores: str = ""
    ) -> str:
        """Attention as one node, or as plain operators where its scores are no products.

        Args:
            query: (B, T, D).
            seen: Keys and values, both (B, S, D).
            mask: Broadcastable to (B, 1, T, S) bool.
            layer: The attention that it is, ``decoder.0.cross_attention`` say.
            bias: Broadcastable to (B, H, T, S), added to the scores.
            scores: What to call the scores (B, H, T, S) before bias, mask and softmax, or the attention maps where the
                scores are no products. Without a bias, the highest score among the keys that aren't masked has the
                highest weight. Maps would be simpler, but on CUDA the operator returns none.

        Returns:
            The attended states (B, T, D).
        """
        if self.config.scoring == "additive":
            found = self.scores(query, seen[0], layer)
            if bias:
                found = self.add("Add", found, bias)
            maps = scores or f"maps.{len(self._nodes)}"
            self.node("Softmax", [self.add("Where", mask, found, self.never())], [maps], axis=-1)
            attended = self.add("MatMul", maps, self.heads(seen[1]))
            return self.joined(self.add("Transpose", attended, perm=[0, 2, 1, 3]))
        if bias:
            mask = self.add("Where", mask, bias, self.never())
        attended = f"attended.{len(self._nodes)}"
        heads = {"q_num_heads": self.config.heads, "kv_num_heads": self.config.heads}
        outputs = [attended, "", "", scores] if scores else [attended]
        self.node("Attention", [query, *seen, mask], outputs, qk_matmul_output_mode=_BEFORE_MASK, **heads)
        return attended

    def scores(self, query: str, keys: str, attention: str) -> str:
        """Queries (B, T, D) and keys (B, S, D) -> (B, H, T, S), written out; see ``model.network.attention``."""
        if self.config.scoring == "additive":
            both = self.add("Tanh", self.add("Add", self.unsqueeze(query, 2), self.unsqueeze(keys, 1)))
            weight = self.constant(self.arrays[f"{attention}.weight"].ravel(), f"{attention}.weight")
            by_head = self.integers(0, 0, 0, self.config.heads, self.config.head_width)
            weighed = self.add("Reshape", self.add("Mul", both, weight), by_head)  # (B, T, S, H, E)
            total = self.add("ReduceSum", weighed, self.integers(-1), keepdims=0)
            return self.add("Transpose", total, perm=[0, 3, 1, 2])
        scaled = self.add("Mul", query, self.number(self.config.head_width**-0.5, "score_scale"))
        return self.add("MatMul", self.heads(scaled), self.add("Transpose", self.heads(keys), perm=[0, 1, 3, 2]))

    def distance_products(self, query: str, signals: str, attention: str) -> str:
        """Queries (B, T, D) and signals of N distances (N, D) -> (B, H, T, N); see ``RelativeAttention``."""
        weight = self.constant(self.arrays[f"{attention}.distance.weight"].T, f"{attention}.distance.weight")
        distances = self.add("MatMul", self.unsqueeze(signals, 0), weight)
        return self.scores(self.add("Add", query, self.array(f"{attention}.distance_bias")), distances, attention)

    def append_to_past(self, new: Sequence[str], layer: int) -> list[str]:
        """Keys and values (R, P, D) of the rows' parents with those of the new tokens (R, 1, D) at the rows' places."""
        grown = [f"present_{kind}_{layer}" for kind in ("keys", "values")]
        for present, each in zip(grown, new, strict=True):
            past = self.add("Gather", present.replace("present", "past"), "parents", axis=0)
            self.node("ScatterND", [past, "places", each], [present])
        return grown

    def recall_score(self, query: str, attention: str) -> str:
        """What queries (B, T, D) add to the score of a key of an earlier sentence, (B, H, T, 1)."""
        weighed = self.heads(self.add("Mul", query, self.array(f"{attention}.recall_weight")))
        bias = self.constant(self.arrays[f"{attention}.recall_bias"].reshape(-1, 1, 1), f"{attention}.recall_bias")
        return self.add("Add", self.add("ReduceSum", weighed, self.integers(-1), keepdims=1), bias)

    def predict(self, states: str) -> None:
        """Log-probabilities (B, T, V)."""
        if self.config.cutoffs:
            self._predict_clusters(states)
            return
        name = "target_embedding.weight" if self.config.tie_output else "projection.weight"
        logits = self.add("MatMul", states, self.add("Transpose", self.array(name), perm=[1, 0]))
        if self.config.output_bias:
            logits = self.add("Add", logits, self.array("projection.bias"))
        self.node("LogSoftmax", [logits], ["log_probabilities"], axis=-1)

    def _predict_clusters(self, states: str) -> None:
        """See ``model.network.embedding.AdaptiveSoftmax``."""
        logits = [
            self.add("MatMul", states, self.add("Transpose", self.array(name), perm=[1, 0]))
            for name in ("target_embedding.tables.0.weight", "projection.clusters.weight")
        ]
        head = self.add("LogSoftmax", self.add("Concat", *logits, axis=-1), axis=-1)
        (_, frequent), *others = self._clusters()
        sizes = self.integers(frequent, *[1] * len(others))
        parts, *shares = [f"share.{cluster}" for cluster in range(len(others) + 1)]
        self.node("Split", [head, sizes], [parts, *shares], axis=-1)
        found = [parts]
        for cluster, share in enumerate(shares):
            narrow = self.add("MatMul", states, self.array(f"target_embedding.projections.{cluster}.weight"))
            table = self.add("Transpose", self.array(f"target_embedding.tables.{cluster + 1}.weight"), perm=[1, 0])
            inside = self.add("LogSoftmax", self.add("MatMul", narrow, table), axis=-1)
            found.append(self.add("Add", inside, share))
        self.node("Concat", found, ["log_probabilities"], axis=-1)

    def model(self, inputs: Ends, outputs: Ends) -> onnx.ModelProto:
        """The whole graph, with the inputs and outputs it shall have."""

        def described(ends: Ends) -> list[onnx.ValueInfoProto]:
            return [helper.make_tensor_value_info(name, *each) for name, each in ends.items()]

        graph = helper.make_graph(
            self._nodes, "model", described(inputs), described(outputs), list(self._constants.values())
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)
