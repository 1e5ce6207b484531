"""A pool of threads for all work on users' texts: bounded, shared fairly, and cancelled when nobody waits any more.

Python runs one thread at a time, so more threads don't make the work faster. The order of the jobs matters: a job of
the request that has had the least processor time goes first, which needs no estimate of its length
("foreground-background", Kleinrock, Queueing Systems II, 1976, section 4.6). So a page waits for milliseconds beside
texts that take minutes. At the checkpoints of ``app.fairness.budget``, a job lets others run, and ends if it was
cancelled.

The threads are daemons: a call that never returns does not keep the process from exiting.
"""

import asyncio
import heapq
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from queue import SimpleQueue
from typing import Any, TypeVar

from app.errors import Overloaded
from app.fairness.budget import Budget, checkpoint
from app.fairness.pauses import NewRequest, Pauses, new_request

Result = TypeVar("Result")

# A request's first job runs this long before it takes turns, unless it is huge. Nearly all end within that time and are
# never interrupted.
_FIRST_TURN_S = 0.05
_TURN_S = 0.01
_PAUSE_S = 0.001  # until it is seen again whether to go on
# That run together at most: those who wait for them are all woken at once, and keep the event loop from other requests.
_SMALL_CALLS = 16
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


_SmallCall = tuple[Callable[[], Any], asyncio.Future[Any]]


@dataclass(eq=False)
class Account:
    """What the pool knows of a request.

    Attributes:
        used_s: Processor time that its jobs have used, in seconds.
        small_calls: Small calls that have not begun.
        small_task: The task that runs them together.
    """

    used_s: float = 0.0
    small_calls: list[_SmallCall] = field(default_factory=list)
    small_task: asyncio.Task[None] | None = None


account: ContextVar[Account | None] = ContextVar("account", default=None)
"""The account of the request that is served; a job without one has an account of its own."""

_numbers = count()


@dataclass(eq=False, kw_only=True)
class _Job(Budget):
    """A call, its account, and its budget, which every checkpoint asks whether to go on.

    Attributes:
        request: The request that it belongs to; None in the background.
        rank: Jobs with the lowest rank go first: what the account had used when the job began to wait, and a number.
    """

    pool: "WorkPool"
    work: Callable[[], Any]
    deliver: Callable[[Any, BaseException | None], None]
    size: int
    admitted: bool
    account: Account
    request: NewRequest | None = field(default_factory=new_request.get)
    rank: tuple[float, int] = (0.0, 0)
    submitted_s: float = field(default_factory=time.monotonic)
    counted_s: float = 0.0
    turn_ends_s: float = math.inf
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.wait()

    def __lt__(self, other: "_Job") -> bool:
        return self.rank < other.rank

    @property
    def may_be_short(self) -> bool:
        """Tells whether the job may well end within its first turn."""
        return not self.account.used_s and not self.pool.is_huge(self)

    def wait(self) -> None:
        """Set the rank of a job that begins to wait now."""
        self.rank = self.account.used_s, next(_numbers)

    def count(self) -> None:
        """Charge the account with the time since the last call in this thread."""
        now = time.thread_time()
        self.account.used_s, self.counted_s = self.account.used_s + now - self.counted_s, now

    def check(self) -> None:
        super().check()
        if time.monotonic() > self.turn_ends_s:
            self.pool.take_turns(self)
            super().check()
        while not self.may_be_short and self.pool.pauses.is_due(self.request):
            time.sleep(_PAUSE_S)
            self.pool.take_turns(self)
            super().check()


class WorkPool:
    """Runs functions in threads.

    Args:
        limits: Bounds.

    Attributes:
        pauses: When its long jobs give way to new requests.
    """

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self._limits = limits or PoolLimits()
        self._lock = threading.Lock()
        # Heaps: jobs that have not begun, huge ones apart, and begun jobs that wait for their next turn.
        self._fresh: dict[bool, list[_Job]] = {False: [], True: []}
        self._parked: list[_Job] = []
        self._handed_out: SimpleQueue[_Job] = SimpleQueue()
        self.pauses = Pauses()
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
        own = account.get() or Account()
        job = _Job(pool=self, work=work, deliver=deliver, size=size, admitted=admitted, account=own)
        self._submit(job)
        try:
            return await future
        finally:
            if not future.done() or future.cancelled():
                self._cancel(job)

    async def run_small(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Like ``run``, for one of many small calls of a request. Waiting calls run as one job, which saves hops."""
        own = account.get()
        if own is None:
            return await self.run(function, *arguments)
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        own.small_calls.append((partial(function, *arguments), future))
        own.small_task = own.small_task or asyncio.create_task(self._run_small_calls(own))
        return await future

    async def _run_small_calls(self, own: Account) -> None:
        calls: list[_SmallCall] = []
        try:
            while own.small_calls:
                calls, own.small_calls = own.small_calls[:_SMALL_CALLS], own.small_calls[_SMALL_CALLS:]
                for (_, future), outcome in zip(calls, await self.run(_outcomes, calls), strict=True):
                    _hand_over(future, *outcome)
        finally:
            own.small_task = None
            for _, future in (*calls, *own.small_calls):
                future.cancel()  # does nothing if it is done

    @property
    def is_stuck(self) -> bool:
        """Tells whether a request has waited for its first turn longer than a user would."""
        with self._lock:
            submitted_s = (job.submitted_s for job in self._fresh[False] if not job.account.used_s)
            waited_s = time.monotonic() - min(submitted_s, default=math.inf)
        return waited_s > self._limits.late_s

    def statistics(self) -> dict[str, float]:
        """The number of jobs that run, and the number that wait for a turn."""
        with self._lock:
            return {
                "text_jobs_running": self._running,
                "text_jobs_waiting": sum(map(len, (*self._fresh.values(), self._parked))),
            }

    def take_turns(self, job: _Job) -> None:
        """Lets jobs of requests run that have had less time. Called by the job's own thread, at a checkpoint."""
        job.count()
        job.wait()
        with self._lock:
            first = self._first_heap()
            if first is None or job < first[0]:
                self._begin_turn(job)
                return
            self._running -= 1
            job.may_go_on.clear()
            heapq.heappush(self._parked, job)
            self._dispatch()
        job.may_go_on.wait()

    def is_huge(self, job: _Job) -> bool:
        """Tells whether no other such job may have begun."""
        return job.size >= self._limits.huge

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
            heapq.heappush(self._fresh[self.is_huge(job)], job)
            self._dispatch()

    def _cancel(self, job: _Job) -> None:
        job.cancel()
        fresh = self._fresh[self.is_huge(job)]
        with self._lock:
            if job in fresh:
                fresh.remove(job)
                heapq.heapify(fresh)
                self._release(job)
            elif job in self._parked:
                job.rank = -1.0, 0  # it gets the next turn, ends, and frees its memory
                heapq.heapify(self._parked)

    def _dispatch(self) -> None:
        """Starts or continues jobs while there are free turns. The caller holds the lock."""
        while self._running < self._limits.running:
            first = self._first_heap()
            if first is None:
                return
            job = heapq.heappop(first)
            self._begin_turn(job)
            if first is self._parked:
                job.may_go_on.set()
            else:
                self._begin(job)
            self._running += 1

    def _first_heap(self) -> list[_Job] | None:
        """The heap whose first job has the next turn; None if no job waits that may have it."""
        heaps = [self._parked]
        if self._begun < self._limits.begun:
            heaps += [self._fresh[False]] if self._huge else self._fresh.values()
        return min((heap for heap in heaps if heap), key=lambda heap: heap[0], default=None)

    def _begin(self, job: _Job) -> None:
        """Gives a job a thread."""
        self._begun += 1
        self._huge = self._huge or (job if self.is_huge(job) else None)
        if self._begun > self._threads:
            self._threads += 1
            threading.Thread(target=self._serve, name="dragoman-text", daemon=True).start()
        self._handed_out.put(job)

    def _begin_turn(self, job: _Job) -> None:
        job.turn_ends_s = time.monotonic() + (_FIRST_TURN_S if job.may_be_short else _TURN_S)

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
            job.count()
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


def _outcomes(calls: Sequence[_SmallCall]) -> list[tuple[Any, BaseException | None]]:
    outcomes: list[tuple[Any, BaseException | None]] = []
    for call, future in calls:
        checkpoint()
        try:
            outcomes.append((None if future.cancelled() else call(), None))
        except Exception as error:
            outcomes.append((None, error))
    return outcomes


def _hand_over(future: asyncio.Future[Result], result: Result, error: BaseException | None) -> None:
    if future.done():
        return  # nobody waits any more
    if error is None:
        future.set_result(result)
    elif isinstance(error, StopIteration):  # which no future takes, so that the caller would wait for ever
        wrapped = RuntimeError("The work raised StopIteration.")
        wrapped.__cause__ = error
        future.set_exception(wrapped)
    else:
        future.set_exception(error)


TEXT_POOL = WorkPool()
"""The pool of this process. One is enough: several would compete for the interpreter's lock."""
