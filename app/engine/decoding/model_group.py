"""Models of single directions, side by side: the first id of a source, its target tag, says whose it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from app.engine.decoding.batch_decoder import BatchDecoder, Features, Model
from app.engine.decoding.neighbours import ExampleIds, Neighbours
from app.engine.decoding.search import Search
from app.engine.decoding.split_batch import SplitBatch, new_batch

_STEPS_TOGETHER = 8  # in one call of each model, while several have work: so that none waits long for another


@dataclass(frozen=True)
class TaggedFeatures(Generic[Features]):
    """The features of a sentence, and the tag whose model made them."""

    tag: int
    features: Features

    @property
    def nbytes(self) -> int:
        """Memory held."""
        held: Any = self.features
        return int(held.nbytes)

    def copy(self) -> "TaggedFeatures[Features]":
        """Return a copy in memory of its own."""
        held: Any = self.features
        return TaggedFeatures(self.tag, held.copy())

    def with_neighbours(self, neighbours: Neighbours) -> "TaggedFeatures[Features]":
        """Return the same features of a sentence that has translations to learn from."""
        held: Any = self.features
        return TaggedFeatures(self.tag, held.with_neighbours(neighbours))


class ModelGroup(Generic[Features]):
    """Encodes each sentence with the model of its target tag. Thread-safe, as the models are.

    Args:
        models: By the tags' ids. A model may have several tags.

    Attributes:
        memory_length: 0: models of a group have no memory of earlier sentences.
    """

    memory_length = 0

    def __init__(self, models: Mapping[int, Model[Features]]) -> None:
        self._models = models

    def encode(
        self, sources: Sequence[Sequence[int]], memories: Sequence[object] = ()
    ) -> list[TaggedFeatures[Features]]:
        """Return the features of each source; special ids included, the target tag first. There are no memories."""
        found: dict[int, TaggedFeatures[Features]] = {}
        for tag, model in self._models.items():
            chosen = [index for index, source in enumerate(sources) if source[0] == tag]
            encoded = model.encode([sources[index] for index in chosen]) if chosen else ()
            found |= {index: TaggedFeatures(tag, features) for index, features in zip(chosen, encoded, strict=True)}
        return [found[index] for index in range(len(sources))]

    @property
    def learns(self) -> bool:
        """Tell whether all models learn from examples."""
        return all(model.learns for model in self._models.values())

    def read_examples(self, examples: Sequence[ExampleIds], *, start_id: int, eos_id: int) -> list[Neighbours]:
        """Return the states of each example, by the model of its target tag; see ``NativeModel.read_examples``."""
        found: dict[int, Neighbours] = {}
        for tag, model in self._models.items():
            chosen = [index for index, example in enumerate(examples) if example.source[0] == tag]
            if chosen:
                native: Any = model
                read = native.read_examples([examples[index] for index in chosen], start_id=start_id, eos_id=eos_id)
                found |= dict(zip(chosen, read, strict=True))
        return [found[index] for index in range(len(examples))]

    def new_batch(self) -> "GroupBatch[Features]":
        """An empty batch of each model."""
        return GroupBatch({tag: new_batch(model) for tag, model in self._models.items()})


class GroupBatch(Generic[Features]):
    """A batch of each model, which advance together; see ``BatchDecoder``.

    Attributes:
        steps: Tokens by which every search has been advanced so far.
    """

    def __init__(self, batches: Mapping[int, BatchDecoder[Features] | SplitBatch[Features]]) -> None:
        self._batches = batches
        self.steps = 0

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""
        return sum(batch.live_rows for batch in self._batches.values())

    def join(self, searches: Sequence[Search], features: Sequence[TaggedFeatures[Features]]) -> None:
        """Add sentences with their encoder features; they start at the next step."""
        for tag, batch in self._batches.items():
            chosen = [pair for pair in zip(searches, features, strict=True) if pair[1].tag == tag]
            if chosen:
                batch.join([search for search, _ in chosen], [each.features for _, each in chosen])

    def step(self, most: int) -> list[Search]:
        """Advance every search by one or more tokens; return the finished searches.

        Args:
            most: Tokens to advance by at most.
        """
        live = [batch for batch in self._batches.values() if batch.live_rows]
        most = min(most, _STEPS_TOGETHER) if len(live) > 1 else most
        before = [batch.steps for batch in live]
        done = [search for batch in live for search in batch.step(most)]
        furthest = max((batch.steps - start for batch, start in zip(live, before, strict=True)), default=0)
        # A batch whose searches take single steps would otherwise make one while another makes several.
        for batch, start in zip(live, before, strict=True):
            while batch.live_rows and (missing := furthest - (batch.steps - start)) > 0:
                done += batch.step(missing)
        self.steps += furthest
        return done

    def drop(self, gone: Sequence[Search]) -> None:
        """Take searches out between two steps, finished or not."""
        for batch in self._batches.values():
            batch.drop(gone)

    def emptied(self) -> "GroupBatch[Features]":
        """A batch of the same models without searches."""
        return GroupBatch({tag: batch.emptied() for tag, batch in self._batches.items()})
