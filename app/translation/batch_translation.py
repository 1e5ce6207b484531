"""Translates a batch of passages: the draft of each sentence is completed, improved, corrected and restored.

This is the one stage that a sentence goes through, whether its draft comes from a model in this process or another,
from two models, or from a translation memory. ``Stage`` keeps the order, and bounds the sentences under way.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from app.engine.interface import (
    Draft,
    Event,
    OpenHop,
    RequestQuota,
    Timing,
    TranslationCall,
    TranslationEngine,
)
from app.engine.interface import TokenEvent as DraftTokens
from app.engine.options import SearchOptions
from app.fairness.offload import Inline, is_brief, offload
from app.fairness.pauses import take_long
from app.text.terms.glossary import Term, within
from app.translation.assembly import ItemBuilder
from app.translation.drafting import Drafting
from app.translation.memory import Part, Piece, StoredDraft, align, examples_of, parts_of, with_matches
from app.translation.passages import Batch, Segment
from app.translation.questions import Answers, Asking, Done, Question, answered, step
from app.translation.request import TranslationRequest
from app.translation.restoring import RestoredSentence, restore
from app.translation.retries import improved
from app.translation.rules.pair import Direction
from app.translation.second_tier.opinion import Opinions, second_opinion
from app.translation.segment_writer import SegmentWriter
from app.translation.sentence import SentenceEvent, SentenceTranslation, TextTranslation, TokenEvent
from app.translation.stage import Stage
from languages.registry import language_of

_TURN = 4  # sentences after which the event loop gets to what waits


class _Finished(NamedTuple):
    """A sentence that went through the stage.

    Attributes:
        segment: Index of its segment.
        sentence: Corrected and restored.
        text: The translation before that, to which its tokens add up; None if it comes from a translation memory.
    """

    segment: int
    sentence: RestoredSentence
    text: str | None = None


_Arrival = Event | StoredDraft
_Result = _Finished | DraftTokens | Timing


class BatchTranslation:
    """The translation of a batch that has something to translate.

    Args:
        engine: What translates.
        wanted: The request.
        batch: Passages in one language, with at least one segment to translate.
        items: What there is of the request's items.
        options: How to search.
        quota: The request's quota, which its other batches share.
        opinions: The second tier; None without one.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        wanted: TranslationRequest,
        batch: Batch,
        items: Sequence[ItemBuilder],
        options: SearchOptions,
        quota: RequestQuota,
        opinions: Opinions | None = None,
    ) -> None:
        segments = [segment for passage in batch for segment in passage.segments if segment.needs_model]
        self._engine, self._wanted, self._segments, self._quota = engine, wanted, segments, quota
        self._source, self._glossary = segments[0].language, segments[0].glossary
        self._direction = Direction(language_of(self._source), language_of(wanted.locale or wanted.target), wanted)
        self._options = _search_options(wanted, segments, options)
        self._placeholders = engine.alphabet(self._source, wanted.target).placeholders
        self._bulk = not is_brief(wanted.work[0], Inline.TEXTS)
        # Somebody who is writing the translation wants it as it is.
        self._corrects = wanted.options.prefix is None
        keeps_marks = wanted.preserves_formatting or not self._corrects
        self._writer = SegmentWriter(batch, items, None if keeps_marks else self._direction)
        self._opinions = opinions
        self._hops: Sequence[OpenHop] = ()
        self._pieces: list[Piece] = []
        self._timing = Timing()

    async def events(self) -> AsyncGenerator[TokenEvent | SentenceEvent | Timing, None]:
        """Yields the restored sentences and stores the translation of each segment in it."""
        if self._bulk:
            take_long()
        began, parts = time.monotonic(), parts_of(self._segments)
        needs_links = any(hit.needs_links for segment in self._segments for hit in segment.hits)
        needs_model = needs_links or any(isinstance(part, Piece) for part in parts)
        route = self._engine.route(self._source, self._wanted.target) if needs_model else nullcontext(())
        async with route as self._hops:
            self._timing += Timing(queue_s=time.monotonic() - began)
            if needs_links:
                await align(self._aligned, self._segments, self._options)
                parts = parts_of(self._segments)
            self._pieces = [part for part in parts if isinstance(part, Piece)]
            self._drafting = self._first_call() if self._pieces else None
            stage: Stage[_Arrival, _Result] = Stage(self._arrivals(parts), self._begin)
            finished, shown = 0, ""
            async with aclosing(stage) as results:
                async for result in results:
                    if isinstance(result, Timing):
                        yield self._timing + (self._drafting.timed(result) if self._drafting else result)
                    elif isinstance(result, DraftTokens):
                        segment, key = self._writer.at(self._pieces[result.text_index].segment)
                        if not segment.protected:  # a client has no use for placeholders
                            shown += result.text
                            yield TokenEvent(key, result.text)
                    else:
                        segment, key = self._writer.at(result.segment)
                        if rest := self._rest(result, segment, shown):
                            yield TokenEvent(key, rest)
                        shown, finished = "", finished + 1
                        yield self._write(result)
                        if finished % _TURN == 0:
                            await asyncio.sleep(0)
        self._writer.finish()
        self._segments = []  # the batch alone keeps them

    def _first_call(self) -> Drafting:
        wanted, segments = self._wanted, self._segments
        own = [(segments[index], begin, end) for index, begin, end in self._pieces]
        terms = [within(segment.terms, begin, end) for segment, begin, end in own] if wanted.glossary else ()
        learns = any(segment.examples for segment in segments)
        call = TranslationCall(
            texts=[segment.text[begin:end] for segment, begin, end in own],
            source=self._source,
            target=wanted.target,
            options=self._options,
            splitting=wanted.splitting,
            tokens=wanted.tokens,
            items=[segment.key.item for segment, *_ in own],
            quota=self._quota,
            whole=[_whole(segment, begin, end) for segment, begin, end in own],
            context=wanted.context,
            examples=[examples_of(segment, begin, end) for segment, begin, end in own] if learns else (),
        )
        return Drafting(self._hops, call, terms, bulk=self._bulk)

    def _arrivals(self, parts: Sequence[Part]) -> AsyncGenerator[_Arrival, None]:
        events = self._drafting.events() if self._drafting else None
        if events and len(parts) == len(self._pieces):
            return events
        return with_matches(parts, events)

    def _begin(self, arrival: _Arrival) -> _Result | asyncio.Task[_Result]:
        """Returns what becomes of a draft; a task if that needs another translation, or takes long."""
        if isinstance(arrival, StoredDraft):
            return self._stored(arrival)
        if not isinstance(arrival, Draft):
            return arrival
        assert self._drafting
        sentence = self._drafting.complete_now(arrival)
        if sentence is None:
            return asyncio.create_task(self._complete(self._drafting, arrival))
        asking = self._finish(arrival.text_index, sentence)
        outcome = step(asking)
        if isinstance(outcome, Done):
            result: _Result = outcome.result
            return result
        return asyncio.create_task(answered(asking, self._answer, first=outcome))

    async def _complete(self, drafting: Drafting, draft: Draft) -> _Result:
        asking = self._finish(draft.text_index, await drafting.complete(draft))
        run = partial(offload, size=len(draft.source), inline=Inline.SENTENCE, bulk=self._bulk)
        return await answered(asking, self._answer, run=run)

    def _finish(self, index: int, sentence: SentenceTranslation) -> Asking[_Result]:
        """Improves, corrects and restores a sentence of a piece."""
        piece = self._pieces[index]
        segment = self._segments[piece.segment]
        begin = piece.begin + sentence.source_begin
        sentence = sentence.moved(piece.begin, 0)
        whole = segment.protected
        part = whole.part(begin, begin + len(sentence.source)) if whole else None
        better = yield from improved(
            sentence, part, direction=self._direction, options=self._options, placeholders=self._placeholders
        )
        if self._opinions:
            better = yield from second_opinion(
                better,
                part,
                opinions=self._opinions,
                direction=self._direction,
                options=self._options,
                context=_before(segment, begin) or self._wanted.context,
            )
        restored = restore(better, whole, part, self._direction if self._corrects else None)
        return _Finished(piece.segment, restored, better.text)

    def _stored(self, draft: StoredDraft) -> _Finished:
        segment, hit = self._segments[draft.segment], draft.hit
        part = segment.protected.part(hit.begin, hit.end) if segment.protected else None
        sentence = SentenceTranslation(
            source=segment.text[hit.begin : hit.end],
            source_begin=hit.begin,
            text=hit.text,
            target_begin=0,
            score=0.0,
            alternatives=(),
            alignment=hit.links,
            terms=within(segment.terms, hit.begin, hit.end),
            stored=hit.stored,
        )
        return _Finished(draft.segment, restore(sentence, segment.protected, part, None))

    def _rest(self, result: _Finished, segment: Segment, shown: str) -> str:
        """The tokens of a sentence that were not shown; none if another translation took the place of the draft."""
        has_tokens = self._wanted.tokens and self._options.beam_size == 1 and not segment.protected
        if not has_tokens or result.text is None or not (self._drafting and self._drafting.pivot is None):
            return ""
        return result.text[len(shown) :] if result.text.startswith(shown) else ""

    def _write(self, result: _Finished) -> SentenceEvent:
        segment, _ = self._writer.at(result.segment)
        if result.text is not None and self._drafting:
            segment.pivot = self._drafting.pivot
        return self._writer.add(result.sentence)

    async def _answer(self, question: Question) -> Answers:
        if question.brief and self._opinions:
            return await self._opinions.ask(question.brief)
        terms = [self._glossary.find(text) for text in question.texts] if self._glossary else ()
        quota = replace(self._quota, admitted=True, is_retry=True)
        return await self._translate(question.texts, question.options, quota, terms)

    async def _aligned(self, text: str, options: SearchOptions) -> TextTranslation:
        [translation] = await self._translate([text], options, self._quota)
        return translation

    async def _translate(
        self,
        texts: Sequence[str],
        options: SearchOptions,
        quota: RequestQuota,
        terms: Sequence[Sequence[Term]] = (),
    ) -> list[TextTranslation]:
        """Translates texts that are one sentence each."""
        source, target = self._source, self._wanted.target
        call = TranslationCall(texts=texts, source=source, target=target, options=options, splitting="off", quota=quota)
        translations, timing = await Drafting(self._hops, call, terms, bulk=self._bulk).translate()
        self._timing += timing
        return translations


def _before(segment: Segment, begin: int) -> str:
    """The text of a segment before a place in its text with stand-ins."""
    protected = segment.protected
    return protected.source[: protected.offsets.begin(begin)] if protected else segment.text[:begin]


def _whole(segment: Segment, begin: int, end: int) -> list[tuple[int, int]]:
    """The stand-ins in a part of a segment: placeholders, and dates and numbers as the model sees them."""
    stand_ins = segment.protected.stand_ins if segment.protected else ()
    return [(first - begin, last - begin) for first, last in stand_ins if begin <= first and last <= end]


def _search_options(wanted: TranslationRequest, segments: Sequence[Segment], options: SearchOptions) -> SearchOptions:
    if options.prefix and segments[0].protected:
        options = replace(options, prefix=segments[0].protected.hide(options.prefix))
    # The alignment says where tags and protected spans go.
    if wanted.alignment or wanted.markup or any(segment.protected for segment in segments):
        options = replace(options, alignment=True)
    return options
