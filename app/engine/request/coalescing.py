"""Translates identical sentences of several requests once: a sentence in progress is not started a second time.

A sentence that another server has translated is not started at all, if there is a cache of results.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from app import tracing
from app.engine.request.result_cache import ResultCache
from app.engine.scheduling.policy import Job, Outcome

# Eight long texts that repeat one sentence have 2,000 waiters: waking all at once blocks the event loop for 60 ms.
_WOKEN_AT_ONCE = 16


class _Shared:
    """A job and the requests that wait for it."""

    def __init__(self, key: object, job: Job) -> None:
        self.key = key
        self.job: Job | None = job  # until its result is handed out
        self.waiters: set[asyncio.Future[Outcome]] = set()


class Coalescer:
    """Submits jobs on behalf of coroutines of one event loop; each of them gets a future of its own.

    Two jobs are identical if source, memory, search options, terms, rare words, examples, known translation, lane and
    priority are the same. The job ends when it is done, or when the last one who waits for it has gone.

    Attributes:
        cache: Results of all servers; None for none.
    """

    cache: ResultCache | None = None

    def __init__(self, submit: Callable[..., None]) -> None:
        """``submit`` is ``JobQueue.submit``."""
        self._submit = submit
        self._shared: dict[object, _Shared] = {}

    async def find_or_submit(self, jobs: Sequence[Job], *, admitted: bool = False) -> list[asyncio.Future[Outcome]]:
        """Take results from the cache, and submit the other jobs; see ``submit``."""
        if self.cache is None:
            return self.submit(jobs, admitted=admitted)
        with tracing.span("look up", sentences=len(jobs)):
            found = await self.cache.find(jobs)
        missing = [job for job, outcome in zip(jobs, found, strict=True) if outcome is None]
        futures = iter(self.submit(missing, admitted=admitted) if missing else ())
        return [next(futures) if outcome is None else _done(outcome) for outcome in found]

    def submit(self, jobs: Iterable[Job], *, admitted: bool = False) -> list[asyncio.Future[Outcome]]:
        """Queue the jobs that are not in progress already, all or none. Cancelling a future stops waiting for its job.

        Raises:
            DragomanError: As ``JobQueue.submit``.
        """
        loop = asyncio.get_running_loop()
        fresh: dict[object, _Shared] = {}
        chosen = [
            self._shared.get(key) or fresh.setdefault(key, _Shared(key, job)) for job in jobs for key in [_key(job)]
        ]
        own = [(shared, shared.job) for shared in fresh.values() if shared.job]
        self._submit([job for _, job in own], admitted=admitted)
        self._shared |= fresh
        for shared, job in own:
            job.future.add_done_callback(partial(self._hand_over, loop, shared))
        return [self._wait(loop, shared) for shared in chosen]

    def _wait(self, loop: asyncio.AbstractEventLoop, shared: _Shared) -> asyncio.Future[Outcome]:
        future: asyncio.Future[Outcome] = loop.create_future()
        shared.waiters.add(future)
        future.add_done_callback(partial(self._leave, shared))
        return future

    def _hand_over(self, loop: asyncio.AbstractEventLoop, shared: _Shared, _: object) -> None:
        """Pass the result from a worker thread to the event loop."""
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._deliver, shared)

    def _deliver(self, shared: _Shared) -> None:
        self._forget(shared)
        # The job's future keeps its callbacks, and they keep this object. Break the reference cycle, so that an
        # unloaded model's memory is freed at once.
        job, shared.job = shared.job, None
        assert job
        if self.cache and not job.future.cancelled() and not job.future.exception():
            self.cache.keep(job, job.future.result())
        _wake(deque(shared.waiters), job)

    def _leave(self, shared: _Shared, future: asyncio.Future[Outcome]) -> None:
        if not future.cancelled():
            future.exception()  # mark it as retrieved: a caller that has gone doesn't look at it
            return
        shared.waiters.discard(future)
        if not shared.waiters:
            self._forget(shared)
            if shared.job:
                shared.job.future.cancel()

    def _forget(self, shared: _Shared) -> None:
        if self._shared.get(shared.key) is shared:
            del self._shared[shared.key]


def _wake(waiters: deque[asyncio.Future[Outcome]], job: Job) -> None:
    """Hand the result to some waiters now, and to the others in later turns of the event loop."""
    for _ in range(min(_WOKEN_AT_ONCE, len(waiters))):
        future = waiters.popleft()
        if not future.done():  # else it was cancelled a moment ago
            if error := job.future.exception():
                future.set_exception(error)
            else:
                future.set_result(job.future.result())
    if waiters:
        asyncio.get_running_loop().call_soon(_wake, waiters, job)


def _done(outcome: Outcome) -> asyncio.Future[Outcome]:
    future = asyncio.get_running_loop().create_future()
    future.set_result(outcome)
    return future


def _key(job: Job) -> object:
    """Return a key that identical jobs share. A job that reports its tokens is identical only to itself."""
    if job.on_tokens:
        return job
    return (*job.identity, job.options, job.terms, job.rare_words, job.examples, job.known, job.long, job.priority)
