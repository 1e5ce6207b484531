"""The documents of a server, as the HTTP contracts use them; costs nothing before the first one comes."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.settings import Settings
from app.text.formality import Register
from app.translation.pipeline import Translator

if TYPE_CHECKING:
    from app.documents.jobs import DocumentJobs
    from app.storage.database import Database


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A checked upload.

    Attributes:
        content: The file.
        name: What the translated file is called.
        input: Name of the file's format.
        output: Name of the translation's format.
        source: Code of the language, or ``auto``.
        target: Code of the language to translate into.
        locale: The target with its region; None without one.
        register: How the reader must be addressed; None for any way.
        beam_size: Beam width; 1 is greedy search.
    """

    content: bytes
    name: str
    input: str
    output: str
    source: str
    target: str
    locale: str | None
    register: Register | None = None
    beam_size: int


class Documents:
    """Opens the jobs when they are needed: at the start if there may be some of an earlier process.

    Args:
        settings: How many documents there may be, how large, and for how long.
        translator: What translates them.
        database: Where they are kept; None keeps them in memory.
    """

    def __init__(self, settings: Settings, translator: Translator, database: "Database | None") -> None:
        self._settings, self._translator, self._database = settings, translator, database
        self._own_database: Database | None = None
        self._jobs: DocumentJobs | None = None
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Goes on with the documents that an earlier process left."""
        if self._settings.documents and (self._settings.data or self._settings.database):
            await self.jobs()

    async def stop(self) -> None:
        """Leaves unfinished documents to the next process."""
        if self._jobs:
            await self._jobs.stop()
        if self._own_database:
            self._own_database.close()

    async def jobs(self) -> "DocumentJobs":
        """The jobs."""
        async with self._lock:
            if self._jobs is None:
                from app.documents.jobs import DocumentJobs
                from app.storage.database import Database

                if self._database is None:
                    self._database = self._own_database = await asyncio.to_thread(Database, None)
                self._jobs = DocumentJobs(self._settings, self._translator, self._database)
                self._jobs.start()
            return self._jobs
