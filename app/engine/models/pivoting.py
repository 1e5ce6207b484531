"""Translates through another language: two models, one after the other, sentence by sentence."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from app.engine.interface import (
    Event,
    Improve,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextKey,
    TextTranslation,
    Timing,
)
from app.engine.options import SearchOptions
from app.engine.text_builder import TextBuilder
from app.text.inline.target_tokens import Link
from app.text.quality_checks import judge
from app.text.terms.glossary import Term, within

Half = tuple[list[TextTranslation], Timing]
"""The second model's translation of a sentence: one text."""
Whole = tuple[SentenceTranslation, Timing]
"""The translation of a sentence by both models, and the second model's timing."""
Item = TypeVar("Item")

# Sentences that the second model may have in flight, or done, before the first of them is handed out.
_AHEAD = 64


def first_options(options: SearchOptions) -> SearchOptions:
    """Return the options for the intermediate translation: one hypothesis, without length limits."""
    return replace(options, n_best=1, min_length=0, max_length=None, prefix=None)


async def pivot(
    texts: Sequence[str],
    first: AsyncGenerator[Event, None],
    translate: Callable[[str, Sequence[Term]], Coroutine[Any, Any, Half]],
    language: str,
    improve: Improve | None = None,
    terms: Sequence[Sequence[Term]] = (),
) -> AsyncGenerator[Event, None]:
    """Translates the first model's sentences again; see ``app.engine.interface.TranslationEngine.stream``.

    There are no token events: the first model's tokens are in another language.

    Args:
        texts: The texts that the first model translates.
        first: Its events.
        translate: The second model's translation of one sentence, which must have the given terms.
        language: What lies in between, for ``TextTranslation.pivot``.
        improve: See ``TranslationCall``.
        terms: See ``TranslationCall``. The first model doesn't know them; alignment finds them in its translation.
    """
    began = time.monotonic()
    started: set[asyncio.Task[Whole]] = set()

    async def complete(key: TextKey, half: SentenceTranslation, terms: Sequence[Term]) -> Whole:
        own = within(terms, half.source_begin, half.source_begin + len(half.source))
        [second], spent = await translate(half.text, _in_between(half, own))
        whole = replace(compose(half, second), terms=own)
        return (await improve(key, whole) if improve else whole), spent

    async def wholes() -> AsyncGenerator[tuple[Event, asyncio.Task[Whole] | None], None]:
        number = 0  # of the text
        async with aclosing(first) as events:
            async for event in events:
                task = None
                if isinstance(event, SentenceEvent):
                    of_text = terms[number] if terms else ()
                    task = asyncio.create_task(complete(event.key, event.sentence, of_text))
                    started.add(task)
                number += isinstance(event, TextEvent)
                yield event, task

    sources = iter(texts)
    source = next(sources, "")
    builder, done, encode_s, timing = TextBuilder(), 0, 0.0, Timing()
    try:
        async with aclosing(_read_ahead(wholes())) as pairs:
            async for event, task in pairs:
                if isinstance(event, SentenceEvent) and task:
                    sentence, spent = await task
                    started.discard(task)
                    encode_s = max(encode_s, spent.encode_s)
                    begin = event.sentence.source_begin
                    gap, done = source[done:begin], begin + len(event.sentence.source)
                    yield SentenceEvent(event.key, builder.add(gap, sentence))
                elif isinstance(event, TextEvent):
                    translation = builder.finish(source[done:])
                    yield TextEvent(event.key, replace(translation, pivot=language if translation.sentences else None))
                    builder, done, source = TextBuilder(), 0, next(sources, "")
                elif isinstance(event, Timing):
                    timing = event
    finally:
        for task in started:
            task.cancel()
        await asyncio.gather(*started, return_exceptions=True)
    encode_s += timing.encode_s
    rest_s = max(0.0, time.monotonic() - began - timing.queue_s - encode_s)
    yield Timing(queue_s=timing.queue_s, encode_s=encode_s, decode_s=rest_s)


def compose(first: SentenceTranslation, second: TextTranslation) -> SentenceTranslation:
    """Compose the translation of a sentence with the translation of that translation.

    The score is the sum of both scores, which are log-probabilities, and the confidence is the product. If the second
    model saw several sentences, their worst score and confidence count. The verdicts are those of both. Each target
    piece is linked to the source range that most of its intermediate characters are linked to.
    """
    score = first.score + min((sentence.score for sentence in second.sentences), default=0.0)
    chances = [sentence.confidence for sentence in second.sentences]
    worst = None if None in chances else min((chance for chance in chances if chance is not None), default=1.0)
    others = second.sentences[0].alternatives if len(second.sentences) == 1 else ()
    verdicts = (
        *first.verdicts,
        *(verdict for sentence in second.sentences for verdict in sentence.verdicts),
        *judge(first.source, second.text),
    )
    return replace(
        first,
        text=second.text,
        score=score,
        confidence=None if first.confidence is None or worst is None else first.confidence * worst,
        alternatives=tuple(
            other._replace(score=first.score + other.score, alignment=_compose_links(first, other.alignment))
            for other in others
        ),
        verdicts=tuple(dict.fromkeys(verdicts)),
        alignment=_compose_links(first, second.alignment),
    )


def _compose_links(first: SentenceTranslation, second: Sequence[Link]) -> tuple[Link, ...]:
    owners: list[Link | None] = [None] * len(first.text)  # the link that each character in between belongs to
    for link in first.alignment:
        owners[link.target_begin : link.target_end] = [link] * (link.target_end - link.target_begin)
    links = []
    for link in second:
        shares = Counter(owner for owner in owners[link.source_begin : link.source_end] if owner)
        for owner, _ in shares.most_common(1):
            links.append(Link(owner.source_begin, owner.source_end, link.target_begin, link.target_end))
    return tuple(links)


def _in_between(first: SentenceTranslation, terms: Sequence[Term]) -> list[Term]:
    """The terms of a sentence where its intermediate translation has them, as far as the alignment knows."""
    found = []
    for term in terms:
        links = [link for link in first.alignment if link.source_begin < term.end and term.begin < link.source_end]
        if links:
            begin, end = min(link.target_begin for link in links), max(link.target_end for link in links)
            found.append(term._replace(begin=begin, end=end))
    return found


class _End(NamedTuple):
    """No more items, because of an error or because that was all."""

    error: Exception | None = None


async def _read_ahead(items: AsyncGenerator[Item, None]) -> AsyncGenerator[Item, None]:
    """Yield the same items, but make up to this many of them ahead, while the consumer uses earlier ones."""
    queue: asyncio.Queue[Item | _End] = asyncio.Queue(_AHEAD)

    async def read() -> None:
        end = _End()
        try:
            async with aclosing(items):
                async for item in items:
                    await queue.put(item)
        except Exception as error:
            end = _End(error)
        await queue.put(end)

    reader = asyncio.create_task(read())
    try:
        while not isinstance(item := await queue.get(), _End):
            yield item
        if item.error:
            raise item.error
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
