"""Changes the sentences of a translation as they arrive, and puts the texts together again."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple, TypeVar

from app.engine.interface import Event, SentenceEvent, SentenceTranslation, TextEvent, TextKey
from app.engine.text_builder import TextBuilder

Item = TypeVar("Item")

Change = Callable[[int, TextKey, SentenceTranslation], Coroutine[Any, Any, SentenceTranslation]]
"""Called with the index of a text, the key of its events, and a sentence of it."""

# Sentences that may be changed, or be ready, before the first of them is handed out.
_AHEAD = 64


async def rewrite(
    texts: Sequence[str], events: AsyncGenerator[Event, None], change: Change
) -> AsyncGenerator[Event, None]:
    """Yields the events with every sentence changed, in their order; the changes run side by side.

    Args:
        texts: What is translated.
        events: Its events, as of ``app.engine.interface.TranslationEngine.stream``.
        change: Returns the new sentence.
    """
    started: set[asyncio.Task[SentenceTranslation]] = set()

    async def changing() -> AsyncGenerator[tuple[Event, asyncio.Task[SentenceTranslation] | None], None]:
        number = 0
        async with aclosing(events):
            async for event in events:
                task = None
                if isinstance(event, SentenceEvent):
                    task = asyncio.create_task(change(number, event.key, event.sentence))
                    started.add(task)
                number += isinstance(event, TextEvent)
                yield event, task

    sources = iter(texts)
    source = next(sources, "")
    builder, done = TextBuilder(), 0
    try:
        async with aclosing(_read_ahead(changing())) as pairs:
            async for event, task in pairs:
                if isinstance(event, SentenceEvent) and task:
                    sentence = await task
                    started.discard(task)
                    begin = event.sentence.source_begin
                    gap, done = source[done:begin], begin + len(event.sentence.source)
                    yield SentenceEvent(event.key, builder.add(gap, sentence))
                elif isinstance(event, TextEvent):
                    yield TextEvent(event.key, builder.finish(source[done:]))
                    builder, done, source = TextBuilder(), 0, next(sources, "")
                else:
                    yield event
    finally:
        for task in started:
            task.cancel()
        await asyncio.gather(*started, return_exceptions=True)


class _End(NamedTuple):
    """The end of the items: all were read, or an error ended them."""

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
