"""Everything ONNX Runtime: sessions, providers and threads.

Axes: B sentences, R live rows, S source length, P target positions of the cache, D width, K candidates, L decoder
layers. S and P are whole blocks, see ``app.engine.decoding.padding``.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from pathlib import Path
from typing import Any, Self

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime import OrtValue

from app.engine.decoding.neighbours import Neighbours
from app.engine.decoding.padding import length_buckets, pad_to_multiple
from app.engine.memory import Memory
from app.errors import BundleError, ConfigurationError, ModelFailure

Array = NDArray[Any]
# Source positions, padding included, that the encoder takes at once: on the CPU, more would only leave its cache.
_ENCODED_TOGETHER = {"cpu": 192, "cuda": 16_384}
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


@dataclass(frozen=True)
class Features:
    """The encoder's result for one sentence: cross-attention keys and values of every decoder layer.

    Attributes:
        arrays: 2L arrays (S, D), or one of three axes, keys before values, layer by layer; views of the batch that was
            encoded together.
        pieces: Target ids that native operators choose from, ascending int64; none if the model has no shortlist.
        remembered: The encoder's part of the memory after this sentence; nothing if the model has none.
        past: The decoder's part of the memory before it; nothing at the beginning of a text.
        neighbours: Translations to learn from; None for none. Only native operators do.
    """

    arrays: tuple[Array, ...] | Array
    pieces: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    remembered: tuple[Array, ...] = ()
    past: tuple[Array, ...] = ()
    neighbours: Neighbours | None = None

    @property
    def length(self) -> int:
        """Source positions S."""
        return len(self.arrays[0])

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(array.nbytes for array in (*self.arrays, self.pieces, *self.remembered, *self.past))

    def copy(self) -> Self:
        """Return a copy in memory pages of its own, without the other sentences of the batch.

        On the heap, long-lived blocks among short-lived ones fragment the memory: 10 to 15 MB are lost with a cache of
        32 MiB.
        """
        remembered = tuple(_in_pages(self.remembered)) if self.remembered else ()
        return replace(self, arrays=_in_pages(self.arrays), remembered=remembered)

    def with_neighbours(self, neighbours: Neighbours) -> Self:
        """Return the same features of a sentence that has translations to learn from."""
        return replace(self, neighbours=neighbours)


def _in_pages(arrays: Sequence[Array] | Array) -> Array:
    """Copies of arrays of one shape, in memory pages of their own."""
    shape = (len(arrays), *arrays[0].shape)
    try:
        pages = mmap(-1, sum(array.nbytes for array in arrays), flags=MAP_PRIVATE | MAP_ANONYMOUS)
    except OSError:  # a process may have about 65,000 mappings
        return np.stack(list(arrays))
    copies = np.frombuffer(pages, arrays[0].dtype).reshape(shape)
    np.stack(list(arrays), out=copies)
    return copies


class Sessions:
    """An encoder and a decoder session. Thread-safe; the state of a decode lives in ``BatchState``.

    Args:
        encoder: Path of the encoder graph.
        decoder: Path of the decoder graph.
        pad_id: Id that fills up shorter sources.
        provider: "cpu" or "cuda".
        threads: Threads inside one operator; operators themselves run one after another.

    Attributes:
        learns: Searches learn nothing from examples.
        kernels: None: the operators are ONNX Runtime's own.
        recurrent: The past is one state for each row, not keys and values of its positions.
        memory_length: Positions of the sentences before that encoder and decoder look back to; 0: none.

    Raises:
        BundleError: A graph can't be loaded.
        ConfigurationError: The provider is not there.
    """

    learns = False
    kernels: str | None = None

    def __init__(self, encoder: Path, decoder: Path, *, pad_id: int, provider: str, threads: int) -> None:
        self.pad_id = pad_id
        self.device = provider  # ONNX Runtime uses the same names for devices
        self._encoder = open_session(encoder, provider, threads)
        self._decoder = open_session(decoder, provider, threads)
        self.providers = tuple(self._decoder.get_providers())
        self._encoded = [output.name for output in self._encoder.get_outputs()]
        self.cross = [name for name in self._encoded if name.startswith("cross_")]
        given = {each.name: each.shape for each in self._encoder.get_inputs()}
        self._recalled = [name for name in given if name.startswith("memory_") and name != "memory_mask"]
        self.memory_length: int = given["memory_mask"][1] if self._recalled else 0
        self.past = [given.name for given in self._decoder.get_inputs() if given.name.startswith("past_")]
        width = self._encoder.get_outputs()[0].shape[-1]
        if not self.past or not isinstance(width, int):
            raise BundleError(f"{encoder} and {decoder} are not the encoder and decoder of a bundle")
        self.width = width
        self.present = [name.replace("past_", "present_") for name in self.past]
        self._inputs = [given.name for given in self._decoder.get_inputs()]
        described = next(given for given in self._decoder.get_inputs() if given.name == self.past[0])
        self._past_axes = described.shape
        self.recurrent = described.shape[-2] == 1
        self.dtype = np.float16 if "float16" in described.type else np.float32

    def encode(
        self, sources: Sequence[Sequence[int]], memories: Sequence[Memory | None] | None = None
    ) -> list[Features]:
        """Encode source ids, special ids included; sentences of similar length are encoded together.

        Args:
            sources: The ids of each sentence.
            memories: The memory that each sentence continues; None for a sentence without one.

        Raises:
            ModelFailure: The graph raised.
        """
        features: dict[int, Features] = {}
        memories = memories or [None] * len(sources)
        for batch in length_buckets([len(source) for source in sources], _ENCODED_TOGETHER[self.device]):
            found = self._encode([sources[index] for index in batch], [memories[index] for index in batch])
            features |= zip(batch, found, strict=True)
        return [features[index] for index in range(len(sources))]

    def _encode(self, sources: Sequence[Sequence[int]], memories: Sequence[Memory | None]) -> list[Features]:
        """Encode sentences as one padded batch."""
        length = pad_to_multiple(max(len(source) for source in sources))
        ids = np.full((len(sources), length), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(sources), length), dtype=bool)
        for row, source in enumerate(sources):
            ids[row, : len(source)] = source
            mask[row, : len(source)] = True
        try:
            feeds = {"source": ids, "source_mask": mask} | self._recall(memories)
            outputs: list[Array] = self._encoder.run(self._encoded, feeds)
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error
        features = []
        for row, (source, memory) in enumerate(zip(sources, memories, strict=True)):
            arrays = tuple(output[row, : len(source)] for output in outputs)
            cross, own = arrays[: len(self.cross)], arrays[len(self.cross) :]
            before = memory.encoder if memory else tuple(array[:0] for array in own)
            kept = tuple(np.concatenate(pair)[-self.memory_length :] for pair in zip(before, own, strict=True))
            features.append(Features(cross, remembered=kept, past=memory.decoder if memory else ()))
        return features

    def _recall(self, memories: Sequence[Memory | None]) -> dict[str, Array]:
        """The encoder's inputs for memories, whose positions come last."""
        if not self._recalled:
            return {}
        shape = (len(memories), self.memory_length)
        mask = np.zeros(shape, dtype=bool)
        arrays = np.zeros((len(self._recalled), *shape, self.width), self.dtype)
        for row, memory in enumerate(memories):
            if memory:
                first = self.memory_length - len(memory.encoder[0])
                mask[row, first:] = True
                for array, kept in zip(arrays, memory.encoder, strict=True):
                    array[row, first:] = kept
        return {"memory_mask": mask, **dict(zip(self._recalled, arrays, strict=True))}

    def past_shape(self, rows: int, cache_length: int) -> tuple[int, ...]:
        """Return the shape of a layer's keys or values, (R, P, D); of a recurrent decoder's states, (R, 1, D)."""
        return (rows, cache_length, self._past_axes[-1])

    def value(self, array: Array) -> OrtValue:
        """Return an array on the model's device."""
        return OrtValue.ortvalue_from_numpy(array, self.device)

    def bind(self, small: Mapping[str, Array], large: Mapping[str, OrtValue]) -> "Binding":
        """Tell the decoder graph where the inputs are that stay in place from run to run.

        Args:
            small: Arrays in main memory whose values may change between runs. Unknown names are ignored.
            large: Where the model runs; they are not copied.
        """
        small = {name: small[name] for name in self._inputs if name in small}
        return Binding(self, self._decoder, small, large)

    def step(self, binding: "Binding", past: list[OrtValue], present: list[OrtValue]) -> list[Array]:
        """Run the decoder graph for one step.

        Args:
            binding: From ``bind``.
            past: 2L values of Q earlier rows, see ``past_shape``.
            present: 2L values of the R rows, which will hold the past with the new keys and values.

        Returns:
            Good until the next step: scores (R, 1, K), candidates (R, 1, K) and, if the model has an alignment head,
            the source positions (R, 1) that it looks at.

        Raises:
            ModelFailure: The graph raised.
        """
        return binding.run(past, present)


class Binding:
    """The decoder graph with bound inputs and outputs, so that a step binds only arrays that have moved.

    Attributes:
        small: The inputs that change from step to step.
    """

    def __init__(
        self,
        model: Sessions,
        session: onnxruntime.InferenceSession,
        small: dict[str, Array],
        large: Mapping[str, OrtValue],
    ) -> None:
        self._model, self._session = model, session
        present = set(model.present)
        self._names = [output.name for output in session.get_outputs() if output.name not in present]
        self._io = session.io_binding()
        self.small = small
        for name, array in small.items():
            self._io.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(array))
        for name, value in large.items():
            self._io.bind_ortvalue_input(name, value)
        self._past: list[OrtValue] = []
        self._present: list[OrtValue] = []
        self._results: list[Array] = []

    def run(self, past: list[OrtValue], present: list[OrtValue]) -> list[Array]:
        """See ``Sessions.step``."""
        io, model = self._io, self._model
        if model.device != "cpu":  # on another device, binding has made a copy
            for name, array in self.small.items():
                io.bind_cpu_input(name, array)
        if not self._results:
            for name in self._names:
                io.bind_output(name, "cpu")
        if past is not self._past:
            for name, value in zip(model.past, past, strict=True):
                io.bind_ortvalue_input(name, value)
        if present is not self._present:
            for name, value in zip(model.present, present, strict=True):
                io.bind_ortvalue_output(name, value)
        self._past, self._present = past, present
        try:
            self._session.run_with_iobinding(io)
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error
        if self._results:
            return self._results
        found: list[Array] = [output.numpy() for output in io.get_outputs()[: len(self._names)]]
        if model.device == "cpu":  # the results have the same shapes in every run
            self._results = [np.empty_like(array) for array in found]
            for name, array in zip(self._names, self._results, strict=True):
                io.bind_ortvalue_output(name, OrtValue.ortvalue_from_numpy(array))
        return found


def open_session(path: Path, provider: str, threads: int, *, is_captured: bool = False) -> onnxruntime.InferenceSession:
    """Open a graph.

    Args:
        path: Its file.
        provider: "cpu" or "cuda".
        threads: Threads inside one operator.
        is_captured: Runs are captured as CUDA graphs; needs "cuda", and inputs and outputs that stay where they are.

    Raises:
        BundleError: It can't be loaded.
        ConfigurationError: The provider is not there.
    """
    wanted = _PROVIDERS[provider]
    if wanted not in onnxruntime.get_available_providers():
        raise ConfigurationError(
            f"provider {provider} is not available: this ONNX Runtime has only "
            f"{', '.join(onnxruntime.get_available_providers())}; install onnxruntime-gpu or choose provider cpu"
        )
    if provider == "cuda":
        # The system doesn't search the folders of CUDA libraries that were installed as Python packages.
        onnxruntime.preload_dlls()
        # Else every ScatterND warns of equal indices, which the graphs never have.
        onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin burn a core for nothing, and steal it from whoever shares the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Plans of memory are kept for every shape that has been, and nearly every batch has another. An arena of its own
    # for each graph keeps what its largest batch took, and is no faster than the allocator of the C library.
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            # The fused norm is five times slower on the CPU than the norm and the sum are.
            os.fspath(path),
            options,
            providers=[(wanted, {"enable_cuda_graph": "1"})] if is_captured else [wanted],
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # ONNX Runtime raises bare exceptions of several kinds
        raise BundleError(
            f"{path} can't be loaded by ONNX Runtime {onnxruntime.__version__}: {_reason(error)}"
        ) from error
    if session.get_providers()[0] != wanted:
        raise ConfigurationError(
            f"provider {provider} failed to start; ONNX Runtime fell back to {session.get_providers()[0]}"
        )
    return session


def _reason(error: Exception) -> str:
    """The reason in ONNX Runtime's message, without the description of the node before it."""
    text = " ".join(str(error).split())
    if "hard links" in text:
        return "its weights have several hard links, which ONNX Runtime refuses; give each bundle files of its own"
    return text.rpartition(" Error ")[2][-200:]
