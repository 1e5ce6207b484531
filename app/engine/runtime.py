"""Everything ONNX Runtime: sessions, providers, threads, and the arrays that live between two decoding steps.

Axes: B sentences, R live rows, S source length, P target positions there is room for, D width, K candidates, L decoder
layers. S and P are multiples of ``BLOCK``.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

# ONNX Runtime's builds report events to Microsoft unless told otherwise before the import; nothing here calls home.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime
from numpy.typing import NDArray
from onnxruntime import IOBinding, OrtValue

from app.errors import BundleError, ConfigurationError, ModelFailure

Array = NDArray[Any]
BLOCK = 4
"""Sums over source and past positions are taken in blocks of this many, as processors add: what pads a row out to other
lengths then changes nothing, to the last bit, and a sentence's translation does not depend on its neighbours."""
_PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


@dataclass(frozen=True)
class Features:
    """What the encoder says of one sentence: cross-attention keys and values of every decoder layer.

    Attributes:
        arrays: 2L arrays (S, D), keys before values, layer by layer.
    """

    arrays: tuple[Array, ...]

    @property
    def length(self) -> int:
        """Source positions S."""
        return len(self.arrays[0])

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(array.nbytes for array in self.arrays)


class OnnxModel:
    """An encoder and a decoder session. Thread-safe; the state of a decode lives in ``Rows``."""

    def __init__(
        self, encoder: Path, decoder: Path, greedy: Path | None = None, *, pad_id: int, provider: str, threads: int
    ) -> None:
        """Open the sessions.

        Args:
            encoder: Path of the encoder graph.
            decoder: Path of the decoder graph.
            greedy: Path of the decoder graph's twin that makes several greedy steps in a run, if there is one.
            pad_id: Id that fills up shorter sources.
            provider: "cpu" or "cuda".
            threads: Threads inside one operator; operators themselves run one after another.

        Raises:
            BundleError: A graph can't be loaded.
            ConfigurationError: The provider is not there.
        """
        self.pad_id = pad_id
        self.device = provider  # ONNX Runtime's names of devices are the same
        self._encoder = _open(encoder, provider, threads)
        self._decoder = _open(decoder, provider, threads)
        self._greedy = _open(greedy, provider, threads) if greedy else None
        self.providers = tuple(self._decoder.get_providers())
        self.cross = [output.name for output in self._encoder.get_outputs()]
        self.past = [given.name for given in self._decoder.get_inputs() if given.name.startswith("past_")]
        self.present = [name.replace("past_", "present_") for name in self.past]
        present = set(self.present)
        self.results = [output.name for output in self._decoder.get_outputs() if output.name not in present]
        described = next(given for given in self._decoder.get_inputs() if given.name == self.past[0])
        self.width = int(described.shape[-1])
        self.dtype = np.float16 if "float16" in described.type else np.float32

    def encode(self, sources: Sequence[Sequence[int]]) -> list[Features]:
        """Encode source ids, special ids included, as one padded batch.

        Raises:
            ModelFailure: The graph raised.
        """
        length = _rounded_up(max(len(source) for source in sources))
        ids = np.full((len(sources), length), self.pad_id, dtype=np.int64)
        mask = np.zeros((len(sources), length), dtype=bool)
        for row, source in enumerate(sources):
            ids[row, : len(source)] = source
            mask[row, : len(source)] = True
        outputs = _run(self._encoder, self.cross, {"source": ids, "source_mask": mask})
        # Copies, so that a cached sentence does not keep its whole batch alive.
        return [
            Features(tuple(output[row, : len(source)].copy() for output in outputs))
            for row, source in enumerate(sources)
        ]

    def rows(self) -> "Rows":
        """An empty set of live rows."""
        return Rows(self)

    def value(self, array: Array) -> OrtValue:
        """An array where the model runs."""
        return OrtValue.ortvalue_from_numpy(array, self.device)

    @property
    def has_greedy(self) -> bool:
        """Several greedy steps can be made in one run."""
        return self._greedy is not None

    def bind(self, small: Mapping[str, Array], large: Mapping[str, OrtValue], *, greedy: bool = False) -> IOBinding:
        """Tell a decoder graph where the inputs are that stay in place from run to run.

        Args:
            small: In main memory; their values may change between runs. Those that the graph doesn't have are ignored.
            large: Where the model runs; they are not copied.
            greedy: For the graph that makes several steps.
        """
        session = self._session(greedy)
        binding = session.io_binding()
        for name in self._small(session, small):
            binding.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(small[name]))
        for name, value in large.items():
            binding.bind_ortvalue_input(name, value)
        return binding

    def step(
        self,
        binding: IOBinding,
        small: Mapping[str, Array],
        past: Sequence[OrtValue],
        present: Sequence[OrtValue],
        *,
        greedy: bool = False,
    ) -> list[Array]:
        """Run a decoder graph: for one step, or for N greedy ones.

        Args:
            binding: From ``bind``.
            small: As bound, with the values of this step.
            past: 2L values (Q, P, D).
            present: 2L values (R, P, D), which will hold the past with the new keys and values.
            greedy: Run the graph that makes several steps.

        Returns:
            One step: scores (R, 1, K), candidates (R, 1, K) and, if the model has an alignment head, its attention
            over the source (R, 1, S). Greedy steps: scores (N, R, 1), tokens (N, R, 1) and the source positions
            (N, R, 1) that the head looks at.

        Raises:
            ModelFailure: The graph raised.
        """
        session = self._session(greedy)
        if self.device != "cpu":  # elsewhere, what was bound is a copy
            for name in self._small(session, small):
                binding.bind_cpu_input(name, small[name])
        for name in self.results:
            binding.bind_output(name, "cpu")
        for name, value in zip(self.past, past, strict=True):
            binding.bind_ortvalue_input(name, value)
        for name, value in zip(self.present, present, strict=True):
            binding.bind_ortvalue_output(name, value)
        try:
            session.run_with_iobinding(binding)
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error
        return [output.numpy() for output in binding.get_outputs()[: len(self.results)]]

    def _session(self, greedy: bool) -> onnxruntime.InferenceSession:
        return self._greedy if greedy else self._decoder

    def _small(self, session: onnxruntime.InferenceSession, small: Mapping[str, Array]) -> list[str]:
        return [given.name for given in session.get_inputs() if given.name in small]


class Rows:
    """The live rows of one decode: features, past and positions, kept aligned while rows come and go.

    Rows may be at different positions; each has its past at its own first columns. The past itself is not touched
    between two steps: ``_parents`` says which of its rows each live row continues, and the graph gathers them.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._owner = np.zeros(0, dtype=np.int64)  # (R,) which joined sentence a row belongs to
        self._joined = 0
        self._source_mask = np.zeros((0, 0), dtype=bool)
        self._cross = [np.zeros((0, 0, model.width), model.dtype) for _ in model.cross]
        self._cross_values: dict[str, OrtValue] = {}  # the same where the model runs; empty when out of date
        self._small: dict[str, Array] = {}
        self._bindings: dict[bool, IOBinding] = {}  # by whether greedy; empty when rows or room are not those bound
        self._forget()

    def _forget(self) -> None:
        """No row has a past."""
        self._parents = np.zeros(len(self), dtype=np.int64)
        self._positions = np.zeros((len(self), 1), dtype=np.int64)
        nothing = np.zeros((1, BLOCK, self._model.width), self._model.dtype)
        self._past = [self._model.value(nothing) for _ in self._model.past]
        self._memory = _PastMemory(self._model)

    def __len__(self) -> int:
        return len(self._owner)

    def join(self, features: Sequence[Features]) -> None:
        """Append one row a sentence, at position 0."""
        live, new = len(self), len(features)
        longest = max(self._source_mask.shape[1], *(_rounded_up(item.length) for item in features))
        mask = np.zeros((live + new, longest), dtype=bool)
        mask[:live, : self._source_mask.shape[1]] = self._source_mask
        cross = [np.zeros((live + new, longest, self._model.width), self._model.dtype) for _ in self._cross]
        for grown, old in zip(cross, self._cross, strict=True):
            grown[:live, : old.shape[1]] = old
        for row, item in enumerate(features, live):
            mask[row, : item.length] = True
            for grown, array in zip(cross, item.arrays, strict=True):
                grown[row, : item.length] = array
        self._set_source(mask, cross)
        self._owner = np.append(self._owner, np.arange(self._joined, self._joined + new))
        self._joined += new
        self._parents = np.append(self._parents, np.zeros(new, dtype=np.int64))  # without a past any row will do
        self._positions = np.concatenate([self._positions, np.zeros((new, 1), dtype=np.int64)])

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""
        index = np.asarray(rows, dtype=np.int64)
        owner = self._owner[index]
        if not np.array_equal(owner, self._owner):
            # Beams of one sentence share its features: a mere reordering of beams leaves them where they are.
            mask = self._source_mask[index]
            longest = _rounded_up(int(mask.any(0).sum()))
            self._set_source(
                np.ascontiguousarray(mask[:, :longest]),
                [array[:, :longest].take(index, axis=0) for array in self._cross],
            )
        self._owner = owner
        if not len(index):
            self._forget()
            return
        self._parents = self._parents[index]
        self._positions = self._positions[index]

    def _set_source(self, mask: Array, cross: list[Array]) -> None:
        self._source_mask, self._cross, self._cross_values, self._bindings = mask, cross, {}, {}

    def _bind(self, room: int, top: int, *, greedy: bool) -> IOBinding:
        """The binding of these rows, made anew unless all that it bound is still in place."""
        live, model, small = len(self), self._model, self._small
        if not self._bindings or small["target_mask"].shape[-1] != room or small["top"][0] != top:
            self._bindings = {}
            self._small = {
                "tokens": np.empty((live, 1), dtype=np.int64),
                "positions": np.empty((live, 1), dtype=np.int64),
                "places": np.stack([np.arange(live), np.zeros(live, dtype=np.int64)], axis=1)[:, None],  # (R, 1, 2)
                "target_mask": np.empty((live, 1, 1, room), dtype=bool),
                "source_mask": self._source_mask[:, None, None],  # (R, 1, 1, S)
                "parents": np.empty(live, dtype=np.int64),
                "top": np.array([top], dtype=np.int64),
                "steps": np.empty(1, dtype=np.int64),
            }
        if greedy not in self._bindings:
            if not self._cross_values:
                self._cross_values = {
                    name: model.value(array) for name, array in zip(model.cross, self._cross, strict=True)
                }
            self._bindings[greedy] = model.bind(self._small, self._cross_values, greedy=greedy)
        return self._bindings[greedy]

    def _make_room(self, room: int) -> None:
        """Fit the past to P positions, with a new block or without those no longer needed."""
        for index, value in enumerate(self._past):
            old = value.numpy()[:, :room]
            fitted = np.zeros((len(old), room, self._model.width), self._model.dtype)
            fitted[:, : old.shape[1]] = old
            self._past[index] = self._model.value(fitted)

    def step(self, tokens: Sequence[int], top: int) -> tuple[Array, Array, Array | None]:
        """Advance every row by its last token.

        Args:
            tokens: (R,) ids.
            top: Candidates wanted, K.

        Returns:
            Log-probabilities (R, K) float32, best first; their token ids (R, K) int64; and the source position (R,)
            int64 that the alignment head looks at, or None if the model has no such head.

        Raises:
            ModelFailure: The graph raised, or a score is not finite.
        """
        scores, candidates, *alignment = self._run(tokens, top=top)
        return scores[:, 0], candidates[:, 0], alignment[0][:, 0].argmax(axis=1) if alignment else None

    @property
    def most_steps(self) -> int:
        """Greedy steps worth making in one run: rows that end meanwhile are dead weight, and newcomers have to wait."""
        if not self._model.has_greedy:
            return 1
        return 2 * BLOCK if len(self) <= 2 * BLOCK else BLOCK

    def greedy_steps(self, tokens: Sequence[int], steps: int) -> tuple[Array, Array, Array | None]:
        """Advance every row by its last token, then by the best next one, and so on.

        Args:
            tokens: (R,) ids.
            steps: Most steps to make.

        Returns:
            Of the N steps made, fewer than ``steps`` if all rows ended before: log-probabilities (N, R) float32, token
            ids (N, R) int64, and the source positions (N, R) int64 that the alignment head looks at, or None. What
            follows the end of a sentence means nothing.

        Raises:
            ModelFailure: The graph raised, or a score is not finite.
        """
        scores, found, *alignment = self._run(tokens, steps=steps)
        return scores[..., 0], found[..., 0], alignment[0][..., 0] if alignment else None

    def _run(self, tokens: Sequence[int], *, top: int = 1, steps: int = 0) -> list[Array]:
        """One run of the decoder graph, or of its greedy twin if there are steps."""
        model = self._model
        room = _rounded_up(int(self._positions.max()) + max(1, steps))
        if self._past[0].shape()[1] != room:
            self._make_room(room)
        binding, small = self._bind(room, top, greedy=steps > 0), self._small
        small["tokens"][:, 0] = tokens
        small["positions"][:] = self._positions
        small["places"][:, :, 1] = self._positions
        small["parents"][:] = self._parents
        small["steps"][0] = steps
        np.less_equal(np.arange(room), self._positions, out=small["target_mask"][:, 0, 0])
        present = self._memory.lend((len(self), room, model.width))
        results = model.step(binding, small, self._past, present, greedy=steps > 0)
        self._past = present
        self._parents = np.arange(len(self))
        self._positions += len(results[0]) if steps else 1
        if not np.isfinite(results[0]).all():
            raise ModelFailure("The model gave scores that are not finite.")
        return results


class _PastMemory:
    """Two sets of arrays in turns: the graph reads the past in one and writes it, with one more token, into the other.

    Arrays of its own for each step would leave holes in the heap that fit nothing that comes after, and the process
    would grow to twice the size.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._arrays = [[np.empty(0, model.dtype)] * len(model.past) for _ in range(2)]
        self._lent: list[list[OrtValue]] = [[], []]
        self._shape = (0, 0, 0)

    def lend(self, shape: tuple[int, int, int]) -> list[OrtValue]:
        """Values of this shape, which hold anything, until the call after the next."""
        if shape != self._shape:
            self._shape, self._lent = shape, [[], []]
        self._lent.reverse()
        self._arrays.reverse()
        if not self._lent[0]:
            self._lent[0] = self._values(shape)
        return list(self._lent[0])

    def _values(self, shape: tuple[int, int, int]) -> list[OrtValue]:
        model, arrays, size = self._model, self._arrays[0], math.prod(shape)
        if model.device != "cpu":  # only in main memory can a part of an array be lent
            return [OrtValue.ortvalue_from_shape_and_type(shape, model.dtype, model.device) for _ in arrays]
        if arrays[0].size < size:
            arrays[:] = [np.empty(size * 3 // 2, model.dtype) for _ in arrays]
        return [OrtValue.ortvalue_from_numpy(array[:size].reshape(shape)) for array in arrays]


def _rounded_up(length: int) -> int:
    return -(-length // BLOCK) * BLOCK


def _open(path: Path, provider: str, threads: int) -> onnxruntime.InferenceSession:
    wanted = _PROVIDERS[provider]
    if wanted not in onnxruntime.get_available_providers():
        raise ConfigurationError(
            f"provider {provider} was asked for, but this ONNX Runtime has only "
            f"{', '.join(onnxruntime.get_available_providers())}; install onnxruntime-gpu or choose provider cpu"
        )
    if provider == "cuda":
        # The CUDA libraries that came as Python packages are on no search path of the system's.
        onnxruntime.preload_dlls()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin burn a core for nothing, and steal it from whoever shares the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Plans of memory are kept for every shape that has been, and nearly every batch has another.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(
            # The fused norm is five times slower on the CPU than the norm and the sum are.
            os.fspath(path),
            options,
            providers=[wanted],
            disabled_optimizers=["SkipLayerNormFusion"],
        )
    except Exception as error:  # ONNX Runtime raises bare exceptions of several kinds
        raise BundleError(f"{path} can't be loaded by ONNX Runtime {onnxruntime.__version__}") from error
    if session.get_providers()[0] != wanted:
        raise ConfigurationError(
            f"provider {provider} failed to start; ONNX Runtime fell back to {session.get_providers()[0]}"
        )
    return session


def _run(session: onnxruntime.InferenceSession, outputs: list[str], feeds: dict[str, Array]) -> list[Array]:
    try:
        results: list[Array] = session.run(outputs, feeds)
    except Exception as error:
        raise ModelFailure("ONNX Runtime failed to run the model.") from error
    return results
