"""The arrays that live between two decoding steps, kept aligned while rows come and go.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions of the cache, D width, K
candidates, L decoder layers. S and P are whole blocks, see ``app.engine.decoding.padding``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

from app.engine.decoding.batch_decoder import LiveRows
from app.engine.decoding.padding import POSITIONS, pad_to_multiple
from app.engine.onnx.kv_cache import KeyValueCache
from app.engine.onnx.sessions import Binding, Features, Sessions
from app.errors import ModelFailure

Array = NDArray[Any]

# For this few rows, the fixed cost of a run is larger than the arithmetic for rows that have ended.
_FEW = 8
# Sentences move together when less than this part of their places, or of the longest source, is in use.
_FULL = 0.75
# A change of its length moves the whole past, so it grows by more than is needed, and shrinks late.
_ROOM = 4 * POSITIONS


class EncodedBatch:
    """The encoded sentences of a batch: one place for each sentence, however many rows it has.

    The next sentence that joins takes a free place. If too many places are free, the sentences are moved together. So
    little is copied while sentences join and leave.
    """

    def __init__(self, model: Sessions) -> None:
        self._mask = np.zeros((0, 0), dtype=bool)
        self._cross = [np.zeros((0, 0, model.width), model.dtype) for _ in model.cross]
        self._count = 0
        self._free: list[int] = []

    def __len__(self) -> int:
        """B, empty places included."""
        return self._count

    @property
    def mask(self) -> Array:
        """(B, S) bool, True on source tokens."""
        return self._mask[: self._count]

    @property
    def cross(self) -> list[Array]:
        """2L arrays (B, S, D), the encoder's features."""
        return [array[: self._count] for array in self._cross]

    def add(self, features: Sequence[Features]) -> Array:
        """Add sentences; returns their places."""
        length = max(self._mask.shape[1], *(pad_to_multiple(item.length) for item in features))
        more = max(0, len(features) - len(self._free))
        places = [*self._free[: len(features)], *range(self._count, self._count + more)]
        self._free = self._free[len(features) :]
        self._count += more
        if self._count > len(self._mask) or length > self._mask.shape[1]:
            self._move(np.arange(self._count - more), self._count + self._count // 4, length)
        for place, item in zip(places, features, strict=True):
            self._mask[place] = np.arange(self._mask.shape[1]) < item.length
            for array, feature in zip(self._cross, item.arrays, strict=True):
                array[place, : item.length] = feature
        return np.array(places)

    def keep(self, places: Array) -> Array | None:
        """Free all but the given places; returns their order if they moved together."""
        length = pad_to_multiple(int(self._mask[places].any(0).sum()))
        if len(places) >= _FULL * self._count and length >= _FULL * self._mask.shape[1]:
            self._free = np.setdiff1d(np.arange(self._count), places).tolist()
            return None
        self._move(places, len(places), length)
        self._count, self._free = len(places), []
        return places

    def _move(self, places: Array, capacity: int, length: int) -> None:
        """Copy the given places into other arrays."""
        self._mask = _fitted(self._mask, places, capacity, length, False)
        self._cross = [_fitted(array, places, capacity, length, 0) for array in self._cross]


def _fitted(array: Array, places: Array, capacity: int, length: int, filling: float) -> Array:
    """Copy the given places of an array into a new array with this capacity and length."""
    fitted = np.full((capacity, length, *array.shape[2:]), filling, array.dtype)
    common = min(length, array.shape[1])
    fitted[: len(places), :common] = array[places, :common]
    return fitted


def gather_indices(owner: Array, sentences: int) -> tuple[Array, Array]:
    """The beams of each sentence side by side, as the decoder graph wants them.

    Args:
        owner: (R,) int64, the sentence of each row.
        sentences: B.

    Returns:
        ``beam_rows`` (B, M, 2) and ``row_beams`` (R, 1, 2), int64, ``members`` and ``seats`` in ``export.graph_ends``.
    """
    rows = np.arange(len(owner))
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=sentences)
    seat = np.empty_like(rows)
    seat[order] = rows - np.repeat(np.cumsum(counts) - counts, counts)
    beam_rows = np.zeros((sentences, max(2, int(counts.max())), 2), dtype=np.int64)
    beam_rows[owner, seat, 0] = rows
    return beam_rows, np.stack([owner, seat], axis=1)[:, None]


def assign_slots(slots: Sequence[int]) -> tuple[list[int], list[int]]:
    """Assign slots to rows that continue: their own where possible, so that little memory has to move.

    Args:
        slots: (R,) the slot of the row that each continues.

    Returns:
        The slot of each, (R,): all of 0 to R - 1; and for each of these the slot that it continues.
    """
    # Lists, for arrays cost more than they save as long as rows are counted in tens.
    new, continued, moving = [-1] * len(slots), [-1] * len(slots), []
    for row, slot in enumerate(slots):
        if slot < len(slots) and continued[slot] < 0:
            new[row] = continued[slot] = slot
        else:
            moving.append(row)
    free = (slot for slot, taken in enumerate(continued) if taken < 0)
    for row, slot in zip(moving, list(free), strict=True):
        new[row], continued[slot] = slot, slots[row]
    return new, continued


class BatchState(LiveRows[Any]):  # of _LateRows, the features are sources
    """The live rows of one decode: sentences, past and positions.

    Rows may be at different positions; each has its past at its own first places, behind a memory if there is one. The
    past itself is not touched until the next step: ``_parents`` says which of its rows each live row continues. A row
    that goes on stays in its slot, in whatever order the caller has it, so that its past needn't move. Except
    ``_slots``, arrays are in order of slots.
    """

    def __init__(self, model: Sessions) -> None:
        self._model = model
        self._sentences = EncodedBatch(model)
        self._slots: list[int] = []  # (R,) of the caller's rows
        self._owner = np.zeros(0, dtype=np.int64)  # (R,) the sentence of each row
        self._features: dict[str, OrtValue] = {}  # of the sentences, where the model runs; empty when out of date
        self._bound_length = 0
        self._binding: Binding | None = None  # None when rows or the cache's length are not those bound
        self._forget()

    def _forget(self) -> None:
        """Forget the past of all rows."""
        self._parents = [-1] * len(self)
        self._places = np.zeros((len(self), 1), dtype=np.int64)
        self._starts = np.zeros((len(self), 1), dtype=np.int64)  # the first places behind the memory
        self._past, self._cache_length = KeyValueCache(self._model), 0

    def __len__(self) -> int:
        return len(self._owner)

    def join(self, features: Sequence[Features]) -> None:
        """See ``LiveRows``. A row begins at position 0, behind its memory."""
        new = len(features)
        self._slots += range(len(self), len(self) + new)
        self._owner = np.append(self._owner, self._sentences.add(features))
        self._features, self._binding = {}, None
        continued = iter(self._past.append(pasts) if (pasts := [each.past for each in features if each.past]) else ())
        self._parents += [next(continued) if each.past else -1 for each in features]
        starts = np.array([[len(each.past[0]) if each.past else 0] for each in features], dtype=np.int64)
        self._places = np.concatenate([self._places, starts])
        self._starts = np.concatenate([self._starts, starts])

    def select(self, rows: Sequence[int]) -> None:
        """See ``LiveRows``."""
        live = len(self)
        self._slots, continued = assign_slots([self._slots[row] for row in rows])
        if continued == list(range(live)):
            return
        owner = self._owner[continued]
        if len(rows) != live or (owner != self._owner).any():
            # A mere reordering of beams leaves the sentences where they are.
            kept = np.unique(owner)
            if len(kept) < len(self._sentences):
                order = self._sentences.keep(kept)
                if order is not None:
                    owner = np.searchsorted(order, owner)
                    self._features = {}
            self._binding = None
        self._owner = owner
        if not len(owner):
            self._forget()
            return
        self._parents = [self._parents[slot] for slot in continued]
        self._places, self._starts = self._places[continued], self._starts[continued]

    def _bind(self, cache_length: int, top: int) -> Binding:
        """Return the binding of these rows; make a new one if an array that it bound has moved."""
        live, model, sentences = len(self), self._model, self._sentences
        if self._binding and (self._bound_length, self._binding.small["top"][0]) == (cache_length, top):
            return self._binding
        self._bound_length = cache_length
        beam_rows, row_beams = gather_indices(self._owner, len(sentences))
        small = {
            "tokens": np.empty((live, 1), dtype=np.int64),
            "positions": np.empty((live, 1), dtype=np.int64),
            "places": np.stack([np.arange(live), np.zeros(live, dtype=np.int64)], axis=1)[:, None],  # (R, 1, 2)
            "target_mask": np.empty((live, 1, 1, cache_length), dtype=bool),
            "parents": np.empty(live, dtype=np.int64),
            "source_mask": np.repeat(sentences.mask[:, None, None], beam_rows.shape[1], axis=2),  # (B, 1, M, S)
            "members": beam_rows,
            "seats": row_beams,
            "top": np.array([top], dtype=np.int64),
        }
        if not self._features:
            self._features = {
                name: model.value(array) for name, array in zip(model.cross, sentences.cross, strict=True)
            }
        self._binding = model.bind(small, self._features)
        return self._binding

    def step(self, tokens: Sequence[int], top: int) -> tuple[Array, Array, Array | None]:
        """See ``LiveRows``."""
        scores, candidates, *alignment = self._run(tokens, top)
        slots = self._slots
        return scores[slots, 0], candidates[slots, 0], alignment[0][slots, 0] if alignment else None

    def remembered(self, row: int) -> tuple[Array, ...]:
        """See ``LiveRows``: the decoder's part of the memory."""
        length = self._model.memory_length
        if not length:
            return ()
        slot = self._slots[row]
        end = int(self._places[slot, 0])
        return self._past.read(slot, max(0, end - length), end)

    def _run(self, tokens: Sequence[int], top: int) -> list[Array]:
        """One run of the decoder graph."""
        model = self._model
        # The graph attends to the whole cache: for many rows that would cost more than moving them.
        block = _ROOM if len(self) <= _FEW else POSITIONS
        cache_length = 1 if model.recurrent else pad_to_multiple(int(self._places.max()) + 1, block)
        if not cache_length <= self._cache_length <= cache_length + 2 * block:
            self._cache_length = cache_length
        cache_length = self._cache_length
        binding = self._bind(cache_length, top)
        small = binding.small
        small["tokens"][self._slots, 0] = tokens
        small["positions"][:] = self._places - self._starts
        small["parents"][:] = [max(parent, 0) for parent in self._parents]
        if "places" in small:  # a recurrent decoder has none
            small["places"][:, :, 1] = self._places
            np.less_equal(np.arange(cache_length), self._places, out=small["target_mask"][:, 0, 0])
        results = model.step(binding, *self._past.arrange(self._parents, cache_length))
        self._parents = list(range(len(self)))
        self._places += 1
        if not np.isfinite(results[0]).all():
            raise ModelFailure("The model gave scores that are not finite.")
        return results
