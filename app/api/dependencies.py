"""The objects that every endpoint uses; the composition root creates them once."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from app.api.access import Access
from app.api.metrics import Metrics
from app.documents.service import Documents
from app.engine.interface import ReloadableEngine, ReloadReport
from app.engine.options import SearchOptions
from app.settings import Settings
from app.text.detection import Detector
from app.translation.languages import languages_of
from app.translation.pipeline import Translator
from app.translation.request import AUTO, TranslationRequest
from app.translation.stored_glossaries import Glossaries
from app.translation.stored_memories import Memories

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.keys import Key
    from app.storage.suggestions import SuggestionStore


@dataclass(kw_only=True)
class Service:
    """The engine and what surrounds it, for one application.

    ``database`` is None if nothing is kept, which a server without any of the settings that need it does.
    """

    settings: Settings
    engine: ReloadableEngine
    translator: Translator
    metrics: Metrics
    access: Access
    database: "Database | None"
    glossaries: Glossaries
    memories: Memories
    documents: Documents

    @cached_property
    def suggestions(self) -> "SuggestionStore | None":
        """Returns the suggestions; None if this server accepts none."""
        if not (self.settings.suggestions and self.database):
            return None
        from app.storage.suggestions import SuggestionStore

        return SuggestionStore(self.database)

    async def with_stored(
        self,
        key: "Key | None",
        wanted: TranslationRequest,
        glossary_ids: Sequence[str],
        memory: tuple[str, int] | None,
    ) -> TranslationRequest:
        """Adds the stored glossaries and translation memory that a request names.

        Args:
            key: The API key that it came with.
            wanted: The request.
            glossary_ids: Ids of the glossaries, the most important first.
            memory: Id of the memory and minimum score of its matches; None for none.

        Raises:
            InvalidRequest: An id is not a UUID, this server keeps nothing, or the memory is for other languages.
            GlossaryNotFound: There is no such glossary.
            MemoryNotFound: There is no such memory.
            StorageFailure: The database can't be used.
        """
        owner, pair = key.id if key else None, None if wanted.source == AUTO else (wanted.source, wanted.target)
        if glossary_ids:
            wanted = replace(wanted, glossary=await self.glossaries.find(owner, glossary_ids, pair))
        if memory:
            wanted = replace(wanted, memory=await self.memories.find(owner, *memory, pair))
        return wanted

    async def check_stored(
        self,
        key: "Key | None",
        pair: tuple[str, str],
        glossary_ids: Sequence[str],
        memory: tuple[str, int] | None,
    ) -> None:
        """Refuses a document that names a stored glossary or translation memory that it can't have.

        Raises:
            InvalidRequest: As ``with_stored``, which raises the other errors, too.
        """
        unread = TranslationRequest(texts=("",), source=pair[0], target=pair[1], options=SearchOptions())
        await self.with_stored(key, unread, glossary_ids, memory)

    async def reload(self) -> ReloadReport:
        """Reloads the bundles, and adapts language detection to the languages that are then served.

        Raises:
            EngineUnavailable: The engine is stopping or has failed.
            ConfigurationError: As ``Detector.load``.
        """
        report = await self.engine.reload()
        while (languages := tuple(languages_of(self.engine.pairs))) != self.translator.detector.languages:
            detector = Detector(languages)
            await asyncio.to_thread(detector.load)
            self.translator.detector = detector
        return report


async def _of_request(request: Request) -> Service:  # async, or FastAPI would spend a thread on it
    return cast(Service, request.app.state.service)


CurrentService = Annotated[Service, Depends(_of_request)]
