"""The translation memory of a request: its matches, and a stream in which they replace the work of the model."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import NamedTuple

from app.engine.interface import (
    Event,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextKey,
    Timing,
    TokenEvent,
    TranslationCall,
    collect,
)
from app.engine.text_builder import TextBuilder
from app.text.budget import checkpoint
from app.text.inline.objects import Inline
from app.text.inline.target_tokens import Link
from app.text.memory.matching import Match
from app.text.sentences import spans
from app.text.terms.glossary import within
from app.translation.passages import Batch, Hit, Segment
from app.translation.request import TranslationRequest

_ALIGNED_AT_ONCE = 32

Stream = Callable[[TranslationCall], AsyncGenerator[Event, None]]


def look_up(wanted: TranslationRequest, batch: Batch) -> None:
    """Finds the matches of whole segments and of their sentences, and stores them in the segments."""
    segments = [
        (segment, passage.document.inlines[index] if passage.document else None)
        for passage in batch
        for index, segment in enumerate(passage.segments)
        if segment.needs_model
    ]
    memory = wanted.memory(segments[0][0].language, wanted.target) if wanted.memory and segments else None
    if memory is None:
        return
    ranges = [_ranges(segment, wanted) for segment, _ in segments]
    sources = {
        (number, *place): _source(segment, *place)
        for number, (segment, _) in enumerate(segments)
        for place in ranges[number]
    }
    found = memory.find(sources.values(), wanted.locale or wanted.target)
    is_free = wanted.options.prefix is None  # else somebody is writing the translation
    for number, (segment, inline) in enumerate(segments):
        checkpoint()
        for index, place in enumerate(ranges[number]):
            match = found.get(sources[number, *place])
            is_last = index == 0 and len(ranges[number]) == 1
            if match is None or (index == 0 and not is_last and match.applied is None):
                continue
            hit = _hit(segment, inline, place, match) if is_free else None
            segment.matches.append(match if hit else match._replace(applied=None))
            if hit:
                segment.hits.append(hit)
                if index == 0:  # the whole segment
                    break


def _ranges(segment: Segment, wanted: TranslationRequest) -> list[tuple[int, int]]:
    """Yields the whole segment without white space at its ends, then its sentences if there are several."""
    text = segment.text
    whole = len(text) - len(text.lstrip()), len(text.rstrip())
    if wanted.splitting == "off":
        return [whole]
    sentences = list(spans(text, language=segment.language, newlines=wanted.splitting == "sentences"))
    return [whole] if sentences == [whole] else [whole, *sentences]


def _source(segment: Segment, begin: int, end: int) -> str:
    return segment.protected.part(begin, end).source if segment.protected else segment.text[begin:end]


def _hit(segment: Segment, inline: Inline | None, place: tuple[int, int], match: Match) -> Hit | None:
    """Uses a match as the translation of a range of a segment; None if the markup can't be placed with certainty."""
    text = match.applied
    if text is None or inline is None:
        return Hit(*place, text, text, len(segment.matches)) if text is not None else None
    hidden = segment.protected.part(*place).hidden(text) if segment.protected else text
    if hidden is None:
        return None
    has_markup = len(inline.elements) > 1 or bool(inline.points)
    return Hit(*place, hidden, text, len(segment.matches), has_markup)


async def align(stream: Stream, call: TranslationCall, segments: Sequence[Segment]) -> Timing:
    """Aligns the words of matches with those of their sentences, where there is markup to place.

    The model is made to write the match, whose attention tells the links. Where it can't, the match is only offered.
    """
    total = Timing()
    waiting = [(segment, hit) for segment in segments for hit in segment.hits if hit.needs_links]
    for begin in range(0, len(waiting), _ALIGNED_AT_ONCE):
        part = waiting[begin : begin + _ALIGNED_AT_ONCE]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_links(stream, call, segment, hit)) for segment, hit in part]
        except ExceptionGroup as errors:  # the first one cancelled the others
            raise errors.exceptions[0] from None
        for (segment, hit), task in zip(part, tasks, strict=True):
            links, timing = task.result()
            total += timing
            place = segment.hits.index(hit)
            if links:
                segment.hits[place] = hit._replace(links=links)
            else:
                del segment.hits[place]
                segment.matches[hit.match] = segment.matches[hit.match]._replace(applied=None)
    return total


async def _links(stream: Stream, call: TranslationCall, segment: Segment, hit: Hit) -> tuple[tuple[Link, ...], Timing]:
    source = segment.text[hit.begin : hit.end]
    options = replace(call.options, prefix=hit.text, beam_size=1, n_best=1, alignment=True)
    forced = replace(call, texts=[source], options=options, splitting="off", tokens=False, keys=(), terms=())
    forced = replace(forced, context="", improve=None)
    [translation], timing = await collect(stream(forced))
    if len(translation.sentences) != 1 or not translation.text.startswith(hit.text):
        return (), timing
    return tuple(link for link in translation.alignment if link.target_end <= len(hit.text)), timing


class _Piece(NamedTuple):
    """A part of a text that the model translates."""

    text_index: int
    begin: int
    end: int


async def stream_around(
    stream: Stream, call: TranslationCall, hits: Sequence[Sequence[Hit]]
) -> AsyncGenerator[Event, None]:
    """Yields the events of a call. Matches translate some ranges, so that the model translates only the others.

    Args:
        stream: Translates.
        call: What is wanted.
        hits: For each text its matches, in order and disjoint.
    """
    parts = [_parts(index, text, own) for index, (text, own) in enumerate(zip(call.texts, hits, strict=True))]
    cut = [part for each in parts for part in each if isinstance(part, _Piece)]
    async with aclosing(_translated(stream, call, cut)) as events:
        for index, text in enumerate(call.texts):
            key, builder, done, pivot = call.key(index), TextBuilder(), 0, None
            for part in parts[index]:
                if isinstance(part, Hit):
                    yield SentenceEvent(key, builder.add(text[done : part.begin], _sentence(call, index, part)))
                    done = part.end
                    continue
                async for event in events:
                    if isinstance(event, TokenEvent):
                        yield TokenEvent(key, event.text)
                    elif isinstance(event, SentenceEvent):
                        begin = part.begin + event.sentence.source_begin
                        yield SentenceEvent(key, builder.add(text[done:begin], event.sentence))
                        done = begin + len(event.sentence.source)
                    elif isinstance(event, TextEvent):
                        pivot = event.translation.pivot
                        break
            yield TextEvent(key, replace(builder.finish(text[done:]), pivot=pivot))
        yield await anext(events)  # the timing


def _parts(index: int, text: str, hits: Sequence[Hit]) -> list[Hit | _Piece]:
    parts: list[Hit | _Piece] = []
    done = 0
    for begin, end, hit in [*((hit.begin, hit.end, hit) for hit in hits), (len(text), len(text), None)]:
        if any(map(str.isalnum, text[done:begin])) or not hits:
            parts.append(_Piece(index, done, begin))
        parts += [hit] if hit else []
        done = end
    return parts


async def _translated(stream: Stream, call: TranslationCall, cut: Sequence[_Piece]) -> AsyncGenerator[Event, None]:
    """Yields the events of the pieces; each key has the number of the piece as its block."""
    if not cut:
        yield Timing()
        return

    async def improve(key: TextKey, sentence: SentenceTranslation) -> SentenceTranslation:
        assert call.improve
        piece = cut[key.block]
        moved = replace(sentence, source_begin=sentence.source_begin + piece.begin)
        better = await call.improve(call.key(piece.text_index), moved)
        return replace(better, source_begin=sentence.source_begin)

    pieces = replace(
        call,
        texts=[call.texts[piece.text_index][piece.begin : piece.end] for piece in cut],
        keys=[TextKey(call.key(piece.text_index).item, number) for number, piece in enumerate(cut)],
        terms=[within(call.terms[piece.text_index], piece.begin, piece.end) for piece in cut] if call.terms else (),
        improve=improve if call.improve else None,
    )
    async with aclosing(stream(pieces)) as events:
        async for event in events:
            yield event


def _sentence(call: TranslationCall, index: int, hit: Hit) -> SentenceTranslation:
    return SentenceTranslation(
        source=call.texts[index][hit.begin : hit.end],
        source_begin=hit.begin,
        text=hit.text,
        target_begin=0,
        score=0.0,
        alternatives=(),
        alignment=hit.links,
        terms=within(call.terms[index], hit.begin, hit.end) if call.terms else (),
        stored=hit.stored,
    )
