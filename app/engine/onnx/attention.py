"""The weights of every attention head, from graphs that return them.

They compute in float32. They are opened for one sentence and closed again: that takes 0.1 s, and their 40 MB are not
worth keeping for what people look at now and then.

Axes: H heads, S source length, T target length, P positions of the cache, D width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from app.engine.models.manifest import Shape, SpecialIds
from app.errors import BundleError, ModelFailure
from app.fairness.budget import checkpoint

MAP = "map_"
"""Prefix of the outputs that are maps; a number follows, from 0, in the order of the layers."""

Array = NDArray[Any]


@dataclass(frozen=True)
class AttentionMaps:
    """The attention of one translation; each row of a map is a query, and its columns are what it looks at.

    Attributes:
        tokens: T ids that the decoder was given, the start first.
        encoder: Per layer (H, S, S).
        decoder: Per layer (H, T, T), self-attention.
        cross: Per layer (H, T, S), attention to the source.
    """

    tokens: list[int]
    encoder: list[Array]
    decoder: list[Array]
    cross: list[Array]


class AttentionReader:
    """The two graphs of a model, open for any number of sentences.

    Args:
        encoder: Encoder graph with maps, as ``export.attention_graphs`` makes it.
        decoder: Decoder graph with maps.
        shape, ids: Of the bundle's manifest.

    Raises:
        BundleError: A graph can't be loaded.
    """

    def __init__(self, encoder: Path | bytes, decoder: Path | bytes, shape: Shape, ids: SpecialIds) -> None:
        self._encoder, self._decoder = _Graph(encoder), _Graph(decoder)
        self._shape, self._ids = shape, ids

    def read(self, source: Sequence[int], target: Sequence[int] | None = None) -> AttentionMaps:
        """Run the graphs over one sentence.

        Args:
            source: Source ids, special ids included.
            target: Ids of the translation, without start and end; None for what greedy search finds.

        Raises:
            ModelFailure: A graph raised an error.
        """
        feeds = {"source": np.array([source]), "source_mask": np.ones((1, len(source)), dtype=bool)}
        features, encoder_maps = self._encoder.run(feeds | self._encoder.empty_memory())
        tokens, maps = _decode(self._decoder, features, self._shape, self._ids, len(source), target)
        own, cross = _by_layer(maps, len(source), len(tokens), self._shape)
        return AttentionMaps(tokens, [each[0][..., -len(source) :] for each in encoder_maps], own, cross)


class _Graph:
    """A session whose outputs are told apart into the model's own and the maps."""

    def __init__(self, graph: Path | bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        try:
            content = graph if isinstance(graph, bytes) else str(graph)
            self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime raises bare exceptions of several kinds
            raise BundleError(f"A graph with attention maps can't be loaded: {error}") from error
        self._inputs = {given.name for given in self._session.get_inputs()}
        self._outputs = [given.name for given in self._session.get_outputs()]

    def run(self, feeds: dict[str, Array]) -> tuple[dict[str, Array], list[Array]]:
        """The graph's own outputs by name, and its maps, layer by layer; feeds that it doesn't take are left out."""
        own = {name: value for name, value in feeds.items() if name in self._inputs}
        try:
            results = self._session.run(self._outputs, own)
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run a graph with attention maps.") from error
        by_name = dict(zip(self._outputs, results, strict=True))
        maps = [by_name.pop(name) for name in self._outputs if name.startswith(MAP)]
        return by_name, maps

    def empty_memory(self) -> dict[str, Array]:
        """The inputs for a memory of no sentences before, if the graph has one."""
        given = {each.name: each.shape[1:] for each in self._session.get_inputs() if each.name.startswith("memory_")}
        kinds = {name: bool if name == "memory_mask" else np.float32 for name in given}
        return {name: np.zeros((1, *shape), dtype=kinds[name]) for name, shape in given.items()}

    def empty_past(self, cache_length: int, width: int) -> dict[str, Array]:
        """Keys and values of no positions yet, or the states of recurrent layers."""
        lengths = {name: 1 if name.startswith("past_state_") else cache_length for name in self._inputs}
        return {
            name: np.zeros((1, length, width), dtype=np.float32)
            for name, length in lengths.items()
            if name.startswith("past_")
        }


def _decode(
    decoder: _Graph,
    features: dict[str, Array],
    shape: Shape,
    ids: SpecialIds,
    length: int,
    target: Sequence[int] | None,
) -> tuple[list[int], list[list[Array]]]:
    """Step by step through one sentence: the tokens that the decoder was given, and for each of them its maps."""
    cache_length = min(shape.max_positions, 2 * length + 10 if target is None else len(target) + 1)
    past = decoder.empty_past(cache_length, shape.width)
    tokens, maps = [ids.decoder_start], list[list[Array]]()
    for position in range(cache_length):
        checkpoint()
        outputs, found = decoder.run(
            {
                **features,
                **past,
                "tokens": np.array([[tokens[-1]]]),
                "positions": np.array([[position]]),
                "places": np.array([[[0, position]]]),
                "target_mask": (np.arange(cache_length) <= position)[None, None, None],
                "source_mask": np.ones((1, 1, 2, length), dtype=bool),
                "members": np.zeros((1, 2, 2), dtype=np.int64),
                "seats": np.zeros((1, 1, 2), dtype=np.int64),
                "parents": np.zeros(1, dtype=np.int64),
                "top": np.array([1]),
            }
        )
        maps.append(found)
        following = int(outputs["candidates"][0, 0, 0]) if target is None else [*target, ids.eos][position]
        if following == ids.eos:
            break
        tokens.append(following)
        past = {name: outputs[name.replace("past_", "present_")] for name in past}
    return tokens[: len(maps)], maps


def _by_layer(
    maps: Sequence[Sequence[Array]], source: int, target: int, shape: Shape
) -> tuple[list[Array], list[Array]]:
    """The maps of all steps by layer: self-attention (H, T, T), and attention to the source (H, T, S).

    A decoder alone has one map a layer, (1, 1, H, S + P), for both; otherwise they take turns, (1, H, 1, P) and, for
    two rows that are the same, (1, H, 2, S). A recurrent decoder has only the latter.
    """
    layers = [np.stack(steps) for steps in zip(*maps, strict=True)]
    if shape.encoder_layers == 0:
        both = [layer[:, 0, 0].transpose(1, 0, 2) for layer in layers]  # (H, T, S + P)
        return [each[..., source : source + target] for each in both], [each[..., :source] for each in both]
    rows = [layer[:, 0, :, 0].transpose(1, 0, 2) for layer in layers]  # (H, T, P) or (H, T, S)
    if len(rows) == shape.decoder_layers:
        return [], rows
    return [each[..., :target] for each in rows[::2]], rows[1::2]
