"""Engines over the tiny bundle, started and stopped, and texts for them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from app.engine.interface import ModelEngine, OpenHop, Splitting, TranslationCall
from app.engine.models.bundle import Bundle
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from app.translation.drafting import Drafting
from app.translation.sentence import TextTranslation
from tests.support.tiny import sentence_pairs

GERMAN = [german[0].upper() + german[1:] for german, _ in sentence_pairs(12, seed=11)]
ENDLESS = -60.0  # a toy model with this bonus never ends a sentence


def from_bundle(bundle: Bundle, **settings: Any) -> Engine:
    """The float32 graphs of a bundle, with one thread."""
    return Engine.from_settings(Settings(bundle=bundle.path, precision="float32", threads=1, **settings))


@asynccontextmanager
async def started(engine: Engine) -> AsyncIterator[Engine]:
    """The engine, stopped at the end."""
    await engine.start()
    try:
        yield engine
    finally:
        await engine.stop()


async def translate(
    engine: Engine, *texts: str, options: SearchOptions | None = None, **others: Any
) -> Sequence[TextTranslation]:
    """German to English, greedily unless options are given."""
    return await translate_texts(engine, texts, options=options or SearchOptions(beam_size=1), **others)


async def translate_texts(
    engine: ModelEngine,
    texts: Sequence[str],
    *,
    options: SearchOptions,
    source: str = "de",
    target: str = "en",
    splitting: Splitting = "sentences",
) -> list[TextTranslation]:
    """The texts as a model translates them, judged, but not improved."""
    call = TranslationCall(texts=texts, source=source, target=target, options=options, splitting=splitting)
    translations, _ = await Drafting([OpenHop(engine, source, target)], call).translate()
    return translations
