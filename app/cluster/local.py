"""``dragoman serve --cluster``: the models in replicas, and this process as the ingress, with its own HTTP server."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import ray
from ray import serve

from app.cluster.cluster_engine import ClusterEngine
from app.cluster.deployments import anywhere, bind_models, serving
from app.errors import ConfigurationError
from app.settings import Settings

_PREFIX = "dragoman-"

logger = logging.getLogger(__name__)


@contextmanager
def cluster_engine(settings: Settings) -> Iterator[ClusterEngine]:
    """Deploys the models, unless they are deployed, in the cluster of ``RAY_ADDRESS`` or a new one on this machine.

    A new cluster ends with the block. In another cluster the replicas go on, for other ingresses use them.

    Raises:
        BundleError: A bundle is missing, damaged or not understood.
        ConfigurationError: The cluster can't be reached.
    """
    if settings.models_in_ingress:
        raise ConfigurationError("models_in_ingress needs `serve run`: `dragoman serve --cluster` is an ingress itself")
    settings = anywhere(settings)
    # The service opens no connection of its own, so Ray doesn't report its use, either.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    own = "RAY_ADDRESS" not in os.environ
    ray.init(
        address="local" if own else None,
        include_dashboard=False if own else None,
        log_to_driver=True,
        logging_level=logging.WARNING,
        configure_logging=False,
    )
    try:
        serve.start(proxy_location="Disabled")
        there = serve.status().applications
        handles = []
        for model in bind_models(settings):
            name = _PREFIX + model.name
            if name in there:
                handle = serve.get_app_handle(name)
            else:
                handle = serve.run(model.application, name=name, route_prefix=None)
            handles.append((model.paths, handle))
        yield ClusterEngine(settings, serving(iter(handles)))
    finally:
        if own:
            serve.shutdown()  # type: ignore[no-untyped-call]
        ray.shutdown()
