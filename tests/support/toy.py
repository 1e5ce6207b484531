"""A model without weights behind the protocols of search and scheduler, and a scheduler that runs it.

Its next-token scores are a pure function of source and target so far, so what a sentence must translate to is known
whatever else is in the batch. Hooks let a test count steps, block them, or raise.
"""

import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.engine.decoding.batch_decoder import BatchDecoder, LiveRows
from app.engine.decoding.search import Beam, Search, Steps
from app.engine.memory import Memory
from app.engine.models.bundle import Bundle
from app.engine.options import SearchOptions
from app.engine.scheduling.job_queue import Backlog
from app.engine.scheduling.policy import Job, Limits
from app.engine.scheduling.scheduler import Scheduler
from app.engine.single_model import Engine

START, EOS = 1, 2
WAIT_S = 30.0  # an upper bound for what should happen at once; reaching it fails a test

Tokens = tuple[int, ...]
Row = tuple[Tokens, Tokens]
"""Source, and target so far without the start."""


class ToyFeatures(NamedTuple):
    """The features of the toy encoder."""

    source: Tokens

    @property
    def nbytes(self) -> int:
        return 8 * len(self.source)

    def copy(self) -> "ToyFeatures":
        return self


class ToyModel:
    """Random but reproducible scores.

    Args:
        vocabulary: Number of tokens V.
        seed: Another seed is another model.
        eos_bonus: Added to the logit of the end of sentence: low for long translations.
        most_steps: Steps that it makes at once.
    """

    kernels = None
    providers = ("Toy",)
    memory_length = 0
    learns = False

    def __init__(self, vocabulary: int, *, seed: int = 0, eos_bonus: float = 0.0, most_steps: int = 1) -> None:
        self.vocabulary, self.seed, self.eos_bonus, self.most_steps = vocabulary, seed, eos_bonus, most_steps
        self.on_step: Callable[[list[Row]], None] = lambda rows: None
        self.on_encode: Callable[[Sequence[Tokens]], None] = lambda sources: None
        self.steps = 0
        self._known: dict[Row, NDArray[np.float32]] = {}

    def scores(self, source: Tokens, target: Tokens) -> NDArray[np.float32]:
        """Log-probabilities (V,) float32 of the next token."""
        if (source, target) not in self._known:
            rng = np.random.default_rng(zlib.crc32(repr((self.seed, source, target)).encode()))
            logits = 2.0 * rng.standard_normal(self.vocabulary)
            logits[EOS] += self.eos_bonus
            self._known[source, target] = (logits - np.logaddexp.reduce(logits)).astype(np.float32)
        return self._known[source, target]

    def next_scores(self, source: Sequence[int]) -> Callable[[Tokens], list[float]]:
        """The same, as ``tests.support.reference`` wants it."""
        return lambda target: self.scores(tuple(source), target).tolist()

    def encode(
        self, sources: Sequence[Sequence[int]], memories: Sequence[Memory | None] | None = None
    ) -> list[ToyFeatures]:
        self.on_encode([tuple(source) for source in sources])
        return [ToyFeatures(tuple(source)) for source in sources]

    def rows(self) -> "ToyRows":
        return ToyRows(self)


class ToyRows(LiveRows):
    """Live rows of a toy decode."""

    def __init__(self, model: ToyModel) -> None:
        self._model = model
        self._rows: list[tuple[Tokens, Tokens | None]] = []  # no target yet: the next token is the start

    def join(self, features: Sequence[ToyFeatures]) -> None:
        self._rows += [(item.source, None) for item in features]

    def select(self, rows: Sequence[int]) -> None:
        self._rows = [self._rows[row] for row in rows]

    def step(self, tokens: Sequence[int], top: int) -> tuple[NDArray[Any], NDArray[Any], None]:
        assert len(tokens) == len(self._rows) > 0
        rows = [
            (source, () if target is None else (*target, token))
            for (source, target), token in zip(self._rows, tokens, strict=True)
        ]
        self._rows = list(rows)
        self._model.steps += 1
        self._model.on_step(rows)
        scores = np.stack([self._model.scores(*row) for row in rows])  # (R, V)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :top]
        return np.take_along_axis(scores, best, axis=1), best, None

    def most_steps(self, wanted: Sequence[int], *, lexicons: bool) -> int:
        return 1 if lexicons else self._model.most_steps

    def search_steps(self, beams: Sequence[Beam], steps: int) -> Steps:
        """Does the steps of a native model in numpy, with a row for every hypothesis that is wanted."""
        assert 1 < steps <= self._model.most_steps
        firsts = np.cumsum([0, *(len(beam.tokens) for beam in beams)]).tolist()
        rows = []
        for first, beam in zip(firsts, beams, strict=False):
            rows += [first + min(place, len(beam.tokens) - 1) for place in range(beam.wanted)]
        self.select(rows)
        missing = [beam.wanted - len(beam.tokens) for beam in beams]
        tokens = [beam.tokens + [0] * more for beam, more in zip(beams, missing, strict=True)]
        sums = [np.array(beam.totals + [-np.inf] * more) for beam, more in zip(beams, missing, strict=True)]
        left, found = [beam.wanted for beam in beams], []
        while len(found) < steps and any((each > -np.inf).any() for each in sums):
            scores, candidates, _ = self.step([token for each in tokens for token in each], self._model.vocabulary)
            made, rows, first = [], [], 0
            for i, beam in enumerate(beams):
                last = first + beam.wanted
                extensions = (sums[i][:, None] + scores[first:last]).ravel()
                best = np.argsort(-extensions, kind="stable")[: beam.wanted]
                near = (np.arange(beam.wanted) < left[i]) & (extensions[best] >= extensions.max() - beam.threshold)
                totals, parents = np.where(near, extensions[best], -np.inf), best // candidates.shape[1]
                tokens[i] = candidates[first:last].ravel()[best].tolist()
                ends = (np.array(tokens[i]) == EOS) & (totals > -np.inf)
                sums[i], left[i] = np.where(ends, -np.inf, totals), left[i] - ends.sum()
                rows += (first + parents).tolist()
                made.append((totals, tokens[i], parents))
                first = last
            self.select(rows)
            found.append([np.concatenate(part) for part in zip(*made, strict=True)])
        totals, ids, parents = (np.array(part) for part in zip(*found, strict=True))
        return Steps(totals, ids, parents, None)


class Gate:
    """Blocks a toy model at every step until the test lets one pass."""

    def __init__(self, model: ToyModel) -> None:
        self._entered, self._passes = threading.Semaphore(0), threading.Semaphore(0)
        self._open = False
        self.rows: list[Row] = []
        model.on_step = self._step

    def wait_for_step(self) -> None:
        """Return once the model stands in a step, before its scores."""
        assert self._entered.acquire(timeout=WAIT_S)

    def let_one_pass(self) -> None:
        """Let the blocked step go on."""
        self._passes.release()

    def open(self) -> None:
        """Block no more."""
        self._open = True
        self._passes.release()

    def _step(self, rows: list[Row]) -> None:
        self.rows = rows
        self._entered.release()
        assert self._open or self._passes.acquire(timeout=WAIT_S)


def greedy(**options: Any) -> SearchOptions:
    """Options of a greedy search."""
    return SearchOptions(beam_size=1, **options)


def job(*source: int, options: SearchOptions | None = None, **others: Any) -> Job:
    """A job with a plain source."""
    return Job(source=source, options=options or greedy(), **others)


ROOMY = Limits(max_queue_tokens=10_000, max_batch_rows=64, max_batch_tokens=1_000)


class ToyWorkload:
    """Decodes with the shipping search."""

    def __init__(self, model: ToyModel, max_length: int) -> None:
        self._model, self._max_length = model, max_length

    def encode(self, jobs: Sequence[Job]) -> Sequence[ToyFeatures]:
        return self._model.encode([job.source for job in jobs])

    def prepared(self, jobs: Sequence[Job]) -> Sequence[Job]:
        return jobs

    def new_search(self, job: Job) -> Search:
        limit = job.options.max_length or self._max_length
        return Search(start_id=START, eos_id=EOS, max_length=limit, options=job.options)

    def new_batch(self) -> BatchDecoder[ToyFeatures]:
        return BatchDecoder(self._model)


def scheduler_of(
    model: ToyModel, *, limits: Limits = ROOMY, max_length: int = 40, backlog: Backlog | None = None, workers: int = 1
) -> Scheduler:
    """A scheduler, not started, over a toy model."""
    return Scheduler(ToyWorkload(model, max_length), limits=limits, workers=workers, backlog=backlog)


def engine_of(bundle: Bundle, model: Any, *, limits: Limits = ROOMY, drain_s: float = 0.0) -> Engine:
    """An engine, not started, over a bundle's tokenizer and any model; it checks no golden sentences."""
    return Engine(
        replace(bundle, golden=()), [model], limits=limits, precision="float32", cache_bytes=100_000, drain_s=drain_s
    )


@contextmanager
def running(scheduler: Scheduler, drain_s: float = WAIT_S) -> Iterator[Scheduler]:
    """Started, and stopped at the end."""
    scheduler.start()
    try:
        yield scheduler
    finally:
        scheduler.stop(drain_s)
