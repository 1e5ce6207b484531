"""A pool of threads for all work on users' texts: bounded, shared fairly, and cancelled when nobody waits any more.

Python runs one thread at a time, so more threads don't make the work faster. The order of the jobs matters: the job
that has had the least processor time goes first, which needs no estimate of its length ("foreground-background",
Kleinrock, Queueing Systems II, 1976, section 4.6). So a page waits for milliseconds beside texts that take minutes. At
the checkpoints of ``app.text.budget``, a job lets others run, and ends if it was cancelled.

The threads are daemons: a call that never returns does not keep the process from exiting.
"""

import asyncio
import heapq
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from app.errors import Overloaded
from app.text.budget import Budget

Result = TypeVar("Result")

# A job runs this long before it takes turns. Nearly all jobs end within that time and are never interrupted.
_FIRST_TURN_S = 0.05
_TURN_S = 0.01
_BUSY = "The server is busy with long texts; try again in a moment."


@dataclass(frozen=True, kw_only=True)
class PoolLimits:
    """Bounds of a pool.

    Attributes:
        running: Jobs that run at the same time; because of the interpreter's lock, more than one gains nothing.
        begun: Jobs that have a thread; they keep it while they wait for their next turn.
        large: Size from which a job counts as large, in characters or bytes of its input.
        large_jobs: Maximum number of large jobs; more are refused.
        large_total: Maximum sum of the sizes of large jobs. A single larger job is accepted if there is no other.
        huge: Size from which only one job runs at a time, because each may need hundreds of megabytes.
        late_s: Seconds that a job may wait to begin before the pool counts as stuck.
    """

    running: int = 1
    begun: int = 64
    large: int = 64 * 1024
    large_jobs: int = 16
    large_total: int = 32 * 1024 * 1024
    huge: int = 1024 * 1024
    late_s: float = 5.0


@dataclass(eq=False, kw_only=True)
class _Job(Budget):
    """A call, its processor time so far, and its budget, which every checkpoint asks whether to go on."""

    pool: "WorkPool"
    work: Callable[[], Any]
    deliver: Callable[[Any, BaseException | None], None]
    size: int
    admitted: bool
    submitted_s: float = field(default_factory=time.monotonic)
    used_s: float = 0.0
    counted_s: float = 0.0
    turn_ends_s: float = math.inf
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def __lt__(self, other: "_Job") -> bool:
        return self.used_s < other.used_s

    def check(self) -> None:
        super().check()
        if time.monotonic() > self.turn_ends_s:
            self.pool.take_turns(self)
            super().check()


class WorkPool:
    """Runs functions in threads.

    Args:
        limits: Bounds.
    """

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self._lock = threading.Lock()
        self._fresh: deque[_Job] = deque()
        self._parked: list[_Job] = []  # a heap; the job with the least processor time comes first
        self._handed_out: SimpleQueue[_Job] = SimpleQueue()
        self._running = self._begun = self._threads = 0
        self._large_jobs = self._large_total = 0
        self._huge: _Job | None = None  # the huge job that has begun

    async def run(
        self, function: Callable[..., Result], *arguments: object, size: int = 0, admitted: bool = False
    ) -> Result:
        """Calls a function in a thread. If the waiting task is cancelled, the function ends at its next checkpoint.

        Args:
            function: What to call.
            arguments: Its arguments.
            size: Size of the function's input, in characters or bytes.
            admitted: The job continues accepted work and is never refused.

        Raises:
            Overloaded: The pool has its maximum of large jobs.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def deliver(result: Result, error: BaseException | None) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(_hand_over, future, result, error)

        work = partial(function, *arguments)
        job = _Job(pool=self, work=work, deliver=deliver, size=size, admitted=admitted)
        self._submit(job)
        try:
            return await future
        finally:
            if not future.done() or future.cancelled():
                self._cancel(job)

    @property
    def is_stuck(self) -> bool:
        """Tells whether a job has waited for its first turn longer than a user would."""
        with self._lock:
            submitted_s = (job.submitted_s for job in self._fresh if job.size < self._limits.huge)
            waited_s = time.monotonic() - next(submitted_s, math.inf)
        return waited_s > self._limits.late_s

    def statistics(self) -> dict[str, float]:
        """The number of jobs that run, and the number that wait for a turn."""
        with self._lock:
            return {
                "text_jobs_running": self._running,
                "text_jobs_waiting": len(self._fresh) + len(self._parked),
            }

    def take_turns(self, job: _Job) -> None:
        """Lets jobs run that have had less time. Called by the job's own thread, at a checkpoint."""
        now = time.thread_time()
        job.used_s, job.counted_s = job.used_s + now - job.counted_s, now
        with self._lock:
            if not self._next_fresh() and not (self._parked and self._parked[0] < job):
                self._begin_turn(job)
                return
            self._running -= 1
            job.may_go_on.clear()
            heapq.heappush(self._parked, job)
            self._dispatch()
        job.may_go_on.wait()

    def _submit(self, job: _Job) -> None:
        limits = self._limits
        with self._lock:
            if job.size >= limits.large and not job.admitted:
                if self._large_jobs == limits.large_jobs or (
                    self._large_jobs and self._large_total + job.size > limits.large_total
                ):
                    raise Overloaded(_BUSY)
                self._large_jobs += 1
                self._large_total += job.size
            self._fresh.append(job)
            self._dispatch()

    def _cancel(self, job: _Job) -> None:
        job.cancel()
        with self._lock:
            if job in self._fresh:
                self._fresh.remove(job)
                self._release(job)
            elif job in self._parked:
                job.used_s = -1.0  # it gets the next turn, ends, and frees its memory
                heapq.heapify(self._parked)

    def _dispatch(self) -> None:
        """Starts or continues jobs while there are free turns. The caller holds the lock."""
        while self._running < self._limits.running:
            job = self._next_fresh()
            if job and self._begun < self._limits.begun:
                self._fresh.remove(job)
                self._begun += 1
                self._huge = self._huge or (job if job.size >= self._limits.huge else None)
                if self._begun > self._threads:
                    self._threads += 1
                    threading.Thread(target=self._serve, name="dragoman-text", daemon=True).start()
                self._begin_turn(job)
                self._handed_out.put(job)
            elif self._parked:
                job = heapq.heappop(self._parked)
                self._begin_turn(job)
                job.may_go_on.set()
            else:
                return
            self._running += 1

    def _next_fresh(self) -> _Job | None:
        """The job that has waited longest for its first turn and may have it."""
        return next((job for job in self._fresh if job.size < self._limits.huge or not self._huge), None)

    def _begin_turn(self, job: _Job) -> None:
        job.turn_ends_s = time.monotonic() + (_FIRST_TURN_S if not job.used_s else _TURN_S)

    def _serve(self) -> None:
        """Runs jobs, one after another, in a thread of the pool."""
        while True:
            job = self._handed_out.get()
            result, error = None, None
            job.counted_s = time.thread_time()
            try:
                result = job.run(job.work)
            except BaseException as caught:
                error = caught
            with self._lock:
                self._running -= 1
                self._begun -= 1
                self._release(job)
                self._dispatch()
            job.deliver(result, error)
            del job, result, error  # otherwise they stay in memory until the next job

    def _release(self, job: _Job) -> None:
        self._huge = None if self._huge is job else self._huge
        if job.size >= self._limits.large and not job.admitted:
            self._large_jobs -= 1
            self._large_total -= job.size


def _hand_over(future: asyncio.Future[Result], result: Result, error: BaseException | None) -> None:
    if future.done():
        return  # nobody waits any more
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


TEXT_POOL = WorkPool()
"""The pool of this process. One is enough: several would compete for the interpreter's lock."""
