"""Many searches over an incremental decoder. Knows no text, no clock, no ONNX: ids in, hypotheses out.

A ``BatchDecoder`` advances them together, each with options of its own. They may join and leave between any two steps.
Beams are rows of the same batch.
"""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.search import Beam, Hypothesis, Search, Steps, default_max_length
from app.engine.options import SearchOptions

Scores = NDArray[np.floating]
Ids = NDArray[np.integer]
Features = TypeVar("Features")
_Given = TypeVar("_Given", contravariant=True)


class Batch(Protocol[_Given]):
    """A running decode, such as ``BatchDecoder``."""

    steps: int
    """Made so far."""

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""

    def join(self, searches: Sequence[Search], features: Sequence[_Given]) -> None:
        """Add sentences."""

    def step(self, most: int) -> Sequence[Search]:
        """Advance all searches by as many steps as the model makes at once, at most this many; return the finished."""

    def drop(self, gone: Sequence[Search]) -> None:
        """Take sentences out."""

    def emptied(self) -> "Batch[_Given]":
        """A batch of the same kind without sentences, after a failure that may have spoilt this one."""


class LiveRows(Protocol[_Given]):
    """The decoder's side of a batch: one row a live hypothesis."""

    def join(self, features: Sequence[_Given]) -> None:
        """Append one row a sentence, before its first target token."""

    def select(self, rows: Sequence[int]) -> None:
        """Keep the given rows, in that order; a row may be named more than once."""

    def step(self, tokens: Sequence[int], top: int) -> tuple[Scores, Ids, Ids | None]:
        """Advance each row by its last token.

        Args:
            tokens: (R,) ids.
            top: Candidates wanted, K. A model with a smaller vocabulary may return fewer.

        Returns:
            Log-probabilities (R, K), best first; their token ids (R, K) int64; and the source position (R,) int64 that
            the alignment head looks at, or None if there is no such head.

        Raises:
            ModelFailure: The graph raised, or a score is not finite.
        """

    def remembered(self, row: int) -> tuple[Any, ...]:
        """After a step, return the arrays of a row that a model with a memory keeps for the next sentence."""
        return ()

    def most_steps(self, wanted: Sequence[int], *, lexicons: bool) -> int:
        """Return how many steps to make in one run; 1 unless the model can make several.

        Args:
            wanted: Hypotheses that each search still wants.
            lexicons: A search has a lexicon.
        """
        return 1

    def search_steps(self, beams: Sequence[Beam], steps: int) -> Steps:
        """Continue all searches of the batch by up to ``steps`` steps, or until all have ended.

        Each step keeps a search's best extensions: as many as it still wants, and none that is far behind the best.
        The hypotheses of the last step are then the rows, ``wanted`` rows for each search. Only models that can make
        several steps are asked.

        Raises:
            ModelFailure: As ``step``.
        """
        raise AssertionError("this model makes one step at a time")


class Model(Protocol[Features]):
    """The interface of a model that search needs."""

    @property
    def learns(self) -> bool:
        """Whether its searches can learn from examples."""

    def encode(self, sources: Sequence[Sequence[int]]) -> Sequence[Features]:
        """Return the features of each source."""

    def rows(self) -> LiveRows[Features]:
        """Return an empty batch."""


class BatchDecoder(Generic[Features]):
    """Many searches advancing together over the rows of one model.

    Attributes:
        searches: The unfinished searches.
        steps: Tokens by which every search has been advanced so far.
    """

    def __init__(self, model: Model[Features]) -> None:
        self._model = model
        self._rows = model.rows()
        self.searches: list[Search] = []
        self.steps = 0

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""
        return sum(search.rows for search in self.searches) if self.searches else 0  # asked for often

    def join(self, searches: Sequence[Search], features: Sequence[Features]) -> None:
        """Add sentences with their encoder features; they start at the next step."""
        self._rows.join(features)
        self.searches.extend(searches)

    def step(self, most: int = sys.maxsize) -> list[Search]:
        """Advance every search by one or more tokens; return the finished searches, whose rows are freed.

        Args:
            most: Tokens to advance by at most.
        """
        wanted = [search.beam for search in self.searches]
        lexicons = any(search.has_lexicon for search in self.searches)
        steps = min(
            most, self._rows.most_steps(wanted, lexicons=lexicons), *(search.steps_left for search in self.searches)
        )
        kept = self._advance() if steps < 2 else self._advance_several(steps)
        done = [search for search in self.searches if not search.rows]
        self.searches = [search for search in self.searches if search.rows]
        self._rows.select(kept)
        return done

    def emptied(self) -> "BatchDecoder[Features]":
        """A batch of the same model without searches, after a failure that may have spoilt this one."""
        return BatchDecoder(self._model)

    def _advance_several(self, steps: int) -> list[int]:
        """Several steps of every search by the model itself; returns the rows that go on."""
        beams = [search.state for search in self.searches]
        found = self._rows.search_steps(beams, steps)
        self.steps += len(found.tokens)
        columns = Steps(*(None if each is None else each.T.tolist() for each in found))
        kept: list[int] = []
        first = 0
        for search, beam in zip(self.searches, beams, strict=True):
            kept += [first + row for row in search.take_steps(columns, first)]
            first += beam.wanted
        return kept

    def _advance(self) -> list[int]:
        """One step of every search; returns the rows that go on, in their order."""
        tokens = [token for search in self.searches for token in search.last_tokens]
        top = max(search.candidates_needed for search in self.searches)
        best, ids, positions = self._rows.step(tokens, top)
        self.steps += 1
        attended = None if positions is None else positions.tolist()
        kept: list[int] = []
        first = 0
        for search in self.searches:
            last = first + search.rows
            looked_at = None if attended is None else attended[first:last]
            own = slice(first, last), slice(search.candidates_needed)
            search.remembered = partial(self._remembered, first)
            parents = search.advance(best[own].tolist(), ids[own].tolist(), looked_at)
            kept += [first + parent for parent in parents]
            first = last
        return kept

    def _remembered(self, first: int, row: int) -> tuple[Any, ...]:
        """Return what the model keeps of a row of the search whose first row is given."""
        return self._rows.remembered(first + row)

    def drop(self, gone: Sequence[Search]) -> None:
        """Take searches out between two steps, finished or not."""
        kept: list[int] = []
        first = 0
        for search in self.searches:
            if search not in gone:
                kept += range(first, first + search.rows)
            first += search.rows
        self.searches = [search for search in self.searches if search not in gone]
        self._rows.select(kept)


def decode(
    model: Model[Features],
    sources: Sequence[Sequence[int]],
    *,
    start_id: int,
    eos_id: int,
    options: SearchOptions,
    max_length: int | None = None,
) -> list[list[Hypothesis]]:
    """Translate a batch of source ids from start to end, without a scheduler.

    Args:
        model: Encoder and decoder.
        sources: Source ids, special ids included.
        start_id: First input of the decoder.
        eos_id: End of sentence.
        options: Options of all searches.
        max_length: Target positions that the model has; None if it has as many as anybody wants.

    Returns:
        Up to ``n_best`` hypotheses a source, best first.
    """
    searches = [
        Search(
            start_id=start_id,
            eos_id=eos_id,
            max_length=min(options.max_length or default_max_length(len(source)), max_length or sys.maxsize),
            options=options,
        )
        for source in sources
    ]
    batch = BatchDecoder(model)
    batch.join(searches, model.encode(sources))
    while batch.searches:
        batch.step()
    return [search.hypotheses() for search in searches]
