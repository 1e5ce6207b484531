"""Continuous batching: the queue of sentences, and the workers that share it.

A worker takes as many sentences as fit its batch between two steps. Every job ends exactly once: with its hypotheses or
with a typed error.
"""

import logging
import threading
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from app.engine.scheduling.backlog import Backlog
from app.engine.scheduling.policy import Batch, Job, Lane, Limits, Outcome, next_lane, plan
from app.engine.scheduling.worker import Worker
from app.errors import Cancelled, DragomanError, EngineUnavailable, Overloaded

logger = logging.getLogger(__name__)

# How often waiting jobs are searched for dead ones, in seconds.
_SWEEP_S = 0.05
# How long a stop waits for a run of the model to end, in seconds.
_STUCK_S = 3.0
# A full queue accepts new requests again when this share of it is free.
_FREE_AGAIN = 1 / 16
# Long work may take this share of the queue away from short work. Texts that were admitted may put in more, but short
# requests still get the other half.
_LONG_SHARE = 1 / 2
# For each token that its request has queued before it, a sentence is sorted as if it had arrived this many tokens
# later. So a request of one sentence goes before the later sentences of larger requests. These can't be overtaken for
# ever: by 16,384 tokens at most, because ``Job.ahead`` is bounded.
_YIELD = 32
_BUSY = "The server is busy; try again in a moment."


class Scheduler:
    """Owns the queue and the threads that encode and decode."""

    def __init__(
        self,
        *,
        encode: Callable[[Sequence[Job]], Sequence[Any]],
        new_search: Callable[[Job], Any],
        new_batch: Callable[[], Batch],
        limits: Limits,
        workers: int = 1,
        backlog: Backlog | None = None,
    ) -> None:
        """Put the parts together; ``start`` begins.

        Args:
            encode: Features of each job's source; may raise ``ModelFailure``. Several workers may call it at once.
            new_search: A search for a job.
            new_batch: An empty decode.
            limits: Bounds of the queue and of each worker's batches.
            workers: Threads, each with batches of its own.
            backlog: What waits in all the queues that are bounded together; None if this one is by itself.
        """
        self.encode, self.new_search, self.new_batch, self._limits = encode, new_search, new_batch, limits
        self._condition = threading.Condition()
        self._short: list[Job] = []
        self._long: list[Job] = []
        self._pending_tokens = 0
        self._backlog = backlog or Backlog()
        self._refilled = limits.max_queue_tokens * (1 - _FREE_AGAIN)
        self._arrived_tokens = 1
        self._long_limit = int(limits.max_queue_tokens * _LONG_SHARE)
        # All that were accepted and have not ended, wherever they are: a job in the hands of a function that raises
        # is neither pending nor running.
        self._unfinished: set[Job] = set()
        self._stopping = self._aborting = self._dead = False
        self._swept = 0.0
        self._full = False
        self._rejected = 0
        self._occupied: set[Worker] = set()
        self._workers = [Worker(self, limits, self._short, self._long) for _ in range(workers)]
        self._active = len(self._workers)

    def start(self) -> None:
        """Start the threads."""
        for worker in self._workers:
            worker.thread.start()

    @property
    def alive(self) -> bool:
        """The threads run and take work."""
        running = all(worker.thread.is_alive() for worker in self._workers)
        return running and not self._stopping and not self._dead

    @property
    def counters(self) -> Counter[str]:
        """Totals since the start, by name; see ``app.engine.metric_names``."""
        total = Counter(rejected=self._rejected)
        for worker in self._workers:
            total.update(worker.counters)
        return total

    def turn_away(self) -> None:
        """Refuse a request before its body is read, while the queue is still close to full.

        The request would very likely be refused anyway, and reading it would delay the requests that wait.

        Raises:
            Overloaded: The queue was full a moment ago and has hardly emptied.
        """
        if self._full:
            with self._condition:
                self._rejected += 1
            raise Overloaded(_BUSY)

    def submit(self, jobs: Sequence[Job], *, admitted: bool = False) -> None:
        """Queue all the jobs, or none.

        Args:
            jobs: The jobs of one request, or the part of them that may wait now.
            admitted: The jobs continue an accepted request; they are queued even if the queue is full.

        Raises:
            Overloaded: The queue is full. If nothing else waits here, a request of any size is accepted.
            EngineUnavailable: Stopping or dead.
        """
        tokens = sum(len(job.source) for job in jobs)
        now = time.monotonic()
        with self._condition:
            if not self.alive:
                raise EngineUnavailable("The translation engine is not running.")
            is_short = not any(job.long for job in jobs)
            # An empty queue accepts a request however much waits for other models: no model shuts out another.
            waiting = self._pending_tokens and (self._before_short if is_short else self._backlog.tokens)
            if not admitted and waiting and waiting + tokens > self._limits.max_queue_tokens:
                # A request that is large for the queue doesn't mark it as full: smaller requests may still fit.
                self._full = self._full or (is_short and tokens <= self._limits.max_queue_tokens - self._refilled)
                self._rejected += 1
                raise Overloaded(_BUSY)
            for job in jobs:
                job.submitted = now
                job.order = job.order or self._arrived_tokens + _YIELD * job.ahead
            self._arrived_tokens += tokens
            self._enqueue(jobs)
            self._unfinished.update(jobs)

    def resubmit(self, jobs: Sequence[Job]) -> None:
        """Put accepted jobs back into the queue, at their old positions."""
        with self._condition:
            self._enqueue(jobs)

    def stop(self, drain_s: float) -> None:
        """Refuse new jobs, finish accepted jobs within ``drain_s`` seconds, fail all others, and end the threads.

        A thread whose run of the model doesn't return is abandoned.
        """
        deadline = time.monotonic() + drain_s
        with self._condition:
            self._stopping = True
            self._condition.notify_all()
        started = [worker.thread for worker in self._workers if worker.thread.ident is not None]
        for thread in started:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._aborting = True
        deadline = time.monotonic() + _STUCK_S
        for thread in started:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in started):
            logger.error("the model does not return; its thread is abandoned")
            self._fail_unfinished(self._workers[0].counters)

    def statistics(self) -> dict[str, float]:
        """Gauges and counters."""
        lanes = [lane for worker in self._workers for lane in worker.lanes]
        with self._condition:
            waiting = {
                "queued_sentences": len(self._short) + len(self._long),
                "queued_tokens": self._pending_tokens,
            }
        return {
            **waiting,
            "running_sentences": sum(len(lane.running) for lane in lanes),
            "running_rows": sum(lane.batch.live_rows for lane in lanes),
            **self.counters,
        }

    def next_turn(self, worker: Worker) -> tuple[Lane, list[Job]] | None:
        """Wait for work for a worker; returns that of its lanes whose turn it is and the jobs that join it.

        None ends the worker.
        """
        lanes = worker.lanes
        with self._condition:
            if not any(lane.running for lane in lanes):
                self._occupied.discard(worker)
            while True:
                self._sweep(worker.counters)
                busy = [lane for lane in lanes if lane.busy]
                if self._aborting or self._dead or (self._stopping and not busy):
                    return None
                if busy:
                    break
                self._condition.wait()
            for lane in lanes:
                if not lane.busy:
                    # Time in which a lane had nothing to do is not saved up.
                    lane.clock = max(other.clock for other in lanes)
            self._occupied.add(worker)
            lane = next_lane(busy)
            if any(job.alone for job in lane.running.values()):
                return lane, []
            idle, rows = len(self._workers) - len(self._occupied), lane.reserved_rows
            chosen = plan(lane.pending, live_rows=rows, limits=lane.limits, idle_workers=idle)
            for job in chosen:
                self._take(job)
            return lane, chosen

    def end(self, job: Job, result: Outcome | DragomanError, counters: Counter[str]) -> None:
        """The only place where a job ends; counted in the caller's counters."""
        try:
            self._unfinished.remove(job)
        except KeyError:
            return  # another thread has ended it, since one of them died
        if not job.future.set_running_or_notify_cancel():
            counters["cancelled"] += 1
        elif isinstance(result, Outcome):
            counters["finished"] += 1
            job.future.set_result(result)
        else:
            counters["failed"] += 1
            job.future.set_exception(result)

    def leave(self, worker: Worker, *, died: bool) -> None:
        """The last thing a worker does. With the last one, or one that died, ends all that has not ended."""
        with self._condition:
            self._active -= 1
            if self._active and not died:
                return
            # A bug took one: the others would go on with less than all of the jobs, so they end, too.
            self._dead = True
        self._fail_unfinished(worker.counters)

    def _fail_unfinished(self, counters: Counter[str]) -> None:
        with self._condition:
            jobs = list(self._unfinished)
            self._count_pending([*self._short, *self._long], -1)
            self._short.clear()
            self._long.clear()
            self._condition.notify_all()
        for job in jobs:
            self.end(job, EngineUnavailable("The translation engine stopped before this text was done."), counters)

    def _enqueue(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            insort(self._pending(job), job, key=lambda job: job.order)
        self._count_pending(jobs, 1)
        self._condition.notify_all()

    def _pending(self, job: Job) -> list[Job]:
        return self._long if job.long else self._short

    def _sweep(self, counters: Counter[str]) -> None:
        """Remove cancelled jobs from the queue."""
        now = time.monotonic()
        if now - self._swept > _SWEEP_S:
            self._swept = now
            for job in [job for job in (*self._short, *self._long) if job.future.cancelled()]:
                self._take(job)
                self.end(job, Cancelled("The caller went away."), counters)

    def _take(self, job: Job) -> None:
        self._pending(job).remove(job)
        self._count_pending([job], -1)

    @property
    def _before_short(self) -> int:
        return self._backlog.before_short_work(self._long_limit)

    def _count_pending(self, jobs: Sequence[Job], sign: int) -> None:
        tokens = sign * sum(len(job.source) for job in jobs)
        self._pending_tokens += tokens
        self._backlog.add(tokens, long_tokens=sign * sum(len(job.source) for job in jobs if job.long))
        self._full = self._full and self._pending_tokens > 0 and self._before_short > self._refilled
