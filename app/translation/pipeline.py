"""Carries out a checked request: detects languages, takes text out of markup, asks the engine, puts all together."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TypeVar

from app.engine.interface import INLINE_CHARS, RequestQuota, Timing, TranslationEngine
from app.text.detection import Detection, Detector
from app.text.markup.extraction import extract
from app.translation.deadline import within
from app.translation.languages import check_pair, refuse_foreign
from app.translation.request import AUTO, Answer, Progress, TranslationRequest
from app.translation.segment_translation import SegmentTranslation
from app.translation.segments import extract_documents, make_segments, put_into_items
from app.work_pool import TEXT_POOL

Result = TypeVar("Result")


class Translator:
    """Carries out requests with one engine.

    Args:
        engine: What translates.
        detector: What tells languages apart; replaced when other languages are served.
        observe: Called with each request that was answered and its answer; None to call nobody.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        detector: Detector,
        observe: Callable[[TranslationRequest, Answer], None] | None = None,
    ) -> None:
        self._engine, self.detector, self._observe = engine, detector, observe

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Source and target codes that can be translated."""
        return self._engine.pairs

    async def translate(self, wanted: TranslationRequest) -> Answer:
        """Translates every text of the request, in order, within its deadline.

        Raises:
            DragomanError: As ``stream``.
        """
        async with aclosing(self.stream(wanted)) as events:
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
        detections = await work_out(wanted, _detect_all, self.detector, wanted) if wanted.source == AUTO else None
        languages = (
            [detection.language for detection in detections] if detections else [wanted.source] * len(wanted.texts)
        )
        for index, language in enumerate(languages):
            # Where no language is to be seen, none is needed.
            if not detections or detections[index].confidence:
                check_pair(language, wanted.target, self._engine.pairs)
        alphabets = [self._engine.alphabet(language, wanted.target) for language in languages]
        documents = await work_out(wanted, extract_documents, wanted, languages, alphabets) if wanted.markup else None
        segments = await work_out(wanted, make_segments, wanted, documents, languages, alphabets)
        timing = Timing()
        open_segments = [segment for segment in segments if segment.needs_model]
        quota = RequestQuota()
        for language in dict.fromkeys(segment.language for segment in open_segments):
            own = [segment for segment in open_segments if segment.language == language]
            translation = SegmentTranslation(self._engine, wanted, own, quota)
            async with aclosing(translation.events()) as events:
                async for event in events:
                    if isinstance(event, Timing):
                        timing += event
                    else:
                        yield event

        items = await put_together(wanted, put_into_items, wanted, documents, segments)
        if detections:
            items = [replace(item, detection=detection) for item, detection in zip(items, detections, strict=True)]
        answer = Answer(items, timing)
        if self._observe:
            self._observe(wanted, answer)
        yield answer


async def work_out(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Calls a function on the texts: on the event loop if they are few and plain, otherwise in the pool.

    For a single sentence, a hop to a thread and back takes longer than the work itself.

    Raises:
        Overloaded: The pool is full for texts of this size.
    """
    if is_quick(wanted):
        return function(*arguments)
    return await TEXT_POOL.run(function, *arguments, size=sum(map(len, wanted.texts)))


async def put_together(wanted: TranslationRequest, function: Callable[..., Result], *arguments: object) -> Result:
    """Like ``work_out``, but never refused, because the texts are already translated."""
    if is_quick(wanted):
        return function(*arguments)
    return await TEXT_POOL.run(function, *arguments, size=sum(map(len, wanted.texts)), admitted=True)


def is_quick(wanted: TranslationRequest) -> bool:
    """Tells whether all the work on the texts takes less than a millisecond or two."""
    return not (wanted.markup or wanted.protect or wanted.glossary) and sum(map(len, wanted.texts)) <= INLINE_CHARS


def _detect_all(detector: Detector, wanted: TranslationRequest) -> list[Detection]:
    """The most likely language of each item.

    Raises:
        UnsupportedPair: An item is in a language that is not served.
    """
    contents = [extract(text, wanted.markup).texts if wanted.markup else (text,) for text in wanted.texts]
    detections = []
    for texts in contents:
        text = "\n".join(texts)
        refuse_foreign(detector.foreign(text), "text")
        detections.append(detector.detect(text)[0])
    return detections
