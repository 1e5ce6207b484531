"""The processes of the cluster that speak HTTP: without models, or with all of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from app import tracing
from app.cluster.cluster_engine import ClusterEngine, Served, check_deployed
from app.cluster.engine_host import EngineHost
from app.engine.models.manifest import Manifest
from app.logs import configure_logging
from app.main import create_app
from app.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI


class Ingress:
    """A server for HTTP without models of its own.

    Args:
        settings: All settings.
        served: As ``ClusterEngine``'s.
    """

    def __init__(self, settings: Settings, served: Mapping[Path, Served]) -> None:
        self._settings, self._served = settings, served

    def __serve_build_asgi_app__(self) -> "FastAPI":
        """Ray Serve calls this in the ingress's process."""
        configure_logging(self._settings.log_level)
        if self._settings.tracing:
            tracing.start()
        return create_app(self._settings, ClusterEngine(self._settings, self._served))


class ModelIngress(EngineHost):
    """A server for HTTP with all models inside, for models that cost less than the way to a replica.

    Args:
        settings: All settings.
        deployed: The manifests of the bundles, by folder, so that all ingresses serve the same models.
    """

    def __init__(self, settings: Settings, deployed: Mapping[Path, Manifest]) -> None:
        super().__init__(settings, lambda bundle: check_deployed(bundle, deployed.get(bundle.path)))

    def __serve_build_asgi_app__(self) -> "FastAPI":
        """Ray Serve calls this in the ingress's process; the application starts the engine and stops it."""
        return create_app(self._settings, self._engine)
