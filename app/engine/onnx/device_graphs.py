"""The graphs of a model whose state stays on the device, and the buffers that their inputs and outputs are bound to.

A step takes microseconds on a GPU, and a copy or a launch as long. So the host queues several steps, which choose their
tokens themselves, and reads a few small arrays afterwards. ``export.device_steps`` describes the graphs. On the CPU the
same graphs run in tests.

Axes: B sentences, M rows a sentence, R = B·M rows, S source positions, P target positions, W steps between two looks of
the host, D width.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime import OrtValue, RunOptions

from app.engine.decoding.padding import length_buckets
from app.engine.onnx.sessions import open_session
from app.errors import BundleError, ModelFailure

Array = NDArray[Any]

SOURCE_POSITIONS = 128
"""S. Longer sentences are decoded by the simple graphs; the shipped model's are split at 120 pieces."""
TARGET_POSITIONS = (64, 128, 272)
"""P of the beams' caches, which are copied in every step and so are kept short. Greedy search has the last."""
BEAM = 4
"""M: larger beams are searched by the simple graphs."""
_ENCODED_TOGETHER = 16_384  # source positions, padding included
TYPES: dict[str, Any] = {
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(bool)": np.bool_,
}
"""What numpy calls ONNX Runtime's element types."""


def history_columns(beam: int, *, has_attention: bool, has_lexicon: bool) -> list[str]:
    """What the columns of a step's ``history`` are: the token, the hypothesis that it extends, and so on.

    Args:
        beam: M, 1 for greedy search.
        has_attention: The model has an alignment head: the source position that it looks at is a column.
        has_lexicon: The token that the model alone would write is a column.
    """
    has = {"token": True, "parent": beam > 1, "attended": has_attention, "best": has_lexicon}
    return [name for name, is_there in has.items() if is_there]


@dataclass(frozen=True)
class Source:
    """A sentence that the device encodes when it gets a slot.

    Attributes:
        ids: Source ids, special ids included.
    """

    ids: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return 8 * len(self.ids)

    def copy(self) -> "Source":
        """The same: it shares no memory."""
        return self


class Graph:
    """A session whose inputs and outputs are bound to buffers."""

    def __init__(self, path: Path, provider: str, *, is_captured: bool = False) -> None:
        self.session = open_session(path, provider, 1, is_captured=is_captured)
        self.device = provider
        self.inputs = {each.name: (each.shape, TYPES[each.type]) for each in self.session.get_inputs()}
        self.outputs = [each.name for each in self.session.get_outputs()]
        self.is_captured = is_captured

    def allocate(self, name: str, **sizes: int) -> OrtValue:
        """A buffer of zeros for an input, whose named axes have the given sizes."""
        shape, kind = self.inputs[name]
        return OrtValue.ortvalue_from_numpy(np.zeros([sizes.get(axis, axis) for axis in shape], kind), self.device)

    def bind(self, given: dict[str, OrtValue], found: dict[str, OrtValue]) -> "Bound":
        """Bind buffers to inputs and outputs."""
        io = self.session.io_binding()
        for name, value in given.items():
            io.bind_ortvalue_input(name, value)
        for name, value in found.items():
            io.bind_ortvalue_output(name, value)
        return Bound(self, io)


class Bound:
    """A graph with its buffers: a run computes, and returns nothing."""

    _numbers = count(1)  # numbers of CUDA graphs are unique in a session, and so are these in all

    def __init__(self, graph: Graph, io: onnxruntime.IOBinding) -> None:
        self._graph, self._io = graph, io
        number = next(Bound._numbers) if graph.is_captured else -1
        self._options = {is_last: _run_options(graph, number, is_last=is_last) for is_last in (False, True)}

    def give(self, name: str, array: Array) -> None:
        """Bind an array in main memory to an input."""
        self._io.bind_cpu_input(name, array)

    def run(self, *, is_last: bool = True) -> None:
        """Run the graph; unless this is the last of several runs, don't wait for the device.

        Raises:
            ModelFailure: The graph raised.
        """
        try:
            self._graph.session.run_with_iobinding(self._io, self._options[is_last])
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error


def _run_options(graph: Graph, number: int, *, is_last: bool) -> RunOptions:
    options = RunOptions()
    if graph.device == "cuda":
        options.add_run_config_entry("gpu_graph_id", str(number))
        options.add_run_config_entry("disable_synchronize_execution_providers", "0" if is_last else "1")
    return options


class DeviceGraphs:
    """The graphs of a model.

    Args:
        paths: By role: "encoder", "decoder" (a greedy step), "beam" and "resize".
        pad_id: Id that fills up shorter sources.
        provider: "cuda", or "cpu" in tests.
        is_captured: Replay the steps as CUDA graphs, which takes less time to launch; None where there is a GPU.

    Attributes:
        beam: M, the largest beam.
        window: W.
        has_lexicon: The steps take the lexicon's translations of rare words.
        pools: Names of the features that the encoder writes into slots.
        providers: ONNX Runtime's, for ``/info``.

    Raises:
        BundleError: A graph can't be loaded.
        ConfigurationError: The provider is not there.
    """

    def __init__(self, paths: dict[str, Path], *, pad_id: int, provider: str, is_captured: bool | None = None) -> None:
        self._pad_id = pad_id
        is_captured = provider == "cuda" if is_captured is None else is_captured
        self.encoder, self.resize = (Graph(paths[role], provider) for role in ("encoder", "resize"))
        self.greedy_step, self.beam_step = (
            Graph(paths[role], provider, is_captured=is_captured) for role in ("decoder", "beam")
        )
        try:
            self.beam = int(self.beam_step.inputs["totals"][0][1])
            self.window = int(self.beam_step.inputs["history"][0][1])
        except (KeyError, ValueError) as error:
            raise BundleError(
                f"{paths['beam']} is not a beam step of this version: dragoman export BUNDLE BUNDLE --cuda makes one"
            ) from error
        self.has_lexicon = "tree_tokens" in self.beam_step.inputs
        self.pools = [name.removesuffix(".next") for name in self.encoder.outputs]
        self.providers = tuple(self.encoder.session.get_providers())

    def encode(self, bound: Bound, sources: Sequence[Source], slots: Sequence[int]) -> None:
        """Encode sentences into slots of the pools that are bound.

        Raises:
            ModelFailure: The graph raised.
        """
        for batch in length_buckets([len(source.ids) for source in sources], _ENCODED_TOGETHER):
            lengths = np.array([len(sources[index].ids) for index in batch], dtype=np.int64)
            longest = int(lengths.max())
            ids = np.full((len(batch), longest), self._pad_id, dtype=np.int64)
            for row, index in zip(ids, batch, strict=True):
                row[: len(sources[index].ids)] = sources[index].ids
            bound.give("source", ids)
            bound.give("places", np.arange(longest))
            bound.give("lengths", lengths)
            bound.give("slots", np.array([[slots[index]] for index in batch], dtype=np.int64))
            bound.give("room", np.array([0, 0, 0, 0, SOURCE_POSITIONS - longest, 0], dtype=np.int64))
            bound.run()
