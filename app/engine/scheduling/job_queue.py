"""The queue of sentences that all workers of a model share: admission, order, and the end of every job."""

import threading
import time
from bisect import insort
from collections import Counter
from collections.abc import Sequence

from app.engine.scheduling.policy import POLICY, Features, Job, Lane, Limits, Outcome, next_lane, plan
from app.errors import Cancelled, DragomanError, EngineUnavailable, Overloaded
from app.fairness import arrivals
from app.fairness.pauses import NewRequest, Pauses
from app.priority import Priority, priority

# How often waiting jobs are searched for dead ones, in seconds.
_SWEEP_S = 0.05
_ARRIVAL_TOKENS = 32  # assumed for a request whose text isn't known yet: a long sentence
_PAUSE_S = 0.001  # between two looks at whether long work may go on
_BUSY = "The server is busy; try again in a moment."


class Backlog:
    """Source tokens that wait in all the queues that share it. Thread-safe.

    Attributes:
        tokens: Their number now.
        long_tokens: Those of them that are long work.
    """

    def __init__(self) -> None:
        self.tokens = self.long_tokens = 0
        self._lock = threading.Lock()

    def add(self, tokens: int, *, long_tokens: int = 0) -> None:
        """Count tokens that joined a queue, or with a minus sign some that left it.

        Args:
            tokens: All of them.
            long_tokens: Those of them that are long work.
        """
        with self._lock:
            self.tokens += tokens
            self.long_tokens += long_tokens

    def before_short_work(self, long_limit: int) -> int:
        """Tokens that count when short work asks for room: of long work only as many as the limit."""
        return self.tokens - max(0, self.long_tokens - long_limit)


class JobQueue:
    """Jobs that wait, in the order in which they are taken, and all that were taken and have not ended. Thread-safe.

    Priorities share the work by their weights: start-time fair queueing (Goyal, Vin and Cheng 1996). With one priority
    alone, work is due in the order of its arrival.

    Args:
        limits: Bounds of the queue.
        threads: How many threads will ask for turns.
        backlog: Counts what waits in all the queues that are bounded together; None if this one is by itself.

    Attributes:
        rejected: Requests that were refused.
    """

    def __init__(self, limits: Limits, threads: int, backlog: Backlog | None = None) -> None:
        self.rejected = 0
        self._limits, self._threads, self._active = limits, threads, threads
        self._condition = threading.Condition()
        # Long work, or not: the jobs that wait, the lowest order first.
        self._pending: dict[bool, list[Job]] = {False: [], True: []}
        self._pending_tokens = 0
        self._backlog = backlog or Backlog()
        self._refilled = limits.max_queue_tokens * (1 - POLICY.free_again)
        # Virtual time, in tokens of normal work: of the work that is taken now, and at which each priority's work ends.
        self._time = 0.0
        self._ends = dict.fromkeys(Priority, 0.0)
        self._bulk_limit = int(limits.max_queue_tokens * POLICY.bulk_share)
        self._long_limit = int(limits.max_queue_tokens * POLICY.long_share)
        # All that were accepted and have not ended, wherever they are: a job in the hands of a function that raises
        # is neither pending nor running.
        self._unfinished: set[Job] = set()
        self._open = self._stopping = self._aborting = self._dead = False
        self._swept = 0.0
        self._full = False
        self._occupied: set[int] = set()  # threads that have work
        self._long_turns: set[int] = set()  # threads in a turn of long work
        self._pauses = Pauses()

    @property
    def alive(self) -> bool:
        """Whether workers take jobs."""
        return self._open and not self._stopping and not self._dead

    def open(self) -> None:
        """Accept jobs from now on."""
        self._open = True

    def close(self) -> None:
        """Accept no more jobs; threads end after the accepted ones."""
        with self._condition:
            self._stopping = True
            self._condition.notify_all()

    def abort(self) -> None:
        """End the threads after their current turn."""
        self._aborting = True

    def waiting(self) -> tuple[int, int]:
        """How many jobs wait, and their source tokens."""
        with self._condition:
            return sum(map(len, self._pending.values())), self._pending_tokens

    def reject_if_overloaded(self) -> None:
        """Refuse a request before its body is read, while the queue is still close to full.

        The request would very likely be refused anyway, and reading it would delay the requests that wait.

        Raises:
            Overloaded: The queue was full a moment ago and has hardly emptied, or the requests that are on their way
                to it will fill it.
        """
        is_bulk = priority.get() is Priority.BULK
        before = self._backlog.tokens if is_bulk else self._before_short
        waiting = self._pending_tokens and before + _ARRIVAL_TOKENS * arrivals.Arrival.count
        if self._full or waiting > (self._bulk_limit if is_bulk else self._limits.max_queue_tokens):
            with self._condition:
                self.rejected += 1
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
        arrivals.end()
        with self._condition:
            if not self.alive:
                raise EngineUnavailable("The translation engine is not running.")
            is_short = not any(job.long for job in jobs)
            # An empty queue accepts a request however much waits for other models: no model shuts out another.
            waiting = self._pending_tokens and (self._before_short if is_short else self._backlog.tokens)
            is_bulk = any(job.priority is Priority.BULK for job in jobs)
            limit = self._bulk_limit if is_bulk else self._limits.max_queue_tokens
            if not admitted and waiting and waiting + tokens > limit:
                # A request that is large for the queue doesn't mark it as full: smaller requests may still fit.
                self._full = self._full or (is_short and tokens <= self._limits.max_queue_tokens - self._refilled)
                self.rejected += 1
                raise Overloaded(_BUSY)
            due = {each: max(self._time, self._ends[each]) for each in {job.priority for job in jobs}}
            for job in jobs:
                job.submitted = now
                job.start = self._time if job.again else due[job.priority]
                job.order = job.start + POLICY.delay * job.ahead
            self._ends |= {each: start + tokens / each.weight for each, start in due.items()}
            self._enqueue(jobs)
            self._unfinished.update(jobs)
            self._condition.notify_all()

    def resubmit(self, jobs: Sequence[Job]) -> None:
        """Put accepted jobs back into the queue, at their old positions."""
        with self._condition:
            self._enqueue(jobs)
            self._condition.notify_all()

    def next_turn(
        self, lanes: Sequence[Lane[Features]], counters: Counter[str]
    ) -> tuple[Lane[Features], list[Job]] | None:
        """Wait for work for the calling thread.

        Args:
            lanes: The lanes of the thread.
            counters: Its counters, for jobs that are cancelled while they wait.

        Returns:
            The lane whose turn it is and the jobs that join it; None ends the thread.
        """
        thread = threading.get_ident()
        with self._condition:
            self._long_turns.discard(thread)
            if not any(lane.running for lane in lanes):
                self._occupied.discard(thread)
            while True:
                self._sweep(counters)
                busy = [lane for lane in lanes if self._has_work(lane)]
                if self._aborting or self._dead or (self._stopping and not busy):
                    return None
                if busy and not (all(lane.long for lane in busy) and self._gives_way()):
                    break
                self._condition.wait(_PAUSE_S if busy else None)
            for lane in lanes:
                if lane not in busy:
                    # Time in which a lane had nothing to do is not saved up.
                    lane.clock = max(other.clock for other in lanes)
            self._occupied.add(thread)
            lane = next_lane(busy)
            if lane.long:
                self._long_turns.add(thread)
            if any(job.alone for job in lane.running.values()):
                return lane, []
            idle, rows = self._threads - len(self._occupied), lane.reserved_rows
            chosen = plan(self._pending[lane.long], live_rows=rows, limits=lane.limits, idle_workers=idle)
            for job in chosen:
                self._take(job)
            if chosen:  # the first alone counts: the others may be chosen for their lengths
                self._time = max(self._time, chosen[0].start)
            return lane, chosen

    def end(self, job: Job, result: Outcome | DragomanError, counters: Counter[str]) -> None:
        """End a job, and count it in the caller's counters. No other code ends a job."""
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

    def worker_ended(self, counters: Counter[str], *, crashed: bool) -> None:
        """Sign a worker off. If it was the last one, or crashed, end every job that has not ended."""
        with self._condition:
            self._active -= 1
            if self._active and not crashed:
                return
            # A bug ended this thread, and its jobs are lost to the others: they end, too.
            self._dead = True
        self.fail_unfinished(counters)

    def fail_unfinished(self, counters: Counter[str]) -> None:
        """End every job that has not ended, counted in the caller's counters."""
        with self._condition:
            jobs = list(self._unfinished)
            for waiting in self._pending.values():
                self._count_pending(waiting, -1)
                waiting.clear()
            self._condition.notify_all()
        for job in jobs:
            self.end(job, EngineUnavailable("The translation engine stopped before this text was done."), counters)

    def _gives_way(self) -> bool:
        """Tells whether long work waits now: in a pause, and if it has all threads but one while a request is new.

        With all threads, long work would have all cores, and the event loop would wait for one at each step.
        """
        most = max(1, self._threads - 1)
        return self._pauses.is_due() or (NewRequest.count > 0 and len(self._long_turns) >= most)

    def _has_work(self, lane: Lane[Features]) -> bool:
        return bool(lane.running or self._pending[lane.long])

    def _enqueue(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            insort(self._pending[job.long], job, key=lambda job: (job.order, -job.priority.weight))
        self._count_pending(jobs, 1)

    def _sweep(self, counters: Counter[str]) -> None:
        """Remove cancelled jobs from the queue."""
        now = time.monotonic()
        if now - self._swept > _SWEEP_S:
            self._swept = now
            for job in [job for waiting in self._pending.values() for job in waiting if job.future.cancelled()]:
                self._take(job)
                self._ends[job.priority] -= len(job.source) / job.priority.weight  # nobody did this work
                self.end(job, Cancelled("The caller went away."), counters)

    def _take(self, job: Job) -> None:
        self._pending[job.long].remove(job)
        self._count_pending([job], -1)

    @property
    def _before_short(self) -> int:
        return self._backlog.before_short_work(self._long_limit)

    def _count_pending(self, jobs: Sequence[Job], sign: int) -> None:
        tokens = sign * sum(len(job.source) for job in jobs)
        self._pending_tokens += tokens
        self._backlog.add(tokens, long_tokens=sign * sum(len(job.source) for job in jobs if job.long))
        self._full = self._full and self._pending_tokens > 0 and self._before_short > self._refilled
