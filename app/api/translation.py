"""Carries out a checked request: detects languages, takes text out of markup, asks the engine, puts all together."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from fastapi import Request

from app.api.dependencies import Service
from app.api.libretranslate.parameters import AUTO, TranslationRequest, check_pair
from app.api.restoring import Restorer
from app.engine.interface import (
    INLINE_CHARS,
    Account,
    Alphabet,
    Sentence,
    SentenceTranslation,
    Text,
    TextTranslation,
    Timing,
    Token,
    collect,
    within,
)
from app.errors import Cancelled
from app.text.detection import Detection
from app.text.markup.collector import decode_html
from app.text.markup.extraction import Document, extract
from app.text.protection.defaults import untranslatable
from app.text.protection.protected import NOTHING, Patterns, Protected, protect, with_stand_ins

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class ItemTranslation:
    """The answer for one text of the request.

    Attributes:
        text: The translation.
        alternatives: Further ones, best first.
        detection: Its language; None unless that was asked for.
        blocks: The translated sentences: of the whole text, or of each block of its markup, in order.
        lost: Protected spans whose place in ``text`` is a guess.
        pivot: Language by way of which it was translated, if any.
    """

    text: str
    alternatives: tuple[str, ...]
    detection: Detection | None
    blocks: tuple[tuple[SentenceTranslation, ...], ...] = ()
    lost: tuple[str, ...] = ()
    pivot: str | None = None


class TokenProgress(NamedTuple):
    """More characters of the sentence that comes next in a block of an item of the request."""

    item: int
    block: int
    text: str


class SentenceProgress(NamedTuple):
    """A finished sentence of a block of an item of the request."""

    item: int
    block: int
    sentence: SentenceTranslation


class Answer(NamedTuple):
    """Everything, at the end."""

    items: list[ItemTranslation]
    timing: Timing


Progress = TokenProgress | SentenceProgress | Answer


@dataclass(eq=False)
class _Segment:
    """What the engine gets as one text: a text of the request, or a block of its markup; and what came of it."""

    item: int
    block: int
    language: str
    protected: Protected | None
    text: str
    translation: TextTranslation  # of ``text``, in which something may stand in for what is protected
    restored: TextTranslation
    lost: tuple[str, ...] = ()
    pivot: str | None = None


async def run_while_connected(request: Request, work: Awaitable[Result]) -> Result:
    """Awaits ``work``, and cancels it when the client goes away. The request's body must have been read.

    Raises:
        Cancelled: The client disconnected first.
    """
    task = asyncio.ensure_future(work)
    watcher = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((task, watcher), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Cancelled("The client closed the connection.")
    finally:
        for pending in (task, watcher):
            pending.cancel()
        # The engine frees the rows while it handles the cancellation: wait for it, so that nothing is left behind.
        await asyncio.gather(task, watcher, return_exceptions=True)


async def translate(service: Service, wanted: TranslationRequest) -> tuple[list[ItemTranslation], Timing]:
    """Translates every text of the request, in order, within its deadline.

    Raises:
        DragomanError: As ``stream``.
    """
    async with aclosing(stream(service, wanted)) as events:
        async for event in events:
            if isinstance(event, Answer):
                return event
    raise AssertionError("a stream without an answer")


async def stream(service: Service, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
    """Translates the texts of the request, and hands out every sentence as soon as it is done; the answer comes last.

    The sentences of a text come in order. The texts do too, except that those of one language come together.

    Raises:
        UnsupportedPair: A detected language has no model for the target.
        DeadlineExceeded: The deadline passed.
        DragomanError: Whatever else the engine raises.
    """
    # The engine keeps the deadline too; this one also covers markup and a hanging engine.
    async with aclosing(within(_stream(service, wanted), wanted.deadline_s)) as events:
        async for event in events:
            if isinstance(event, Answer):
                for text, item in zip(wanted.texts, event.items, strict=True):
                    source = item.detection.language if item.detection else wanted.source
                    service.metrics.observe_characters(source, wanted.target, text, item.text)
                service.metrics.observe_timing(event.timing)
            yield event


def server_timing(timing: Timing) -> str:
    """The value of a ``Server-Timing`` header."""
    return ", ".join(f"{name};dur={milliseconds:.1f}" for name, milliseconds in phases_ms(timing).items())


def phases_ms(timing: Timing) -> dict[str, float]:
    """What took how long, in milliseconds."""
    phases = {"queue": timing.queue_s, "encode": timing.encode_s, "decode": timing.decode_s}
    return {name: round(seconds * 1000, 1) for name, seconds in phases.items()}


def headers(items: Sequence[ItemTranslation], timing: Timing) -> dict[str, str]:
    """The headers of an answer: how long it took; by way of which language, if any; what may be wrong with it."""
    pivots = sorted({item.pivot for item in items if item.pivot})
    return {
        "Server-Timing": server_timing(timing),
        **({"X-Dragoman-Pivot": ", ".join(pivots)} if pivots else {}),
        **warnings(items),
    }


def warnings(items: Sequence[ItemTranslation]) -> dict[str, str]:
    """A header that counts what may be wrong with the answer, e.g. ``repetition=1``; none if there is nothing."""
    counts = Counter(
        verdict.value
        for item in items
        for sentences in item.blocks
        for sentence in sentences
        for verdict in sentence.verdicts
    )
    counts["protected_lost"] = sum(len(item.lost) for item in items)
    found = ", ".join(f"{name}={count}" for name, count in sorted(counts.items()) if count)
    return {"X-Dragoman-Warnings": found} if found else {}


async def work_out(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """What a function makes of the texts: computed on the event loop if they are few and plain, else in a thread.

    A hop to a thread and back takes longer than all there is to do for a sentence.
    """
    is_quick = not (wanted.markup or wanted.protected) and sum(map(len, wanted.texts)) <= INLINE_CHARS
    return function(*arguments) if is_quick else await asyncio.to_thread(function, *arguments)


async def _stream(service: Service, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
    detections = await work_out(wanted, _detect_all, service, wanted) if wanted.source == AUTO else None
    languages = [detection.language for detection in detections] if detections else [wanted.source] * len(wanted.texts)
    for index, language in enumerate(languages):
        # Where no language is to be seen, none is needed.
        if not detections or detections[index].confidence:
            check_pair(language, wanted.target, service.engine.pairs)
    alphabets = [service.engine.alphabet(language, wanted.target) for language in languages]
    documents = await work_out(wanted, _extract_all, wanted, alphabets) if wanted.markup else None
    segments = await work_out(wanted, _segments, wanted, documents, languages, alphabets)
    timing = Timing()
    # Numbers, emoji and blanks need no model, and neither does a language into itself.
    open_segments = [segment for segment in segments if segment.language != wanted.target and _has_letters(segment)]
    account = Account()
    for language in dict.fromkeys(segment.language for segment in open_segments):
        own = [segment for segment in open_segments if segment.language == language]
        async with aclosing(_translate_segments(service, wanted, own, account)) as events:
            async for event in events:
                if isinstance(event, Timing):
                    timing += event
                else:
                    yield event

    items = await work_out(wanted, _assemble, wanted, documents, segments)
    if detections:
        items = [replace(item, detection=detection) for item, detection in zip(items, detections, strict=True)]
    yield Answer(items, timing)


async def _translate_segments(
    service: Service, wanted: TranslationRequest, segments: Sequence[_Segment], account: Account
) -> AsyncGenerator[TokenProgress | SentenceProgress | Timing, None]:
    """Translates segments of one language, and fills in what comes of them."""
    # The alignment says where tags and protected spans go.
    needs_alignment = wanted.details or wanted.stream or wanted.markup or any(segment.protected for segment in segments)
    events = service.engine.stream(
        [segment.text for segment in segments],
        source=segments[0].language,
        target=wanted.target,
        options=replace(wanted.options, alignment=True) if needs_alignment else wanted.options,
        splitting=wanted.splitting,
        deadline_s=wanted.deadline_s,
        tokens=wanted.stream,
        account=account,
    )
    extra: list[Timing] = []

    async def translate_again(texts: Sequence[str]) -> list[TextTranslation]:
        again = service.engine.stream(
            texts,
            source=segments[0].language,
            target=wanted.target,
            options=replace(wanted.options, alignment=True, n_best=1),
            splitting="off",
            deadline_s=wanted.deadline_s,
            account=account,
        )
        translations, timing = await collect(again)
        extra.append(timing)
        return translations

    restorer = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Timing):
                yield sum(extra, event)
                continue
            segment = segments[event.place]
            if segment.protected and restorer is None:
                restorer = Restorer(segment.protected, translate_again)
            if isinstance(event, Text):
                segment.translation = segment.restored = event.translation
                segment.pivot = event.translation.pivot
                if restorer:
                    segment.translation, segment.restored = restorer.finish()
                    segment.lost, restorer = tuple(restorer.lost), None
            elif isinstance(event, Sentence):
                sentence = await restorer.add(event.sentence) if restorer else event.sentence
                yield SentenceProgress(segment.item, segment.block, sentence)
            elif isinstance(event, Token) and not restorer:  # a client has no use for what stands in
                yield TokenProgress(segment.item, segment.block, event.text)


def _segments(
    wanted: TranslationRequest,
    documents: Sequence[Document] | None,
    languages: Sequence[str],
    alphabets: Sequence[Alphabet],
) -> list[_Segment]:
    segments = []
    for item, (language, alphabet) in enumerate(zip(languages, alphabets, strict=True)):
        texts: Sequence[tuple[str, Protected | None]]
        if documents:
            texts = [
                (inline.text, with_stand_ins(inline) if inline.atoms else None) for inline in documents[item].inlines
            ]
        else:
            text = wanted.texts[item]
            patterns = _patterns(wanted, text, alphabet)
            protected = protect(text, patterns, alphabet.placeholders) if any(patterns) else None
            texts = [(protected.text, protected) if protected else (text, None)]
        for block, (text, protected) in enumerate(texts):
            unchanged = TextTranslation(text=text, alternatives=(), sentences=())
            source = protected.source if protected else text
            restored = TextTranslation(text=source, alternatives=(), sentences=())
            segments.append(_Segment(item, block, language, protected, text, unchanged, restored))
    return segments


def _patterns(wanted: TranslationRequest, text: str, alphabet: Alphabet) -> Patterns:
    if wanted.markup:
        text = decode_html(text)  # characters may be written as entities
    return (wanted.protected or NOTHING) | untranslatable(text, alphabet.characters)


def _has_letters(segment: _Segment) -> bool:
    return segment.protected.is_translatable if segment.protected else any(map(str.isalpha, segment.text))


def _assemble(
    wanted: TranslationRequest, documents: Sequence[Document] | None, segments: Sequence[_Segment]
) -> list[ItemTranslation]:
    own: list[list[_Segment]] = [[] for _ in wanted.texts]
    for segment in segments:
        own[segment.item].append(segment)
    items = []
    for index, blocks in enumerate(own):
        sentences = tuple(segment.restored.sentences for segment in blocks)
        if documents:
            text, lost = documents[index].rebuild(
                [segment.translation.text for segment in blocks], [segment.translation.alignment for segment in blocks]
            )
            alternatives: tuple[str, ...] = ()
        else:
            [segment] = blocks
            text, lost = segment.restored.text, segment.lost
            alternatives = segment.restored.alternatives[: wanted.alternatives]
        pivot = next((segment.pivot for segment in blocks if segment.pivot), None)
        items.append(
            ItemTranslation(
                text=text, alternatives=alternatives, detection=None, blocks=sentences, lost=lost, pivot=pivot
            )
        )
    return items


def _detect_all(service: Service, wanted: TranslationRequest) -> list[Detection]:
    """The most likely language of each item."""
    contents = [extract(text, wanted.markup).texts if wanted.markup else (text,) for text in wanted.texts]
    return [service.detector.detect("\n".join(texts))[0] for texts in contents]


def _extract_all(wanted: TranslationRequest, alphabets: Sequence[Alphabet]) -> list[Document]:
    assert wanted.markup
    return [
        extract(text, wanted.markup, _patterns(wanted, text, alphabet)).with_placeholders(alphabet.placeholders)
        for text, alphabet in zip(wanted.texts, alphabets, strict=True)
    ]


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
