"""The composition root: puts settings, engine, edge and middleware together into an application."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import Scope

from app.api import administration, key_administration, operations, suggestion_administration
from app.api.access import Access
from app.api.azure.contract import AZURE
from app.api.deepl.contract import DEEPL
from app.api.dependencies import Service
from app.api.error_responses import install_handlers
from app.api.libretranslate.contract import LIBRETRANSLATE
from app.api.metrics import Metrics
from app.api.middleware.admission import Admission, Refusals, translates
from app.api.middleware.body_budget import BodyBudget
from app.api.middleware.cors import CrossOrigin
from app.api.middleware.request_context import RequestContext
from app.api.middleware.trusted_proxies import TrustedProxies
from app.api.middleware.unexpected_errors import UnexpectedErrors
from app.api.middleware.url import NormalizedRequest, normalized
from app.api.openapi import DESCRIPTION, OPERATIONS_TAG, TITLE, operation_id, with_named_schemas
from app.api.pages import install_pages
from app.documents.service import Documents
from app.edge.connections import Refusal
from app.engine.interface import ReloadableEngine
from app.engine.registry import Registry
from app.settings import Settings
from app.text.detection import Detector
from app.translation.languages import languages_of
from app.translation.pipeline import Translator
from app.translation.references import References
from app.translation.second_tier.interface import SecondTier
from app.translation.stored_glossaries import Glossaries
from app.translation.stored_memories import Memories

if TYPE_CHECKING:
    from app.storage.database import Database

CONTRACTS = (LIBRETRANSLATE, DEEPL, AZURE)
"""Every HTTP interface for translations; ``app.api.contract`` says how to add one."""


class Application(FastAPI):
    """The application; its OpenAPI document has the schemas of request bodies, too."""

    def openapi(self) -> dict[str, Any]:
        """Returns the document; it is made once."""
        if self.openapi_schema is None:
            for route in self.routes:
                if isinstance(route, APIRoute):
                    route.unique_id = operation_id(route)
            self.openapi_schema = with_named_schemas(super().openapi())
        return self.openapi_schema


def create_app(settings: Settings, engine: ReloadableEngine | None = None, detector: Detector | None = None) -> FastAPI:
    """Builds the application.

    The engine starts inside the lifespan, before the first request is accepted, not in the background: a model that
    can't be loaded then ends the process with its own error instead of leaving a server that only answers 503, and
    a server that accepts connections is ready.

    Args:
        settings: All settings.
        engine: What translates; None serves the bundles that the settings name.
        detector: What tells languages apart; None builds one for the engine's languages.

    Raises:
        BundleError: A bundle is missing or not understood.
        ConfigurationError: The database can't be used, or the client of Valkey is missing.
    """
    engine = engine or Registry.from_settings(settings)
    service = _build_service(settings, engine, detector or Detector(languages_of(engine.pairs)))
    routers = [router for contract in CONTRACTS for router in contract.routers]
    routers += [each.router for each in (operations, administration, key_administration, suggestion_administration)]
    routes = [route for router in routers for route in router.routes]
    app = Application(
        title=TITLE,
        description=DESCRIPTION,
        version=operations.program_version(),
        openapi_tags=[{"name": each.name, "description": each.description} for each in CONTRACTS if each.is_documented]
        + [OPERATIONS_TAG],
        root_path_in_servers=False,
        servers=[{"url": settings.root_path or "/"}],
        redirect_slashes=False,
        # `include_router` builds every route again at the first request: 0.15 s of the processor.
        routes=routes,
        docs_url=None,
        redoc_url=None,
        # Where OpenTelemetry is set up, it would send query strings along, which may hold the text to translate.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        lifespan=_lifespan,
    )
    app.state.service = service
    install_handlers(app, routes)
    _add_middleware(app, service, routes)
    install_pages(app)
    return app


def _build_service(settings: Settings, engine: ReloadableEngine, detector: Detector) -> Service:
    """Builds what the endpoints share.

    Raises:
        ConfigurationError: The database can't be used.
    """
    metrics = Metrics(engine)
    second_tier = _second_tier(settings, metrics)
    translator = Translator(engine, detector, metrics.observe_translation, second_tier)
    database = _open_database(settings)
    references = References(Glossaries(database), Memories(database))
    return Service(
        settings=settings,
        engine=engine,
        translator=translator,
        second_tier=second_tier,
        metrics=metrics,
        access=Access(settings, database),
        database=database,
        references=references,
        documents=Documents(settings, translator, database, references, metrics.observe_document),
    )


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    await asyncio.gather(service.engine.start(), asyncio.to_thread(service.translator.detector.load))
    await service.documents.start()
    try:
        yield
    finally:
        await service.documents.stop()
        await service.engine.stop()
        await service.access.close()
        if service.second_tier:
            await service.second_tier.close()
        if service.database:
            service.database.close()


def _add_middleware(app: FastAPI, service: Service, routes: Sequence[BaseRoute]) -> None:
    settings, metrics = service.settings, service.metrics
    # The last one added is the outermost.
    app.add_middleware(UnexpectedErrors)
    app.add_middleware(BodyBudget, most_bytes=settings.max_bodies_bytes)
    app.add_middleware(CrossOrigin, origins=settings.cors_origins, routes=routes)
    app.add_middleware(RequestContext, metrics=metrics)
    refusals = Refusals(service.engine, metrics.observe_request, settings.cors_origins)
    app.add_middleware(Admission, refusals=refusals)
    app.add_middleware(NormalizedRequest, prefix=settings.root_path, contracts=CONTRACTS)
    if settings.trusted_proxies:
        app.add_middleware(TrustedProxies, proxies=settings.trusted_proxies, sign_in_header=settings.sign_in_header)

    def refuse(scope: Scope) -> Refusal | None:
        if scope["method"] != "POST":
            return None
        scope.update(normalized(scope, settings.root_path, CONTRACTS))
        response = refusals.of(scope) if translates(scope) else None
        return Refusal(response.status_code, response.raw_headers, bytes(response.body)) if response else None

    app.state.refuse = refuse  # for the server, which then makes no task for a request


def _second_tier(settings: Settings, metrics: Metrics) -> SecondTier | None:
    """The second tier, if a setting names one.

    Raises:
        ConfigurationError: Its HTTP client is missing, or its key can't be read.
    """
    if settings.second_tier is None:
        return None
    from app.translation.second_tier.server import ChatServer, read_key  # brings httpx along

    secret = settings.second_tier_key
    return ChatServer(
        settings.second_tier,
        key=secret.get_secret_value() if secret else read_key(settings.second_tier_key_file),
        model=settings.second_tier_model,
        below=settings.second_tier_below,
        at_once=settings.second_tier_at_once,
        timeout_s=settings.second_tier_timeout_s,
        observe=metrics.observe_second_tier,
    )


def _open_database(settings: Settings) -> "Database | None":
    """The database, if a setting needs one.

    Raises:
        ConfigurationError: It can't be used.
    """
    if not (settings.data or settings.database or settings.request_limits):
        return None
    from app.storage.database import Database  # brings SQLAlchemy along, which other servers don't need

    return Database.from_settings(settings)
