"""A model on a GPU, whose searches leave the device when they have ended; see ``app.engine.onnx.device_graphs``."""

from collections.abc import Sequence
from typing import Any

from app.engine.decoding.batch_decoder import BatchDecoder, LiveRows
from app.engine.decoding.search import Search
from app.engine.decoding.split_batch import SplitBatch
from app.engine.memory import Memory
from app.engine.onnx.batch_state import BatchState
from app.engine.onnx.device_graphs import SOURCE_POSITIONS, TARGET_POSITIONS, DeviceGraphs, Source
from app.engine.onnx.device_lexicon import fits, trees_of
from app.engine.onnx.device_rows import DeviceRows
from app.engine.onnx.model import OnnxModel
from app.errors import ConfigurationError


class DeviceModel:
    """Encoder and decoder on a device. Thread-safe; the state of a decode lives in ``DeviceBatch``.

    Args:
        graphs: Its graphs.
        simple: The same model step by step, for searches that the graphs don't take.
        eos_id: End of sentence.
        sentences: Slots, for greedy search and for beams each.

    Attributes:
        graphs: The same.
        eos_id: The same.
        sentences: The same.
        memory_length: 0: models with a memory have no such graphs.
        learns: Searches learn nothing from examples.
        kernels: None: the operators are ONNX Runtime's own.
        providers: ONNX Runtime's, for ``/info``.
    """

    memory_length = 0
    learns = False
    kernels: str | None = None

    def __init__(self, graphs: DeviceGraphs, simple: OnnxModel, *, eos_id: int, sentences: int) -> None:
        self.graphs, self.eos_id, self.sentences = graphs, eos_id, sentences
        self.providers = graphs.providers
        self._simple = simple

    def encode(self, sources: Sequence[Sequence[int]], memories: Sequence[Memory | None] | None = None) -> list[Source]:
        """Encode nothing yet: features never leave the device, so a sentence is encoded into its slot."""
        return [Source(tuple(source)) for source in sources]

    def new_batch(self) -> SplitBatch[Source]:
        """An empty batch: on the device, and beside it the searches that need Python at every step.

        Raises:
            ConfigurationError: The device has too little memory for so many slots; says how many would do.
        """
        try:
            device = DeviceBatch(self.graphs, sentences=self.sentences, eos_id=self.eos_id)
        except Exception as error:  # ONNX Runtime raises bare exceptions of several kinds
            raise ConfigurationError(
                f"the device has no memory for the caches of {self.sentences} sentences: "
                f"set DRAGOMAN_GPU_ROWS to {self._fitting()} or less"
            ) from error
        return SplitBatch(device, BatchDecoder(self), takes=self._takes)

    def _fitting(self) -> int:
        """A number of slots for which there is memory, found by halving; 0 if there is none even for one."""
        sentences = self.sentences // 2
        while sentences:
            try:
                DeviceBatch(self.graphs, sentences=sentences, eos_id=self.eos_id)
            except Exception:
                sentences //= 2
            else:
                break
        return sentences

    def rows(self) -> LiveRows[Source]:
        """Rows of the simple model, for searches that need Python at every step."""
        return _LateRows(self._simple)

    def _takes(self, search: Search, source: Source) -> bool:
        """Tell whether the graphs can make the whole search."""
        if search.options.beam_size > self.graphs.beam or len(source.ids) > SOURCE_POSITIONS:
            return False
        trees = trees_of(search)
        if trees and not (self.graphs.has_lexicon and fits(trees, SOURCE_POSITIONS)):
            return False
        return 0 < search.steps_left < TARGET_POSITIONS[-1]


class DeviceBatch:
    """Greedy searches and beam searches on a device; see ``app.engine.decoding.batch_decoder.BatchDecoder``.

    Searches for which no slot is free wait.

    Args:
        graphs: The model's graphs.
        sentences: Slots, for greedy search and for beams each.
        eos_id: End of sentence.

    Attributes:
        steps: Tokens by which every search has been advanced so far.
    """

    def __init__(self, graphs: DeviceGraphs, *, sentences: int, eos_id: int) -> None:
        self._greedy, self._beams = (
            DeviceRows(graphs, rows, sentences=sentences, eos_id=eos_id) for rows in (1, graphs.beam)
        )
        self._window = graphs.window
        self._waiting: tuple[list[tuple[Search, Source]], ...] = ([], [])  # for greedy search, for beams
        self.steps = 0

    @property
    def searches(self) -> list[Search]:
        """The unfinished searches."""
        live = [*self._greedy.searches.values(), *self._beams.searches.values()]
        return live + [search for waiting in self._waiting for search, _ in waiting]

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""
        return sum(search.options.beam_size for search in self.searches)

    def join(self, searches: Sequence[Search], features: Sequence[Source]) -> None:
        """Add sentences; they start at the next step."""
        for search, source in zip(searches, features, strict=True):
            self._waiting[search.options.beam_size > 1].append((search, source))

    def step(self, most: int) -> list[Search]:
        """Advance every search by some tokens; return the finished searches, whose slots are free.

        Args:
            most: Tokens to advance by at most; 2 if it is less.

        Raises:
            ModelFailure: A graph raised, or a score is not finite.
        """
        steps = max(2, min(most, self._window) // 2 * 2)
        done: list[Search] = []
        for rows, waiting in zip((self._greedy, self._beams), self._waiting, strict=True):
            own, waiting[:] = waiting[: rows.room], waiting[rows.room :]
            if own:
                rows.join([search for search, _ in own], [source for _, source in own])
            if rows.searches:
                done += rows.advance(steps)
        self.steps += steps
        return done

    def drop(self, gone: Sequence[Search]) -> None:
        """Take searches out between two steps, finished or not."""
        for waiting in self._waiting:
            waiting[:] = [pair for pair in waiting if pair[0] not in gone]
        self._greedy.drop(gone)
        self._beams.drop(gone)

    def emptied(self) -> "DeviceBatch":
        """Itself without searches: its buffers and captured graphs would not fit a second time."""
        for waiting in self._waiting:
            waiting.clear()
        self._greedy.clear()
        self._beams.clear()
        return self


class _LateRows(BatchState):
    """Rows of the simple model, which encodes a sentence when it joins."""

    def join(self, features: Sequence[Any]) -> None:
        super().join(self._model.encode([source.ids for source in features]))
