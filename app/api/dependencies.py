"""The objects that every endpoint uses; the composition root creates them once."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from app.api.access import Access
from app.api.metrics import Metrics
from app.api.parameter import Given, Parameters
from app.api.request_body import FilePart
from app.documents.service import Documents
from app.engine.interface import ReloadableEngine, ReloadReport
from app.settings import Settings
from app.text.detection import Detector
from app.translation.languages import languages_of
from app.translation.pipeline import Translator
from app.translation.references import References
from app.translation.request import TranslationRequest, Wish
from app.translation.second_tier.interface import SecondTier
from app.translation.stored_glossaries import Glossaries
from app.translation.stored_memories import Memories

if TYPE_CHECKING:
    from app.storage.database import Database
    from app.storage.keys import Key
    from app.storage.memory_jobs import MemoryJobStore
    from app.storage.styles import StyleStore
    from app.storage.suggestions import SuggestionStore


@dataclass(kw_only=True)
class Service:
    """The engine and what surrounds it, for one application.

    ``database`` is None if nothing is kept, which a server without any of the settings that need it does.
    """

    settings: Settings
    engine: ReloadableEngine
    translator: Translator
    second_tier: SecondTier | None
    metrics: Metrics
    access: Access
    database: "Database | None"
    references: References
    documents: Documents

    @cached_property
    def suggestions(self) -> "SuggestionStore | None":
        """Returns the suggestions; None if this server accepts none."""
        if not (self.settings.suggestions and self.database):
            return None
        from app.storage.suggestions import SuggestionStore

        return SuggestionStore(self.database)

    @cached_property
    def memory_jobs(self) -> "MemoryJobStore":
        """Returns the jobs that import and export translation memories, of a server that has a database."""
        from app.storage.memory_jobs import MemoryJobStore

        assert self.database
        return MemoryJobStore(self.database)

    @cached_property
    def styles(self) -> "StyleStore | None":
        """Returns the style rule lists; None if this server stores nothing."""
        if self.database is None:
            return None
        from app.storage.styles import StyleStore

        return StyleStore(self.database)

    @property
    def glossaries(self) -> Glossaries:
        """Returns the stored glossaries."""
        return self.references.glossaries

    @property
    def memories(self) -> Memories:
        """Returns the stored translation memories."""
        return self.references.memories

    def given(self, parameters: Parameters, values: Mapping[str, object], file: FilePart | None = None) -> Given:
        """Checks the parameters of a request.

        Raises:
            InvalidRequest: As ``Parameters.read``.
        """
        return parameters.read(values, settings=self.settings, pairs=self.engine.pairs, file=file)

    async def check_references(self, wish: Wish, key: "Key | None") -> None:
        """Refuses a document that names a stored glossary or translation memory that it can't have.

        Raises:
            InvalidRequest: As ``References.resolved``, which raises the other errors, too.
        """
        await self.references.resolved(TranslationRequest(**vars(wish)), key.id if key else None)

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
