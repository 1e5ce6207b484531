"""Translates files in this process, as a server would: bytes in pieces, pieces in chunks. Knows no terminal."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from app.cli.commands import CommandFailed
from app.documents.reading.readers import ReaderLimits, Readers
from app.documents.registry import find_format
from app.documents.translation import DocumentTranslation, translate_document
from app.engine.interface import TranslationEngine
from app.engine.options import SearchOptions
from app.errors import UnsupportedDocument
from app.settings import Settings
from app.text.detection import Detector
from app.text.quality_checks import Verdict
from app.translation.languages import check_pair, languages_of, locale_of, served_language
from app.translation.pipeline import Translator
from app.translation.reports import report_document, report_matches, report_terms
from app.translation.request import AUTO, ItemTranslation, TranslationRequest

STDIN = Path("-")


@dataclass(frozen=True)
class Piece:
    """A unit of translation: a line, or a whole file.

    Attributes:
        text: The text without the line end.
        ending: The line end, or nothing.
        size_bytes: Bytes read for it.
    """

    text: str
    ending: str
    size_bytes: int


@dataclass(frozen=True)
class Translated:
    """A translation.

    Attributes:
        text: It.
        source: Code of the language that it is from; None if there was no language to be seen.
        report: What there is to say of it, as JSON.
    """

    text: str
    source: str | None = None
    report: Mapping[str, Any] = field(default_factory=dict)


def is_document(path: Path) -> bool:
    """Tells by its name whether a file is translated as a whole, as all formats except plain text are."""
    try:
        return path != STDIN and find_format(path.name).name != "txt"
    except UnsupportedDocument:
        return False


def read_pieces(path: Path, *, whole: bool) -> Iterator[Piece]:
    """Reads a file, or stdin for ``-``, as one piece or line by line; only the lines asked for are in memory.

    Raises:
        CommandFailed: A line is not UTF-8.
        OSError: The file can't be read.
    """
    with nullcontext(typer.get_binary_stream("stdin")) if path == STDIN else path.open("rb") as stream:
        for number, raw in enumerate([stream.read()] if whole else stream, start=1):
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                line = number + raw.count(b"\n", 0, error.start)
                name = "stdin" if path == STDIN else path
                raise CommandFailed(f"{name}, line {line}: this is not UTF-8 text") from None
            body = text if whole else text.rstrip("\r\n")
            yield Piece(text=body, ending=text[len(body) :], size_bytes=len(raw))


class TranslationJob:
    """Translates pieces with one engine, in order.

    Args:
        engine: Not started yet.
        settings: As a server's.
        source: Language code, or ``auto``: then each call of ``translate`` goes by the first chunk with a language.
        target: Language code.
        whole: A sentence may go on in the next line.

    Attributes:
        asked: What is asked of every text; change it before the first translation.
        terms: How often each term of the glossary, its translation and a status occurred so far.
        matches: How many matches of the memory there were so far: exact, fuzzy, or only offered.
        report: What was told of the last document.
        truncated: Sentences so far whose search was ended by the length limit.
        pivots: Pivot languages used so far.

    Raises:
        UnsupportedPair: A language is unknown, or there is no model for the two.
    """

    def __init__(
        self, *, engine: TranslationEngine, settings: Settings, source: str, target: str, whole: bool = False
    ) -> None:
        self.truncated = 0
        self.pivots: set[str] = set()
        self.terms: Counter[tuple[str, str, str]] = Counter()
        self.matches: Counter[str] = Counter()
        self.report: Mapping[str, Any] = {}
        languages = languages_of(engine.pairs)
        self.asked = TranslationRequest(
            source=served_language(source, [AUTO, *languages]),
            target=served_language(target, languages),
            locale=locale_of(target),
            options=SearchOptions(beam_size=settings.beam_size),
            splitting="no_newlines" if whole else "sentences",
        )
        if self.asked.pair:
            check_pair(*self.asked.pair, engine.pairs)
        self._engine = engine
        self._readers = Readers(ReaderLimits.from_settings(settings))
        self._translator = Translator(engine, Detector(languages))
        # The event loop runs only while something is translated: a Ctrl-C that arrives while we wait for input then
        # ends the read at once, which inside a running loop it would not.
        self._runner = asyncio.Runner()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keeps the engine started inside the ``with`` block."""
        with self._runner:
            self._runner.run(self._engine.start())
            try:
                yield
            finally:
                self._runner.run(self._engine.stop())

    def translate_document(self, path: Path, output: Path | None) -> bytes:
        """Translates a file of a format with a structure, such as docx.

        Args:
            path: The file.
            output: Where the translation will be written; its extension is that of the translation's format.

        Raises:
            InvalidRequest: The file can't be read as its format, or its translation has another format.
            DragomanError: An error of the engine.
        """
        format_ = find_format(path.name)
        wanted_output = format_.check(output.suffix.lstrip(".").lower() if output else None)
        content = path.read_bytes()

        async def translate() -> DocumentTranslation:
            target = self.asked.locale or self.asked.target
            opened = self._readers.document(content, format_.name, wanted_output, sys.maxsize, target=target)
            async with opened as document:
                return await translate_document(self._translator, document, self.asked, lambda _: None)

        translated = self._runner.run(translate())
        self.report = translated.report
        self._count(translated.report)
        return translated.content

    def translate(self, pieces: Iterable[Piece], *, chunk_size: int) -> Iterator[tuple[Piece, Translated]]:
        """Translates the pieces of one file, ``chunk_size`` at a time; yields each with its translation.

        Raises:
            UnsupportedPair: There is no model for the languages.
            DragomanError: An error of the engine.
        """
        remaining = iter(pieces)
        source = None if self.asked.source == AUTO else self.asked.source
        while chunk := list(islice(remaining, chunk_size)):
            texts = [piece.text for piece in chunk]
            source = source or self._detect(texts)
            # Where no language is to be seen there is nothing to translate.
            translated = self._translate(texts, source) if source else map(Translated, texts)
            yield from zip(chunk, translated, strict=True)

    def _detect(self, texts: Sequence[str]) -> str | None:
        best = self._translator.detector.detect("\n".join(texts))[0]
        return best.language if best.confidence > 0 else None

    def _translate(self, texts: Sequence[str], source: str) -> list[Translated]:
        request = replace(self.asked, texts=tuple(texts), source=source)
        items, _ = self._runner.run(self._translator.translate(request))
        self.truncated += sum(item.verdicts.get(Verdict.TRUNCATED, 0) for item in items)
        self.pivots |= {item.pivot for item in items if item.pivot}
        self._count(report_document(request, items))
        return [Translated(item.text, source, self._report(item)) for item in items]

    def _report(self, item: ItemTranslation) -> dict[str, Any]:
        """What there is to say of a translation, with the names of the HTTP contract."""
        report: dict[str, Any] = {
            "verdicts": {str(verdict): count for verdict, count in item.verdicts.items() if count}
        }
        if item.lost:
            report["protectedLost"] = list(item.lost)
        if item.pivot:
            report["pivot"] = item.pivot
        if self.asked.glossary:
            report["terms"] = report_terms(item.terms)
        if self.asked.memory:
            report["memory"] = report_matches(item.matches)
        return report

    def _count(self, report: Mapping[str, Any]) -> None:
        for term in report.get("terms", ()):
            self.terms[term["source"], term["target"], term["status"]] += term["count"]
        self.matches.update(report.get("memory", {}))
