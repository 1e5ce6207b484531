"""Building blocks of the graphs for a GPU: a standard Transformer from the weights of the native operators."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from export.native_graphs import ACTIVATIONS, NO_LAYER

INTEGER = TensorProto.INT64
_CONTRIB = "com.microsoft"


@dataclass(frozen=True)
class Network:
    """What a graph of a native operator says of a model.

    Attributes:
        attributes: Sizes and kinds, see ``export.native_graphs``.
        weights: By their names in ``export.native_graphs``; large ones may lie outside of the graph.
    """

    attributes: dict[str, Any]
    weights: dict[str, onnx.TensorProto]

    @property
    def recurrent(self) -> bool:
        """The decoder has recurrent units instead of self-attention."""
        return bool(self.attributes.get("recurrent"))

    @cached_property
    def alignment(self) -> tuple[int, int, int] | None:
        """Layer, head and channels of the alignment head; None if there is none."""
        layer = self.attributes.get("alignment_layer", NO_LAYER)
        channels = self.attributes["width"] // self.attributes["heads"]
        return None if layer == NO_LAYER else (layer, self.attributes["alignment_head"], channels)


def network_of(graph: onnx.ModelProto) -> Network:
    """Read the graph of a native operator."""
    [node] = graph.graph.node
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    return Network(attributes, {tensor.name: tensor for tensor in graph.graph.initializer})


@dataclass(frozen=True)
class Sublayer:
    """One residual sublayer of a layer.

    Attributes:
        norm: Name of its norm: before it, or behind the sum in a post-norm model.
        output: Name of its last linear layer, whose bias is added together with the residual; empty without one.
        inner: Called with the layer's name and the normalised states; returns what goes into that linear layer.
    """

    norm: str
    output: str
    inner: Callable[[str, str], str]

    @property
    def layer(self) -> str:
        """Name of the layer, such as ``encoder.3``."""
        return self.norm.rpartition(".")[0]

    @classmethod
    def feed_forward(cls, nodes: "Nodes", layer: str) -> Self:
        """The position-wise sublayer of a layer."""
        return cls(
            f"{layer}.inner_norm", f"{layer}.outer", lambda name, states: nodes.activated(f"{name}.inner", states)
        )


class Nodes:
    """Collects the nodes and constants of a graph.

    Args:
        network: The model.
        number: Element type of all weights and states, ``TensorProto.FLOAT16`` or ``FLOAT``.
    """

    def __init__(self, network: Network, number: int) -> None:
        self.network, self.number = network, number
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def make(
        self,
        operator: str,
        *inputs: str,
        outputs: int = 1,
        names: Sequence[str] = (),
        domain: str = "",
        **attributes: Any,
    ) -> list[str]:
        """Add a node; returns the names of its outputs, which are made up unless they are given."""
        made = list(names) or [f"{operator.lower()}.{len(self._nodes)}.{index}" for index in range(outputs)]
        self._nodes.append(helper.make_node(operator, list(inputs), made, domain=domain, **attributes))
        return made

    def one(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node with one output, which may be given a name."""
        return self.make(operator, *inputs, names=[name] if name else (), **attributes)[0]

    def constant(self, name: str, array: NDArray[Any] | np.generic) -> str:
        """Add a constant, unless it is there."""
        self._constants.setdefault(name, numpy_helper.from_array(np.asarray(array), name))
        return name

    def integers(self, *values: int, is_scalar: bool = False) -> str:
        """A constant vector int64, or a number."""
        kind = "number" if is_scalar else "numbers"
        array = np.array(values[0] if is_scalar else values, dtype=np.int64)
        return self.constant(f"{kind}.{'.'.join(map(str, values))}", array)

    def columns(self, states: str, first: int, last: int, axis: int) -> str:
        """A range of an axis."""
        return self.one("Slice", states, *(self.integers(value) for value in (first, last, axis)))

    def over(self, states: str, axis: int) -> str:
        """The same with an axis of length 1 more."""
        return self.one("Unsqueeze", states, self.integers(axis))

    def cast(self, states: str, number: int) -> str:
        """The same in other numbers."""
        return states if number == self.number else self.one("Cast", states, to=number)

    def weight(self, name: str) -> str:
        """A weight in the graph's numbers: where it is stored in others, ONNX Runtime converts it when it loads it."""
        tensor, name = self.network.weights[name], f"weights.{name}"  # not to be confused with inputs
        if tensor.data_type != self.number and tensor.data_location != TensorProto.EXTERNAL:
            kind = helper.tensor_dtype_to_np_dtype(self.number)
            return self.constant(name, numpy_helper.to_array(tensor).astype(kind))
        if name not in self._constants:
            self._constants[name] = onnx.TensorProto.FromString(tensor.SerializeToString())
            self._constants[name].name = name
        return name if tensor.data_type == self.number else self._once("Cast", name, to=self.number)

    def _once(self, operator: str, name: str, *others: str, **attributes: Any) -> str:
        """A node on constants, which ONNX Runtime computes when it loads the graph."""
        made = f"{name}.{operator.lower()}"
        if not any(made in node.output for node in self._nodes):
            self.one(operator, name, *others, name=made, **attributes)
        return made

    def product(self, name: str, states: str) -> str:
        """The product with the matrix of a linear layer, (in, out)."""
        return self.one("MatMul", states, self.weight(f"{name}.weight"))

    def linear(self, name: str, states: str) -> str:
        """A linear layer."""
        return self.one("Add", self.product(name, states), self.weight(f"{name}.bias"))

    def activated(self, name: str, states: str) -> str:
        """A linear layer with the model's activation function."""
        inner, kind = self.linear(name, states), self.network.attributes["activation"]
        if kind == ACTIVATIONS["swish"]:
            return self.one("Mul", inner, self.one("Sigmoid", inner))
        return self.one("Relu" if kind == ACTIVATIONS["relu"] else "Gelu", inner)

    def project(self, states: str) -> str:
        """Logits (R, V) of states (R, D)."""
        return self.one("Gemm", states, self.weight("projection.weight"), self.weight("projection.bias"), transB=1)

    def norm(self, name: str, states: str) -> str:
        """Layer norm over the last axis."""
        gain, bias = (self.weight(f"{name}.{part}") for part in ("gain", "bias"))
        return self.one("LayerNormalization", states, gain, bias, axis=-1, epsilon=self.network.attributes["epsilon"])

    def split(self, states: str, count: int) -> list[str]:
        """Equal parts of the last axis."""
        return self.make("Split", states, outputs=count, axis=-1, num_outputs=count)

    def joined(self, name: str, inner: str, states: str, norm: str) -> tuple[str, str]:
        """Bias, residual and norm of a sublayer in one node.

        Args:
            name: Its last linear layer; empty if it has none.
            inner: What goes into that layer.
            states: The residual.
            norm: Name of the norm behind the sum, which the model has.

        Returns:
            The normalised sum, and the sum.
        """
        branch, bias = (self.product(name, inner), [self.weight(f"{name}.bias")]) if name else (inner, [])
        gain, shift = (self.weight(f"{norm}.{part}") for part in ("gain", "bias"))
        made = f"{norm}.{len(self._nodes)}"
        self.make(
            "SkipLayerNormalization",
            *(branch, states, gain, shift, *bias),
            names=[f"{made}.normal", "", "", f"{made}.sum"],
            domain=_CONTRIB,
            epsilon=self.network.attributes["epsilon"],
        )
        return f"{made}.normal", f"{made}.sum"

    def embed(self, ids: str, places: str) -> tuple[str, str]:
        """Embeddings of ids, and the signals of their places: together they are the states before the first layer."""
        table, scale = self.weight("embedding"), self.network.attributes["embedding_scale"]
        if scale != 1:
            kind = helper.tensor_dtype_to_np_dtype(self.number)
            table = self._once("Mul", table, self.constant("embedding.scale", np.array(scale, kind)))
        return self.one("Gather", table, ids), self.one("Gather", self.weight("positions"), places)

    def graph(
        self, name: str, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto], opset: int
    ) -> onnx.ModelProto:
        """The graph of all nodes."""
        body = helper.make_graph(self._nodes, name, inputs, outputs, list(self._constants.values()))
        opsets = [helper.make_opsetid("", opset), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(body, opset_imports=opsets, ir_version=11)


def transform(nodes: Nodes, embedded: tuple[str, str], sublayers: Sequence[Sublayer], last_norm: str) -> str:
    """The sublayers one after the other, with their residual connections.

    In a pre-norm model each sum is normalised by the next sublayer's norm, so that bias, residual and norm are one
    node; the last one by ``last_norm``.

    Args:
        nodes: The graph.
        embedded: Two summands of the states, see ``Nodes.embed``.
        sublayers: The sublayers.
        last_norm: The norm behind all of a pre-norm model.
    """
    pre_norm = nodes.network.attributes["pre_norm"]
    if nodes.network.attributes["embedding_norm"]:
        states, _ = nodes.joined("", *embedded, "embedding_norm")
        normal = nodes.norm(sublayers[0].norm, states) if pre_norm else states
    elif pre_norm:
        normal, states = nodes.joined("", *embedded, sublayers[0].norm)
    else:
        normal = states = nodes.one("Add", *embedded)
    if not pre_norm:
        for sublayer in sublayers:
            inner = sublayer.inner(sublayer.layer, states)
            states, _ = nodes.joined(sublayer.output, inner, states, sublayer.norm)
        return states
    following = [after.norm for _, after in pairwise(sublayers)] + [last_norm]
    for sublayer, norm in zip(sublayers, following, strict=True):
        inner = sublayer.inner(sublayer.layer, normal)
        normal, states = nodes.joined(sublayer.output, inner, states, norm)
    return normal


def attend(nodes: Nodes, query: str, keys: str, values: str, lengths: str, heads: int) -> str:
    """Attention of (B, T, D) queries to the first positions of (B, S, D) keys, as many as ``lengths`` (B,) says.

    Without a mask ONNX Runtime takes its fast path on a GPU.
    """
    return nodes.one("Attention", query, keys, values, "", "", "", lengths, q_num_heads=heads, kv_num_heads=heads)


def recurrence(nodes: Nodes, layer: str, states: str, past: str, present: str) -> str:
    """A simpler simple recurrent unit (Kim et al. 2019) instead of self-attention, for states (R, 1, D).

    With a candidate and a gate f of the states, the state c becomes f c + (1 - f) candidate, and the result is relu(c).
    A row at position 0 begins with zeros, whatever its past (R, 1, D) holds.
    """
    candidate, gate = nodes.split(nodes.linear(f"{layer}.self_projection", states), 2)
    forget = nodes.one("Sigmoid", gate)
    kind = helper.tensor_dtype_to_np_dtype(nodes.number)
    is_new = nodes.one("Reshape", nodes.one("Equal", "positions", nodes.integers(0)), nodes.integers(-1, 1, 1))
    before = nodes.one("Where", is_new, nodes.constant("no_state", kind.type(0)), past)
    # f (c - candidate) + candidate: a product less
    change = nodes.one("Mul", forget, nodes.one("Sub", before, candidate))
    return nodes.one("Relu", nodes.one("Add", change, candidate, name=present))
