"""Continuous batching: the queue of sentences, and the workers that share it.

A worker takes as many sentences as fit its batch between two steps. Every job ends exactly once: with its hypotheses or
with a typed error.
"""

import logging
import time
from collections import Counter
from typing import Generic

from app.engine.scheduling.job_queue import Backlog, JobQueue
from app.engine.scheduling.policy import Features, Limits, Workload
from app.engine.scheduling.worker import Worker

logger = logging.getLogger(__name__)

# How long a stop waits for a run of the model to end, in seconds.
_STUCK_S = 3.0


class Scheduler(Generic[Features]):
    """Starts, stops and counts the threads that encode and decode.

    Args:
        workload: The work of the threads. Several threads may use it at once.
        limits: Bounds of the queue and of each worker's batches.
        workers: Threads, each with batches of its own.
        backlog: Counts what waits in all the queues that are bounded together; None if this one is by itself.

    Attributes:
        queue: Takes the jobs.
    """

    def __init__(
        self, workload: Workload[Features], *, limits: Limits, workers: int = 1, backlog: Backlog | None = None
    ) -> None:
        self.queue = JobQueue(limits, workers, backlog)
        self._workers = [Worker(self.queue, workload, limits) for _ in range(workers)]

    def start(self) -> None:
        """Start the threads."""
        self.queue.open()
        for worker in self._workers:
            worker.thread.start()

    @property
    def alive(self) -> bool:
        """Whether the threads run and take work."""
        return self.queue.alive

    @property
    def counters(self) -> Counter[str]:
        """Totals since the start, by name; see ``app.engine.metric_names``."""
        total = Counter(rejected=self.queue.rejected)
        for worker in self._workers:
            total.update(worker.counters)
        return total

    def stop(self, drain_s: float) -> None:
        """Refuse new jobs, finish accepted jobs within ``drain_s`` seconds, fail all others, and end the threads.

        A thread in a run of the model that doesn't end is left behind.
        """
        deadline = time.monotonic() + drain_s
        self.queue.close()
        started = [worker.thread for worker in self._workers if worker.thread.ident is not None]
        for thread in started:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.queue.abort()
        deadline = time.monotonic() + _STUCK_S
        for thread in started:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in started):
            logger.error("the model does not return; its thread is abandoned")
            self.queue.fail_unfinished(self._workers[0].counters)

    def statistics(self) -> dict[str, float]:
        """Gauges and counters."""
        lanes = [lane for worker in self._workers for lane in worker.lanes]
        sentences, tokens = self.queue.waiting()
        return {
            "queued_sentences": sentences,
            "queued_tokens": tokens,
            "running_sentences": sum(len(lane.running) for lane in lanes),
            "running_rows": sum(lane.batch.live_rows for lane in lanes),
            **self.counters,
        }
