"""A batch in two parts: searches that the model continues by itself, and searches that need Python at every step."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from app.engine.decoding.batch_decoder import Batch, BatchDecoder, Features, Model
from app.engine.decoding.search import Search

_STEPS_TOGETHER = 8  # in one call: newcomers wait for the single steps of the restricted searches


_Given = TypeVar("_Given", contravariant=True)


class Part(Batch[_Given], Protocol[_Given]):
    """A batch that also tells its searches, such as ``BatchDecoder``."""

    @property
    def searches(self) -> Sequence[Search]:
        """The unfinished searches."""

    def step(self, most: int) -> list[Search]:
        """See ``Batch``."""

    def emptied(self) -> "Part[_Given]":
        """See ``Batch``."""


class SplitBatch(Generic[Features]):
    """Keeps a search with restrictions from slowing down the others; see ``BatchDecoder``.

    In one batch, all searches take single steps as long as one of them has to. Second attempts do: they forbid words.

    Args:
        free: For searches that the model continues by itself.
        restricted: For the others.
        takes: Tells whether a search with these features belongs to ``free``.

    Attributes:
        steps: Tokens by which the batch has been advanced so far.
    """

    def __init__(
        self, free: Part[Features], restricted: Part[Features], takes: Callable[[Search, Features], bool]
    ) -> None:
        self._free, self._restricted, self._takes = free, restricted, takes
        self.steps = 0

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""
        return self._free.live_rows + self._restricted.live_rows

    def join(self, searches: Sequence[Search], features: Sequence[Features]) -> None:
        """Add sentences with their encoder features; they start at the next step."""
        for part, is_free in ((self._free, True), (self._restricted, False)):
            chosen = [pair for pair in zip(searches, features, strict=True) if self._takes(*pair) == is_free]
            if chosen:
                part.join([search for search, _ in chosen], [each for _, each in chosen])

    def step(self, most: int) -> list[Search]:
        """Advance every search by one or more tokens; return the finished searches.

        The restricted ones make as many steps as the others, unless they have more rows: then they make fewer,
        so that many of them don't hold up the others.

        Args:
            most: Tokens to advance by at most.
        """
        if not self._free.searches:
            self.steps += 1
            return self._restricted.step(1)
        before, rows = self._free.steps, self._free.live_rows
        done = self._free.step(min(most, _STEPS_TOGETHER) if self._restricted.searches else most)
        made = self._free.steps - before
        for _ in range(max(1, min(made, made * rows // max(1, self._restricted.live_rows)))):
            if self._restricted.searches:
                done += self._restricted.step(1)
        self.steps += made
        return done

    def drop(self, gone: Sequence[Search]) -> None:
        """Take searches out between two steps, finished or not."""
        for part in (self._free, self._restricted):
            part.drop([search for search in gone if search in part.searches])

    def emptied(self) -> "SplitBatch[Features]":
        """A batch of the same kind without searches."""
        return SplitBatch(self._free.emptied(), self._restricted.emptied(), takes=self._takes)


def new_batch(model: "Model[Features] | HasBatch") -> Any:
    """An empty batch: of the model's own kind, or in two parts if it makes several steps of several beams at once."""
    if isinstance(model, HasBatch):
        return model.new_batch()
    two_beams = (2, 2)
    if model.rows().most_steps(two_beams, lexicons=False) == 1:
        return BatchDecoder(model)
    return SplitBatch(BatchDecoder(model), BatchDecoder(model), takes=lambda search, _: search.steps_left > 0)


@runtime_checkable
class HasBatch(Protocol):
    """A model with batches of its own."""

    def new_batch(self) -> Any:
        """An empty batch."""
