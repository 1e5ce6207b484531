"""The arrays that live between two decoding steps, kept aligned while rows come and go.

Axes: B sentences, R live rows, M rows a sentence, S source length, P target positions there is room for, D width, C
pieces to choose from, K candidates, L decoder layers. S, P and C are whole blocks, see ``app.engine.blocks``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import OrtValue

from app.engine.blocks import CHOICES, POSITIONS, rounded_up
from app.engine.shortlist import choose
from app.errors import ModelFailure

if TYPE_CHECKING:
    from app.engine.runtime import Binding, Features, OnnxModel

Array = NDArray[Any]

# For so few rows, what a run costs beside the sums matters more than sums over places that are empty.
_FEW = 8


class Sentences:
    """What the sentences of a batch are: one place each, whatever the number of their rows.

    Attributes:
        mask: (B, S) bool, True on source tokens.
        cross: 2L arrays (B, S, D), the encoder's features.
        pieces: (B, C) int64, the target ids that each may choose from, then -1; C is 0 without shortlists.
    """

    def __init__(self, model: "OnnxModel") -> None:
        self.mask = np.zeros((0, 0), dtype=bool)
        self.cross = [np.zeros((0, 0, model.width), model.dtype) for _ in model.cross]
        self.pieces = np.zeros((0, 0), dtype=np.int64)

    def __len__(self) -> int:
        return len(self.mask)

    def add(self, features: Sequence["Features"]) -> None:
        """Append sentences."""
        old = len(self)
        length = max(self.mask.shape[1], *(rounded_up(item.length) for item in features))
        most = max(self.pieces.shape[1], *(rounded_up(len(item.pieces), CHOICES) for item in features))
        self.mask = _grown(self.mask, len(features), length, False)
        self.cross = [_grown(array, len(features), length, 0) for array in self.cross]
        self.pieces = _grown(self.pieces, len(features), most, -1)
        for place, item in enumerate(features, old):
            self.mask[place, : item.length] = True
            self.pieces[place, : len(item.pieces)] = item.pieces
            for array, feature in zip(self.cross, item.arrays, strict=True):
                array[place, : item.length] = feature

    def keep(self, places: Array) -> None:
        """Drop all but the given ones."""
        mask, pieces = self.mask[places], self.pieces[places]
        length = rounded_up(int(mask.any(0).sum()))
        self.mask = np.ascontiguousarray(mask[:, :length])
        self.cross = [array[:, :length].take(places, axis=0) for array in self.cross]
        self.pieces = pieces[:, : rounded_up(int((pieces >= 0).any(0).sum()), CHOICES)]


def _grown(array: Array, more: int, length: int, filling: float) -> Array:
    """Room for more sentences, of that length."""
    grown = np.full((len(array) + more, length, *array.shape[2:]), filling, array.dtype)
    grown[: len(array), : array.shape[1]] = array
    return grown


def seating(owner: Array, sentences: int) -> tuple[Array, Array]:
    """The beams of each sentence side by side, as the decoder graph wants them.

    Args:
        owner: (R,) int64, the sentence of each row.
        sentences: B.

    Returns:
        ``members`` (B, M, 2) and ``seats`` (R, 1, 2), int64, see ``export.graphs.DecoderGraph``.
    """
    rows = np.arange(len(owner))
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=sentences)
    seat = np.empty_like(rows)
    seat[order] = rows - np.repeat(np.cumsum(counts) - counts, counts)
    members = np.zeros((sentences, max(2, int(counts.max())), 2), dtype=np.int64)
    members[owner, seat, 0] = rows
    return members, np.stack([owner, seat], axis=1)[:, None]


class Rows:
    """The live rows of one decode: sentences, past and positions.

    Rows may be at different positions; each has its past at its own first columns. The past itself is not touched until
    the next step: ``_parents`` says which of its rows each live row continues.
    """

    def __init__(self, model: "OnnxModel") -> None:
        self._model = model
        self._sentences = Sentences(model)
        self._owner = np.zeros(0, dtype=np.int64)  # (R,) the sentence of each row
        self._features: dict[str, OrtValue] = {}  # of the sentences, where the model runs; empty when out of date
        self._small: dict[str, Array] = {}
        self._bindings: dict[bool, Binding] = {}  # by whether greedy; empty when rows or room are not those bound
        self._forget()

    def _forget(self) -> None:
        """No row has a past."""
        self._parents = np.zeros(len(self), dtype=np.int64)
        self._positions = np.zeros((len(self), 1), dtype=np.int64)
        self._past = self._model.empty_past()

    def __len__(self) -> int:
        return len(self._owner)

    def join(self, features: Sequence["Features"]) -> None:
        """Append one row a sentence, at position 0."""
        new = len(features)
        self._owner = np.append(self._owner, len(self._sentences) + np.arange(new))
        self._sentences.add(features)
        self._features, self._bindings = {}, {}
        self._parents = np.append(self._parents, np.zeros(new, dtype=np.int64))  # without a past any row will do
        self._positions = np.concatenate([self._positions, np.zeros((new, 1), dtype=np.int64)])

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""
        index = np.asarray(rows, dtype=np.int64)
        owner = self._owner[index]
        if not np.array_equal(owner, self._owner):
            # A mere reordering of beams leaves the sentences where they are.
            kept, owner = np.unique(owner, return_inverse=True)
            if len(kept) < len(self._sentences):
                self._sentences.keep(kept)
                self._features = {}
            self._bindings = {}
        self._owner = owner
        if not len(index):
            self._forget()
            return
        self._parents = self._parents[index]
        self._positions = self._positions[index]

    def _bind(self, room: int, top: int, *, greedy: bool) -> "Binding":
        """The binding of these rows, made anew unless all that it bound is still in place."""
        live, model, sentences, small = len(self), self._model, self._sentences, self._small
        if not self._bindings or small["target_mask"].shape[-1] != room or small["top"][0] != top:
            self._bindings = {}
            members, seats = seating(self._owner, len(sentences))
            self._small = {
                "tokens": np.empty((live, 1), dtype=np.int64),
                "positions": np.empty((live, 1), dtype=np.int64),
                "places": np.stack([np.arange(live), np.zeros(live, dtype=np.int64)], axis=1)[:, None],  # (R, 1, 2)
                "target_mask": np.empty((live, 1, 1, room), dtype=bool),
                "source_mask": np.repeat(sentences.mask[:, None, None], members.shape[1], axis=2),  # (B, 1, M, S)
                "members": members,
                "seats": seats,
                "parents": np.empty(live, dtype=np.int64),
                "top": np.array([top], dtype=np.int64),
                "steps": np.empty(1, dtype=np.int64),
            }
            if sentences.pieces.shape[1]:
                self._small |= choose(sentences.pieces[self._owner])._asdict()
        if greedy not in self._bindings:
            if not self._features:
                self._features = {
                    name: model.value(array) for name, array in zip(model.cross, sentences.cross, strict=True)
                }
            self._bindings[greedy] = model.bind(self._small, self._features, greedy=greedy)
        return self._bindings[greedy]

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
        return scores[:, 0], candidates[:, 0], alignment[0][:, 0] if alignment else None

    @property
    def most_steps(self) -> int:
        """Greedy steps worth making in one run: rows that end meanwhile are dead weight, and newcomers have to wait."""
        if not self._model.has_greedy:
            return 1
        return 2 * POSITIONS if len(self) <= _FEW else POSITIONS

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
        room = rounded_up(int(self._positions.max()) + max(1, steps), POSITIONS if len(self) > _FEW else 4 * POSITIONS)
        binding, small = self._bind(room, top, greedy=steps > 0), self._small
        small["tokens"][:, 0] = tokens
        small["positions"][:] = self._positions
        small["places"][:, :, 1] = self._positions
        small["parents"][:] = self._parents
        small["steps"][0] = steps
        np.less_equal(np.arange(room), self._positions, out=small["target_mask"][:, 0, 0])
        past, present = self._past.arrange(self._parents, room)
        results = model.step(binding, past, present)
        self._parents = np.arange(len(self))
        self._positions += len(results[0]) if steps else 1
        if not np.isfinite(results[0]).all():
            raise ModelFailure("The model gave scores that are not finite.")
        return results
