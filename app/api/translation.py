"""Carries out a checked request: detects languages, takes text out of markup, asks the engine, puts all together."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fastapi import Request

from app.api.parameters import AUTO, TranslationRequest, check_pair
from app.api.service import Service
from app.engine.translation import TextTranslation, Timing
from app.errors import Cancelled, DeadlineExceeded
from app.text.detection import Detection
from app.text.markup import Document, Rules, extract

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class ItemTranslation:
    """The answer for one text of the request; ``detection`` is None unless its language was asked for."""

    text: str
    alternatives: tuple[str, ...]
    detection: Detection | None


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
        UnsupportedPair: A detected language has no model for the target.
        DeadlineExceeded: The deadline passed.
        DragomanError: Whatever else the engine raises.
    """
    try:
        # The engine keeps the deadline too and frees the rows; this one also covers markup and a hanging engine.
        async with asyncio.timeout(wanted.deadline_s):
            return await _translate(service, wanted)
    except TimeoutError:
        raise DeadlineExceeded("The time limit passed before the translation was complete.") from None


async def _translate(service: Service, wanted: TranslationRequest) -> tuple[list[ItemTranslation], Timing]:
    documents = await asyncio.to_thread(_extract_all, wanted.texts, wanted.markup) if wanted.markup else None
    contents = [document.texts for document in documents] if documents else [[text] for text in wanted.texts]
    detections = await _detect_all(service, contents) if wanted.source == AUTO else None
    sources = [detection.language for detection in detections] if detections else [wanted.source] * len(contents)
    for source in sources:
        check_pair(source, wanted.target, service.engine.pairs)

    segments = [(source, text) for source, texts in zip(sources, contents, strict=True) for text in texts]
    translations, timing = await _translate_segments(service, wanted, segments)

    items = []
    remaining = iter(translations)
    for index, texts in enumerate(contents):
        own = [next(remaining) for _ in texts]
        if documents:
            text = await asyncio.to_thread(documents[index].rebuild, [translation.text for translation in own])
            alternatives: tuple[str, ...] = ()
        else:
            text, alternatives = own[0].text, own[0].alternatives[: wanted.alternatives]
        detection = detections[index] if detections else None
        items.append(ItemTranslation(text=text, alternatives=alternatives, detection=detection))
    return items, timing


async def _translate_segments(
    service: Service, wanted: TranslationRequest, segments: Sequence[tuple[str, str]]
) -> tuple[list[TextTranslation], Timing]:
    """Translates (source language, text) pairs: one call of the engine for each language that needs one."""
    results = [TextTranslation(text=text, alternatives=(), sentences=()) for _, text in segments]
    timing = Timing(queue_s=0.0, encode_s=0.0, decode_s=0.0)
    places: dict[str, list[int]] = {}
    for place, (source, text) in enumerate(segments):
        # Numbers, emoji and blanks need no model, and neither does a language into itself.
        if source != wanted.target and any(map(str.isalpha, text)):
            places.setdefault(source, []).append(place)
    for source, own_places in places.items():
        translations, spent = await service.engine.translate(
            [segments[place][1] for place in own_places],
            source=source,
            target=wanted.target,
            options=wanted.options,
            splitting=wanted.splitting,
            deadline_s=wanted.deadline_s,
        )
        for place, translation in zip(own_places, translations, strict=True):
            results[place] = translation
        timing = Timing(
            queue_s=timing.queue_s + spent.queue_s,
            encode_s=timing.encode_s + spent.encode_s,
            decode_s=timing.decode_s + spent.decode_s,
        )
    return results, timing


async def _detect_all(service: Service, contents: Sequence[Sequence[str]]) -> list[Detection]:
    """The most likely language of each item."""

    def detect_all() -> list[Detection]:
        return [service.detector.detect("\n".join(texts))[0] for texts in contents]

    return await asyncio.to_thread(detect_all)


def _extract_all(texts: Sequence[str], rules: Rules) -> list[Document]:
    return [extract(text, rules) for text in texts]


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
