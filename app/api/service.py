"""What every endpoint works with, put together once by the composition root."""

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from app.api.metrics import Metrics
from app.engine.translation import TranslationEngine
from app.settings import Settings
from app.text.detection import Detector


@dataclass(frozen=True, kw_only=True)
class Service:
    """The engine and what surrounds it, for one application."""

    settings: Settings
    engine: TranslationEngine
    detector: Detector
    metrics: Metrics


async def _of_request(request: Request) -> Service:  # async, or FastAPI would spend a thread on it
    return cast(Service, request.app.state.service)


CurrentService = Annotated[Service, Depends(_of_request)]
