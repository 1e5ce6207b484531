"""Continuous batching: which sentences join the running decode between two steps, and the thread that steps it.

The policy is a pure function, ``plan``. Every job ends exactly once: with its hypotheses or with a typed error.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.engine.translation import SearchOptions, Timing
from app.errors import Cancelled, DeadlineExceeded, DragomanError, EngineUnavailable, ModelFailure, Overloaded

logger = logging.getLogger(__name__)

# Pending jobs that are compared by length when a batch is filled; a bound, so that planning stays cheap under load.
_WINDOW = 256
# How often waiting jobs are searched for dead ones, in seconds.
_SWEEP_S = 0.05


class Search(Protocol):
    """One sentence's search, as ``app.engine.decoding`` has it."""

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
        deadline: Time of ``time.monotonic`` after which nobody waits any more, or None.
        future: Receives the ``Outcome``; cancelling it frees the rows at the next step.
        alone: It was in a batch that failed, and is tried again without companions, so that only the culprit fails.
    """

    source: tuple[int, ...]
    options: SearchOptions
    deadline: float | None = None
    future: Future[Outcome] = field(default_factory=Future)
    alone: bool = False
    submitted: float = 0.0
    started: float = 0.0
    encode_s: float = 0.0


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
    ) -> None:
        """Put the parts together; ``start`` begins.

        Args:
            encode: Features of each job's source; may raise ``ModelFailure``.
            new_search: A search for a job.
            new_batch: An empty decode.
            limits: Bounds of queue and batch.
        """
        self._encode, self._new_search, self._new_batch, self._limits = encode, new_search, new_batch, limits
        self._condition = threading.Condition()
        self._pending: list[Job] = []
        self._pending_tokens = 0
        self._running: dict[Any, Job] = {}
        # All that were accepted and have not ended, wherever they are: a job in the hands of a function that raises
        # is neither pending nor running.
        self._unfinished: set[Job] = set()
        self._batch = new_batch()
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

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue all jobs of one request, or none.

        Raises:
            Overloaded: The queue is full. A request larger than the whole queue is taken when nothing else waits.
            EngineUnavailable: Stopping or dead.
        """
        tokens = sum(len(job.source) for job in jobs)
        now = time.monotonic()
        with self._condition:
            if not self.alive:
                raise EngineUnavailable("The translation engine is not running.")
            if self._pending_tokens and self._pending_tokens + tokens > self._limits.max_queue_tokens:
                self.counters["rejected"] += 1
                raise Overloaded("The server is busy; try again in a moment.")
            for job in jobs:
                job.submitted = now
            self._pending.extend(jobs)
            self._pending_tokens += tokens
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
            waiting = {"queued_sentences": len(self._pending), "queued_tokens": self._pending_tokens}
        return {
            **waiting,
            "running_sentences": len(self._running),
            "running_rows": self._batch.live_rows,
            **self.counters,
        }

    def _loop(self) -> None:
        try:
            while (chosen := self._next()) is not None:
                if chosen:
                    self._admit(chosen)
                self._drop_dead()
                if self._running:
                    self._step()
        except BaseException:
            # A bug, not a model failure: those are handled where they happen. Nobody may wait for a dead thread.
            logger.exception("decode thread died")
        finally:
            self._fail_all()

    def _next(self) -> list[Job] | None:
        """Wait for work; returns the jobs that join now, or None to end the thread."""
        with self._condition:
            while not self._pending and not self._running and not self._stopping:
                self._condition.wait()
            if self._aborting or (self._stopping and not self._pending and not self._running):
                return None
            now = time.monotonic()
            if now - self._swept > _SWEEP_S:
                self._swept = now
                for job in [job for job in self._pending if _dead(job, now)]:
                    self._take(job)
                    self._end(job, _reason(job))
            if any(job.alone for job in self._running.values()):
                return []
            chosen = plan(self._pending, live_rows=self._reserved_rows(), limits=self._limits)
            for job in chosen:
                self._take(job)
            return chosen

    def _reserved_rows(self) -> int:
        """Rows that the running jobs may grow to: a beam starts as one row."""
        return sum(job.options.beam_size for job in self._running.values())

    def _take(self, job: Job) -> None:
        self._pending.remove(job)
        self._pending_tokens -= len(job.source)

    def _admit(self, jobs: list[Job]) -> None:
        began = time.monotonic()
        try:
            features = self._encode(jobs)
        except ModelFailure as failure:
            self._retry(jobs, failure)
            return
        ended = time.monotonic()
        searches = [self._new_search(job) for job in jobs]
        for search, job in zip(searches, jobs, strict=True):
            job.started, job.encode_s = began, ended - began
            self._running[search] = job
        self._batch.join(searches, features)

    def _step(self) -> None:
        self.counters["steps"] += 1
        self.counters["rows_stepped"] += self._batch.live_rows
        try:
            done = self._batch.step()
        except ModelFailure as failure:
            jobs = list(self._running.values())
            self._running.clear()
            self._batch = self._new_batch()
            self._retry(jobs, failure)
            return
        now = time.monotonic()
        for search in done:
            job = self._running.pop(search)
            decode_s = now - job.started - job.encode_s
            timing = Timing(queue_s=job.started - job.submitted, encode_s=job.encode_s, decode_s=decode_s)
            self._end(job, Outcome(search.hypotheses(), timing))

    def _retry(self, jobs: list[Job], failure: ModelFailure) -> None:
        """A failed batch: its jobs are tried again one by one; a job that fails alone fails."""
        if len(jobs) == 1:
            logger.error("the model failed on one sentence of %d tokens", len(jobs[0].source), exc_info=failure)
            self._end(jobs[0], failure)
            return
        logger.warning("the model failed on a batch of %d sentences; trying them one by one", len(jobs))
        for job in jobs:
            job.alone = True
        with self._condition:
            self._pending[:0] = jobs
            self._pending_tokens += sum(len(job.source) for job in jobs)

    def _drop_dead(self) -> None:
        """Free the rows of those who no longer wait."""
        now = time.monotonic()
        gone = {search: job for search, job in self._running.items() if _dead(job, now)}
        if gone:
            self._batch.drop(list(gone))
            for search, job in gone.items():
                del self._running[search]
                self._end(job, _reason(job))

    def _fail_all(self) -> None:
        with self._condition:
            self._dead = True
            jobs = list(self._unfinished)
            self._running.clear()
            self._pending.clear()
            self._pending_tokens = 0
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


def _dead(job: Job, now: float) -> bool:
    return job.future.cancelled() or (job.deadline is not None and now > job.deadline)


def _reason(job: Job) -> DragomanError:
    if job.future.cancelled():
        return Cancelled("The caller went away.")
    return DeadlineExceeded("The time limit of the request passed before the translation was complete.")
