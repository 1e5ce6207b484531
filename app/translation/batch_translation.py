"""Translates a batch of passages: asks the engine, retries failed sentences, and restores the result."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from app.engine.interface import (
    INLINE_CHARS,
    Event,
    RequestQuota,
    SentenceEvent,
    SentenceTranslation,
    TextEvent,
    TextKey,
    TextTranslation,
    Timing,
    TokenEvent,
    TranslationCall,
    TranslationEngine,
    collect,
)
from app.engine.options import SearchOptions
from app.text.inline.placement import Edit
from app.translation.assembly import ItemBuilder, places
from app.translation.memory import align, stream_around
from app.translation.passages import Batch
from app.translation.request import TranslationRequest
from app.translation.restoring import RestoredSentence, Restorer, restore
from app.translation.retries import improve
from app.translation.rules.corrections import corrections
from app.translation.rules.marks import marks_between
from app.translation.rules.pair import Direction, RuleOptions
from app.work_pool import TEXT_POOL
from languages.registry import language_of

# Longer sentences are judged and restored in the pool, as are all sentences of long texts.
_INLINE_SENTENCE_CHARS = 500


class BatchTranslation:
    """The translation of a batch that needs the model.

    Args:
        engine: What translates.
        wanted: The request.
        batch: Passages in one language, with at least one segment to translate.
        items: What there is of the request's items.
        options: How to search.
        quota: The request's quota, which its other batches share.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        wanted: TranslationRequest,
        batch: Batch,
        items: Sequence[ItemBuilder],
        options: SearchOptions,
        quota: RequestQuota,
    ) -> None:
        segments = [segment for passage in batch for segment in passage.segments if segment.needs_model]
        self._engine, self._wanted, self._segments, self._quota = engine, wanted, segments, quota
        self._batch, self._items = batch, items
        self._glossary = segments[0].glossary
        self._direction = Direction(
            language_of(segments[0].language),
            language_of(wanted.locale or wanted.target),
            RuleOptions(preserves_formatting=wanted.preserves_formatting, register=wanted.register),
        )
        self._placeholders = engine.alphabet(segments[0].language, wanted.target).placeholders
        self._protected = {segment.key: segment.protected for segment in segments}
        self._keeps_marks = wanted.preserves_formatting or wanted.options.prefix is not None
        self._retry_timing = Timing()
        self._is_long = sum(map(len, wanted.texts)) > INLINE_CHARS
        self._restored: dict[tuple[TextKey, int], RestoredSentence] = {}
        self._call = self._first_call(options)

    async def events(self) -> AsyncGenerator[TokenEvent | SentenceEvent | Timing, None]:
        """Yields the restored sentences and stores the translation of each segment in it."""
        restorer = None
        self._retry_timing += await align(self._engine.stream, self._call, self._segments)
        remaining = places(self._batch, self._items)
        async with aclosing(self._stream(replace(self._call, improve=self._improve))) as events:
            async for event in events:
                if isinstance(event, Timing):
                    yield self._retry_timing + event
                    continue
                if restorer is None:
                    segment, place = next(remaining)
                    marks = {} if self._keeps_marks else marks_between(segment.text, self._direction)
                    restorer = Restorer(segment.text, segment.protected, marks)
                if isinstance(event, TextEvent):
                    segment.pivot = event.translation.pivot
                    segment.translation, segment.restored = restorer.finish()
                    segment.lost, restorer = tuple(restorer.lost), None
                elif isinstance(event, SentenceEvent):
                    place_in_text = segment.key, event.sentence.source_begin
                    restored = self._restored.pop(place_in_text, None) or self._restore(segment.key, event.sentence)
                    yield SentenceEvent(place.key, place.moved(restorer.add(restored)))
                elif not segment.protected:  # a client has no use for placeholders
                    yield TokenEvent(place.key, event.text)

    def _stream(self, call: TranslationCall) -> AsyncGenerator[Event, None]:
        hits = [segment.hits for segment in self._segments]
        return stream_around(self._engine.stream, call, hits) if any(hits) else self._engine.stream(call)

    def _first_call(self, options: SearchOptions) -> TranslationCall:
        wanted, segments = self._wanted, self._segments
        if options.prefix and segments[0].protected:
            options = replace(options, prefix=segments[0].protected.hide(options.prefix))
        # The alignment says where tags and protected spans go.
        if wanted.alignment or wanted.markup or any(segment.protected for segment in segments):
            options = replace(options, alignment=True)
        return TranslationCall(
            texts=[segment.text for segment in segments],
            source=segments[0].language,
            target=wanted.target,
            options=options,
            splitting=wanted.splitting,
            tokens=wanted.tokens,
            keys=[segment.key for segment in segments],
            quota=self._quota,
            terms=[segment.terms for segment in segments] if wanted.glossary else (),
            context=wanted.context,
        )

    async def _translate_again(self, texts: Sequence[str], options: SearchOptions) -> list[TextTranslation]:
        again = replace(
            self._call,
            texts=texts,
            options=options,
            splitting="off",
            tokens=False,
            keys=(),
            quota=replace(self._quota, admitted=True, is_retry=True),
            terms=[self._glossary.find(text) for text in texts] if self._glossary else (),
            context="",
        )
        translations, timing = await collect(self._engine.stream(again))
        self._retry_timing += timing
        return translations

    async def _improve(self, key: TextKey, sentence: SentenceTranslation) -> SentenceTranslation:
        whole, end = self._protected[key], sentence.source_begin + len(sentence.source)
        takes_long = self._is_long or len(sentence.source) > _INLINE_SENTENCE_CHARS
        better = await improve(
            sentence,
            whole.part(sentence.source_begin, end) if whole else None,
            direction=self._direction,
            options=self._call.options,
            placeholders=self._placeholders,
            translate=self._translate_again,
            run=TEXT_POOL.run_small if takes_long else None,
        )
        if takes_long:  # here, where sentences wait for each other's translations, but not for each other
            self._restored[key, better.source_begin] = await TEXT_POOL.run_small(self._restore, key, better)
        return better

    def _restore(self, key: TextKey, sentence: SentenceTranslation) -> RestoredSentence:
        return restore(sentence, self._protected[key], self._mirror)

    def _mirror(self, source: str, translation: str) -> list[Edit]:
        wanted = self._wanted
        if wanted.options.prefix is not None:  # somebody is writing the translation, and wants it as it is
            return []
        return corrections(self._direction.pair(source, translation))
