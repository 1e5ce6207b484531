"""The inputs and outputs that all graphs have, whatever is between them; their names are those of the bundle format.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions there is room for, N remembered
positions, D width, V vocabulary, K candidates, L decoder layers.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from model.network.config import TransformerConfig

OPSET = 23

Ends: TypeAlias = dict[str, tuple[int, Sequence[str | int]]]
"""Inputs or outputs: element type and shape of each."""


def array_names(what: str, layers: int) -> list[str]:
    """The names of keys and values (``cross``, ``past``, ``present`` and so on) in the order of the graphs."""
    return [f"{what}_{kind}_{layer}" for layer in range(layers) for kind in ("keys", "values")]


def state_names(what: str, layers: int) -> list[str]:
    """The names of the states (``past``, ``present``) of recurrent layers."""
    return [f"{what}_state_{layer}" for layer in range(layers)]


def encoder_ends(config: TransformerConfig) -> tuple[Ends, Ends]:
    """Inputs and outputs of an encoder.

    It takes ``source``, (B, S) ids, and ``source_mask``, and with a memory ``memory_mask``, (B, N), and 2 arrays
    (B, N, D) for each of its layers. It returns 2L arrays (B, S, D), ``cross``, and with a memory as many (B, S, D)
    as it took, ``remembered``.
    """
    most, floats = config.memory_length, TensorProto.FLOAT
    source: list[str | int] = ["batch", "source"]
    inputs: Ends = {"source": (TensorProto.INT64, source), "source_mask": (TensorProto.BOOL, source)}
    made = array_names("cross", config.decoder_layers)
    if most:
        given = array_names("memory", config.encoder_layers)
        inputs["memory_mask"] = (TensorProto.BOOL, ["batch", most])
        inputs |= dict.fromkeys(given, (floats, ["batch", most, config.width]))
        made += array_names("remembered", config.encoder_layers)
    return inputs, dict.fromkeys(made, (floats, [*source, config.width]))


def decoder_ends(config: TransformerConfig) -> tuple[Ends, Ends]:
    """Inputs and outputs of a decoder, before ``end_with_top_k``.

    It takes, ids and places being int64 and masks bool:

    - ``tokens`` (R, 1), the last token of each row, and ``positions`` (R, 1), its position in its sentence;
    - ``source_mask`` (B, 1, M, S);
    - ``members`` (B, M, 2), for each sentence the numbers of its rows, each followed by a 0; any row where a sentence
      has less than M rows; ``seats`` (R, 1, 2), where in ``members`` each row is;
    - ``parents`` (R,), the row of ``past`` that each row continues; any row at position 0;
    - ``cross``, keys and values of the source, layer by layer, 2L arrays (B, S, D);
    - ``past``, self-attention keys and values so far, layer by layer, 2L arrays (Q, P, D) of Q earlier rows; from a
      row's place on they may hold anything finite. A recurrent decoder has L states (Q, 1, D) and no places;
    - ``places`` (R, 1, 2), the row and its place in the past, less than P: behind the memory; ``target_mask``
      (R, 1, 1, P), True up to that place.

    It returns ``log_probabilities`` of the next token (R, 1, V), ``present``, the past with what the token adds to it,
    and, if the model has an alignment head, ``alignment``, the source position (R, 1) that it looks at.
    """
    ids, masks, floats = TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT
    layers, width = config.decoder_layers, config.width
    names = state_names if config.recurrent else array_names
    room: list[str | int] = [1] if config.recurrent else ["past"]
    target: Ends = {"places": (ids, ["rows", 1, 2]), "target_mask": (masks, ["rows", 1, 1, "past"])}
    inputs: Ends = {
        "tokens": (ids, ["rows", 1]),
        "positions": (ids, ["rows", 1]),
        "source_mask": (masks, ["sentences", 1, "beams", "source"]),
        "members": (ids, ["sentences", "beams", 2]),
        "seats": (ids, ["rows", 1, 2]),
        "parents": (ids, ["rows"]),
        **dict.fromkeys(array_names("cross", layers), (floats, ["sentences", "source", width])),
        **dict.fromkeys(names("past", layers), (floats, ["earlier_rows", *room, width])),
        **({} if config.recurrent else target),
    }
    outputs: Ends = {
        "log_probabilities": (floats, ["rows", 1, config.target_vocabulary]),
        **dict.fromkeys(names("present", layers), (floats, ["rows", *room, width])),
        **({} if config.alignment_layer is None else {"alignment": (ids, ["rows", 1])}),
    }
    return inputs, outputs


def end_with_top_k(graph: onnx.ModelProto, vocabulary: int) -> onnx.ModelProto:
    """Replace the log-probabilities (R, 1, V) by the K best: scores (R, 1, K) float32, candidates (R, 1, K) int64.

    K is an input, (1,) int64; more than V asks for all.
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
