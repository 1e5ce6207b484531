"""The deployments of the cluster: one of replicas for each bundle, and one of ingresses, which serve HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ray import serve
from ray.serve.config import AutoscalingConfig, AutoscalingPolicy, RequestRouterConfig
from ray.serve.schema import LoggingConfig

from app.cluster.cluster_engine import Served
from app.cluster.ingress import Ingress, ModelIngress
from app.cluster.replica import Replica
from app.engine.models.discovery import find_bundles
from app.engine.models.folders import no_bundle
from app.engine.models.manifest import Manifest
from app.settings import Settings

if TYPE_CHECKING:
    from ray.serve import Application

# Several times the sentences that a worker decodes at once, so that its batches stay full, and few enough for a new
# replica to find work: what waits beyond them waits in the ingress.
_CALLS_PER_WORKER = 64
_ENOUGH_REQUESTS = 10_000  # the middleware of an ingress refuses what is too much
_HEALTH_PERIOD_S = 1.0
_HEALTH_TIMEOUT_S = 10.0
_AFTER_DRAIN_S = 5.0
_LOGGING = LoggingConfig(encoding="JSON", enable_access_log=False, log_level="WARNING")


class Model(NamedTuple):
    """A deployment of replicas.

    Attributes:
        name: Its name.
        paths: The bundles that its replicas serve.
        application: What Ray Serve runs.
    """

    name: str
    paths: Sequence[Path]
    application: "Application"


def build(arguments: Mapping[str, Any]) -> "Application":
    """The application for ``serve run app.cluster:build`` and for Serve's configuration files.

    Args:
        arguments: Settings by their names, such as ``replicas=2``; they take precedence over environment variables.

    Raises:
        ConfigurationError: A setting is wrong.
        BundleError: A bundle is missing or not understood.
    """
    settings = anywhere(Settings.load(**arguments))
    if settings.models_in_ingress:
        return _bind_model_ingress(settings)
    served = serving((model.paths, model.application) for model in bind_models(settings))
    ingress = serve.deployment(
        name="ingress",
        num_replicas=settings.ingresses,
        ray_actor_options={"num_cpus": 0},  # as Ray's own proxies; a machine's cores are for models
        max_ongoing_requests=_ENOUGH_REQUESTS,
        **_common(settings),
    )(serve.ingress()(Ingress))
    return ingress.bind(settings, served)


def _bind_model_ingress(settings: Settings) -> "Application":
    deployed = {path: Manifest.read(path) for path in _bundles(settings)}
    deployment = serve.deployment(
        name="ingress",
        ray_actor_options=_resources(settings),
        max_ongoing_requests=_ENOUGH_REQUESTS,
        **_scale(settings),
        **_common(settings),
    )(serve.ingress()(ModelIngress))
    return deployment.bind(settings, deployed)


def anywhere(settings: Settings) -> Settings:
    """The settings with paths and numbers that don't depend on the machine."""
    return settings.model_copy(
        update={"bundle": tuple(path.absolute() for path in settings.bundle), "workers": settings.decode_workers}
    )


def bind_models(settings: Settings) -> list[Model]:
    """A deployment for each bundle, or one for all of them if models are loaded by their first request.

    Raises:
        BundleError: There is no bundle.
    """
    paths = _bundles(settings)
    lazy = settings.loads_lazily(len(paths))
    groups = {"models": paths} if lazy else {f"{n}-{path.name}": [path] for n, path in enumerate(paths)}
    return [Model(name, group, _bind(name, group, settings)) for name, group in groups.items()]


def _bundles(settings: Settings) -> list[Path]:
    paths = find_bundles(settings.bundle)
    if not paths:
        raise no_bundle(settings.bundle[0])
    return paths


def serving(models: Iterator[tuple[Sequence[Path], Any]]) -> dict[Path, Served]:
    """The bundles that deployments serve, by folder.

    Args:
        models: For each deployment its bundles and its handle, or the application that Ray Serve makes a handle of.

    Raises:
        BundleError: A bundle is not understood.
    """
    return {
        path: Served(Manifest.read(path), handle, place) for paths, handle in models for place, path in enumerate(paths)
    }


def _bind(name: str, paths: Sequence[Path], settings: Settings) -> "Application":
    most_calls = _CALLS_PER_WORKER * settings.decode_workers
    deployment = serve.deployment(
        name=name,
        ray_actor_options=_resources(settings),
        max_ongoing_requests=most_calls,
        max_queued_requests=most_calls,  # in each ingress; more get 503
        request_router_config=_router(by_bundle=len(paths) > 1),
        **_scale(settings),
        **_common(settings),
    )(Replica)
    return deployment.bind(settings.model_copy(update={"bundle": tuple(paths), "pivot": ""}))


def _resources(settings: Settings) -> dict[str, Any]:
    """Returns the resources that a process with models needs."""
    gpus = {"num_gpus": 1} if settings.provider == "cuda" else {}
    return {"num_cpus": settings.decode_workers * settings.threads, **gpus}


def _router(by_bundle: bool) -> RequestRouterConfig:
    name: Any = "app.cluster.routing.AffinityRouter"  # mypy takes Ray's field for a dictionary
    return RequestRouterConfig(request_router_class=name, request_router_kwargs={"by_bundle": by_bundle})


def _scale(settings: Settings) -> dict[str, Any]:
    most = settings.max_replicas or settings.replicas
    if most == settings.replicas:
        return {"num_replicas": most}
    policy = AutoscalingPolicy(policy_function="app.cluster.scaling:replicas_for_load")  # type: ignore[no-untyped-call]
    bounds = AutoscalingConfig(min_replicas=settings.replicas, max_replicas=most, policy=policy)
    return {"autoscaling_config": bounds}


def _common(settings: Settings) -> dict[str, Any]:
    return {
        "health_check_period_s": _HEALTH_PERIOD_S,
        "health_check_timeout_s": _HEALTH_TIMEOUT_S,
        "graceful_shutdown_timeout_s": settings.drain_timeout_s + _AFTER_DRAIN_S,
        "graceful_shutdown_wait_loop_s": _HEALTH_PERIOD_S,
        "logging_config": _LOGGING,
    }
