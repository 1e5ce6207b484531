"""What every endpoint works with, put together once by the composition root."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from app.api.access import Access
from app.api.glossaries import Glossaries
from app.api.memories import Memories
from app.api.metrics import Metrics
from app.documents.service import Documents
from app.engine.interface import ReloadableEngine, ReloadReport
from app.settings import Settings
from app.text.detection import Detector
from app.translation.languages import languages_of
from app.translation.pipeline import Translator

if TYPE_CHECKING:
    from app.storage.database import Database


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
