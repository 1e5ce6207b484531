"""An engine without a model, and how tests talk to an application that uses it."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import httpx
from fastapi import FastAPI

from app.engine.interface import (
    Alphabet,
    Attention,
    Draft,
    Event,
    Example,
    Inspection,
    InspectionCall,
    Map,
    OpenHop,
    ReloadReport,
    RequestQuota,
    SearchNode,
    Timing,
    TokenEvent,
    TranslationCall,
    Version,
)
from app.engine.options import SearchOptions
from app.errors import ModelFailure, Overloaded
from app.main import create_app
from app.settings import Settings
from app.text.detection import Detector
from app.text.inline.objects import TOKEN
from app.text.inline.target_tokens import Link
from app.text.terms.glossary import Term
from tests.support.segmentation import split

wrapped: Callable[[Any], Any] = lambda engine: engine  # noqa: E731
"""What an application has instead of its fake engine; `pytest --across-cluster` changes it."""

PHRASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("Ich möchte ein Bier.", "en"): ("I'd like a beer.",),
    ("Wo ist der Bahnhof?", "en"): ("Where is the station?", "Where's the station?"),
    ("Where is the station?", "de"): ("Wo ist der Bahnhof?",),
    ("Guten Morgen!", "en"): ("Good morning!", "Good morning to you!", "Morning!"),
    ("Hallo Tom, du hast Boston Briefe.", "en"): ("Hello Tom, you have Boston letters.",),
    ("How are you?", "de"): ("Wie geht es dir?", "Wie geht es Ihnen?"),
    ("Where are you?", "de"): ("Wo bist du?",),
    ("The street is big.", "de"): ("Die Straße ist groß.",),
    ("Meine Lieblingsfarbe.", "en"): ("My favorite color.",),
    ("Wer?", "en"): ("Who?", "Whom?"),
    ("Vergiss Tom nicht!", "en"): ("Don't forget!",),
}

# One detector for all tests and all languages: its model takes half a second to load.
DETECTOR = Detector(["de", "en"])

FRENCH_MARK = "\u202f?"
"""How translations into French write a question mark."""


class OneModel:
    """What is both the engine of a model and all models that are served."""

    @asynccontextmanager
    async def route(self, source: str, target: str) -> AsyncIterator[Sequence[OpenHop]]:
        yield [OpenHop(self, source, target)]  # type: ignore[arg-type]


class FakeEngine(OneModel):
    """Knows some phrases; marks any other sentence with the target language. Records its requests.

    A sentence with "LOOP" is truncated, and so gets a verdict; before one with "WAIT" it waits for ``may_go_on``; one
    with "FAIL" raises ``failure``. Behind a prefix that no phrase has it goes on with "…". With ``busy``, a second
    attempt at a sentence is refused.
    """

    def __init__(self, pairs: frozenset[tuple[str, str]] = frozenset({("de", "en"), ("en", "de")})) -> None:
        self.pairs = self.next_pairs = pairs
        self.state = "ready"
        self.calls: list[tuple[list[str], str, str]] = []
        self.options: list[SearchOptions] = []
        self.terms: list[Sequence[Sequence[Term]]] = []
        self.quotas: list[RequestQuota | None] = []
        self.examples: list[Sequence[Sequence[Example]]] = []
        self.error: Exception | None = None
        self.failure: Exception = ModelFailure("secret")
        self.hangs = self.busy = self.full = False
        self.known_placeholders: tuple[str, ...] = ()
        self.known_characters = ""
        self.confidence: float | None = 0.9
        self.was_asked = asyncio.Event()
        self.may_go_on = asyncio.Event()
        self.was_cancelled = asyncio.Event()

    def alphabet(self, source: str, target: str) -> Alphabet:
        return Alphabet(frozenset(self.known_characters), self.known_placeholders)

    def reject_if_overloaded(self) -> None:
        if self.full:
            raise Overloaded("busy")

    async def start(self) -> None:
        if self.error is not None:
            raise self.error
        self.state = "ready"

    async def stop(self) -> None:
        self.state = "stopping"

    async def reload(self) -> ReloadReport:
        """Serves the pairs in ``next_pairs``."""
        self.pairs = self.next_pairs
        return ReloadReport(unchanged=("fake",))

    async def stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        self.calls.append((list(call.texts), call.source, call.target))
        self.options.append(call.options)
        self.terms.append(call.terms)
        self.quotas.append(call.quota)
        self.examples.append(call.examples)
        self.was_asked.set()
        if self.error is not None:
            raise self.error
        if self.busy and call.splitting == "off":
            raise Overloaded("The queue is full.")
        if self.hangs:
            await self._wait(asyncio.Event())
        for index, text in enumerate(call.texts):
            for draft in self._drafts(index, text, call.source, call.target, call.options):
                if "WAIT" in draft.source:
                    await self._wait(self.may_go_on)
                if "FAIL" in draft.source:
                    raise self.failure
                if call.tokens and call.options.beam_size == 1:
                    for word in re.findall(r"\s*\S+", draft.text):
                        yield TokenEvent(index, word)
                yield draft
        yield Timing(queue_s=0.001, encode_s=0.002, decode_s=0.0035)

    async def inspect(self, call: InspectionCall) -> Inspection:
        """The phrases that it knows, word by word, side by side; one head, which looks at what has its own number."""
        self.calls.append(([call.text], call.source, call.target))
        self.was_asked.set()
        if "FAIL" in call.text:
            raise self.failure
        phrases = PHRASES.get((call.text, call.target), (f"[{call.target}] {call.text}",))
        pieces = [[*_pieces(phrase), "</s>"] for phrase in phrases]
        nodes: list[SearchNode] = []
        made: dict[tuple[str, ...], int] = {}
        for step in range(max(map(len, pieces))):
            for rank, phrase in enumerate(pieces):
                begin = tuple(phrase[: step + 1])
                if len(begin) > step and begin not in made:
                    made[begin] = len(nodes)
                    score = -0.1 - rank / 5
                    ended = score if begin[-1] == "</s>" else None
                    nodes.append(SearchNode(made.get(begin[:-1]), begin[-1], score, ended, rank == 0))
        source = (*_pieces(call.text), "</s>")
        target = ("<s>", *_pieces(call.translation or phrases[0]))
        own, other, cross = (_diagonal(*each) for each in ((source, source), (target, target), (target, source)))
        attention = Attention(target=target, encoder=[[own]], decoder=[[other]], cross=[[cross]])
        return Inspection(source=source, nodes=tuple(nodes), attention=attention)

    def links(self, source: str, target: str) -> tuple[Link, ...]:
        """The alignment of a sentence."""
        return links_by_order(source, target)

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        """The translations of a sentence, best first."""
        return PHRASES.get((sentence, target), (f"[{target}] {sentence}",))

    async def _wait(self, event: asyncio.Event) -> None:
        try:
            await event.wait()
        except asyncio.CancelledError:
            self.was_cancelled.set()
            raise

    def info(self) -> dict[str, object]:
        model = {"name": "fake", "providers": ["CPUExecutionProvider"], "precision": "int8", "loaded": True}
        return {"models": [model], "pivot": {"language": "en", "pairs": []}}

    def statistics(self) -> dict[str, float]:
        return {"queued_tokens": 0.0}

    def _drafts(self, index: int, text: str, source: str, target: str, options: SearchOptions) -> Iterator[Draft]:
        cut, done = split(text, language=source), 0
        prefix = options.prefix or ""
        for gap, sentence in zip(cut.gaps, cut.sentences, strict=False):
            begin, done = done + len(gap), done + len(gap) + len(sentence)
            known = self.known(sentence, target)
            known = tuple(phrase for phrase in known if not set(TOKEN.findall(phrase)) & set(options.avoid)) or known
            continued = [phrase for phrase in known if phrase.startswith(prefix)] or [f"{prefix} …"]
            best, *others = continued[: options.n_best]
            links = self.links(sentence, best)
            versions = [Version(best, -0.1, self.confidence, "LOOP" in sentence, links)]
            versions += (Version(other, -0.2) for other in others)
            yield Draft(index, begin, sentence, tuple(versions))


def _pieces(text: str) -> tuple[str, ...]:
    words = [match[0] for match in TOKEN.finditer(text)]
    return tuple(f" {word}" if word.isalnum() else word for word in words)


def _diagonal(rows: Sequence[str], columns: Sequence[str]) -> Map:
    return [[float(column == min(row, len(columns) - 1)) for column in range(len(columns))] for row in range(len(rows))]


def links_by_order(source: str, target: str) -> tuple[Link, ...]:
    """The first word of the target translates the first of the source, and so on; where it ends with it, the last."""
    words, translated = ([match.span() for match in TOKEN.finditer(text)] for text in (source, target))
    if target.endswith(source):
        translated = translated[-len(words) :]
    return tuple(Link(*word, *other) for word, other in zip(words, translated, strict=False))


@cache  # reading the environment takes longer than building the application
def _default_settings() -> Settings:
    return Settings()


def build(engine: FakeEngine, settings: Settings | None = None) -> FastAPI:
    """An application that isn't started."""
    return create_app(settings or _default_settings(), wrapped(engine), DETECTOR)


@asynccontextmanager
async def serving(engine: FakeEngine, settings: Settings | None = None) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a started application; an exception inside the application fails the test."""
    app = build(engine, settings)
    async with app.router.lifespan_context(app), client_of(app) as client:
        yield client


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test")
