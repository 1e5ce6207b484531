"""A thread that takes jobs from the queue, and encodes and decodes them in two lanes."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic

from app.engine.interface import Timing
from app.engine.scheduling.job_queue import JobQueue
from app.engine.scheduling.policy import POLICY, Features, Job, Lane, Limits, Outcome, Workload, fit_rows, fit_steps
from app.errors import Cancelled, ModelFailure

logger = logging.getLogger(__name__)

_COUNTERS = ("steps", "rows_stepped", "finished", "failed", "cancelled")


class Worker(Generic[Features]):
    """Steps its two batches in turns.

    Args:
        queue: Gives the work.
        workload: What encodes and decodes.
        limits: Bounds of its batches.

    Attributes:
        lanes: Short work, long work.
        counters: Counts of its work, by name.
        thread: Started by the scheduler.
    """

    def __init__(self, queue: JobQueue, workload: Workload[Features], limits: Limits) -> None:
        self._queue, self._workload, self._limits = queue, workload, limits
        small = replace(limits, max_batch_tokens=min(limits.max_batch_tokens, POLICY.long_encoded_tokens))
        self._long = Lane(long=True, weight=POLICY.long_weight, limits=small, batch=workload.new_batch(), most_steps=1)
        self.lanes = (
            Lane(long=False, weight=POLICY.short_weight, limits=limits, batch=workload.new_batch()),
            self._long,
        )
        # All of them now: others read them while this thread counts.
        self.counters = Counter(dict.fromkeys(_COUNTERS, 0))
        self.thread = threading.Thread(target=self._run, name="dragoman-decode", daemon=True)

    def _run(self) -> None:
        crashed = True
        try:
            while (turn := self._queue.next_turn(self.lanes, self.counters)) is not None:
                lane, chosen = turn
                began = time.monotonic()
                if chosen:
                    self._admit(lane, chosen)
                self._drop_cancelled()
                steps = self._step(lane) if lane.running else 0
                lane.turn_s = time.monotonic() - began
                lane.clock += lane.turn_s / lane.weight
                if lane is self._long and steps and not chosen:
                    step_s = lane.turn_s / steps
                    rows = fit_rows(lane.reserved_rows, step_s, self._limits.max_batch_rows)
                    lane.limits, lane.most_steps = replace(lane.limits, max_batch_rows=rows), fit_steps(step_s)
            crashed = False
        except BaseException:
            # A bug, not a model failure: those are handled where they happen. Nobody may wait for a dead thread.
            logger.exception("a worker thread crashed")
        finally:
            for lane in self.lanes:
                lane.running.clear()
            self._queue.worker_ended(self.counters, crashed=crashed)

    def _admit(self, lane: Lane[Features], jobs: list[Job]) -> None:
        began = time.monotonic()
        try:
            ready = self._workload.prepared(jobs)
            features = self._workload.encode(ready) if ready else []
        except ModelFailure as failure:
            self._retry(jobs, failure)
            return
        if len(ready) < len(jobs):  # the others go on at their next turn, and everybody else's sentences meanwhile
            self._queue.resubmit([job for job in jobs if job not in ready])
        if not ready:
            return
        ended = time.monotonic()
        searches = [self._workload.new_search(job) for job in ready]
        for search, job in zip(searches, ready, strict=True):
            job.started, job.encode_s = began, ended - began
            lane.running[search] = job
        try:
            lane.batch.join(searches, features)
        except ModelFailure as failure:
            self._fail(lane, failure)

    def _fail(self, lane: Lane[Features], failure: ModelFailure) -> None:
        """Gives up a lane's batch, and tries its jobs again."""
        jobs = list(lane.running.values())
        lane.running.clear()
        lane.batch = lane.batch.emptied()
        self._retry(jobs, failure)

    def _step(self, lane: Lane[Features]) -> int:
        """Makes a turn of a lane; returns the number of steps."""
        rows, before = lane.batch.live_rows, lane.batch.steps
        try:
            done = lane.batch.step(lane.most_steps)
        except ModelFailure as failure:
            self._fail(lane, failure)
            return 0
        steps = lane.batch.steps - before
        self.counters["steps"] += steps
        self.counters["rows_stepped"] += steps * rows
        now = time.monotonic()
        for search in done:
            job = lane.running.pop(search)
            decode_s = now - job.started - job.encode_s
            timing = Timing(queue_s=job.started - job.submitted, encode_s=job.encode_s, decode_s=decode_s)
            self._queue.end(job, Outcome(search.hypotheses(), timing, job.remembered, now), self.counters)
        for search, job in lane.running.items():
            if job.on_tokens:
                job.on_tokens(search.best_tokens)
        return steps

    def _retry(self, jobs: Sequence[Job], failure: ModelFailure) -> None:
        """Tries the jobs of a failed batch again one by one; a job that fails alone fails for good."""
        if len(jobs) == 1:
            extra = {"request_id": jobs[0].request_id, "tokens": len(jobs[0].source)}
            logger.error("the model failed on one sentence", exc_info=failure, extra=extra)
            self._queue.end(jobs[0], failure, self.counters)
            return
        logger.warning("the model failed on a batch of %d sentences; trying them one by one", len(jobs))
        for job in jobs:
            job.alone = True
        self._queue.resubmit(jobs)

    def _drop_cancelled(self) -> None:
        """Free the rows of cancelled jobs."""
        for lane in self.lanes:
            gone = {search: job for search, job in lane.running.items() if job.future.cancelled()}
            if gone:
                lane.batch.drop(list(gone))
                for search, job in gone.items():
                    del lane.running[search]
                    self._queue.end(job, Cancelled("The caller went away."), self.counters)
