"""Engines without a model behind a registry, by the names of their bundles."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from app.engine.interface import Timing, TranslationCall
from app.engine.models.bundle import Bundle
from app.engine.models.discovery import loaded_bytes
from app.engine.models.manifest import Manifest
from app.engine.options import SearchOptions
from app.engine.registry import Registry
from app.errors import BundleError
from app.settings import Settings
from app.translation.drafting import Drafting
from tests.support.bundles import open_fake
from tests.support.fakes import FakeEngine

WAIT_S = 30.0


def room_for(count: int, bundle: Path) -> int:
    """A budget for that many bundles of this size."""
    return count * loaded_bytes(bundle, Manifest.read(bundle), "float32")


class Shelf:
    """Opens fake engines, and keeps them by the name of their bundle."""

    def __init__(self) -> None:
        self.engines: dict[str, list[FakeEngine]] = {}
        self.broken: set[str] = set()

    def open(self, bundle: Bundle) -> FakeEngine:
        if bundle.path.name in self.broken:
            raise BundleError(f"{bundle.path}: its graphs don't load")
        engine = open_fake(bundle)
        self.engines.setdefault(bundle.path.name, []).append(engine)
        return engine

    @property
    def opened(self) -> list[str]:
        return list(self.engines)


def registry_of(shelf: Shelf, *folders: Path, **settings) -> Registry:
    values = {"bundle": folders, "feature_cache_bytes": 0, "max_models_bytes": 10**9, "drain_timeout_s": WAIT_S}
    return Registry(Settings(**(values | settings)), shelf.open)


@asynccontextmanager
async def started(registry: Registry) -> AsyncIterator[Registry]:
    await registry.start()
    try:
        yield registry
    finally:
        await registry.stop()


class Translated(NamedTuple):
    text: str
    pivot: str | None
    timing: Timing


async def translate(registry: Registry, text: str, source: str, target: str, **options) -> Translated:
    call = TranslationCall(texts=[text], source=source, target=target, options=SearchOptions(**options))
    async with registry.route(source, target) as hops:
        drafting = Drafting(hops, call)
        [translation], timing = await drafting.translate()
    return Translated(translation.text, drafting.pivot, timing)


async def settle(registry: Registry) -> None:
    await asyncio.gather(*registry._pool._tasks)
