"""The documents of a server, as the HTTP contracts use them. Nothing is opened before the first document."""

import asyncio
import gc
import sys
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from app.documents.upload import Outcome
from app.settings import Settings
from app.translation.pipeline import Translator
from app.translation.references import References

if TYPE_CHECKING:
    from app.documents.jobs import DocumentJobs
    from app.documents.reading.readers import Readers
    from app.storage.database import Database


class Documents:
    """Opens the jobs on first use, or at the start if an earlier process may have left some.

    Args:
        settings: How many documents there may be, how large, and for how long.
        translator: What translates them.
        database: Where they are kept; None keeps them in memory.
        references: The stored glossaries and translation memories.
        observe: Called with how each document ended in the background.
    """

    def __init__(
        self,
        settings: Settings,
        translator: Translator,
        database: "Database | None",
        references: References,
        observe: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._observe = observe
        self._settings, self._translator, self._database = settings, translator, database
        self._references = references
        self._own_database: Database | None = None
        self._jobs: DocumentJobs | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Resumes the documents that an earlier process left."""
        if self._settings.documents and (self._settings.data or self._settings.database):
            await self.jobs()

    async def stop(self) -> None:
        """Leaves unfinished documents to the next process."""
        if self._jobs:
            await self._jobs.stop()
        if self._own_database:
            self._own_database.close()

    @cached_property
    def readers(self) -> "Readers":
        """What reads files, each in a process of its own."""
        from app.documents.reading.readers import ReaderLimits, Readers

        return Readers(ReaderLimits.from_settings(self._settings))

    async def jobs(self) -> "DocumentJobs":
        """Returns the jobs."""
        async with self._lock:
            if self._jobs is None:
                await asyncio.to_thread(_import_jobs)
                from app.documents.jobs import DocumentJobs
                from app.storage.database import Database

                if self._database is None:
                    self._database = self._own_database = await asyncio.to_thread(Database, None)
                parts = self._translator, self._database, self._references, self.readers
                self._jobs = DocumentJobs(self._settings, *parts, self._observe)
                self._jobs.start()
            return self._jobs


def _import_jobs() -> None:
    """Imports what takes half a second."""
    # Meanwhile a thread that waits for the interpreter gets it after a tenth of the usual time: eight calls of a thread
    # from the event loop take 9 ms instead of 15, and 30 instead of 48 at most (means of six imports on two cores).
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(interval_s / 10)
    try:
        import app.documents.jobs
        import app.storage.database  # noqa: F401
    finally:
        sys.setswitchinterval(interval_s)
    gc.freeze()  # all of it stays: a search for cycles that includes it takes 27 ms
