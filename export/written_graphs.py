"""The float32 graphs of a model, written node by node from its weights; PyTorch is not needed.

They compute what ``model.network.transformer`` computes, with the same weights, arranged for one-step decoding:
projections that share an input are one matrix product. ``export.parity`` holds them to the original.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions there is room for, N remembered
positions, D width, H heads.
"""

import numpy as np
import onnx

from app.engine.decoding.padding import pad_to_multiple
from export.arrays import Arrays
from export.decoder_only_graphs import source_graph, step_graph
from export.graph_ends import array_names, decoder_ends, encoder_ends, end_with_top_k
from export.graph_nodes import GraphWriter
from model.network.config import TransformerConfig


def written_encoder(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """Source ids (B, S) and mask -> the cross-attention keys and values of every decoder layer, each (B, S, D).

    With a memory it also takes the keys and values of the sentences before, encoder layer by encoder layer, each
    (B, N, D), the latest positions last, and their mask. It returns those of its own self-attention, too: they are the
    memory of the sentences that follow.
    """
    if config.decoder_only:
        return source_graph(config, arrays)
    graph = _Encoder(config, arrays)
    states = graph.embed("source", "source", lambda: graph.first_signals(graph.source_length))
    mask = graph.mask()
    for index in range(config.encoder_layers):
        name = f"encoder.{index}"
        attention = f"{name}.self_attention"
        query, *seen = graph.projected(graph.before(states, f"{name}.self_residual"), attention)
        if config.memory_length:
            seen = graph.remember(seen, index)
        bias = graph.bias(query, attention)
        if config.positions == "relative":
            query = graph.add("Add", query, graph.array(f"{attention}.content_bias"))
        attended = graph.attend(query, seen, mask, layer=attention, bias=bias)
        states = graph.after(states, graph.linear(attended, f"{attention}.output"), f"{name}.self_residual")
        states = graph.feed_forward(states, name, "source_mask" if config.convolution_width > 1 else "")
    crosses = [
        f"decoder.{layer}.cross_attention.{part}" for layer in range(config.decoder_layers) for part in ("key", "value")
    ]
    features = graph.linear(graph.final_norm(states, "encoder_norm"), *crosses)
    names = array_names("cross", config.decoder_layers)
    graph.node("Split", [features], names, axis=-1, num_outputs=len(names))
    return graph.model(*encoder_ends(config))


def written_decoder(config: TransformerConfig, arrays: Arrays) -> onnx.ModelProto:
    """One decoding step for any mix of rows, each at a position of its own; ends with a top-k over the vocabulary.

    Beam search reorders rows at every step, and rows come and go. The graph reorders them by ``parents``, so the past
    never leaves the runtime's own memory. A row's keys and values lie at their positions, no matter when the row
    joined. So their sums are added in the same order, whatever rows are beside it, and agree to the last bit. The
    caller computes places and masks from the positions, which saves a tenth of the graph's nodes.

    The beams of a sentence attend to its source together, as M queries to one set of keys: for a beam of 4 that takes
    half the time. A product of one row is computed in another way than a product of several rows, and differs in the
    last bits. M is at least 2, so that a result does not depend on the number of rows beside it.

    The past of a row may begin with a memory: keys and values of the last target positions of the sentences before.
    That of a recurrent decoder is L states (Q, 1, D) of Q earlier rows. Each row continues the state of its parent; a
    row at position 0 begins with zeros, whatever its parent holds. ``export.graph_ends`` describes inputs and outputs.
    """
    if config.decoder_only:
        return step_graph(config, arrays)
    graph = _Decoder(config, arrays)
    states = graph.embed("target", "tokens", lambda: graph.signals("positions"))
    mask = graph.mask()
    for index in range(config.decoder_layers):
        name = f"decoder.{index}"
        entered = graph.before(states, f"{name}.self_residual")
        branch = graph.recur(entered, index) if config.recurrent else graph.attend_to_target(entered, index, mask)
        states = graph.after(states, branch, f"{name}.self_residual")
        attention = f"{name}.cross_attention"
        query = graph.linear(graph.before(states, f"{name}.cross_residual"), f"{attention}.query")
        scores = f"scores.{index}" if index == config.alignment_layer else ""
        attended = graph.attend(
            graph.add("GatherND", query, "members"),
            [f"cross_keys_{index}", f"cross_values_{index}"],
            "source_mask",
            layer=attention,
            scores=scores,
        )
        branch = graph.linear(graph.add("GatherND", attended, "seats"), f"{attention}.output")
        states = graph.after(states, branch, f"{name}.cross_residual")
        if scores:
            graph.look(scores)
        states = graph.feed_forward(states, name)
    graph.predict(graph.final_norm(states, "decoder_norm"))
    return end_with_top_k(graph.model(*decoder_ends(config)), config.target_vocabulary)


class _Encoder(GraphWriter):
    """What only an encoder has; its queries are the S positions of a source."""

    def __init__(self, config: TransformerConfig, arrays: Arrays) -> None:
        super().__init__(config, arrays)
        self._rows = pad_to_multiple(config.position_rows)
        self.source_length = self.length("source", 1)

    def mask(self) -> str:
        """Which of the memory and of the source each position sees, (B, 1, S, N + S) bool."""
        every_row = self.add("Concat", self.integers(1, 1), self.source_length, self.integers(1), axis=0)
        seen = self.add("Expand", self.unsqueeze("source_mask", 1, 2), every_row)
        if most := self.config.memory_length:
            recalled = self.add("Expand", self.unsqueeze("memory_mask", 1, 2), every_row)
            if self.config.same_length:
                near = most + np.arange(self._rows)[:, None] - np.arange(most) < most
                recalled = self.add("And", recalled, self.first(self.constant(near, "near"), self.source_length))
            seen = self.add("Concat", recalled, seen, axis=-1)
        return seen

    def remember(self, own: list[str], layer: int) -> list[str]:
        """Keys and values of the memory and then of the source; the latter are outputs, too."""
        seen = []
        for kind, each in zip(("keys", "values"), own, strict=True):
            self.node("Identity", [each], [f"remembered_{kind}_{layer}"])
            seen.append(self.add("Concat", f"memory_{kind}_{layer}", each, axis=1))
        return seen

    def bias(self, query: str, attention: str) -> str:
        """What is added to the scores, (B, H, S, N + S)."""
        most = self.config.memory_length
        if self.config.positions == "relative":
            return self._distance_scores(query, attention)
        if not most:
            return ""
        is_recalled = self.constant(np.arange(most + self._rows) < most, "recalled")
        end = self.add("Add", self.source_length, self.integers(most))
        return self.add("Where", self.first(is_recalled, end), self.recall_score(query, attention), self.zero())

    def _distance_scores(self, query: str, attention: str) -> str:
        """All distances scored with one product, each row shifted to its place: ``model.network.attention.shift``."""
        most, length = self.config.memory_length, self.source_length
        start = self.add("Sub", self.integers(self._rows), length)
        end = self.add("Add", self.integers(self._rows + most), length)
        signals = self.slice(self.array("distances"), start, end, 0)  # of the distances N + S - 1 to -S
        products = self.distance_products(query, signals, attention)  # (B, H, S, N + 2S)
        flat = self.add("Reshape", products, self.integers(0, 0, -1))
        begun = self.slice(flat, self.add("Sub", length, self.integers(1)), self.integers(-1), 2)
        shape = self.add("Concat", self.integers(0, 0), length, self.integers(-1), axis=0)
        shifted = self.add("Reshape", begun, shape)  # (B, H, S, N + 2S - 1)
        return self.first(shifted, self.add("Add", length, self.integers(most)), axis=3)


class _Decoder(GraphWriter):
    """What only a decoder with an encoder has; its queries are R rows of one token."""

    def mask(self) -> str:
        """Which places of its past each row sees, (R, 1, 1, P) bool."""
        if not self.config.memory_length and self.config.positions != "relative":
            return "target_mask"
        self._columns = self.range(self.length("target_mask", 3))
        self._place = self.add("Gather", "places", self.integer(1), axis=2)  # (R, 1)
        if not self.config.memory_length:
            return "target_mask"
        is_recalled = self.add("Less", self._columns, self.add("Sub", self._place, "positions"))
        self._is_recalled = self.unsqueeze(is_recalled, 1, 2)  # (R, 1, 1, P)
        if not self.config.same_length:
            return "target_mask"
        distance = self.add("Sub", self._place, self._columns)
        near = self.unsqueeze(self.add("Less", distance, self.integer(self.config.memory_length)), 1, 2)
        return self.add("And", "target_mask", self.add("Or", near, self.add("Not", self._is_recalled)))

    def recur(self, entered: str, layer: int) -> str:
        """The recurrent unit, (R, 1, D): c = f c_before + (1 - f) W x, as W x + f (c_before - W x)."""
        names = (f"decoder.{layer}.recurrence.{part}" for part in ("candidate", "gate"))
        candidate, gate = self.parts(self.linear(entered, *names), 2)
        fresh = self.unsqueeze(self.add("Equal", "positions", self.integers(0)), 2)  # (R, 1, 1)
        state = self.add("Where", fresh, self.zero(), self.add("Gather", f"past_state_{layer}", "parents", axis=0))
        kept = self.add("Mul", self.add("Sigmoid", gate), self.add("Sub", state, candidate))
        self.node("Add", [candidate, kept], [f"present_state_{layer}"])
        return self.add("Relu", f"present_state_{layer}")

    def attend_to_target(self, entered: str, layer: int, mask: str) -> str:
        """Self-attention of each row to its own past, with the keys and values of the new position in it, (R, 1, D)."""
        attention, bias = f"decoder.{layer}.self_attention", ""
        query, *new = self.projected(entered, attention)
        grown = self.append_to_past(new, layer)
        if self.config.positions == "relative":
            bias = self._distance_scores(query, attention)
            query = self.add("Add", query, self.array(f"{attention}.content_bias"))
        elif self.config.memory_length:
            bias = self.add("Where", self._is_recalled, self.recall_score(query, attention), self.zero())
        return self.linear(self.attend(query, grown, mask, layer=attention, bias=bias), f"{attention}.output")

    def _distance_scores(self, query: str, attention: str) -> str:
        """Scores (R, H, 1, P) of the distances from each row's own place to the places 0 to P - 1.

        All P distances are scored, and each row takes its own: there is no one shift for rows at different places.
        """
        rows = pad_to_multiple(self.config.position_rows) + self.config.memory_length
        signals = self.constant(self.arrays["distances"][:rows][::-1], "distances")  # of the distances 0, 1 and so on
        room = self.length("target_mask", 3)
        scores = self.distance_products(query, self.first(signals, room), attention)  # (R, H, 1, P)
        distance = self.add("Max", self.add("Sub", self._place, self._columns), self.integer(0))  # (R, P)
        by_head = self.add("Expand", self.unsqueeze(distance, 1, 2), self.integers(1, self.config.heads, 1, 1))
        return self.add("GatherElements", scores, by_head, axis=-1)

    def look(self, scores: str) -> None:
        """The source position (R, 1) that the alignment head looks at most, from its scores (B, H, M, S)."""
        head = self.add("Gather", scores, self.integer(self.config.alignment_head), axis=1)
        mask = self.add("Squeeze", "source_mask", self.integers(1))
        seen = self.add("Where", mask, head, self.never())
        self.node("ArgMax", [self.add("GatherND", seen, "seats")], ["alignment"], axis=2, keepdims=0)
