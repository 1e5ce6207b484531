"""An engine without a model, and how tests talk to an application that uses it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from app.engine.translation import SearchOptions, SentenceTranslation, Splitting, TextTranslation, Timing
from app.main import create_app
from app.settings import Settings
from app.text.detection import Detector

PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("Ich möchte ein Bier.", "en"): ("I'd like a beer.",),
    ("Wo ist der Bahnhof?", "en"): ("Where is the station?", "Where's the station?"),
    ("Where is the station?", "de"): ("Wo ist der Bahnhof?",),
    ("Guten Morgen!", "en"): ("Good morning!", "Good morning.", "Morning!"),
}

# One for all tests, whatever the engine's languages: its model takes half a second to load.
DETECTOR = Detector(["de", "en"])


class FakeEngine:
    """Knows some phrases; marks anything else with the target language. Records what it is asked."""

    def __init__(self, pairs: frozenset[tuple[str, str]] = frozenset({("de", "en"), ("en", "de")})) -> None:
        self.pairs = pairs
        self.state = "ready"
        self.calls: list[tuple[list[str], str, str]] = []
        self.options: list[SearchOptions] = []
        self.deadlines_s: list[float | None] = []
        self.error: Exception | None = None
        self.hangs = False
        self.was_asked = asyncio.Event()
        self.was_cancelled = asyncio.Event()

    async def start(self) -> None:
        if self.error is not None:
            raise self.error
        self.state = "ready"

    async def stop(self) -> None:
        self.state = "stopping"

    async def translate(
        self,
        texts: Sequence[str],
        *,
        source: str,
        target: str,
        options: SearchOptions,
        splitting: Splitting = "sentences",
        deadline_s: float | None = None,
    ) -> tuple[list[TextTranslation], Timing]:
        self.calls.append((list(texts), source, target))
        self.options.append(options)
        self.deadlines_s.append(deadline_s)
        self.was_asked.set()
        if self.error is not None:
            raise self.error
        if self.hangs:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.was_cancelled.set()
                raise
        translations = [self._translate(text, target, options.n_best) for text in texts]
        return translations, Timing(queue_s=0.001, encode_s=0.002, decode_s=0.0035)

    def info(self) -> dict[str, object]:
        return {"name": "fake", "providers": ["CPUExecutionProvider"], "precision": "int8"}

    def statistics(self) -> dict[str, float]:
        return {"queued_tokens": 0.0}

    def _translate(self, text: str, target: str, n_best: int) -> TextTranslation:
        best, *others = PHRASES.get((text, target), (f"[{target}] {text}",))[:n_best]
        sentence = SentenceTranslation(
            source=text,
            source_begin=0,
            text=best,
            target_begin=0,
            score=-0.1,
            alternatives=tuple(others),
            truncated=False,
        )
        return TextTranslation(text=best, alternatives=tuple(others), sentences=(sentence,))


def build(engine: FakeEngine, settings: Settings | None = None) -> FastAPI:
    """An application that isn't started."""
    return create_app(settings or Settings(), engine, DETECTOR)


@asynccontextmanager
async def serving(engine: FakeEngine, settings: Settings | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a started application; an exception inside the application fails the test."""
    app = build(engine, settings)
    async with app.router.lifespan_context(app), client_of(app) as client:
        yield client


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")
