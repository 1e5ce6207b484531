"""Continuous batching: which sentences join the running decode between two steps, and the thread that steps it.

Short work and long work run in two lanes, each with a queue and a running batch of its own, so that a short request
always finds room. The policy is two pure functions: ``next_lane`` shares the thread between the lanes, ``plan`` fills a
lane's batch. Every job ends exactly once: with its hypotheses or with a typed error.
"""

import logging
import threading
import time
from bisect import insort
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

from app.engine.backlog import Backlog
from app.engine.translation import SearchOptions, Timing
from app.errors import Cancelled, DragomanError, EngineUnavailable, ModelFailure, Overloaded

logger = logging.getLogger(__name__)

# Pending jobs that are compared by length when a batch is filled; a bound, so that planning stays cheap under load.
_WINDOW = 256
# How often waiting jobs are searched for dead ones, in seconds.
_SWEEP_S = 0.05
# Shares of the thread's time while both lanes have work. Long work keeps going, and short work loses at most a fifth.
_SHORT_WEIGHT, _LONG_WEIGHT = 4.0, 1.0
# A short request that arrives during a turn of the long lane has to wait for its end, so these turns are kept short:
# the encoder gets few tokens at a time, and the decoder no more rows than it steps in this time, in seconds.
_LONG_BATCH_TOKENS = 128
_LONG_STEP_S = 0.01
_MORE_ROWS = 8


class Search(Protocol):
    """One sentence's search, as ``app.engine.decoding`` has it."""

    @property
    def best_tokens(self) -> tuple[int, ...]:
        """The best hypothesis so far."""

    def hypotheses(self) -> Sequence[Any]:
        """Best first."""


class Batch(Protocol):
    """A running decode, as ``app.engine.decoding.Decode``."""

    @property
    def live_rows(self) -> int:
        """Rows of the next step."""

    def join(self, searches: Sequence[Any], features: Sequence[Any]) -> None:
        """Add sentences."""

    def step(self) -> Sequence[Any]:
        """Advance all; returns the finished."""

    def drop(self, gone: Sequence[Any]) -> None:
        """Take sentences out."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of the queue and of the batch; see ``app.settings`` for their meaning and units."""

    max_queue_tokens: int
    max_batch_rows: int
    max_batch_tokens: int


@dataclass(frozen=True)
class Outcome:
    """What a job's future delivers."""

    hypotheses: Sequence[Any]
    timing: Timing


@dataclass(eq=False, kw_only=True)
class Job:
    """One sentence to translate.

    Attributes:
        source: Source ids, special ids included.
        options: Search options.
        long: It belongs to long work, which yields to short work.
        on_tokens: Called on the scheduler's thread after each step with the best hypothesis so far; must not raise.
        future: Receives the ``Outcome``; cancelling it frees the rows at the next step.
        order: Age among all jobs, 1 for the first; given by the scheduler, unless it takes the place of another job.
        alone: It was in a batch that failed, and is tried again without companions, so that only the culprit fails.
    """

    source: tuple[int, ...]
    options: SearchOptions
    long: bool = False
    on_tokens: Callable[[tuple[int, ...]], None] | None = None
    future: Future[Outcome] = field(default_factory=Future)
    order: int = 0
    alone: bool = False
    submitted: float = 0.0
    started: float = 0.0
    encode_s: float = 0.0


@dataclass(eq=False, kw_only=True)
class Lane:
    """Jobs that share a running batch, and their account with the other lane.

    Attributes:
        weight: Share of the thread's time, relative to the other lane's.
        limits: Bounds of this lane's batch.
        batch: The running decode.
        pending: Waiting jobs, oldest first.
        running: The jobs in ``batch``.
        clock: Virtual time, in seconds: what the lane has used, over its weight.
        turn_s: What its latest turn took, in seconds; the next is taken to be like it.
    """

    weight: float
    limits: Limits
    batch: Batch
    pending: list[Job] = field(default_factory=list)
    running: dict[Any, Job] = field(default_factory=dict)
    clock: float = 0.0
    turn_s: float = 0.0

    @property
    def busy(self) -> bool:
        """Has work."""
        return bool(self.pending or self.running)


def next_lane(lanes: Sequence[Lane]) -> Lane:
    """The lane whose next turn would end first in virtual time; the first one of equals.

    That is weighted fair queueing (Demers, Keshav and Shenker 1989): over time each busy lane gets its share, whatever
    its turns cost, and a cheap turn is not made to wait for a dear one that is not yet due.

    Args:
        lanes: The busy ones, at least one.
    """
    return min(lanes, key=lambda lane: lane.clock + lane.turn_s / lane.weight)


def fit_rows(rows: int, step_s: float, most: int) -> int:
    """Rows that the long lane may have next, so that its steps stay short on whatever runs the model.

    Additive increase, multiplicative decrease, as TCP finds its window (Chiu and Jain 1989).

    Args:
        rows: Rows that its jobs may grow to now.
        step_s: What its latest step took, in seconds.
        most: Rows that a batch may have.
    """
    return max(1, rows * 3 // 4) if step_s > _LONG_STEP_S else min(rows + _MORE_ROWS, most)


def plan(pending: Sequence[Job], *, live_rows: int, limits: Limits) -> list[Job]:
    """Choose the jobs that join now.

    The oldest anchors the choice, so that nothing starves; others of similar length fill up the padded token budget
    and the free rows. A job counts with its full beam. One that exceeds a bound by itself still runs, by itself.

    Args:
        pending: Waiting jobs, oldest first.
        live_rows: Rows already decoding.
        limits: Bounds.
    """
    if not pending:
        return []
    anchor = pending[0]
    if anchor.alone:
        return [] if live_rows else [anchor]
    if live_rows and live_rows + anchor.options.beam_size > limits.max_batch_rows:
        return []
    chosen, rows, longest = [anchor], live_rows + anchor.options.beam_size, len(anchor.source)
    others = (job for job in pending[1:_WINDOW] if not job.alone)
    for job in sorted(others, key=lambda job: abs(len(job.source) - len(anchor.source))):
        width = max(longest, len(job.source))
        if rows + job.options.beam_size > limits.max_batch_rows or (len(chosen) + 1) * width > limits.max_batch_tokens:
            break
        chosen.append(job)
        rows, longest = rows + job.options.beam_size, width
    return chosen


class Scheduler:
    """Owns the queue and the one thread that encodes and decodes."""

    def __init__(
        self,
        *,
        encode: Callable[[Sequence[Job]], Sequence[Any]],
        new_search: Callable[[Job], Any],
        new_batch: Callable[[], Batch],
        limits: Limits,
        backlog: Backlog | None = None,
    ) -> None:
        """Put the parts together; ``start`` begins.

        Args:
            encode: Features of each job's source; may raise ``ModelFailure``.
            new_search: A search for a job.
            new_batch: An empty decode.
            limits: Bounds of queue and batch.
            backlog: What waits in all the queues that are bounded together; None if this one is by itself.
        """
        self._encode, self._new_search, self._new_batch, self._limits = encode, new_search, new_batch, limits
        self._condition = threading.Condition()
        self._short = Lane(weight=_SHORT_WEIGHT, limits=limits, batch=new_batch())
        small = replace(limits, max_batch_tokens=min(limits.max_batch_tokens, _LONG_BATCH_TOKENS))
        self._long = Lane(weight=_LONG_WEIGHT, limits=small, batch=new_batch())
        self._lanes = (self._short, self._long)
        self._pending_tokens = 0
        self._backlog = backlog or Backlog()
        self._orders = count(1)
        # All that were accepted and have not ended, wherever they are: a job in the hands of a function that raises
        # is neither pending nor running.
        self._unfinished: set[Job] = set()
        self._stopping = self._aborting = self._dead = False
        self._swept = 0.0
        self._thread = threading.Thread(target=self._loop, name="dragoman-decode", daemon=True)
        self.counters = {"steps": 0, "rows_stepped": 0, "finished": 0, "failed": 0, "cancelled": 0, "rejected": 0}

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def alive(self) -> bool:
        """The thread runs and takes work."""
        return self._thread.is_alive() and not self._stopping and not self._dead

    def submit(self, jobs: Sequence[Job], *, admitted: bool = False) -> None:
        """Queue all the jobs, or none.

        Args:
            jobs: Those of one request, or as many of them as may wait at a time.
            admitted: They continue a request that was accepted before, and are taken even if the queue is full.

        Raises:
            Overloaded: The queue is full. A request is taken whatever its size when nothing else waits here.
            EngineUnavailable: Stopping or dead.
        """
        tokens = sum(len(job.source) for job in jobs)
        now = time.monotonic()
        with self._condition:
            if not self.alive:
                raise EngineUnavailable("The translation engine is not running.")
            # However much waits elsewhere, a queue that is empty takes a request: no model shuts out another.
            waiting = self._pending_tokens and self._backlog.tokens
            if not admitted and waiting and waiting + tokens > self._limits.max_queue_tokens:
                self.counters["rejected"] += 1
                raise Overloaded("The server is busy; try again in a moment.")
            for job in jobs:
                job.submitted = now
                job.order = job.order or next(self._orders)
                insort(self._lane(job).pending, job, key=lambda job: job.order)
            self._count_pending(tokens)
            self._unfinished.update(jobs)
            self._condition.notify()

    def stop(self, drain_s: float) -> None:
        """Refuse new work, finish what was accepted within ``drain_s`` seconds, fail the rest, end the thread."""
        with self._condition:
            self._stopping = True
            self._condition.notify()
        if self._thread.ident is None:
            return
        self._thread.join(drain_s)
        self._aborting = True
        self._thread.join()

    def statistics(self) -> dict[str, float]:
        """Gauges and counters."""
        with self._condition:
            queued = sum(len(lane.pending) for lane in self._lanes)
            waiting = {"queued_sentences": queued, "queued_tokens": self._pending_tokens}
        return {
            **waiting,
            "running_sentences": sum(len(lane.running) for lane in self._lanes),
            "running_rows": sum(lane.batch.live_rows for lane in self._lanes),
            **self.counters,
        }

    def _lane(self, job: Job) -> Lane:
        return self._long if job.long else self._short

    def _loop(self) -> None:
        try:
            while (turn := self._next()) is not None:
                lane, chosen = turn
                began = time.monotonic()
                if chosen:
                    self._admit(lane, chosen)
                self._drop_dead()
                if lane.running:
                    self._step(lane)
                lane.turn_s = time.monotonic() - began
                lane.clock += lane.turn_s / lane.weight
                if lane is self._long and not chosen:
                    rows = fit_rows(_reserved_rows(lane), lane.turn_s, self._limits.max_batch_rows)
                    lane.limits = replace(lane.limits, max_batch_rows=rows)
        except BaseException:
            # A bug, not a model failure: those are handled where they happen. Nobody may wait for a dead thread.
            logger.exception("decode thread died")
        finally:
            self._fail_all()

    def _next(self) -> tuple[Lane, list[Job]] | None:
        """Wait for work; returns the lane whose turn it is and the jobs that join it, or None to end the thread."""
        with self._condition:
            while True:
                self._sweep()
                busy = [lane for lane in self._lanes if lane.busy]
                if self._aborting or (self._stopping and not busy):
                    return None
                if busy:
                    break
                self._condition.wait()
            for lane in self._lanes:
                if not lane.busy:
                    # Time in which a lane had nothing to do is not saved up.
                    lane.clock = max(other.clock for other in self._lanes)
            lane = next_lane(busy)
            if any(job.alone for job in lane.running.values()):
                return lane, []
            chosen = plan(lane.pending, live_rows=_reserved_rows(lane), limits=lane.limits)
            for job in chosen:
                self._take(job)
            return lane, chosen

    def _sweep(self) -> None:
        """End waiting jobs that nobody waits for any more."""
        now = time.monotonic()
        if now - self._swept > _SWEEP_S:
            self._swept = now
            for job in [job for lane in self._lanes for job in lane.pending if job.future.cancelled()]:
                self._take(job)
                self._end(job, Cancelled("The caller went away."))

    def _take(self, job: Job) -> None:
        self._lane(job).pending.remove(job)
        self._count_pending(-len(job.source))

    def _count_pending(self, tokens: int) -> None:
        self._pending_tokens += tokens
        self._backlog.add(tokens)

    def _admit(self, lane: Lane, jobs: list[Job]) -> None:
        began = time.monotonic()
        try:
            features = self._encode(jobs)
        except ModelFailure as failure:
            self._retry(lane, jobs, failure)
            return
        ended = time.monotonic()
        searches = [self._new_search(job) for job in jobs]
        for search, job in zip(searches, jobs, strict=True):
            job.started, job.encode_s = began, ended - began
            lane.running[search] = job
        lane.batch.join(searches, features)

    def _step(self, lane: Lane) -> None:
        self.counters["steps"] += 1
        self.counters["rows_stepped"] += lane.batch.live_rows
        try:
            done = lane.batch.step()
        except ModelFailure as failure:
            jobs = list(lane.running.values())
            lane.running.clear()
            lane.batch = self._new_batch()
            self._retry(lane, jobs, failure)
            return
        now = time.monotonic()
        for search in done:
            job = lane.running.pop(search)
            decode_s = now - job.started - job.encode_s
            timing = Timing(queue_s=job.started - job.submitted, encode_s=job.encode_s, decode_s=decode_s)
            self._end(job, Outcome(search.hypotheses(), timing))
        for search, job in lane.running.items():
            if job.on_tokens:
                job.on_tokens(search.best_tokens)

    def _retry(self, lane: Lane, jobs: list[Job], failure: ModelFailure) -> None:
        """A failed batch: its jobs are tried again one by one; a job that fails alone fails."""
        if len(jobs) == 1:
            logger.error("the model failed on one sentence of %d tokens", len(jobs[0].source), exc_info=failure)
            self._end(jobs[0], failure)
            return
        logger.warning("the model failed on a batch of %d sentences; trying them one by one", len(jobs))
        for job in jobs:
            job.alone = True
        with self._condition:
            lane.pending[:0] = jobs
            self._count_pending(sum(len(job.source) for job in jobs))

    def _drop_dead(self) -> None:
        """Free the rows of those who no longer wait."""
        for lane in self._lanes:
            gone = {search: job for search, job in lane.running.items() if job.future.cancelled()}
            if gone:
                lane.batch.drop(list(gone))
                for search, job in gone.items():
                    del lane.running[search]
                    self._end(job, Cancelled("The caller went away."))

    def _fail_all(self) -> None:
        with self._condition:
            self._dead = True
            jobs = list(self._unfinished)
            for lane in self._lanes:
                lane.running.clear()
                lane.pending.clear()
            self._count_pending(-self._pending_tokens)
        for job in jobs:
            self._end(job, EngineUnavailable("The translation engine stopped before this text was done."))

    def _end(self, job: Job, result: Outcome | DragomanError) -> None:
        """The only place where a job ends."""
        self._unfinished.discard(job)
        if not job.future.set_running_or_notify_cancel():
            self.counters["cancelled"] += 1
        elif isinstance(result, Outcome):
            self.counters["finished"] += 1
            job.future.set_result(result)
        else:
            self.counters["failed"] += 1
            job.future.set_exception(result)


def _reserved_rows(lane: Lane) -> int:
    """Rows that the running jobs may grow to: a beam starts as one row."""
    return sum(job.options.beam_size for job in lane.running.values())
