"""The rows of searches whose state stays on the device, in slots: many steps, then one look.

Axes as in ``app.engine.onnx.device_graphs``.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from onnxruntime import OrtValue

from app.engine.decoding.search import Search, Steps
from app.engine.decoding.word_trees import with_best
from app.engine.onnx.device_graphs import (
    SOURCE_POSITIONS,
    TARGET_POSITIONS,
    Array,
    Bound,
    DeviceGraphs,
    Graph,
    Source,
    history_columns,
)
from app.engine.onnx.device_lexicon import ROWS, TreeTables, trees_of
from app.errors import ModelFailure

_HISTORIES = ("history", "score_history")


class DeviceRows:
    """The slots of greedy searches, or of beam searches, and their buffers.

    The state is kept twice: a step reads one copy and writes the other. After an even number of steps it is in the
    first. Free slots go on computing, and nobody reads what they find.

    Args:
        graphs: The model's graphs.
        rows: M: 1 for greedy search, or the graphs' beam.
        sentences: B, the slots.
        eos_id: End of sentence.
    """

    def __init__(self, graphs: DeviceGraphs, rows: int, *, sentences: int, eos_id: int) -> None:
        self._graphs, self._rows, self._count, self._eos_id = graphs, rows, sentences, eos_id
        self._graph: Graph = graphs.greedy_step if rows == 1 else graphs.beam_step
        count = sentences
        self._tables = TreeTables(count, SOURCE_POSITIONS, rows) if graphs.has_lexicon else None
        self._sizes = {"B": count, "R": count * rows, "S": SOURCE_POSITIONS, "T": count * ROWS}
        graph = self._graph
        self._columns_of = history_columns(
            rows, has_attention="align_keys" in graphs.pools, has_lexicon=graphs.has_lexicon
        )
        self._caches = [name for name, (shape, _) in graph.inputs.items() if "P" in shape]  # recurrent units have none
        fixed = {*self._caches, *graphs.pools}
        state = [name for name in graph.inputs if name not in fixed]
        self._first = {name: self._buffer(name) for name in state}
        shared = {name for name in state if f"{name}.next" not in graph.outputs or name in _HISTORIES}
        self._second = {name: self._first[name] if name in shared else self._buffer(name) for name in state}
        self._pools = {name: self._buffer(name) for name in graphs.pools if name in graph.inputs}
        self._encoding = graphs.encoder.bind(
            self._pools, {f"{name}.next": value for name, value in self._pools.items()}
        )
        self._places = 0
        self._steps: tuple[Bound, Bound]
        self._past: list[dict[str, OrtValue]] = []
        self._bindings: dict[int, tuple[Bound, Bound]] = {}
        self.clear()
        if self._graph.is_captured:
            self._capture()
        self._fit(TARGET_POSITIONS[-1] if rows == 1 else TARGET_POSITIONS[0])

    def _capture(self) -> None:
        """Run every step twice, all slots free: after the first run ONNX Runtime records the second as a CUDA graph."""
        for places in self._allocated:
            for bound in self._bound(places):
                bound.run()
                bound.run()

    def _buffer(self, name: str, **sizes: int) -> OrtValue:
        return self._graph.allocate(name, **self._sizes, **sizes)

    def clear(self) -> None:
        """Free all slots, whatever they hold."""
        count, longest = self._count, TARGET_POSITIONS[-1] + self._graphs.window
        self.searches: dict[int, Search] = {}  # by slot
        # Both are 0 in free slots, which therefore stay at position 0.
        self._lengths = np.zeros(count, dtype=np.int64)  # target tokens so far
        self._limits = np.zeros(count, dtype=np.int64)
        self._taken = np.zeros(count, dtype=np.int64)  # tokens that a search has been told of already
        shapes = {name: self._graph.inputs[name] for name in _HISTORIES}
        self._found: dict[str, Array] = {
            name: np.zeros((count, longest, self._rows, *shape[2:]), kind) for name, (shape, kind) in shapes.items()
        }
        self._held: list[Source | None] = [None] * count  # what each slot has the features of
        # Free slots, the longest free first, by what they hold: a sentence seen before needs no encoder.
        self._free: OrderedDict[Any, int] = OrderedDict((("empty", slot), slot) for slot in range(count))
        self._write(tokens=np.zeros((count, self._rows), np.int64))
        if self._tables:
            self._tables = TreeTables(count, SOURCE_POSITIONS, self._rows)
            state = self._read("stands", "words_left")
            self._write(**{name: array * 0 for name, array in state.items()}, **self._tables.arrays)
        self._pools["source_lengths"].update_inplace(np.ones(count, np.int64))  # attention to nothing gives no number
        if self._rows > 1:
            self._write(
                first_rows=np.arange(count)[:, None].repeat(self._rows, axis=1) * self._rows,
                totals=np.full((count, self._rows), -np.inf, np.float32),
                thresholds=np.full((count, 1), np.inf, np.float32),
            )

    @property
    def room(self) -> int:
        """Free slots."""
        return len(self._free)

    @property
    def caches(self) -> list[dict[str, OrtValue]]:
        """Keys and values of the target positions by name, one copy or two."""
        return self._past

    def join(self, searches: Sequence[Search], sources: Sequence[Source]) -> None:
        """Begin searches in free slots, at most ``room``.

        Raises:
            ModelFailure: The encoder raised.
        """
        slots = [self._slot_of(source) for source in sources]
        missing = [(source, slot) for source, slot in zip(sources, slots, strict=True) if self._held[slot] != source]
        if missing:
            self._graphs.encode(self._encoding, [each for each, _ in missing], [slot for _, slot in missing])
        of_beams = ("totals", "wanted", "thresholds") if self._rows > 1 else ()
        progress = ("stands", "words_left") if self._tables else ()
        state = self._read("tokens", *of_beams, *progress)
        for search, source, slot in zip(searches, sources, slots, strict=True):
            self._held[slot] = source
            self.searches[slot] = search
            self._lengths[slot] = self._taken[slot] = 0
            self._limits[slot] = search.steps_left
            state["tokens"][slot] = search.last_tokens[0]
            if self._rows > 1:
                state["totals"][slot] = [0.0] + [-np.inf] * (self._rows - 1)
                state["wanted"][slot], state["thresholds"][slot] = search.beam, search.threshold
            if self._tables:
                own = slice(slot * self._rows, (slot + 1) * self._rows)
                state["stands"][slot], state["words_left"][own] = self._tables.put(slot, trees_of(search))
        if self._tables and any(search.has_lexicon for search in searches):
            state |= self._tables.arrays
        self._write(**state)

    def _slot_of(self, source: Source) -> int:
        """Take a free slot: one that holds the source's features, if there is one."""
        slot = self._free.pop(source, None)
        return self._free.popitem(last=False)[1] if slot is None else slot

    def _release(self, slot: int) -> None:
        del self.searches[slot]
        self._lengths[slot] = self._limits[slot] = 0
        source = self._held[slot]
        key: Any = ("double", slot) if source is None or source in self._free else source
        self._free[key] = slot

    def drop(self, gone: Sequence[Search]) -> None:
        """Free the slots of searches."""
        for slot in [slot for slot, search in self.searches.items() if search in gone]:
            self._release(slot)

    def advance(self, steps: int) -> list[Search]:
        """Make an even number of steps, at most W; returns the searches that have ended.

        Raises:
            ModelFailure: A graph raised, or a score is not finite.
        """
        slots = np.array(sorted(self.searches))
        if self._rows > 1:
            self._fit_to(int(self._lengths[slots].max()) + steps + 1)
        # Each step moves every row on, up to its limit, so the host knows where they are.
        positions = np.minimum(self._lengths, self._limits)[:, None].repeat(self._rows, axis=1)
        self._write(positions=positions, limits=self._limits[:, None])
        for number in range(steps):
            self._steps[number % 2].run(is_last=number == steps - 1)
        ended = slots[self._look(slots, steps)]
        done = [self.searches[slot] for slot in ended.tolist()]
        for slot in ended.tolist():
            self._finish(slot)
            self._release(slot)
        for slot, search in self.searches.items():
            if search.streams and self._rows == 1:
                search.take_steps(self._columns(slot, int(self._lengths[slot])), 0)
                self._taken[slot] = self._lengths[slot]
        return done

    def _look(self, slots: Array, steps: int) -> Array:
        """Copy what the latest steps found to the host; returns which of the slots' searches have ended."""
        after = self._lengths[slots][:, None] + np.arange(steps)  # (slots, steps)
        columns = after % self._graphs.window
        for name, found in self._found.items():
            latest = self._first[name].numpy().reshape(len(found), self._rows, self._graphs.window, *found.shape[3:])
            # An advanced index on both sides of a slice: the rows come last.
            found[slots[:, None], after] = latest[slots[:, None], :, columns]
        self._lengths[slots] += steps
        is_last = ~self._goes_on(slots[:, None], after)
        return np.asarray(is_last.any(axis=1) | (self._lengths[slots] >= self._limits[slots]))

    def _goes_on(self, slots: Any, steps: Any) -> Array:
        """Tell whether a search goes on behind a step: whether a hypothesis of it has a token other than the end."""
        goes_on = self._found["history"][slots, steps, ..., 0] != self._eos_id
        if self._rows > 1:
            goes_on &= self._found["score_history"][slots, steps] > -np.inf
        return np.asarray(goes_on.any(axis=-1))

    def _finish(self, slot: int) -> None:
        """Tell a search what was found, up to its end."""
        length = int(min(self._lengths[slot], self._limits[slot]))
        ends = np.flatnonzero(~self._goes_on(slot, slice(length)))
        self.searches[slot].take_steps(self._columns(slot, int(ends[0]) + 1 if len(ends) else length), 0)

    def _columns(self, slot: int, length: int) -> Steps:
        """The steps that a search was not told of, as lists of each hypothesis, up to a length.

        Raises:
            ModelFailure: A score is not finite.
        """
        search = self.searches[slot]
        new = slice(int(self._taken[slot]), length)
        scores = self._found["score_history"][slot, new].astype(np.float64)
        found = dict(zip(self._columns_of, np.moveaxis(self._found["history"][slot, new], -1, 0), strict=True))
        if self._rows == 1:
            # One after the other, as ``Search.advance`` adds.
            [before] = search.state.totals
            totals = np.cumsum(np.concatenate([[[before]], scores]), axis=0)[1:]
            parents = np.zeros_like(found["token"])
        else:
            totals, parents = scores, found["parent"]
        if np.isnan(totals).any() or np.isinf(totals[:, 0]).any():
            raise ModelFailure("the model returned a score that is not a number")
        attended = found.get("attended")
        if attended is not None:
            if search.has_lexicon:
                attended = with_best(attended, found["best"])
            attended = np.take_along_axis(attended, parents, axis=1)
        wanted = slice(search.beam)
        columns = (totals, found["token"], parents, attended)
        return Steps(*(None if each is None else each[:, wanted].T.tolist() for each in columns))

    def _fit_to(self, needed: int) -> None:
        """Give the caches the fewest positions that suffice; shrink them late, for a change copies them."""
        smallest = next(places for places in TARGET_POSITIONS if places >= needed)
        spare = next(places for places in TARGET_POSITIONS if places >= min(needed + 16, TARGET_POSITIONS[-1]))
        if smallest > self._places or spare < self._places:
            self._fit(spare)

    def _fit(self, places: int) -> None:
        """Bind caches of so many positions, with what the caches of before hold."""
        before, self._places = self._places, places
        buffers = self._allocated[places]
        if before:
            pads = np.array([0, 0, 0, 0, places - before, 0], dtype=np.int64)
            for name, value in self._past[0].items():
                resize = self._graphs.resize.bind({"cache": value}, {"resized": buffers[0][name]})
                resize.give("room", pads)
                resize.run()
        self._past = buffers
        self._steps = self._bound(places)

    @cached_property
    def _allocated(self) -> dict[int, list[dict[str, OrtValue]]]:
        """The caches for each number of positions: in greedy search one, in place; for beams two."""
        sizes = TARGET_POSITIONS if self._rows > 1 else TARGET_POSITIONS[-1:]
        return {
            places: [{name: self._buffer(name, P=places) for name in self._caches} for _ in range(min(2, self._rows))]
            for places in sizes
        }

    def _bound(self, places: int) -> tuple[Bound, Bound]:
        """The step from the first copy to the second, and back."""
        if places not in self._bindings:
            first, second = (
                {**state, **past}
                for state, past in zip((self._first, self._second), (self._allocated[places] * 2)[:2], strict=True)
            )
            pair = [self._bind(*copies) for copies in ((first, second), (second, first))]
            self._bindings[places] = (pair[0], pair[1])
        return self._bindings[places]

    def _bind(self, given: dict[str, OrtValue], found: dict[str, OrtValue]) -> Bound:
        outputs = {name: found[name.removesuffix(".next")] for name in self._graph.outputs}
        return self._graph.bind(given | self._pools, outputs)

    def _read(self, *names: str) -> dict[str, Array]:
        return {name: np.array(self._first[name].numpy()) for name in names}

    def _write(self, **arrays: Array) -> None:
        for name, array in arrays.items():
            self._first[name].update_inplace(np.ascontiguousarray(array))
