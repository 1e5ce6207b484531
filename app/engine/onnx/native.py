"""The model by the native operators of ``kernels/``: whole searches of many sentences in one run.

Axes: B sentences, R live rows, W hypotheses wanted of all sentences, N steps, S source length, D width, K candidates, L
decoder layers, C places of the memory.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from app.engine.decoding.batch_decoder import LiveRows
from app.engine.decoding.neighbours import ExampleIds, Neighbours
from app.engine.decoding.search import Beam, Steps
from app.engine.decoding.shortlist import Shortlist
from app.engine.memory import Memory
from app.engine.onnx.native_inputs import choices, lexicons_of, no_lexicons, number, padded
from app.engine.onnx.neighbour_keys import Keys, joined_keys
from app.engine.onnx.places import Places
from app.engine.onnx.sessions import Features
from app.errors import BundleError, ModelFailure

Array = NDArray[Any]

LIBRARY = Path(__file__).parent / "libdragoman.so.1"  # a name that Python doesn't take for a module
# Steps worth making in one run: of a lone sentence, of a few hypotheses, of more. A run takes some 4 ms with the
# shipped model, and new sentences have to wait for its end.
_STEPS_ALONE, _STEPS_OF_FEW, _STEPS = 64, 16, 8
_FEW = 8
_ROOM = 64  # positions that a history grows by at a time
_OUTPUTS = ("scores", "tokens", "parents", "attended", "next_histories")
_STATES = ("states", "state_scales")


@cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(str(LIBRARY))
    except OSError:  # not built, or for another system
        return None
    library.dragoman_kernels.argtypes = [ctypes.c_char_p]
    library.dragoman_kernels.restype = ctypes.c_char_p
    return library


def choose_kernels(wanted: str = "auto") -> str | None:
    """Choose the kernels of all models that are opened from now on.

    Args:
        wanted: An instruction set, see ``kernels/dispatch.c``; or "auto" for the fastest that the processor has.

    Returns:
        The instruction set, or None if there are no such kernels here.
    """
    library = _library()
    if library is None:
        return None
    return library.dragoman_kernels(None if wanted == "auto" else wanted.encode()).decode() or None


class NativeModel:
    """An encoder and a decoder session of one node each. Thread-safe; the state of a decode lives in ``NativeRows``.

    Args:
        encoder: Path of the encoder graph.
        decoder: Path of the decoder graph.
        kernels: See ``choose_kernels``.
        most_steps: See the attribute.
        shortlist: Table of the pieces that greedy searches of a source may choose from; the decoder graph takes them.

    Attributes:
        kernels: Instruction set of the kernels.
        providers: ONNX Runtime's, for ``/info``.
        most_steps: Maximum number of steps in one run; 1 leaves every choice to ``app.engine.decoding.search``.
        memory_length: 0: the operators have no memory of earlier sentences.
        learns: Searches can learn from examples; graphs of older exports can't.

    Raises:
        BundleError: A graph can't be loaded, or there are no such kernels here.
    """

    memory_length = 0

    def __init__(
        self,
        encoder: Path,
        decoder: Path,
        *,
        kernels: str = "auto",
        most_steps: int = _STEPS_ALONE,
        shortlist: Path | None = None,
    ) -> None:
        chosen = choose_kernels(kernels)
        if chosen is None:
            raise BundleError(f"{encoder.parent} has native graphs, but there are no {kernels} kernels here")
        self.kernels, self.most_steps = chosen, most_steps
        self._encoder, self.decoder = _open(encoder), _open(decoder)
        self.providers = tuple(self.decoder.get_providers())
        self._shortlist = Shortlist.read(shortlist) if shortlist else None
        names = {given.name for given in self.decoder.get_inputs()}
        self.has_choices, self.learns = "choices" in names, "keys" in names
        layers, _, self.width = self.decoder.get_inputs()[0].shape
        self.layers = layers // 2

    def encode(
        self, sources: Sequence[Sequence[int]], memories: Sequence[Memory | None] | None = None
    ) -> list[Features]:
        """Encode source ids, special ids included. No padding: sentences change nothing for their neighbours.

        There are no memories.

        Raises:
            ModelFailure: The graph raised.
        """
        lengths = np.array([len(source) for source in sources], dtype=np.int64)
        ids = np.array(list(chain.from_iterable(sources)), dtype=np.int64)
        try:
            [features] = self._encoder.run(None, {"source": ids, "lengths": lengths})
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error
        ends = accumulate(len(source) for source in sources)
        found = [Features(features[:, end - len(source) : end]) for end, source in zip(ends, sources, strict=True)]
        if self._shortlist is None:
            return found
        pieces = map(self._shortlist.of, sources)
        return [replace(each, pieces=own) for each, own in zip(found, pieces, strict=True)]

    def rows(self) -> "NativeRows":
        """An empty set of live rows."""
        return NativeRows(self)

    def read_examples(self, examples: Sequence[ExampleIds], *, start_id: int, eos_id: int) -> list[Neighbours]:
        """Return the states that the decoder has before each token of some translations, and before their ends.

        Args:
            examples: Sources and translations; no sentence changes another's states.
            start_id: First input of the decoder.
            eos_id: End of sentence.

        Raises:
            ModelFailure: The graph raised.
        """
        rows = self.rows()
        rows.join(self.encode([example.source for example in examples]))
        inputs = [(start_id, *example.target) for example in examples]
        keys = [np.empty((len(each), self.width), np.int8) for each in inputs]
        scales = [np.empty(len(each), np.float32) for each in inputs]
        live = list(range(len(examples)))
        for position in range(max(map(len, inputs))):
            states, own_scales = rows.states([inputs[index][position] for index in live])
            for row, index in enumerate(live):
                keys[index][position], scales[index][position] = states[row], own_scales[row]
            kept = [row for row, index in enumerate(live) if position + 1 < len(inputs[index])]
            live = [live[row] for row in kept]
            rows.select(kept)
        tokens = [np.array((*example.target, eos_id), np.int32) for example in examples]
        return [Neighbours(*each) for each in zip(keys, scales, tokens, strict=True)]


@dataclass(eq=False)
class _Sentence:
    """A sentence of a batch.

    Attributes:
        source: The cache places of its source.
        taken: The places that it and its hypotheses use.
        pieces: What it may choose from.
        keys: What it learns from, as the operators take it; None for nothing.
    """

    source: Array
    taken: list[Array]
    pieces: Array
    keys: Keys | None

    @property
    def choosable(self) -> Array:
        """Its pieces; none if it learns, for then it may choose from all."""
        return self.pieces[:0] if self.keys else self.pieces


class NativeRows(LiveRows[Features]):
    """The live rows of one decode.

    Keys and values never move: each row has a history, the places of its positions so far, and only the history is
    copied.
    """

    def __init__(self, model: NativeModel) -> None:
        self._model = model
        self._memory = Places(model.layers, model.width)
        self._owners: list[_Sentence] = []  # the sentence of each row; rows of one sentence are neighbours
        self._positions = np.zeros(0, dtype=np.int64)
        self._histories = np.zeros((0, _ROOM), dtype=np.int32)
        self._io = model.decoder.io_binding()
        self._bound: dict[str, object] = {}  # inputs: the same array needn't be bound again
        self._learning: bool | None = None  # whether the bound inputs have neighbours; None: nothing was bound yet

    def __len__(self) -> int:
        return len(self._owners)

    def join(self, features: Sequence[Features]) -> None:
        """See ``LiveRows``."""
        for item in features:
            places = self._memory.take(item.length)
            self._memory.array[:, places] = item.arrays
            self._owners.append(
                _Sentence(places, [places], item.pieces, Keys.of(item.neighbours) if item.neighbours else None)
            )
        new = len(features)
        self._positions = np.concatenate([self._positions, np.zeros(new, dtype=np.int64)])
        room = self._histories.shape[1]
        self._histories = np.concatenate([self._histories, np.zeros((new, room), dtype=np.int32)])

    def select(self, rows: Sequence[int]) -> None:
        """See ``LiveRows``."""
        before, self._owners = self._owners, [self._owners[row] for row in rows]
        if not rows:
            self._memory.clear()
        elif before != self._owners:
            kept = set(self._owners)
            for sentence in set(before) - kept:
                for places in sentence.taken:
                    self._memory.give_back(places)
        index = np.array(rows, dtype=np.intp)
        self._positions, self._histories = self._positions[index], self._histories[index]

    def most_steps(self, wanted: Sequence[int], *, lexicons: bool) -> int:
        """See ``LiveRows``."""
        steps = _STEPS_ALONE if len(wanted) == 1 else _STEPS_OF_FEW if sum(wanted) <= _FEW else _STEPS
        return min(self._model.most_steps, steps)

    def step(self, tokens: Sequence[int], top: int) -> tuple[Array, Array, Array | None]:
        """See ``LiveRows``."""
        scores, candidates, attended, _ = self._step(tokens, top)
        return scores[0], candidates[0], None if attended is None else attended[0]

    def states(self, tokens: Sequence[int]) -> tuple[Array, Array]:
        """Advance each row by its last token; return its state, (R, D) int8, and the scale of each, (R,) float32."""
        states, scales = self._step(tokens, 1, states=True)[3]
        return states, scales

    def _step(
        self, tokens: Sequence[int], top: int, *, states: bool = False
    ) -> tuple[Array, Array, Array | None, list[Array]]:
        counts = [1] * len(self)
        scores, candidates, _, attended, found = self._run(
            tokens, [0.0] * len(self), counts, counts, [0.0] * len(self), 1, top, states=states
        )
        return scores, candidates, attended, found

    def search_steps(self, beams: Sequence[Beam], steps: int) -> Steps:
        """See ``LiveRows``."""
        totals, tokens, parents, attended, _ = self._run(
            [token for beam in beams for token in beam.tokens],
            [total for beam in beams for total in beam.totals],
            [len(beam.tokens) for beam in beams],
            [beam.wanted for beam in beams],
            [beam.threshold for beam in beams],
            steps,
            0,
            lexicons_of(beams),
            [beam.greedy for beam in beams],
        )
        return Steps(totals[:, :, 0], tokens[:, :, 0], parents, attended)

    def _run(
        self,
        tokens: Sequence[int],
        totals: Sequence[float],
        counts: Sequence[int],
        wanted: Sequence[int],
        thresholds: Sequence[float],
        steps: int,
        top: int,
        lexicons: dict[str, Array] | None = None,
        greedy: Sequence[bool] = (),
        *,
        states: bool = False,
    ) -> tuple[Array, Array, Array, Array | None, list[Array]]:
        """Run the decoder graph once; the rows are then the hypotheses that it kept."""
        firsts = list(accumulate(counts[:-1], initial=0))
        sentences = [self._owners[first] for first in firsts]
        self._extend_histories(steps)
        fresh = self._memory.take(sum(wanted) * steps).reshape(-1, steps)
        scores, candidates, parents, attended, self._histories, *found = self._run_graph(
            {
                "rows": np.array([tokens, self._positions]).T.copy(),
                "totals": np.array(totals, dtype=np.float64),
                "histories": self._histories,
                "sentences": np.array([counts, wanted, [len(each.source) for each in sentences]], np.int64).T.copy(),
                "sources": padded([each.source for each in sentences]),
                "fresh": fresh,
                "thresholds": np.array(thresholds, dtype=np.float64),
                "top": number(top),
                **(lexicons or no_lexicons(len(counts), len(tokens))),
                **(
                    {"choices": choices([each.choosable for each in sentences], greedy)}
                    if self._model.has_choices
                    else {}
                ),
                **self._neighbours(sentences),
            },
            states=states,
        )
        made = len(scores)
        after = counts if top else wanted
        self._positions = np.repeat(self._positions[firsts] + made, after)
        self._owners = [sentence for sentence, count in zip(sentences, after, strict=True) for _ in range(count)]
        ends = accumulate(wanted)  # ``np.split`` took a hundredth of a request's bytecodes
        for sentence, end, count in zip(sentences, ends, wanted, strict=True):
            sentence.taken.append(fresh[end - count : end, :made])
        if made < steps:
            self._memory.give_back(fresh[:, made:])
        return scores, candidates, parents, attended if attended[0, 0] >= 0 else None, found  # -1: no alignment head

    def _neighbours(self, sentences: Sequence[_Sentence]) -> dict[str, Array]:
        """Inputs of what the sentences learn from; nothing if none learns and the inputs say so already."""
        keys = [sentence.keys for sentence in sentences]
        if not self._model.learns or not (any(keys) or self._learning is not False):
            return {}
        self._learning = any(keys)
        return joined_keys(keys, self._model.width)

    def _extend_histories(self, steps: int) -> None:
        missing = int(self._positions.max()) + steps - self._histories.shape[1]
        if missing > 0:
            self._histories = np.pad(self._histories, ((0, 0), (0, missing + _ROOM)))

    def _run_graph(self, given: dict[str, Array], *, states: bool) -> list[Array]:
        """Scores, tokens, parents, attended source positions, and the histories of the new rows; then their states."""
        io, bound, memory = self._io, self._bound, self._memory.value
        if bound.get("memory") is not memory:
            bound["memory"] = memory
            io.bind_ortvalue_input("memory", memory)
        for name, array in given.items():
            if bound.get(name) is not array:
                bound[name] = array
                io.bind_cpu_input(name, array)
        io.clear_binding_outputs()
        for name in (*_OUTPUTS, *(_STATES if states else ())):
            io.bind_output(name, "cpu")
        io.bind_ortvalue_output("next_memory", memory)
        try:
            self._model.decoder.run_with_iobinding(io)
        except Exception as error:
            raise ModelFailure("ONNX Runtime failed to run the model.") from error
        outputs = io.get_outputs_as_ortvaluevector()
        return [outputs[index].numpy() for index in range(len(outputs) - 1)]


def _open(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        options.register_custom_ops_library(str(LIBRARY))
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises bare exceptions of several kinds
        raise BundleError(f"{path} can't be loaded by ONNX Runtime {onnxruntime.__version__}") from error
