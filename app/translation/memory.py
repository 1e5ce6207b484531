"""The translation memory of a request: its matches, and drafts of them among those of the model."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from app.engine.interface import Event, Example, Timing
from app.engine.options import SearchOptions
from app.fairness.budget import checkpoint
from app.text.inline.objects import Inline
from app.text.inline.target_tokens import Link
from app.text.memory.matching import Match, TranslationMemory
from app.text.quality_checks import doubled_in, judge
from app.text.ranges import overlapping
from app.text.sentences import spans
from app.translation.passages import Batch, Hit, Segment
from app.translation.request import TranslationRequest
from app.translation.sentence import TextTranslation

_ALIGNED_AT_ONCE = 32

Translate = Callable[[str, SearchOptions], Awaitable[TextTranslation]]


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
    if memory.adapts and is_free:
        doubled = doubled_in((segments[0][0].language, wanted.target))
        _find_examples(memory, [segment for segment, _ in segments], ranges, sources, doubled)


def _find_examples(
    memory: TranslationMemory,
    segments: Sequence[Segment],
    ranges: Sequence[Sequence[tuple[int, int]]],
    sources: Mapping[tuple[int, int, int], str],
    doubled: Collection[str],
) -> None:
    """Stores the texts that are like the sentences without a match in the segments.

    Nothing is learnt from a translation that is visibly wrong: ``doubled`` is as of ``judge``.
    """
    places = [
        (number, *place)
        for number, (segment, own) in enumerate(zip(segments, ranges, strict=True))
        for place in own[1:] or own
        if not overlapping(segment.hits, *place)
    ]
    found = memory.alike({sources[place] for place in places})
    for number, own_places in groupby(places, itemgetter(0)):
        checkpoint()
        segments[number].examples = [
            Example(begin, end, entry.source, entry.target)
            for _, begin, end in own_places
            for entry in found[sources[number, begin, end]]
            if not judge(entry.source, entry.target, doubled=doubled)
        ]


def examples_of(segment: Segment, begin: int, end: int) -> list[Example]:
    """Returns the examples for a range of a segment, as of the range."""
    return [
        each._replace(begin=each.begin - begin, end=each.end - begin)
        for each in overlapping(segment.examples, begin, end)
    ]


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


async def align(translate: Translate, segments: Sequence[Segment], options: SearchOptions) -> None:
    """Aligns the words of matches with those of their sentences, where there is markup to place.

    The model is made to write the match, whose attention tells the links. Where it can't, the match is only offered.

    Args:
        translate: Translates a sentence.
        segments: The segments with the matches.
        options: How the request searches.
    """
    waiting = [(segment, hit) for segment in segments for hit in segment.hits if hit.needs_links]
    links: dict[tuple[Segment, int], tuple[Link, ...]] = {}
    for begin in range(0, len(waiting), _ALIGNED_AT_ONCE):
        part = waiting[begin : begin + _ALIGNED_AT_ONCE]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(_links(translate, segment, hit, options)) for segment, hit in part]
        except ExceptionGroup as errors:  # the first one cancelled the others
            raise errors.exceptions[0] from None
        links |= {(segment, hit.begin): task.result() for (segment, hit), task in zip(part, tasks, strict=True)}
    for segment in dict.fromkeys(segment for segment, _ in waiting):
        linked = [hit._replace(links=links.get((segment, hit.begin), ())) for hit in segment.hits]
        segment.hits = [hit for hit in linked if hit.links or not hit.needs_links]
        for hit in linked:
            if hit.needs_links and not hit.links:
                segment.matches[hit.match] = segment.matches[hit.match]._replace(applied=None)


async def _links(translate: Translate, segment: Segment, hit: Hit, options: SearchOptions) -> tuple[Link, ...]:
    forced = replace(options, prefix=hit.text, beam_size=1, n_best=1, alignment=True)
    translation = await translate(segment.text[hit.begin : hit.end], forced)
    if len(translation.sentences) != 1 or not translation.text.startswith(hit.text):
        return ()
    return tuple(link for link in translation.alignment if link.target_end <= len(hit.text))


class Piece(NamedTuple):
    """A part of a segment that the model translates: all of it, or what matches leave.

    Attributes:
        segment: Index of the segment.
        begin: Where the piece begins in the segment's text.
        end: Where it ends.
    """

    segment: int
    begin: int
    end: int


class StoredDraft(NamedTuple):
    """A match, as a draft of the range of a segment that it translates.

    Attributes:
        segment: Index of the segment.
        hit: The match.
    """

    segment: int
    hit: Hit


Part = Piece | StoredDraft


def parts_of(segments: Sequence[Segment]) -> list[Part]:
    """Cuts the segments into matches and the pieces between them, in order."""
    parts: list[Part] = []
    for index, segment in enumerate(segments):
        done, text = 0, segment.text
        for begin, end, hit in [*((hit.begin, hit.end, hit) for hit in segment.hits), (len(text), len(text), None)]:
            if not segment.hits or any(map(str.isalnum, text[done:begin])):
                parts.append(Piece(index, done, begin))
            if hit:
                parts.append(StoredDraft(index, hit))
            done = end
    return parts


async def with_matches(
    parts: Sequence[Part], events: AsyncGenerator[Event, None] | None
) -> AsyncGenerator[Event | StoredDraft, None]:
    """Yields the drafts of the matches where they belong among the events of the pieces.

    Args:
        parts: All parts, in order.
        events: The events of the pieces; None if there are no pieces.
    """
    waiting, begun = deque(parts), -1  # index of the piece that an event came of last

    def matches(before: int) -> Iterator[StoredDraft]:
        nonlocal begun
        while waiting and begun < before:
            part = waiting.popleft()
            if isinstance(part, StoredDraft):
                yield part
            else:
                begun += 1

    for match in matches(0):
        yield match
    if events is None:
        yield Timing()
        return
    async with aclosing(events):
        async for event in events:
            for match in matches(len(parts) if isinstance(event, Timing) else event.text_index):
                yield match
            yield event
