"""Translates a document: a process reads it, its texts go through the pipeline, and the process writes it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from app.documents.reading.readers import OpenDocument
from app.documents.review import Reviewer
from app.engine.interface import SentenceEvent
from app.engine.options import SearchOptions
from app.errors import InvalidRequest, Overloaded
from app.text.budget import checkpoint
from app.text.detection import Detector
from app.text.formality import Register
from app.text.markup.extraction import extract
from app.text.memory.matching import TranslationMemory
from app.text.terms.glossary import Glossary
from app.translation.languages import check_pair, refuse_foreign
from app.translation.pipeline import Translator
from app.translation.reports import report_document
from app.translation.request import AUTO, Answer, TranslationRequest
from app.work_pool import TEXT_POOL

EQUAL_LANGUAGES = "Source and target language are equal."
_SAMPLE_CHARS = 20_000
_RETRY_S = 1.0
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class DocumentRequest:
    """A request to translate a document.

    Attributes:
        source: A served language code, or ``AUTO``: the document's language is detected.
        target: A served language code.
        options: How to search.
        locale: The target with its region, such as en-GB; None without one.
        register: How the reader must be addressed; None for any way.
        glossary: Makes the glossary for a source and a target language; None if there is none.
        memory: The translation memory for a source and a target language; None if there is none.
        review_below: Sentences with a confidence below this, from 0 to 1, are marked in the file for review, if its
            format has a place for that; None to mark nothing.
    """

    source: str
    target: str
    options: SearchOptions
    locale: str | None = None
    register: Register | None = None
    glossary: Callable[[str, str], Glossary] | None = None
    memory: Callable[[str, str], TranslationMemory | None] | None = None
    review_below: float | None = None


class DocumentTranslation(NamedTuple):
    """A translated document.

    Attributes:
        content: The file.
        report: What the glossary and the translation memory did (see ``app.translation.reports``), and under ``review``
            what a person should look at (see ``Reviewer.report``).
    """

    content: bytes
    report: dict[str, Any]


async def translate_document(
    translator: Translator, document: OpenDocument, wanted: DocumentRequest, on_progress: Callable[[int], None]
) -> DocumentTranslation:
    """Translates a document that was read.

    Args:
        translator: What translates.
        document: The document; it can't be used again.
        wanted: The languages, and how to translate.
        on_progress: Called with the number of characters translated so far.

    Raises:
        InvalidRequest: The document is in the target language already, or in one that is not served, or it can't be
            written within the limits.
        DragomanError: An error of the engine.
    """
    source = wanted.source
    if source == AUTO:
        found = await TEXT_POOL.run(_detect, translator.detector, document)
        if found == wanted.target:
            raise InvalidRequest(EQUAL_LANGUAGES)
        source = found or wanted.target
        check_pair(source, wanted.target, translator.pairs)
    request = _request(document, source, wanted)
    answer, reviewer = await _when_free(lambda: _translate(translator, request, wanted.review_below, on_progress))
    texts = [item.text for item in answer.items]
    marks = None if wanted.review_below is None else await TEXT_POOL.run(reviewer.marks, answer.items)
    content = await document.write(texts, wanted.locale or wanted.target, marks)
    report = await TEXT_POOL.run(report_document, request, answer.items, document.kept)
    return DocumentTranslation(content, {**report, "review": reviewer.report(answer.items)})


async def _when_free(work: Callable[[], Awaitable[Result]]) -> Result:
    """Returns the result of the work. If the server is too busy, waits and tries again: documents can wait."""
    while True:
        try:
            return await work()
        except Overloaded:
            await asyncio.sleep(_RETRY_S)


def _request(document: OpenDocument, source: str, wanted: DocumentRequest) -> TranslationRequest:
    return TranslationRequest(
        texts=document.texts,
        source=source,
        target=wanted.target,
        locale=wanted.locale,
        register=wanted.register,
        glossary=wanted.glossary,
        memory=wanted.memory,
        options=wanted.options,
        markup=document.markup,
        splitting=document.splitting,
    )


async def _translate(
    translator: Translator, request: TranslationRequest, review_below: float | None, on_progress: Callable[[int], None]
) -> tuple[Answer, Reviewer]:
    done, reviewer = 0, Reviewer(review_below)
    async with aclosing(translator.stream(request)) as events:
        async for event in events:
            if isinstance(event, Answer):
                return event, reviewer
            if isinstance(event, SentenceEvent):
                reviewer.see(event.key.item, event.sentence)
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
