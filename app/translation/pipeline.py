"""Carries out a checked request: detects languages, reads markup, calls the engine, assembles the answer."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from math import inf
from typing import NamedTuple, TypeVar

from app import tracing
from app.engine.interface import RequestQuota, Timing, TranslationEngine
from app.errors import UnsupportedPair
from app.fairness.budget import checkpoint
from app.fairness.offload import offload
from app.text.detection import Detection, Detector
from app.text.markup.extraction import extract_parts
from app.text.pieces import PIECE_CHARS
from app.translation.assembly import ItemBuilder
from app.translation.batch_translation import BatchTranslation
from app.translation.deadline import deadline, within
from app.translation.languages import check_pair, refuse_foreign
from app.translation.memory import look_up
from app.translation.passages import Batch, batches
from app.translation.request import AUTO, Answer, ItemTranslation, Progress, TranslationRequest
from app.translation.second_tier.interface import SecondTier
from app.translation.second_tier.opinion import Opinions

Result = TypeVar("Result")


class _Found(NamedTuple):
    """The language that an item is translated from.

    Attributes:
        language: Its code; the target's for an item that is skipped.
        detection: What was detected; None if the request named the language.
        refusal: Why it is skipped; None if it isn't.
    """

    language: str
    detection: Detection | None = None
    refusal: UnsupportedPair | None = None


class Translator:
    """Carries out requests with one engine.

    Args:
        engine: What translates.
        detector: What tells languages apart; replaced when other languages are served.
        observe: Called with each request that was answered and its answer, in any thread; None to call nobody.
        second_tier: Translates the sentences that the engine is unsure of; None for nobody.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        detector: Detector,
        observe: Callable[[TranslationRequest, Answer], None] | None = None,
        second_tier: SecondTier | None = None,
    ) -> None:
        self._engine, self.detector, self._observe, self._second_tier = engine, detector, observe, second_tier

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return self._engine.pairs

    async def translate(self, wanted: TranslationRequest) -> Answer:
        """Translates every text of the request, in order, within its deadline.

        Raises:
            DragomanError: As ``stream``.
        """
        async with deadline(wanted.deadline_s), aclosing(self._stream(wanted)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream without an answer")

    def stream(self, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
        """Translates the texts of the request; yields every sentence as soon as it is translated, then the answer.

        Sentences and texts come in order, except that with detection the texts of one language come together.

        Raises:
            UnsupportedPair: A detected language has no model for the target.
            DeadlineExceeded: The deadline passed.
            DragomanError: Another error of the engine.
        """
        return within(self._stream(wanted), wanted.deadline_s)

    async def _stream(self, wanted: TranslationRequest) -> AsyncGenerator[Progress, None]:
        if wanted.source == AUTO:
            found = await work_out(wanted, _detect_all, self.detector, wanted, self._engine.pairs)
        else:
            check_pair(wanted.source, wanted.target, self._engine.pairs)
            found = [_Found(wanted.source)] * len(wanted.texts)
        languages = [each.language for each in found]
        alphabets = {language: self._engine.alphabet(language, wanted.target) for language in dict.fromkeys(languages)}
        timing, quota, opinions = Timing(), RequestQuota(), self._opinions(wanted)
        reader = batches(wanted, languages, alphabets)
        items, batch = await work_out(wanted, _begin, wanted, reader)
        options = wanted.options
        while batch:
            if any(segment.needs_model for passage in batch for segment in passage.segments):
                translation = BatchTranslation(self._engine, wanted, batch, items, options, quota, opinions)
                async with aclosing(translation.events()) as events:
                    async for event in events:
                        if isinstance(event, Timing):
                            timing += event
                        else:
                            yield event
            batch = await put_together(wanted, _assemble, items, batch, wanted, reader)
            if options.prefix is not None:  # which belongs to the first sentence alone
                options = replace(options, prefix=None)
        yield await put_together(wanted, self._finish, wanted, items, found, timing)

    def _finish(
        self, wanted: TranslationRequest, items: list[ItemBuilder], found: Sequence[_Found], timing: Timing
    ) -> Answer:
        items.reverse()  # so are the builders
        finished: list[ItemTranslation] = []
        for each in found:
            checkpoint()
            finished.append(items.pop().finish(each.detection, each.refusal))
        answer = Answer(finished, timing)
        if self._observe:
            self._observe(wanted, answer)
        return answer

    def _opinions(self, wanted: TranslationRequest) -> Opinions | None:
        """The second tier for a request: it gets half of the request's time, so that the rest is never late for it."""
        if self._second_tier is None:
            return None
        end = inf if wanted.deadline_s is None else asyncio.get_running_loop().time() + wanted.deadline_s / 2
        return Opinions(self._second_tier, self.detector, end)


async def work_out(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Calls a function on the texts; in line if they are few and plain.

    Raises:
        Overloaded: The pool is full for texts of this size.
    """
    with tracing.span("prepare", function=function.__name__):
        size, inline = wanted.work
        return await offload(function, *arguments, size=size, inline=inline)


async def put_together(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Like ``work_out``, but never refused, because the texts are already translated."""
    with tracing.span("render", function=function.__name__):
        size, inline = wanted.work
        return await offload(function, *arguments, size=size, inline=inline, admitted=True)


def _begin(wanted: TranslationRequest, reader: Iterator[Batch]) -> tuple[list[ItemBuilder], Batch | None]:
    return [ItemBuilder(wanted) for _ in wanted.texts], _next_batch(wanted, reader)


def _next_batch(wanted: TranslationRequest, reader: Iterator[Batch]) -> Batch | None:
    batch = next(reader, None)
    if batch and wanted.memory:
        look_up(wanted, batch)
    return batch


def _assemble(
    items: Sequence[ItemBuilder], batch: Batch, wanted: TranslationRequest, reader: Iterator[Batch]
) -> Batch | None:
    """Puts the translations of a batch together; returns the next one."""
    batch.reverse()  # each passage is freed here, and not all of them together on the event loop
    while batch:
        checkpoint()
        passage = batch.pop()
        items[passage.item].add(passage)
    return _next_batch(wanted, reader)


def _detect_all(detector: Detector, wanted: TranslationRequest, pairs: frozenset[tuple[str, str]]) -> list[_Found]:
    """Detects the most likely language of each item.

    Raises:
        UnsupportedPair: An item is in a language that can't be translated into the target, and may not be skipped.
    """
    found = []
    for index, text in enumerate(wanted.texts):
        if wanted.markup:
            parts = extract_parts(text, wanted.markup, size=PIECE_CHARS)
            text = "\n".join(text for part in parts for text in part.texts)
        foreign = detector.foreign(text)
        detection = foreign or detector.detect(text)[0]
        try:
            refuse_foreign(foreign, "text")
            if detection.confidence:  # where no language is to be seen, none is needed
                check_pair(detection.language, wanted.target, pairs)
        except UnsupportedPair as refusal:
            if not wanted.skips_unsupported:
                place = f"At index {index}: " if len(wanted.texts) > 1 else ""
                raise UnsupportedPair(f"{place}{refusal}") from None
            found.append(_Found(wanted.target, detection, refusal))
        else:
            found.append(_Found(detection.language, detection))
    return found
