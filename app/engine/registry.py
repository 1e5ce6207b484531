"""Several bundles behind one interface: a request goes to the model of its pair, or through a pivot to two models.

The bundles can be read again at any time. A request keeps the models that it began with, until it is done.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.engine.interface import (
    Alphabet,
    EngineState,
    Inspection,
    InspectionCall,
    ModelEngine,
    OpenHop,
    ReloadReport,
)
from app.engine.models.bundle import Bundle
from app.engine.models.discovery import find_bundles, loaded_bytes
from app.engine.models.folders import no_bundle
from app.engine.models.manifest import Manifest
from app.engine.models.model_pool import ModelPool, ServedModel
from app.engine.models.routing import Pair, Route, find_routes
from app.engine.onnx.opening import opened_graphs
from app.engine.scheduling.job_queue import Backlog
from app.errors import BundleError, DragomanError, EngineUnavailable, Overloaded, UnsupportedPair

if TYPE_CHECKING:
    from app.settings import Settings

logger = logging.getLogger(__name__)

MODEL_PATIENCE_S = 10.0
"""How long a request waits for models in use to leave the memory. A short text is done in a fraction of that."""


class Registry:
    """Routes requests to the engines of its bundles.

    Args:
        settings: Which bundles, how to load them, in how much memory; the pivot.
        open_engine: Makes the engine of a bundle.

    Raises:
        BundleError: A bundle is missing or not understood, or there is no memory for it.
    """

    def __init__(self, settings: "Settings", open_engine: Callable[[Bundle], ModelEngine]) -> None:
        self._settings = settings
        self._pool = ModelPool(lambda model: open_engine(_opened(model)), settings.max_models_bytes)
        self._state = EngineState.STARTING
        self._changing = asyncio.Lock()
        self._former: dict[Pair, Route] = {}  # of pairs taken away while requests that use them are in flight
        self._models = [self._model(path) for path in find_bundles(settings.bundle)]
        missing = [path for path in settings.bundle if not path.exists()]
        if missing or not self._models:
            raise no_bundle((missing or settings.bundle)[0])
        self._publish(self._models)

    @classmethod
    def from_settings(cls, settings: "Settings", check: Callable[[Bundle], None] | None = None) -> "Registry":
        """Registers the bundles that the settings name; ``start`` loads them.

        Args:
            settings: All settings.
            check: Raises BundleError for a bundle that must not be loaded.

        Raises:
            BundleError: One is missing or not understood, or there is no memory for it.
        """
        # Imported here, so that tests with engines of their own don't load numpy and ONNX Runtime.
        from app.engine.single_model import Engine

        backlog = Backlog()

        def open_engine(bundle: Bundle) -> Engine:
            if check:
                check(bundle)
            return Engine.from_bundle(bundle, settings, backlog)

        return cls(settings, open_engine)

    @property
    def pairs(self) -> frozenset[Pair]:
        """Source and target codes that can be translated, directly or through the pivot, in lower case."""
        return self._pairs

    @property
    def state(self) -> EngineState:
        """One of ``starting``, ``ready``, ``stopping``, ``failed``; ready if all engines in memory are."""
        states = self._pool.states() if self._state == EngineState.READY else set()
        return next((state for state in (EngineState.FAILED, EngineState.STARTING) if state in states), self._state)

    def reject_if_overloaded(self) -> None:
        """See ``app.engine.interface.TranslationEngine``; with several models, another may have room."""
        match self._models:
            case [ServedModel(engine=engine)] if engine:
                engine.reject_if_overloaded()

    async def start(self) -> None:
        """Loads as many models as there is room for, in order; none if loading is lazy.

        Raises:
            BundleError: A bundle is damaged, or its model fails the self-test.
            ConfigurationError: The settings don't fit this machine.
        """
        async with self._changing:
            lazy = self._settings.loads_lazily(len(self._models))
            try:
                for model in dict.fromkeys(hop.model for route in self._routes.values() for hop in route):
                    if lazy or not self._pool.fits(model):
                        logger.info("model will be loaded by its first request", extra={"bundle": str(model.path)})
                    else:
                        await self._pool.load(model)
            except BaseException:
                self._state = EngineState.FAILED
                await self._pool.stop(0.0)
                raise
            self._state = EngineState.READY

    async def stop(self) -> None:
        """Lets accepted work finish within the drain time, then stops all engines."""
        self._state = EngineState.STOPPING
        await self._pool.stop(self._settings.drain_timeout_s)

    async def reload(self) -> ReloadReport:
        """Reads the folders again; see ``app.engine.interface.ReloadableEngine``.

        A new or changed bundle is verified before it is served and, unless loading is lazy, loaded and tested.
        """
        async with self._changing:
            if self._state != EngineState.READY:
                raise EngineUnavailable(f"The translation engine is {self._state}.")
            known = {model.path: model for model in self._models}
            found = await asyncio.to_thread(find_bundles, self._settings.bundle)
            lazy = self._settings.loads_lazily(len(found))
            models: list[ServedModel] = []
            outcomes: dict[str, list[str]] = {"added": [], "replaced": [], "unchanged": [], "removed": []}
            failed: dict[str, str] = {}
            for path in found:
                old = known.pop(path, None)
                try:
                    model = await self._taken_up(path, old, lazy=lazy)
                    outcomes["unchanged" if model is old else "replaced" if old else "added"].append(str(path))
                    models.append(model)
                except DragomanError as error:
                    failed[str(path)] = str(error)
                    models += [old] if old else []
            if models:
                outcomes["removed"] += map(str, known)
                self._replace(models)
            else:
                failed |= {
                    str(path): "its folder is gone, but it is still served, because it is the last one"
                    for path in known
                }
        report = ReloadReport(**{name: tuple(paths) for name, paths in outcomes.items()}, failed=failed)
        _log(report)
        return report

    def route(self, source: str, target: str) -> "OpenRoute":
        """Keeps the models of a pair in memory; see ``app.engine.interface.TranslationEngine``."""
        if self._state != EngineState.READY:
            raise EngineUnavailable(f"The translation engine is {self._state}.")
        return OpenRoute(self._pool, self._route(source, target))

    async def inspect(self, call: InspectionCall) -> Inspection:
        """See ``app.engine.interface.TranslationEngine``."""
        if self._state != EngineState.READY:
            raise EngineUnavailable(f"The translation engine is {self._state}.")
        first, *others = self._route(call.source, call.target)
        if others:
            pair = f"from {call.source} to {call.target}"
            raise UnsupportedPair(f"Two models translate {pair}, through {first.target}; inspect one at a time.")
        async with self._pool.using(first.model, patience_s=MODEL_PATIENCE_S) as [engine]:
            return await engine.inspect(replace(call, source=first.source, target=first.target))

    def alphabet(self, source: str, target: str) -> Alphabet:
        """Returns the characters that the first model knows, and the placeholders that every model copies."""
        alphabets = [hop.model.manifest.alphabet for hop in self._routes.get((source, target), ())]
        if len(alphabets) < 2:
            return alphabets[0] if alphabets else Alphabet()
        carried = [set(alphabet.placeholders) for alphabet in alphabets]
        placeholders = tuple(one for one in alphabets[0].placeholders if all(one in others for others in carried))
        return Alphabet(alphabets[0].characters, placeholders)

    def info(self) -> dict[str, object]:
        """Describes every model, the execution providers in use, and the pairs that need two models."""
        return {
            "models": [
                {
                    **model.manifest.summary(),
                    "precision": self._settings.graph_precision,
                    **(model.engine.info() if model.engine else {}),
                    "loaded": model.engine is not None,
                    "bytes": model.nbytes,
                }
                for model in self._models
            ],
            "pivot": {
                "language": self._settings.pivot or None,
                "pairs": sorted(f"{source}-{target}" for (source, target), hops in self._routes.items() if hops[1:]),
            },
        }

    def statistics(self) -> dict[str, float]:
        """Current gauges and counters by name, of all models together."""
        queue = {"queue_limit_tokens": self._settings.max_queue_tokens}
        return {**self._pool.statistics(), **queue, "models_served": len(self._models)}

    def _route(self, source: str, target: str) -> Route:
        route = self._routes.get((source, target))
        if route is None:
            # A request in flight may still translate more sentences with it.
            route = self._former.get((source, target))
            if route is None or not all(hop.model.users for hop in route):
                raise UnsupportedPair(f"No model translates from {source} to {target}.")
        return route

    def _model(self, path: Path) -> ServedModel:
        manifest = Manifest.read(path)
        settings = self._settings
        graphs = opened_graphs(manifest, settings.graph_precision, settings.kernels)
        nbytes = loaded_bytes(path, manifest, graphs) + settings.feature_cache_bytes
        if nbytes > settings.max_models_bytes:
            raise BundleError(
                f"{path} needs about {nbytes} bytes, but DRAGOMAN_MAX_MODELS_BYTES allows {settings.max_models_bytes}"
            )
        return ServedModel(path=path, manifest=manifest, nbytes=nbytes)

    async def _taken_up(self, path: Path, old: ServedModel | None, *, lazy: bool) -> ServedModel:
        """Returns the bundle in a folder: the old one if nothing has changed, otherwise a new one, verified and tested.

        Raises:
            DragomanError: It can't be served.
        """
        model = await asyncio.to_thread(self._model, path)
        if old and model.manifest == old.manifest:
            return old
        if lazy:
            await asyncio.to_thread(Bundle.open, path)
            return model
        async with self._pool.sparing(old):
            try:
                await self._pool.load(model)
            except Overloaded:  # it is tested as soon as there is room for it
                await asyncio.to_thread(Bundle.open, path)
        return model

    def _replace(self, models: list[ServedModel]) -> None:
        """Serves these models from now on; requests in progress keep their models."""
        retired = [model for model in self._models if model not in models]
        former = self._former | self._routes
        self._publish(models)
        for model in retired:
            self._pool.retire(model)
        self._former = {
            pair: route
            for pair, route in former.items()
            if pair not in self._routes and all(hop.model.users for hop in route)
        }

    def _publish(self, models: list[ServedModel]) -> None:
        settings = self._settings
        self._routes = find_routes(models, middle=settings.pivot, max_bytes=settings.max_models_bytes)
        self._models = models
        self._pairs = frozenset(self._routes)


class OpenRoute:
    """The models of a route, which are in memory inside the ``async with`` block."""

    def __init__(self, pool: ModelPool, hops: Route) -> None:
        self._pool, self._hops = pool, hops
        self._models = [hop.model for hop in hops]

    async def __aenter__(self) -> Sequence[OpenHop]:
        engines = await self._pool.take(self._models, MODEL_PATIENCE_S)
        return [OpenHop(engine, hop.source, hop.target) for engine, hop in zip(engines, self._hops, strict=True)]

    async def __aexit__(self, *_: object) -> None:
        self._pool.give_back(self._models)


def _opened(model: ServedModel) -> Bundle:
    """Opens and verifies the model's bundle, which must be the same as when the model was accepted.

    Raises:
        BundleError: The bundle is damaged or has changed.
    """
    bundle = Bundle.open(model.path)
    if bundle.manifest != model.manifest:
        raise BundleError(f"{model.path} has changed since the server read it; reload the bundles")
    return bundle


def _log(report: ReloadReport) -> None:
    for path, reason in report.failed.items():
        logger.error("bundle rejected", extra={"bundle": path, "reason": reason})
    changes = {"added": report.added, "replaced": report.replaced, "removed": report.removed}
    logger.info("bundles reloaded", extra=changes)
