"""The engine of an ingress: the router of a single process, in front of engines in the replicas."""

import asyncio
import logging
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ray import serve
from ray.exceptions import RayError

from app.cluster.remote_engine import RemoteEngine
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Manifest
from app.engine.registry import Registry
from app.errors import BundleError
from app.settings import Settings

if TYPE_CHECKING:
    from ray.serve.handle import DeploymentHandle

_LOOK_EVERY_S = 1.0
# A replica that died is started again in this time, as a rule: about 5 seconds for Python and the model.
_PATIENCE_S = 10.0

_RUNNING: Any = "RUNNING"  # of an enumeration of strings, which Ray doesn't export

logger = logging.getLogger(__name__)


class Served(NamedTuple):
    """A bundle in the cluster.

    Attributes:
        manifest: What the replicas were started with.
        handle: Calls the replicas that serve it.
        place: Its place among their bundles.
    """

    manifest: Manifest
    handle: "DeploymentHandle[Any]"
    place: int


def check_deployed(bundle: Bundle, deployed: Manifest | None) -> None:
    """Raises BundleError unless a bundle is still the one that the cluster was deployed with."""
    if bundle.manifest != deployed:
        raise BundleError(f"{bundle.path} is new or has changed; deploy the cluster again to serve it")


class ClusterEngine(Registry):
    """Routes requests to replicas, through a pivot where needed.

    Args:
        settings: All settings; the bundles' folders are read here, too.
        served: The bundles that replicas serve, by folder.
    """

    def __init__(self, settings: Settings, served: Mapping[Path, Served]) -> None:
        self._served, self._remote = served, list[RemoteEngine]()
        self._watching: asyncio.Task[None] | None = None
        # The models are in the memory of others.
        mine = settings.model_copy(update={"max_models_bytes": sys.maxsize, "lazy_loading": False})
        super().__init__(mine, self._open)

    def _open(self, bundle: Bundle) -> RemoteEngine:
        served = self._served.get(bundle.path)
        check_deployed(bundle, served and served.manifest)
        assert served
        engine = RemoteEngine(bundle, served.handle, served.place)
        self._remote.append(engine)
        return engine

    async def start(self) -> None:
        """Waits for a replica of each bundle.

        Raises:
            BundleError: A bundle can't be served.
        """
        await super().start()
        self._watching = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Lets accepted work finish within the drain time."""
        await super().stop()
        if self._watching:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching

    async def _watch(self) -> None:
        """Tells the engines whether they have replicas."""
        seen: dict[str, float] = {}
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            try:
                running = await asyncio.to_thread(_running)
            except RayError:
                logger.warning("the cluster's controller doesn't answer")
                continue
            now = asyncio.get_running_loop().time()
            for engine in self._remote:
                if running.get(engine.deployment):
                    seen[engine.deployment] = now
                engine.note_replicas(now - seen.setdefault(engine.deployment, now) < _PATIENCE_S)


def _running() -> dict[str, int]:
    """How many replicas of each deployment run."""
    return {
        name: deployment.replica_states.get(_RUNNING, 0)
        for application in serve.status().applications.values()
        for name, deployment in application.deployments.items()
    }
