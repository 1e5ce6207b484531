"""The two graphs of a translator without an encoder: the pass over the source, and a step of the target.

They have the inputs and outputs of any others, so the runtime serves them alike. Each row attends to its source and to
its own past with one softmax. The keys and values of the source are not copied to the rows.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions there is room for, D width, H
heads, E channels a head.
"""

import onnx

from export.arrays import Arrays
from export.graph_ends import decoder_ends, encoder_ends, end_with_top_k
from export.graph_nodes import TO_THE_END, GraphWriter
from model.network.config import TransformerConfig


def source_graph(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """Source ids and mask, both (B, S) -> the keys and values of every layer, each (B, S, D)."""
    graph = GraphWriter(config, arrays)
    length = graph.length("source", 1)
    states = graph.embed("target", "source", lambda: graph.first_signals(length))
    order = graph.range(length)
    causal = graph.add("LessOrEqual", order, graph.unsqueeze(order, 1))
    mask = graph.add("And", causal, graph.unsqueeze("source_mask", 1, 2))  # (B, 1, S, S)
    for index in range(config.decoder_layers):
        name = f"decoder.{index}"
        query, *own = graph.projected(graph.before(states, f"{name}.self_residual"), f"{name}.self_attention")
        for kind, each in zip(("keys", "values"), own, strict=True):
            graph.node("Identity", [each], [f"cross_{kind}_{index}"])
        if index == config.decoder_layers - 1:
            break  # its states predict pieces of the source, which nobody asks for
        attended = graph.attend(query, own, mask, layer=f"{name}.self_attention")
        states = graph.after(states, graph.linear(attended, f"{name}.self_attention.output"), f"{name}.self_residual")
        states = graph.feed_forward(states, name)
    return graph.model(*encoder_ends(config))


def step_graph(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """One decoding step for any mix of rows, each at a position of its own; see ``written_graphs.written_decoder``."""
    graph = _Step(config, arrays)
    counted = graph.add("Cast", "source_mask", to=onnx.TensorProto.INT64)
    lengths = graph.add("ReduceSum", counted, graph.integers(1, 3), keepdims=0)  # (B, M)
    # The target's positions go on after the source's.
    places = graph.add("Add", "positions", graph.add("GatherND", lengths, "seats"))
    states = graph.embed("target", "tokens", lambda: graph.signals(places))
    for index in range(config.decoder_layers):
        name = f"decoder.{index}"
        query, *new = graph.projected(graph.before(states, f"{name}.self_residual"), f"{name}.self_attention")
        attended = graph.attend_to_both(query, graph.append_to_past(new, index), index)
        states = graph.after(states, graph.linear(attended, f"{name}.self_attention.output"), f"{name}.self_residual")
        states = graph.feed_forward(states, name)
    graph.predict(graph.final_norm(states, "decoder_norm"))
    return end_with_top_k(graph.model(*decoder_ends(config)), config.target_vocabulary)


class _Step(GraphWriter):
    def attend_to_both(self, query: str, own: list[str], layer: int) -> str:
        """Attention of each row (R, 1, D) to its source and its past (R, P, D): the attended states (R, 1, D)."""
        attention, source = f"decoder.{layer}.self_attention", [f"cross_{kind}_{layer}" for kind in ("keys", "values")]
        scores = self.scores(self.add("GatherND", query, "members"), source[0], attention)  # (B, H, M, S)
        on_source = self._of_rows(self.add("Where", "source_mask", scores, self.never()))  # (R, 1, H, S)
        scores = self.scores(query, own[0], attention)  # (R, H, 1, P)
        on_own = self._swapped(self.add("Where", "target_mask", scores, self.never()))  # (R, 1, H, P)
        weights = self.add("Softmax", self.add("Concat", on_source, on_own, axis=-1), axis=-1)
        length = self.length("source_mask", 3)
        looked = self.first(weights, length, axis=3)
        if layer == self.config.alignment_layer:
            head = self.add("Gather", looked, self.integer(self.config.alignment_head), axis=2)
            self.node("ArgMax", [head], ["alignment"], axis=2, keepdims=0)
        of_sentences = self._swapped(self.add("GatherND", looked, "members"))  # (B, H, M, S)
        from_source = self._of_rows(self.add("MatMul", of_sentences, self.heads(source[1])))  # (R, 1, H, E)
        past = self._swapped(self.slice(weights, length, self.integers(TO_THE_END), 3))  # (R, H, 1, P)
        from_own = self._swapped(self.add("MatMul", past, self.heads(own[1])))  # (R, 1, H, E)
        return self.joined(self.add("Add", from_source, from_own))

    def _swapped(self, tensor: str) -> str:
        """The second and the third axis."""
        return self.add("Transpose", tensor, perm=[0, 2, 1, 3])

    def _of_rows(self, tensor: str) -> str:
        """(B, H, M, ...) -> (R, 1, H, ...)."""
        return self.add("GatherND", self._swapped(tensor), "seats")
