"""Endpoints for operators: health, liveness, readiness, and the models in service."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from app.api import openapi as docs
from app.api.dependencies import CurrentService
from app.api.readiness import obstacle_of
from app.errors import EngineUnavailable

router = APIRouter(tags=["Operations"])


@cache  # it is read from a file
def program_version() -> str:
    """The installed version, or ``0`` when run from a source tree that is not installed."""
    try:
        return version("dragoman")
    except PackageNotFoundError:
        return "0"


@router.get("/health", summary="LibreTranslate's health check", responses=docs.HEALTH_RESPONSES)
@router.get("/livez", summary="Is the process alive?", responses=docs.HEALTH_RESPONSES)
async def live() -> Response:
    """Answers 200 as long as the process can answer at all."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", summary="Can texts be translated now?", responses=docs.READY_RESPONSES)
async def ready(service: CurrentService) -> Response:
    """Answers 200 when the models are loaded, have passed their self-test and translate; otherwise 503."""
    if obstacle := obstacle_of(service.engine):
        raise EngineUnavailable(obstacle)
    return JSONResponse({"status": "ok"})


@router.get("/info", summary="Models, limits and state", responses=docs.INFO_RESPONSES)
async def info(service: CurrentService) -> Response:
    """Shows the version, the models with their origin and scores, the execution providers in use, and the limits."""
    settings = service.settings
    return JSONResponse(
        {
            "version": program_version(),
            "state": service.engine.state,
            **service.engine.info(),
            "limits": {
                "text_chars": settings.max_text_chars,
                "texts": settings.max_texts,
                "body_bytes": settings.max_body_bytes,
                "alternatives": settings.alternatives_limit,
                "request_timeout_s": settings.request_timeout_s,
            },
        }
    )


@router.get(
    "/metrics",
    summary="Counters and timings for Prometheus",
    response_class=PlainTextResponse,
    responses=docs.METRICS_RESPONSES,
)
async def metrics(service: CurrentService) -> Response:
    """Shows requests by endpoint and status, characters by language pair, times, and the engine's state."""
    return Response(service.metrics.write(), media_type=CONTENT_TYPE_LATEST)
