"""The two float32 graphs of a bundle: written for a standard or recurrent model, traced for any other.

The modules here compute what ``model.network.transformer`` computes, with the same weights, arranged for one-step
decoding: projections that share an input are one matrix product, and attention is ONNX's own operator (opset 23) on 3-D
tensors, which spares the transposes. ``export.parity`` holds them to the original.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions there is room for, N remembered
source positions, D width, V vocabulary, K candidates.
"""

import io
import logging
import warnings
from collections.abc import Sequence
from functools import partial

import onnx
import torch
from torch import Tensor, nn
from torch.export import Dim
from torch.jit import TracerWarning  # type: ignore[attr-defined]
from torch.nn import functional as F

from app.engine.decoding.padding import pad_to_multiple
from export.arrays import arrays_of
from export.decoder_only_graphs import SourceGraph, StepGraph
from export.graph_ends import OPSET, array_names, end_with_top_k
from export.graph_nodes import (
    append,
    attend,
    distance_table,
    embed,
    feed_forward,
    fuse,
    next_scores,
    padded_position_table,
    pick,
    position_table,
    self_projections,
    take,
)
from export.written_graphs import written_decoder, written_encoder
from model.network.attention import (
    KeysValues,
    MultiHeadAttention,
    RecallingAttention,
    RelativeAttention,
    distance_signals,
)
from model.network.layers import DecoderLayer
from model.network.masks import mask_scores
from model.network.memory import recall_mask
from model.network.transformer import Transformer

# The names in the graphs since bundle format 3: "members" are the beam rows, "seats" the row beams.
_STEP_INPUTS = ("tokens", "positions", "places", "target_mask", "source_mask", "members", "seats", "parents")


class EncoderGraph(nn.Module):
    """Source ids -> the cross-attention keys and values of every decoder layer.

    With a memory it returns those of its own self-attention, too: they are the memory of the sentences that follow.
    """

    positions: Tensor  # (max_positions, D), and the rest of a block
    distances: Tensor  # (1, N + 2Q, D), signals of the distances N + Q - 1 to -Q, Q being the rows of ``positions``

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model
        self.self_projections = self_projections(model.encoder)
        crosses = [layer.cross_attention for layer in model.decoder]
        self.cross_projection = fuse(*(linear for cross in crosses for linear in (cross.key, cross.value)))
        self.register_buffer("positions", padded_position_table(model))
        if model.config.positions == "relative":
            rows = len(self.positions)
            signals = distance_signals(rows + model.config.memory_length - 1, -rows, model.config.width)
            self.register_buffer("distances", signals.to(model.dtype))

    def forward(
        self, source: Tensor, source_mask: Tensor, memory_mask: Tensor | None = None, memory: Sequence[Tensor] = ()
    ) -> tuple[Tensor, ...]:
        """Encode a batch.

        Args:
            source: (B, S) int64.
            source_mask: (B, S) bool.
            memory_mask: (B, N) bool, if the model has a memory; its last positions are the latest.
            memory: Keys and values of the sentences before, encoder layer by encoder layer, each (B, N, D).

        Returns:
            Keys and values for the decoder, layer by layer, each (B, S, D), and with a memory those of the encoder.
        """
        model, config = self.model, self.model.config
        length = source.shape[1]
        states = embed(model, model.source_embedding, model.source_norm, source, lambda: self.positions[:length])
        mask, recalled = source_mask.unsqueeze(1).expand(-1, length, -1), 0  # (B, S, S)
        if memory_mask is not None:
            recalled = config.memory_length
            mask = torch.cat([recall_mask(memory_mask, 0, length, config.recall_limit), mask], -1)  # (B, S, N + S)
        mask = mask.unsqueeze(1)
        remembered: list[Tensor] = []
        for index, (layer, projection) in enumerate(zip(model.encoder, self.self_projections, strict=True)):
            query, *own = projection(layer.self_residual.before(states)).chunk(3, dim=-1)
            seen = KeysValues(*own)
            if recalled:
                remembered += own
                seen = KeysValues(memory[2 * index], memory[2 * index + 1]).append(seen)
            attention, bias = layer.self_attention, None
            if isinstance(attention, RelativeAttention):
                rows = len(self.positions)
                distances = attention.distance(self.distances[:, rows - length : rows + recalled + length])
                bias = attention.distance_scores(query, distances)
                query = query + attention.content_bias
            elif recalled:
                bias = attention.recall_scores(query, recalled, recalled + length)
            attended, _ = attend(attention, query, seen, mask, bias)
            states = layer.self_residual.after(states, attention.output(attended))
            states = feed_forward(layer, states, source_mask if layer.convolves else None)
        features: Tensor = self.cross_projection(model.encoder_norm(states))  # (B, S, 2L * D)
        return *features.chunk(2 * config.decoder_layers, dim=-1), *remembered


class DecoderGraph(nn.Module):
    """One decoding step for any mix of rows, each at a position of its own.

    Beam search reorders rows at every step, and rows come and go. The graph reorders them by ``parents``, so the past
    never leaves the runtime's own memory. A row's keys and values lie at their positions, no matter when the row
    joined. So their sums are added in the same order, whatever rows are beside it, and agree to the last bit. The
    caller computes places and masks from the positions, which saves a tenth of the graph's nodes.

    The beams of a sentence attend to its source together, as M queries to one set of keys: for a beam of 4 that takes
    half the time. A product of one row is computed in another way than a product of several rows, and differs in the
    last bits. M is at least 2, so that a result does not depend on the number of rows beside it.

    The past of a row may begin with a memory: keys and values of the last target positions of the sentences before.
    """

    positions: Tensor  # (max_positions, D)

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model
        self.self_projections = self_projections(model.decoder)
        self.register_buffer("positions", position_table(model))
        for index, layer in enumerate(model.decoder):
            if isinstance(layer.self_attention, RelativeAttention):
                most = len(self.positions) + model.config.memory_length
                self.register_buffer(f"distances_{index}", distance_table(layer.self_attention, most))

    def forward(
        self,
        tokens: Tensor,
        positions: Tensor,
        places: Tensor,
        target_mask: Tensor,
        source_mask: Tensor,
        beam_rows: Tensor,
        row_beams: Tensor,
        parents: Tensor,
        cross: Sequence[Tensor],
        past: Sequence[Tensor],
    ) -> tuple[Tensor, ...]:
        """Advance every row by one token.

        Args:
            tokens: (R, 1) int64, the last token of each row.
            positions: (R, 1) int64, its position in its sentence.
            places: (R, 1, 2) int64, the row and its position in the past, less than P: behind the memory.
            target_mask: (R, 1, 1, P) bool, True up to that place.
            source_mask: (B, 1, M, S) bool.
            beam_rows: (B, M, 2) int64, for each sentence the numbers of its rows, each followed by a 0; any row where
                a sentence has less than M rows.
            row_beams: (R, 1, 2) int64, where in ``beam_rows`` each row is.
            parents: (R,) int64, the row of ``past`` that each row continues; any row at position 0.
            cross: Keys and values of the source, layer by layer, 2L tensors (B, S, D).
            past: Self-attention keys and values so far, layer by layer, 2L tensors (Q, P, D) of Q earlier rows; from
                a row's place on they may hold anything finite.

        Returns:
            Log-probabilities of the next token (R, 1, V) float32; the keys and values with those of the token, 2L
            tensors (R, P, D); and, if the model has an alignment head, the source position (R, 1) int64 it looks at.
        """
        model, config = self.model, self.model.config
        signals = partial(F.embedding, positions, self.positions)
        states = embed(model, model.target_embedding, model.target_norm, tokens, signals)
        recalled, target_mask = self._recalled(positions, places, target_mask)
        grown, alignment = list[Tensor](), list[Tensor]()
        for index, (layer, projection) in enumerate(zip(model.decoder, self.self_projections, strict=True)):
            query, *new = projection(layer.self_residual.before(states)).chunk(3, dim=-1)
            own = append(past[2 * index : 2 * index + 2], parents, places, new)
            grown += own
            attended = self._attend_to_target(
                index, layer.self_attention, query, own, places[:, :, 1], target_mask, recalled
            )
            states = layer.self_residual.after(states, attended)
            source = KeysValues(cross[2 * index], cross[2 * index + 1])
            states, scores = _attend_to_source(layer, states, source, source_mask, beam_rows, row_beams)
            if index == config.alignment_layer:
                head = mask_scores(take(scores, torch.tensor(config.alignment_head), axis=1), source_mask.squeeze(1))
                alignment = [pick(head, row_beams).argmax(dim=2)]  # pick gives (R, 1, S)
            states = feed_forward(layer, states)
        return next_scores(model, states), *grown, *alignment

    def _attend_to_target(
        self,
        index: int,
        attention: MultiHeadAttention,
        query: Tensor,
        own: KeysValues,
        places: Tensor,
        target_mask: Tensor,
        recalled: Tensor,
    ) -> Tensor:
        """The self-attention (R, 1, D) of a layer over the keys and values of each row's own target."""
        bias = None
        if isinstance(attention, RelativeAttention):
            bias = self._distance_scores(index, attention, query, places, target_mask)
            query = query + attention.content_bias
        elif isinstance(attention, RecallingAttention):
            bias = attention.recall_score(query) * recalled  # (R, H, 1, P)
        attended, _ = attend(attention, query, own, target_mask, bias)
        output: Tensor = attention.output(attended)
        return output

    def _recalled(self, positions: Tensor, places: Tensor, target_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Which places are the memory's, (R, 1, 1, P) bool, and the mask, which hides places that are too far away."""
        columns, place = torch.arange(target_mask.shape[-1]), places[:, :, 1]
        recalled = (columns < place - positions)[:, None, None]
        if self.model.config.same_length:
            near = (place - columns < self.model.config.memory_length)[:, None, None]
            target_mask = target_mask & (near | ~recalled)
        return recalled, target_mask

    def _distance_scores(
        self, index: int, attention: RelativeAttention, query: Tensor, places: Tensor, target_mask: Tensor
    ) -> Tensor:
        """Scores (R, H, 1, P) of the distances from each row's own place to the places 0 to P - 1.

        All P distances are scored, and each row takes its own: there is no one shift for rows at different places.
        """
        room = target_mask.shape[-1]
        scores = attention.distance_products(query, getattr(self, f"distances_{index}")[:, :room])  # (R, H, 1, P)
        wanted = (places - torch.arange(room)).clamp(min=0)  # (R, P)
        bias: Tensor = torch.gather(scores, -1, wanted[:, None, None].expand(-1, attention.heads, 1, -1))
        return bias


def _attend_to_source(
    layer: DecoderLayer, states: Tensor, source: KeysValues, mask: Tensor, beam_rows: Tensor, row_beams: Tensor
) -> tuple[Tensor, Tensor]:
    """Let the rows (R, 1, D) of each sentence look at its source together; returns the scores, too."""
    attention = layer.cross_attention
    query = pick(attention.query(layer.cross_residual.before(states)), beam_rows)  # (B, M, D)
    attended, scores = attend(attention, query, source, mask)
    return layer.cross_residual.after(states, attention.output(pick(attended, row_beams))), scores


def export_encoder(model: Transformer) -> onnx.ModelProto:
    """The encoder graph of a model in evaluation mode."""
    config = model.config
    if config.native:
        return written_encoder(config, arrays_of(model))
    # PyTorch finds this limit, but then it traces all again.
    longest = pad_to_multiple(config.max_positions) - 1 if config.positions == "relative" else None
    batch, length = Dim("batch", min=1), Dim("source", min=1, max=longest)
    inputs: list[object] = [torch.full((2, 3), config.eos_id), torch.ones(2, 3, dtype=torch.bool)]
    given, made = ["source", "source_mask"], array_names("cross", config.decoder_layers)
    shapes: list[object] = [{0: batch, 1: length}, {0: batch, 1: length}]
    if most := config.memory_length:
        memory = [torch.zeros(2, most, config.width, dtype=model.dtype) for _ in range(2 * config.encoder_layers)]
        inputs += [torch.ones(2, most, dtype=torch.bool), memory]
        given += ["memory_mask", *array_names("memory", config.encoder_layers)]
        made += array_names("remembered", config.encoder_layers)
        shapes += [{0: batch}, [{0: batch}] * len(memory)]
    graph = SourceGraph(model) if config.decoder_only else EncoderGraph(model)
    return _trace(graph, tuple(inputs), given, made, shapes)


def export_decoder(model: Transformer) -> onnx.ModelProto:
    """The decoder graph of a model in evaluation mode; it ends with a top-k over the vocabulary."""
    config = model.config
    if config.native:
        return written_decoder(config, arrays_of(model))
    rows, source, past = Dim("rows", min=1), Dim("source", min=1), Dim("past", min=1)
    earlier, sentences, beams = Dim("earlier_rows", min=1), Dim("sentences", min=1), Dim("beams", min=2)
    features = [torch.zeros(3, 5, config.width, dtype=model.dtype) for _ in range(2 * config.decoder_layers)]
    history = [torch.zeros(3, 4, config.width, dtype=model.dtype) for _ in range(2 * config.decoder_layers)]
    inputs = (
        torch.full((2, 1), config.eos_id),
        torch.full((2, 1), 3),
        torch.tensor([[[0, 3]], [[1, 3]]]),
        torch.ones(2, 1, 1, 4, dtype=torch.bool),
        torch.ones(3, 1, 6, 5, dtype=torch.bool),
        torch.zeros(3, 6, 2, dtype=torch.int64),
        torch.zeros(2, 1, 2, dtype=torch.int64),
        torch.tensor([0, 2]),
        features,
        history,
    )
    outputs = ["log_probabilities", *array_names("present", config.decoder_layers)]
    if config.alignment_layer is not None:
        outputs.append("alignment")
    graph = _trace(
        StepGraph(model) if model.config.decoder_only else DecoderGraph(model),
        inputs,
        [*_STEP_INPUTS, *array_names("cross", config.decoder_layers), *array_names("past", config.decoder_layers)],
        outputs,
        [
            {0: rows},
            {0: rows},
            {0: rows},
            {0: rows, 3: past},
            {0: sentences, 2: beams, 3: source},
            {0: sentences, 1: beams},
            {0: rows},
            {0: rows},
            [{0: sentences, 1: source}] * len(features),
            [{0: earlier, 1: past}] * len(history),
        ],
    )
    return end_with_top_k(graph, config.target_vocabulary)


def _trace(
    module: nn.Module, inputs: tuple[object, ...], input_names: list[str], output_names: list[str], shapes: list[object]
) -> onnx.ModelProto:
    with warnings.catch_warnings(), torch.no_grad():
        # The exporter's own messages are of no use to the user. A tracer warning would mean a wrong graph.
        for category in (DeprecationWarning, FutureWarning, UserWarning):
            warnings.simplefilter("ignore", category)
        warnings.simplefilter("error", TracerWarning)
        # It reports that torchvision is missing, which no graph here needs.
        logging.getLogger("torch.onnx._internal.exporter._registration").setLevel(logging.ERROR)
        program = torch.onnx.export(
            module.eval(),
            inputs,
            dynamo=True,
            opset_version=OPSET,
            input_names=input_names,
            output_names=output_names,
            dynamic_shapes=tuple(shapes),
            verbose=False,
        )
    if program is None:
        raise RuntimeError("torch.onnx.export returned no program")
    buffer = io.BytesIO()
    program.save(buffer)  # type: ignore[arg-type]  # a file works, only the annotation says path
    return onnx.load_from_string(buffer.getvalue())
