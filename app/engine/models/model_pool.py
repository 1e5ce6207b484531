"""Models in memory: each is loaded by its first request, and unloaded when another needs its memory.

Everything here runs on one event loop, so that what happens between two ``await`` happens at once.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from app.engine.interface import EngineState, ModelEngine
from app.engine.metric_names import COUNTERS, GAUGES
from app.engine.models.manifest import Manifest
from app.errors import Overloaded

logger = logging.getLogger(__name__)

_RETRY_AFTER_S = 5.0


@dataclass(eq=False, kw_only=True)
class ServedModel:
    """A bundle that is served, whether or not its model is in memory.

    Attributes:
        path: Its folder.
        manifest: Manifest at the time the bundle was accepted.
        nbytes: Estimated memory of the model, its cache included.
        engine: Engine of the model; None while it is not in memory.
        users: Requests that use it, or wait for it to be loaded. Only an idle model is unloaded.
        last_used: Counter of the last use; larger is later.
        retired: The model is no longer served, and is unloaded after its last user has gone.
        loading: Task that loads the model, while it runs.
    """

    path: Path
    manifest: Manifest
    nbytes: int
    engine: ModelEngine | None = None
    users: int = 0
    last_used: int = 0
    retired: bool = False
    loading: asyncio.Task[None] | None = None


class ModelPool:
    """Keeps models in memory within a budget.

    Args:
        open_engine: Makes the engine of a model; runs in a thread, and takes its time.
        max_bytes: The budget.

    Attributes:
        nbytes: Memory taken by models that are loaded, being loaded or being stopped, by estimate.
        loads: Models loaded so far.
        evictions: Models unloaded to free memory for another.
    """

    def __init__(self, open_engine: Callable[[ServedModel], ModelEngine], max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.nbytes = self.loads = self.evictions = 0
        self._open_engine = open_engine
        self._loaded: list[ServedModel] = []
        self._leaving_bytes = 0  # of models being stopped
        self._clock = count(1)
        self._loading = asyncio.Lock()
        self._changed = asyncio.Event()  # a model has gone, or has one user less
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped_counts: dict[str, float] = {}

    def fits(self, model: ServedModel) -> bool:
        """Return whether the model fits into the memory that is free now."""
        return self.nbytes + model.nbytes <= self.max_bytes

    @asynccontextmanager
    async def using(self, *models: ServedModel, patience_s: float = 0.0) -> AsyncIterator[Sequence[ModelEngine]]:
        """Keeps the models in memory inside the ``async with`` block; loads them if necessary.

        Raises:
            DragomanError: As ``take``.
        """
        engines = await self.take(models, patience_s)
        try:
            yield engines
        finally:
            self.give_back(models)

    async def take(self, models: Sequence[ServedModel], patience_s: float = 0.0) -> list[ModelEngine]:
        """Keeps the models in memory until they are given back; loads them if necessary.

        Raises:
            Overloaded: There was no memory for ``patience_s`` seconds, because other models were in use.
            BundleError: A model can't be loaded.
        """
        await self._make_room(models, patience_s)
        # No ``await`` since there was room. It is taken for all at once: two requests that each had one model and
        # waited for room for another could wait for each other.
        for model in models:
            model.users += 1
            if model.engine is None and model.loading is None:
                self.nbytes += model.nbytes
                model.loading = self._spawn(self._load(model))
        loads = [model.loading for model in models if model.loading]
        try:
            for load in loads:
                # A waiting request may be cancelled; the others, and later ones, still want the model.
                await asyncio.shield(load)
        except BaseException:
            self.give_back(models)
            raise
        return [model.engine for model in models if model.engine]

    def give_back(self, models: Sequence[ServedModel]) -> None:
        """Ends one use of models that were taken."""
        for model in models:
            model.users -= 1
            model.last_used = next(self._clock)
            self._unload_if_retired(model)
        self._note_change()

    async def load(self, model: ServedModel) -> None:
        """Loads a model before its first request.

        Raises:
            DragomanError: As ``using``.
        """
        async with self.using(model):
            pass

    @asynccontextmanager
    async def sparing(self, model: ServedModel | None) -> AsyncIterator[None]:
        """Keeps a model in memory inside the ``async with`` block, if it is there."""
        if model:
            model.users += 1
        try:
            yield
        finally:
            if model:
                model.users -= 1
                self._note_change()

    def retire(self, model: ServedModel) -> None:
        """Unloads a model for good, once nobody uses it."""
        model.retired = True
        self._unload_if_retired(model)

    async def stop(self, drain_s: float) -> None:
        """Waits for the users to leave, for ``drain_s`` seconds at most, and stops all models."""
        with suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                while self._tasks or any(model.users for model in self._loaded):
                    await self._changed.wait()
        await asyncio.gather(*(model.engine.stop() for model in self._loaded if model.engine))

    def states(self) -> set[EngineState]:
        """The states of the models in memory."""
        return {model.engine.state for model in self._loaded if model.engine}

    def statistics(self) -> dict[str, float]:
        """Returns the sum of all engines' statistics, stopped engines included, and the number of loaded models."""
        total = dict.fromkeys((*GAUGES, *COUNTERS), 0.0) | self._stopped_counts
        for model in self._loaded:
            for name, value in model.engine.statistics().items() if model.engine else ():
                total[name] = total.get(name, 0.0) + value
        hits = total["feature_cache_hits"]
        return {
            **total,
            "feature_cache_hit_ratio": hits / max(1.0, hits + total["feature_cache_misses"]),
            "models_loaded": len(self._loaded),
            "models_bytes": self.nbytes,
            "models_max_bytes": self.max_bytes,
            "model_loads": self.loads,
            "model_evictions": self.evictions,
        }

    async def _make_room(self, models: Sequence[ServedModel], patience_s: float) -> None:
        """Returns when there is memory for the models that are not loaded yet.

        Who waits has no model meanwhile, so that nobody waits for one who waits.

        Raises:
            Overloaded: The budget was taken by models in use for ``patience_s`` seconds.
        """
        loop = asyncio.get_running_loop()
        patient_until = loop.time() + patience_s
        while (lacking := self._lacking(models)) > 0:
            others = [model for model in self._loaded if model not in models]
            idle = [model for model in others if not model.users]
            going = sum(model.nbytes for model in others if model.retired and model.users) + self._leaving_bytes
            if lacking > sum(model.nbytes for model in idle) + going:
                if loop.time() >= patient_until:
                    raise Overloaded(
                        "Other models are in use and fill the memory for models; try again in a moment.", _RETRY_AFTER_S
                    )
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(patient_until):
                        await self._changed.wait()
                continue
            if lacking > going and idle:
                self.evictions += 1
                self._unload(min(idle, key=lambda model: model.last_used))
            await self._changed.wait()

    def _lacking(self, models: Sequence[ServedModel]) -> int:
        """Returns the bytes over the budget if all of these models were in memory."""
        missing = {model for model in models if model.engine is None and model.loading is None}
        return self.nbytes + sum(model.nbytes for model in missing) - self.max_bytes

    async def _load(self, model: ServedModel) -> None:
        try:
            # One after the other: for a moment, loading takes twice the memory.
            async with self._loading:
                await self._start(model)
        except BaseException:
            self.nbytes -= model.nbytes
            raise
        finally:
            model.loading = None
            self._note_change()
        self._unload_if_retired(model)

    async def _start(self, model: ServedModel) -> None:
        began = time.monotonic()
        engine = await asyncio.to_thread(self._open_engine, model)
        try:
            await engine.start()
        except BaseException:
            await engine.stop()
            raise
        model.engine = engine
        model.last_used = next(self._clock)
        self._loaded.append(model)
        self.loads += 1
        logger.info("model loaded", extra=_described(model) | {"seconds": round(time.monotonic() - began, 3)})

    def _unload_if_retired(self, model: ServedModel) -> None:
        if model.retired and not model.users and model.engine:
            self._unload(model)

    def _unload(self, model: ServedModel) -> None:
        assert model.engine
        engine, model.engine = model.engine, None
        self._loaded.remove(model)
        self._leaving_bytes += model.nbytes
        self._spawn(self._stop(model, engine))

    async def _stop(self, model: ServedModel, engine: ModelEngine) -> None:
        try:
            await engine.stop()
        finally:
            counts = engine.statistics()
            for name in COUNTERS.keys() & counts.keys():
                self._stopped_counts[name] = self._stopped_counts.get(name, 0.0) + counts[name]
            del engine  # and with it its memory
            self._leaving_bytes -= model.nbytes
            self.nbytes -= model.nbytes
            self._note_change()
            logger.info("model unloaded", extra=_described(model))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._note_change()
        if not task.cancelled():
            task.exception()  # the waiting requests have seen it

    def _note_change(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def _described(model: ServedModel) -> dict[str, object]:
    return {"bundle": str(model.path), "model_bytes": model.nbytes}
