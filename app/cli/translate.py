"""``dragoman translate``: translates files and stdin without a server."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

from app.cli.files import STDIN, Piece, Translated, TranslationJob, is_document, read_pieces
from app.cli.options import (
    BundleOption,
    PrecisionOption,
    ProviderOption,
    ThreadsOption,
    WorkersOption,
    load_settings,
    setting,
)
from app.cli.references import opened_glossary, opened_memory
from app.documents.registry import find_format
from app.documents.review_report import find_form
from app.text.memory.matching import DEFAULT_THRESHOLD
from app.text.register import Formality, choose_register
from app.text.terms.glossary import TermStatus
from app.translation.request import AUTO

CHUNK_TEXTS = 64  # texts that the engine gets at a time: enough to fill its batches, few enough to show progress
_SHOWN_TERMS = 10


_Files = Annotated[
    list[Path] | None, typer.Argument(help="Text files or documents; - or nothing for stdin.", show_default=False)
]
_Source = Annotated[
    str,
    typer.Option(
        "--from", "-f", help="Language of the text, e.g. de; auto detects it from the beginning of each file."
    ),
]
_Output = Annotated[
    Path | None, typer.Option("--output", "-o", dir_okay=False, help="Write to this file instead of stdout.")
]
_Whole = Annotated[bool, typer.Option("--whole", help="Translate each file as one text; its sentences may span lines.")]
_Glossary = Annotated[
    str | None, typer.Option(help="Terms to use: a .tsv or .csv file, or the id of a stored glossary.")
]
_Memory = Annotated[
    str | None, typer.Option(help="Translation memory: a .tmx or .tsv file, or the name or id of a stored one.")
]
_Formality = Annotated[Formality, typer.Option(help="How to address the reader.")]
_ReviewBelow = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Mark what has a lower confidence, or failed a check, for review: in XLIFF, po and the report.",
    ),
]
_Report = Annotated[
    Path | None,
    typer.Option(dir_okay=False, help="Write what to look at in a document to this file: .html or .csv."),
]
_Json = Annotated[
    bool,
    typer.Option("--json", help="Write a line of JSON for each text, with what there is to say of its translation."),
]
_Threshold = Annotated[int, typer.Option(min=0, max=100, help="Minimum score of a match in the memory.")]


def translate(
    target: Annotated[str, typer.Option("--to", "-t", help="Language to translate into, e.g. en.")],
    files: _Files = None,
    source: _Source = AUTO,
    output: _Output = None,
    whole: _Whole = False,
    glossary: _Glossary = None,
    memory: _Memory = None,
    threshold: _Threshold = DEFAULT_THRESHOLD,
    formality: _Formality = "default",
    review_below: _ReviewBelow = None,
    report: _Report = None,
    as_json: _Json = False,
    beam_size: Annotated[int | None, setting("beam_size", "Beam width; 1 is greedy search.")] = None,
    bundle: BundleOption = None,
    workers: WorkersOption = None,
    threads: ThreadsOption = None,
    provider: ProviderOption = None,
    precision: PrecisionOption = None,
) -> None:
    """Translate plain text files or stdin line by line, and documents (docx, html, srt, ...) as a whole.

    In plain text, line n of the output is the translation of line n of the input. Line ends, empty lines and white
    space stay unchanged. Use --whole for wrapped prose, where sentences span lines. Documents keep their format.
    """
    inputs = files or [STDIN]
    _check_files(inputs, output, report)
    _check_reports(is_document(inputs[0]), as_json=as_json, is_reviewed=bool(report or review_below is not None))
    write_report = find_form(report.suffix.removeprefix("."))[1] if report else None
    settings = load_settings(
        bundle=bundle, workers=workers, threads=threads, provider=provider, precision=precision, beam_size=beam_size
    )
    from app.engine.registry import Registry

    # The queue's bound protects a server from its clients; here it would only refuse a long text. Of several bundles
    # one or two are needed.
    settings = settings.model_copy(update={"max_queue_tokens": sys.maxsize, "lazy_loading": True})
    engine = Registry.from_settings(settings)
    job = TranslationJob(engine=engine, settings=settings, source=source, target=target, whole=whole)
    pair, register = job.asked.pair, choose_register("--formality", formality, job.asked.target)
    with opened_glossary(glossary, pair) as terms, opened_memory(memory, pair, threshold) as stored:
        job.asked = replace(job.asked, glossary=terms, memory=stored, register=register, review_below=review_below)
        if is_document(inputs[0]):
            with job.running():
                translated = job.translate_document(inputs[0], output)
            with _opened(output) as sink:  # opened only now: a translation that fails must not empty the file
                sink.write(translated)
            if report and write_report:
                report.write_text(write_report(job.report), encoding="utf-8", newline="")
        else:
            _translate_text(job, inputs, output, whole=whole, written=_json_line if as_json else _plain)
    _tell(job)


def _check_files(inputs: Sequence[Path], output: Path | None, report: Path | None) -> None:
    """Checks all names before anything is written.

    Raises:
        BadParameter: An input is missing or a folder, output or report is an input or the other, or documents can't be
            translated so.
    """
    if report is not None and output is not None and report.resolve() == output.resolve():
        raise typer.BadParameter(f"{report} is also the output", param_hint="--report")
    for path in inputs:
        if path != STDIN and not path.exists():
            raise typer.BadParameter(f"{path} does not exist", param_hint="FILES")
        if path.is_dir():
            raise typer.BadParameter(f"{path} is a folder", param_hint="FILES")
        for hint, written in (("--output", output), ("--report", report)):
            if written is not None and written.exists() and path != STDIN and written.samefile(path):
                raise typer.BadParameter(f"{written} is also an input", param_hint=hint)
        if is_document(path) and len(inputs) > 1:
            raise typer.BadParameter(
                f"{path} is a document; documents are translated one at a time", param_hint="FILES"
            )
        if output is None and is_document(path) and not find_format(path.name).is_text:
            raise typer.BadParameter(f"name the file for the translation of {path}", param_hint="--output")


def _check_reports(of_document: bool, *, as_json: bool, is_reviewed: bool) -> None:
    if as_json and of_document:
        raise typer.BadParameter("--json is for plain text; a document is translated into a document")
    if is_reviewed and not of_document:
        raise typer.BadParameter("--review-below and --report are for documents; --json tells of lines")


def _plain(piece: Piece, translated: Translated) -> str:
    return translated.text + piece.ending


def _json_line(piece: Piece, translated: Translated) -> str:
    """A translation and what the server's answer would say of it."""
    facts = {"text": piece.text, "translation": translated.text, "source": translated.source, **translated.report}
    return json.dumps(facts, ensure_ascii=False) + "\n"


def _translate_text(
    job: TranslationJob,
    inputs: Sequence[Path],
    output: Path | None,
    *,
    whole: bool,
    written: Callable[[Piece, Translated], str],
) -> None:
    with job.running(), _opened(output) as sink, _progress(inputs, output) as advance:
        for path in inputs:
            for piece, translated in job.translate(read_pieces(path, whole=whole), chunk_size=_chunk_size(path)):
                sink.write(written(piece, translated).encode())
                sink.flush()
                advance(piece.size_bytes)


def _tell(job: TranslationJob) -> None:
    """Prints warnings to stderr that the translations don't show."""
    target = job.asked.target
    for pivot in sorted(job.pivots):
        typer.echo(
            f"note: translated through {pivot}, because there is no model from the source language to {target}",
            err=True,
        )
    if job.asked.review_below is not None:
        review = job.report["review"]
        typer.echo(f"review: {review['doubtful']} of {review['sentences']} sentences should be looked at", err=True)
    if job.truncated:
        typer.echo(f"warning: {job.truncated} sentences reached the length limit and may be incomplete", err=True)
    if job.matches:
        exact, fuzzy, offered = (job.matches[kind] for kind in ("exact", "fuzzy", "offered"))
        typer.echo(f"memory: {exact} matches used, {fuzzy} with other numbers; {offered} not used", err=True)
    statuses = Counter[str]()
    for (_, _, status), count in job.terms.items():
        statuses[status] += count
    if statuses:
        told = ", ".join(f"{statuses[status]} {status.replace('_', ' ')}" for status in TermStatus)
        missing = [f"{source} ({target})" for source, target, status in job.terms if status == TermStatus.NOT_FOUND]
        names = f": {', '.join(missing[:_SHOWN_TERMS])}" if missing else ""
        typer.echo(f"terms: {told}{names}", err=True)


def _chunk_size(path: Path) -> int:
    """Returns the lines in a chunk: one if a person types them, so that each translation appears at once."""
    return 1 if path == STDIN and sys.stdin.isatty() else CHUNK_TEXTS


def _opened(output: Path | None) -> AbstractContextManager[IO[bytes]]:
    return output.open("wb") if output else nullcontext(typer.get_binary_stream("stdout"))


@contextmanager
def _progress(inputs: Sequence[Path], output: Path | None) -> Iterator[Callable[[int], None]]:
    """Shows a progress bar on stderr, if neither input nor output uses that terminal; yields its advance function."""
    others = [sys.stdout] if output is None else []
    others += [sys.stdin] if STDIN in inputs else []
    hidden = not sys.stderr.isatty() or any(stream.isatty() for stream in others)
    total_bytes = sum(path.stat().st_size for path in inputs) if all(path.is_file() for path in inputs) else None
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=hidden) as bar:
        task = bar.add_task("translating", total=total_bytes)
        yield lambda size_bytes: bar.advance(task, size_bytes)
