"""Everything ONNX Runtime: sessions, providers, threads, and the arrays that live between two decoding steps.

Axes: B sentences, R live rows, S source length, P past target positions, D width, K candidates, L decoder layers.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from app.errors import BundleError, ConfigurationError, ModelFailure

Array = NDArray[Any]
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

    def __init__(self, encoder: Path, decoder: Path, *, pad_id: int, provider: str, threads: int) -> None:
        """Open the sessions.

        Args:
            encoder: Path of the encoder graph.
            decoder: Path of the decoder graph.
            pad_id: Id that fills up shorter sources.
            provider: "cpu" or "cuda".
            threads: Threads inside one operator; operators themselves run one after another.

        Raises:
            BundleError: A graph can't be loaded.
            ConfigurationError: The provider is not there.
        """
        self.pad_id = pad_id
        self._encoder = _open(encoder, provider, threads)
        self._decoder = _open(decoder, provider, threads)
        self.providers = tuple(self._decoder.get_providers())
        self.cross = [output.name for output in self._encoder.get_outputs()]
        self.past = [
            given.name
            for given in self._decoder.get_inputs()
            if given.name.startswith("past_") and given.name != "past_mask"
        ]
        self.present = [name.replace("past_", "present_") for name in self.past]
        self.has_alignment = "alignment" in {output.name for output in self._decoder.get_outputs()}
        described = next(given for given in self._decoder.get_inputs() if given.name == self.past[0])
        self.width = int(described.shape[-1])
        self.dtype = np.float16 if "float16" in described.type else np.float32

    def encode(self, sources: Sequence[Sequence[int]]) -> list[Features]:
        """Encode source ids, special ids included, as one padded batch.

        Raises:
            ModelFailure: The graph raised.
        """
        length = max(len(source) for source in sources)
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

    def step(self, feeds: dict[str, Array]) -> list[Array]:
        """Run the decoder graph.

        Returns:
            Scores (R, K), candidates (R, K), the grown past, 2L arrays (R, P + 1, D), and then, if the model has an
            alignment head, its attention over the source, (R, S) float32.
        """
        alignment = ["alignment"] if self.has_alignment else []
        return _run(self._decoder, ["scores", "candidates", *self.present, *alignment], feeds)


class Rows:
    """The live rows of one decode: features, past and positions, kept aligned while rows come and go.

    Rows may be at different positions. All pasts share P columns; a row that joined late has masked columns in front,
    which its attention never sees, so neighbours don't change its translation.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model = model
        self._owner = np.zeros(0, dtype=np.int64)  # (R,) which joined sentence a row belongs to
        self._joined = 0
        self._positions = np.zeros((0, 1), dtype=np.int64)
        self._past_mask = np.zeros((0, 0), dtype=bool)
        self._past = [np.zeros((0, 0, model.width), model.dtype) for _ in model.past]
        self._source_mask = np.zeros((0, 0), dtype=bool)
        self._cross = [np.zeros((0, 0, model.width), model.dtype) for _ in model.cross]

    def __len__(self) -> int:
        return len(self._owner)

    def join(self, features: Sequence[Features]) -> None:
        """Append one row a sentence, at position 0."""
        live, new = len(self), len(features)
        longest = max(self._source_mask.shape[1], *(item.length for item in features))
        mask = np.zeros((live + new, longest), dtype=bool)
        mask[:live, : self._source_mask.shape[1]] = self._source_mask
        cross = [np.zeros((live + new, longest, self._model.width), self._model.dtype) for _ in self._cross]
        for grown, old in zip(cross, self._cross, strict=True):
            grown[:live, : old.shape[1]] = old
        for row, item in enumerate(features, live):
            mask[row, : item.length] = True
            for grown, array in zip(cross, item.arrays, strict=True):
                grown[row, : item.length] = array
        self._source_mask, self._cross = mask, cross
        self._owner = np.append(self._owner, np.arange(self._joined, self._joined + new))
        self._joined += new
        self._positions = np.pad(self._positions, ((0, new), (0, 0)))
        self._past_mask = np.pad(self._past_mask, ((0, new), (0, 0)))
        self._past = [np.pad(array, ((0, new), (0, 0), (0, 0))) for array in self._past]

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""
        index = np.asarray(rows, dtype=np.int64)
        if len(index) == len(self) and (index == np.arange(len(index))).all():
            return
        owner = self._owner[index]
        if not np.array_equal(owner, self._owner):
            # Beams of one sentence share its features: a mere reordering of beams leaves them where they are.
            self._source_mask = self._source_mask[index]
            longest = int(self._source_mask.any(0).sum())
            self._source_mask = self._source_mask[:, :longest]
            self._cross = [array[index, :longest] for array in self._cross]
        self._owner = owner
        self._positions = self._positions[index]
        self._past_mask = self._past_mask[index]
        used = self._past_mask.any(0)
        first = int(used.argmax()) if used.any() else used.size  # columns in front that no row needs any more
        self._past_mask = self._past_mask[:, first:]
        self._past = [array[index, first:] for array in self._past]

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
        feeds: dict[str, Array] = {
            "tokens": np.asarray(tokens, dtype=np.int64).reshape(-1, 1),
            "positions": self._positions,
            "source_mask": self._source_mask,
            "past_mask": self._past_mask,
            "top": np.array([top], dtype=np.int64),
            **dict(zip(self._model.cross, self._cross, strict=True)),
            **dict(zip(self._model.past, self._past, strict=True)),
        }
        scores, candidates, *rest = self._model.step(feeds)
        attended = rest.pop().argmax(axis=1) if self._model.has_alignment else None
        self._past = rest
        self._positions = self._positions + 1
        self._past_mask = np.pad(self._past_mask, ((0, 0), (0, 1)), constant_values=True)
        if not np.isfinite(scores).all():
            raise ModelFailure("The model gave scores that are not finite.")
        return scores, candidates, attended


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
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(os.fspath(path), options, providers=[wanted])
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
