"""The one place where work on strangers' texts runs, in threads: bounded, shared fairly, and never for nobody.

Python runs one thread at a time, so more threads do not do more. What matters is whose turn it is: the job that has
had the least time so far goes first, which needs no guess at how long a job takes ("foreground-background", Kleinrock,
Queueing Systems II, 1976, section 4.6). So a page waits for milliseconds beside texts that take minutes. A job gives
its turn away, and ends when nobody waits for it any more, at the checkpoints of ``app.text.budget``.

The threads are daemons, which nothing waits for: a call that does not return does not keep the process from its end.
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

# What a job may take before it has to share: nearly all end within it, and so never wait for each other in turns.
_FIRST_TURN_S = 0.05
_TURN_S = 0.01
_BUSY = "The server is busy with long texts; try again in a moment."


@dataclass(frozen=True, kw_only=True)
class PoolLimits:
    """Bounds of a pool.

    Attributes:
        running: Jobs that run side by side; with the interpreter's lock, two take as long as one after the other.
        begun: Jobs that have a thread, which most of them hold while they wait for their next turn.
        large: Size from which a job counts as large, in characters or bytes of its input.
        large_jobs: Large jobs that are taken at a time; others are refused.
        large_total: Sum of the sizes of large jobs; one larger than that is taken if there is no other.
        huge: Size from which jobs run one after the other: each may take hundreds of megabytes while it runs.
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
    """Work to do, its share so far, and its budget, all in one: it is asked at every checkpoint whether to go on."""

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
        self._parked: list[_Job] = []  # a heap: the one that has had least first
        self._handed_out: SimpleQueue[_Job] = SimpleQueue()
        self._running = self._begun = self._threads = 0
        self._large_jobs = self._large_total = 0
        self._huge: _Job | None = None  # that has begun

    async def run(
        self, function: Callable[..., Result], *arguments: object, size: int = 0, admitted: bool = False
    ) -> Result:
        """Calls a function in a thread. Cancelling the task that waits ends it at its next checkpoint.

        Args:
            function: What to call.
            arguments: Its arguments.
            size: Of what it works on, in characters or bytes.
            admitted: It must not be refused any more.

        Raises:
            Overloaded: The pool has taken as many large jobs as it may.
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
        """How many jobs run, and how many wait for their first or next turn."""
        with self._lock:
            return {
                "text_jobs_running": self._running,
                "text_jobs_waiting": len(self._fresh) + len(self._parked),
            }

    def take_turns(self, job: _Job) -> None:
        """Lets others run that have had less time. Called by the job's own thread, at a checkpoint."""
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
                job.used_s = -1.0  # its turn comes next: it ends, and its memory is free
                heapq.heapify(self._parked)

    def _dispatch(self) -> None:
        """Gives free turns away. The lock is held."""
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
        """A thread's life."""
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
            del job, result, error  # else they live until the next job comes

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
"""The pool of this process. There is one, as there is one interpreter lock for which all would compete."""
