"""A process of the cluster with engines in it, as Ray Serve watches and scales it."""

from collections.abc import Callable

from app import tracing
from app.cluster.metrics import ReplicaMetrics
from app.cluster.scaling import LOAD, load_of
from app.engine.interface import EngineState
from app.engine.models.bundle import Bundle
from app.engine.registry import Registry
from app.errors import EngineUnavailable
from app.logs import configure_logging
from app.settings import Settings


class EngineHost:
    """Holds the engines of some bundles; ``start`` of its engine loads them.

    Args:
        settings: The bundles; how to load and run them.
        check: Raises BundleError for a bundle that must not be served.

    Raises:
        BundleError: A bundle is missing or not understood.
    """

    def __init__(self, settings: Settings, check: Callable[[Bundle], None] | None = None) -> None:
        configure_logging(settings.log_level)
        if settings.tracing:
            tracing.start()
        self._settings = settings
        self._engine = Registry.from_settings(settings, check)
        self._metrics = ReplicaMetrics(self._engine)

    def check_health(self) -> None:
        """Ray Serve asks every second, and replaces a process that raises.

        Raises:
            EngineUnavailable: A worker of an engine died.
        """
        self._metrics.publish()
        if self._engine.state == EngineState.FAILED:
            raise EngineUnavailable("The engine has failed.")

    def record_autoscaling_stats(self) -> dict[str, float]:
        """What ``app.cluster.scaling`` decides by."""
        return {LOAD: load_of(self._engine.statistics(), self._settings)}
