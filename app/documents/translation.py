"""Translates a document: a process reads it, its texts go through the pipeline, and the process writes it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from app.documents.reading.readers import OpenDocument
from app.documents.review import Reviewer
from app.documents.sentences import packed
from app.errors import InvalidRequest, Overloaded
from app.fairness.budget import checkpoint
from app.fairness.offload import free, offload
from app.text.detection import Detector
from app.text.markup.extraction import extract
from app.translation.languages import check_pair, refuse_foreign
from app.translation.pipeline import Translator
from app.translation.reports import report_document
from app.translation.request import AUTO, Answer, TranslationRequest
from app.translation.sentence import SentenceEvent

EQUAL_LANGUAGES = "Source and target language are equal."
_SAMPLE_CHARS = 20_000
_RETRY_S = 1.0
Result = TypeVar("Result")


class DocumentTranslation(NamedTuple):
    """A translated document.

    Attributes:
        content: The file.
        report: What the glossary and the translation memory did (see ``app.translation.reports``), and under ``review``
            what a person should look at (see ``Reviewer.report``).
        sentences: All sentences (see ``app.documents.sentences``); empty unless the wish is ``for_review``.
    """

    content: bytes
    report: dict[str, Any]
    sentences: bytes = b""


async def translate_document(
    translator: Translator, document: OpenDocument, asked: TranslationRequest, on_progress: Callable[[int], None]
) -> DocumentTranslation:
    """Translates a document that was read.

    Args:
        translator: What translates.
        document: The document; it can't be used again.
        asked: The languages, and how to translate; its texts, markup and splitting become the document's.
        on_progress: Called with the number of characters translated so far.

    Raises:
        InvalidRequest: The document is in the target language already, or in one that is not served, or it can't be
            written within the limits.
        DragomanError: An error of the engine.
    """
    source = asked.source
    if source == AUTO:
        found = await offload(_detect, translator.detector, document)
        if found == asked.target:
            raise InvalidRequest(EQUAL_LANGUAGES)
        source = found or asked.target
        check_pair(source, asked.target, translator.pairs)
    markup, splitting = document.markup, document.splitting
    request = replace(asked, source=source, texts=document.texts, markup=markup, splitting=splitting)
    answer, reviewer = await _when_free(lambda: _translate(translator, request, on_progress))
    texts = [item.text for item in answer.items]
    marks = None if asked.review_below is None else await offload(reviewer.marks, answer.items)
    content = await document.write(texts, asked.locale or asked.target, marks)
    report = await offload(report_document, request, answer.items, document.kept)
    report |= {"review": reviewer.report(answer.items)}
    sentences = b""
    if request.for_review:
        sentences = await offload(packed, request, document.output, answer.items, reviewer.seen)
    await offload(free, answer.items)
    return DocumentTranslation(content, report, sentences)


async def _when_free(work: Callable[[], Awaitable[Result]]) -> Result:
    """Returns the result of the work. If the server is too busy, waits and tries again: documents can wait."""
    while True:
        try:
            return await work()
        except Overloaded:
            await asyncio.sleep(_RETRY_S)


async def _translate(
    translator: Translator, request: TranslationRequest, on_progress: Callable[[int], None]
) -> tuple[Answer, Reviewer]:
    done, reviewer = 0, Reviewer(request.review_below, keeps_all=request.for_review)
    async with aclosing(translator.stream(request)) as events:
        async for event in events:
            if isinstance(event, Answer):
                return event, reviewer
            if isinstance(event, SentenceEvent):
                reviewer.see(event.key, event.sentence)
                done += len(event.sentence.source)
                on_progress(done)
    raise AssertionError("a stream without an answer")


def _detect(detector: Detector, document: OpenDocument) -> str | None:
    """Detects the language of the beginning; None if no language is found.

    Raises:
        InvalidRequest: It is one that is not served.
    """
    sample: list[str] = []
    size = 0
    for text in document.texts:
        checkpoint()
        beginning = text[:_SAMPLE_CHARS]
        shown = extract(beginning, document.markup).texts if document.markup else (beginning,)
        sample += shown
        size += sum(map(len, shown))
        if size >= _SAMPLE_CHARS:
            break
    text = "\n".join(sample)
    refuse_foreign(detector.foreign(text), "document")
    found = detector.detect(text)[0]
    return found.language if found.confidence else None
