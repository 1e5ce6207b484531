"""Which sentences are decoded together: the policy, in pure functions over jobs and lanes.

Short work and long work run in two lanes, each with a queue and a running batch of its own, so that a short request
always finds room. ``next_lane`` shares a worker's time between the lanes, ``plan`` fills a lane's batch.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from app.engine.decoding.batch_decoder import Batch
from app.engine.decoding.neighbours import Neighbours
from app.engine.decoding.search import Hypothesis, Search
from app.engine.decoding.term_search import TermConstraints
from app.engine.decoding.word_trees import RareWord
from app.engine.interface import Timing
from app.engine.memory import Arrays, Memory
from app.engine.options import SearchOptions
from app.logs import request_id
from app.priority import Priority, priority


@dataclass(frozen=True, kw_only=True)
class Policy:
    """All constants that decide in which order jobs are served.

    Attributes:
        short_tokens: The first source tokens of a request are short work; all beyond them is long work.
        short_weight: Share of a worker's time for short work, relative to ``long_weight``, while there is both. Long
            work keeps going, and short work loses at most a fifth.
        long_weight: See ``short_weight``.
        long_turn_s: A short request that arrives during a turn of the long lane waits for its end, so these turns are
            kept short: the decoder gets no more rows than it steps in this time, in seconds, and makes no more steps.
        long_encoded_tokens: Source tokens of the long lane that the encoder gets at a time, so that a short request
            needn't wait.
        more_rows: Rows by which the long lane's batch grows after a turn that was short enough.
        window: Pending jobs that are compared by length when a batch is filled; a bound, so that planning stays cheap
            under load.
        free_again: A full queue accepts new requests again when this share of it is free.
        long_share: Share of the queue that long work may take away from short work. Texts that were admitted may put
            in more, but short requests still get the other half.
        bulk_share: Share of the queue that may be full when bulk work is refused.
        delay: For each token that its request has queued before it, a sentence is sorted as if it had arrived this
            many tokens later. So a request of one sentence goes before the later sentences of larger requests. These
            can't be overtaken for ever: by 16,384 tokens at most, because ``Job.ahead`` is bounded by ``short_tokens``.
    """

    short_tokens: int = 512
    short_weight: float = 4.0
    long_weight: float = 1.0
    long_turn_s: float = 0.01
    long_encoded_tokens: int = 128
    more_rows: int = 8
    window: int = 256
    free_again: float = 1 / 16
    long_share: float = 1 / 2
    bulk_share: float = 1 / 2
    delay: int = 32


POLICY = Policy()

Features = TypeVar("Features")
"""The encoder's result for one sentence."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of the queue and of the batch; see ``app.settings`` for their meaning and units."""

    max_queue_tokens: int
    max_batch_rows: int
    max_batch_tokens: int


@dataclass(frozen=True)
class Outcome:
    """The result of a job's future.

    ``ended`` is a time of ``time.monotonic``, 0 if it was found in a cache; ``remembered`` is as in ``Job``.
    """

    hypotheses: Sequence[Hypothesis]
    timing: Timing
    remembered: Arrays = ()
    ended: float = 0.0


@dataclass(eq=False, kw_only=True)
class Job:
    """One sentence to translate.

    Attributes:
        source: Source ids, special ids included.
        options: Search options.
        terms: What the translation must have, if anything.
        rare_words: Words of the source that the lexicon has.
        examples: Texts that are like the source, with their translations, to learn from.
        neighbours: The examples that were read, with their states.
        known: Target ids of the translation, if it is known: the model only aligns it.
        long: It belongs to long work, which yields to short work.
        on_tokens: Called on a worker's thread after each step with ``Search.best_tokens``; must not raise.
        future: Receives the ``Outcome``; cancelling it frees the rows at the next step.
        ahead: Source tokens that its request has put into the queue before it, up to a bound.
        again: Its sentence has had a turn, so it goes before all that waits.
        priority: How urgent its request is.
        start: Virtual time at which it is due, in tokens of normal work; the queue sets it, as it sets ``order``.
        order: Position among all jobs, lowest first.
        alone: The job was in a failed batch. It is retried without other jobs, so that only the one at fault fails.
        memory: What the model keeps of the sentences before, if it has a memory.
        remembered: The encoder's part of the memory after this sentence; ``Workload.encode`` sets it.
        request_id: Id of its request, for the log.
    """

    source: tuple[int, ...]
    options: SearchOptions
    terms: TermConstraints | None = None
    rare_words: tuple[RareWord, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    known: tuple[int, ...] = ()
    neighbours: dict[tuple[str, str], Neighbours] = field(default_factory=dict)
    long: bool = False
    on_tokens: Callable[[tuple[int, ...]], None] | None = None
    future: Future[Outcome] = field(default_factory=Future)
    ahead: int = 0
    again: bool = False
    priority: Priority = field(default_factory=priority.get)
    start: float = 0.0
    order: float = 0.0
    alone: bool = False
    submitted: float = 0.0
    started: float = 0.0
    encode_s: float = 0.0
    memory: Memory | None = None
    remembered: Arrays = ()
    request_id: str | None = field(default_factory=request_id.get)

    @property
    def identity(self) -> tuple[tuple[int, ...], bytes]:
        """Equal for jobs that the encoder can't tell apart: the source, and the key of the memory."""
        return self.source, self.memory.key if self.memory else b""


class Workload(Protocol[Features]):
    """The work that the threads of a scheduler do. Thread-safe."""

    def prepared(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """The jobs that can be encoded now, after a short piece of the work that the others need first.

        Raises:
            ModelFailure: That work failed.
        """

    def encode(self, jobs: Sequence[Job]) -> Sequence[Features]:
        """Features of each job's source.

        Raises:
            ModelFailure: The encoder failed.
        """

    def new_search(self, job: Job) -> Search:
        """A search for a job."""

    def new_batch(self) -> Batch[Features]:
        """An empty decode."""


@dataclass(eq=False, kw_only=True)
class Lane(Generic[Features]):
    """Jobs that share one worker's running batch, and their account with its other lane.

    Attributes:
        weight: Share of the worker's time, relative to the other lane's.
        limits: Bounds of this lane's batch.
        batch: The running decode.
        long: The lane of long work.
        running: The jobs in ``batch``.
        clock: Virtual time, in seconds: the time that the lane has used, divided by its weight.
        turn_s: What its latest turn took, in seconds; the next is taken to be like it.
        most_steps: Steps that a turn may have.
    """

    weight: float
    limits: Limits
    batch: Batch[Features]
    long: bool
    running: dict[Search, Job] = field(default_factory=dict)
    clock: float = 0.0
    turn_s: float = 0.0
    most_steps: int = sys.maxsize

    @property
    def reserved_rows(self) -> int:
        """Rows that the running jobs may grow to: a beam starts as one row."""
        return sum(job.options.beam_size for job in self.running.values())


def next_lane(lanes: Sequence[Lane[Features]]) -> Lane[Features]:
    """Return the lane whose next turn would end first in virtual time; the first of equal lanes.

    This is weighted fair queueing (Demers, Keshav and Shenker 1989). Over time each busy lane gets its share, however
    long its turns are, and a short turn doesn't wait for a long one that is not yet due.

    Args:
        lanes: The busy lanes, at least one.
    """
    return min(lanes, key=lambda lane: lane.clock + lane.turn_s / lane.weight)


def fit_rows(rows: int, step_s: float, most: int) -> int:
    """Return the rows that the long lane may have next, so that its steps stay short on any machine.

    Additive increase, multiplicative decrease, as TCP finds its window (Chiu and Jain 1989).

    Args:
        rows: Rows that its jobs may grow to now.
        step_s: What its latest steps took on average, in seconds.
        most: Rows that a batch may have.
    """
    return max(1, rows * 3 // 4) if step_s > POLICY.long_turn_s else min(rows + POLICY.more_rows, most)


def fit_steps(step_s: float) -> int:
    """Steps that the long lane may make in a turn, by what its latest took on average, in seconds."""
    return max(1, int(POLICY.long_turn_s / max(step_s, 1e-6)))


def plan(pending: Sequence[Job], *, live_rows: int, limits: Limits, idle_workers: int = 0) -> list[Job]:
    """Choose the jobs that join now.

    The oldest job is always chosen, so that no job starves. Jobs of similar length fill the padded token budget and the
    free rows; less urgent jobs come last. A job counts with its full beam. A job that exceeds a limit on its own still
    runs, but alone.

    Args:
        pending: Waiting jobs, oldest first.
        live_rows: Rows already decoding.
        limits: Bounds.
        idle_workers: Others that have nothing to do: they get their share.
    """
    if not pending:
        return []
    anchor = pending[0]
    if anchor.alone:
        return [] if live_rows else [anchor]
    if live_rows and live_rows + anchor.options.beam_size > limits.max_batch_rows:
        return []
    share = -(-len(pending) // (1 + idle_workers))
    chosen, rows, longest = [anchor], live_rows + anchor.options.beam_size, len(anchor.source)
    if rows >= limits.max_batch_rows:
        return chosen  # as mostly under load: nothing to sort for
    others = (job for job in pending[1 : POLICY.window] if not job.alone)
    # Less urgent work comes last. Otherwise a fitting length would bring it in, whatever its weight.
    least = anchor.priority.weight
    for job in sorted(others, key=lambda job: (job.priority.weight < least, abs(len(job.source) - len(anchor.source)))):
        width = max(longest, len(job.source))
        if len(chosen) >= share:
            break
        if rows + job.options.beam_size > limits.max_batch_rows or (len(chosen) + 1) * width > limits.max_batch_tokens:
            break
        chosen.append(job)
        rows, longest = rows + job.options.beam_size, width
    return chosen
