"""Time and memory of documents of a megabyte in every format: read and written in a process of its own, and without.

``--plain`` reads and writes them in a fork of this process, as a server would that had no readers; it also runs with
older versions of the service (``PYTHONPATH``). Both ways nothing is translated: each text comes back in capitals.
"""

import asyncio
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import Annotated, NamedTuple

import psutil
import typer
from rich.console import Console
from rich.table import Table

from tests.support.hostile_documents import docx, epub, odf, pptx, xliff, xlsx
from tests.support.pdf_files import pdf_of_pages

BYTES = 1_000_000
SMALL_BYTES = 10_000
REPEATED = 7
_LINES = 60  # of a page
_random = Random(1)


class Cost(NamedTuple):
    """What a document takes: time and processor time in milliseconds; memory of this process and of a reader in MB."""

    ms: float
    processor_ms: float
    own_mb: float
    reader_mb: float


def words(number: int = 12) -> str:
    """A sentence of random words, which don't shrink when they are packed."""
    letters = "abcdefghijklmnopqrstuvwxyzäöüß"
    return " ".join("".join(_random.choices(letters, k=_random.randint(2, 9))) for _ in range(number)) + "."


def _word(number: int) -> bytes:
    bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>{}</w:t></w:r><w:r><w:t>{}</w:t></w:r>"
    return docx("</w:p><w:p>".join(bold.format(words(2), words()) for _ in range(number)))


def _pdf(number: int) -> bytes:
    lines = [f"1 0 0 1 50 {780 - 12 * (line % _LINES)} Tm ({words(8)}) Tj " for line in range(number)]
    pages = ["".join(lines[begin : begin + _LINES]) for begin in range(0, number, _LINES)]
    return pdf_of_pages([f"BT /F 10 Tf {page}ET".encode("latin-1") for page in pages])


MAKE: dict[str, Callable[[int], bytes]] = {
    "docx": _word,
    "pptx": lambda n: pptx("</a:p><a:p>".join(f"<a:r><a:t>{words()}</a:t></a:r>" for _ in range(n))),
    "xlsx": lambda n: xlsx("".join(f"<si><t>{words(4)}</t></si>" for _ in range(n))),
    "odt": lambda n: odf(
        "text", "</text:p><text:p>".join(f"<text:span>{words(2)}</text:span> {words()}" for _ in range(n))
    ),
    "odp": lambda n: odf("presentation", "</text:p><text:p>".join(words() for _ in range(n))),
    "epub": lambda n: epub("<html lang='de'>" + "".join(f"<p>{words()} <b>{words(2)}</b></p>" for _ in range(n))),
    "html": lambda n: ("<html lang='de'>" + "".join(f"<p>{words()}</p>" for _ in range(n))).encode(),
    "xml": lambda n: f"<a>{''.join(f'<p>{words()}</p>' for _ in range(n))}</a>".encode(),
    "md": lambda n: "\n\n".join(f"{words()} **{words(2)}**" for _ in range(n)).encode(),
    "txt": lambda n: "\n".join(words() for _ in range(n)).encode(),
    "srt": lambda n: "".join(f"{i}\n00:00:01,000 --> 00:00:02,000\n{words(8)}\n\n" for i in range(n)).encode(),
    "vtt": lambda n: "".join(f"00:01.000 --> 00:02.000\n{words(8)}\n\n" for _ in range(n)).encode(),
    "csv": lambda n: "".join(f'{i};"{words(6)}";{words(3)}\n' for i in range(n)).encode(),
    "tsv": lambda n: "".join(f"{i}\t{words(6)}\t{words(3)}\n" for i in range(n)).encode(),
    "json": lambda n: ("[" + ",".join(f'{{"a": "{words()}"}}' for _ in range(n)) + "]").encode(),
    "po": lambda n: "".join(f'msgid "{words()}"\nmsgstr ""\n\n' for _ in range(n)).encode(),
    "xliff": lambda n: xliff("".join(f"<trans-unit><source>{words()}</source></trans-unit>" for _ in range(n))),
    "pdf": _pdf,
}


def document(name: str, size: int) -> bytes:
    """A file of about this size."""
    number = 200
    for _ in range(3):
        number = max(1, number * size // len(MAKE[name](number)))
    return MAKE[name](number)


def plain(name: str, data: bytes) -> Cost:
    """Reads and writes in a fork of this process, whose memory is counted from its beginning."""
    read_end, write_end = os.pipe()
    read = import_module(f"app.documents.formats.{name}").read
    if os.fork() == 0:
        before = psutil.Process().memory_info().rss
        began, used = time.monotonic(), time.process_time()
        opened = read(data, "docx") if name == "pdf" else read(data)
        opened.write(_capitals(opened.texts), "en")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        used_s = time.process_time() - used + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        os.write(write_end, f"{1000 * (time.monotonic() - began)} {1000 * used_s} {peak / 1e6} 0".encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        cost = Cost(*map(float, stream.read().split()))
    os.wait()
    return cost


async def apart(name: str, data: bytes) -> Cost:
    """Reads and writes in a process of its own; its memory and processor time are what the kernel counts at its end."""
    from app.documents.reading.readers import Readers

    process = psutil.Process()
    before, began = process.memory_info().rss, time.monotonic()
    async with Readers().document(data, name, "docx" if name == "pdf" else name, 10**8, target="en") as opened:
        await opened.write(_capitals(opened.texts), "en")
        waited_s, own = time.monotonic() - began, process.memory_info().rss - before
        ended = await opened.reader.end()
    assert ended
    return Cost(1000 * waited_s, 1000 * ended.processor_s, max(0, own) / 1e6, ended.peak_bytes / 1e6)


def _capitals(texts: Sequence[str]) -> list[str]:
    return [text if "<" in text else text.upper() for text in texts]


def main(
    without: Annotated[bool, typer.Option("--plain", help="Read and write in this process.")] = False,
    only: Annotated[str, typer.Option(help="Names of formats, separated by commas; all by default.")] = "",
) -> None:
    """Prints a table."""
    table = Table("format", "KB", "ms", "processor ms", "server MB", "reader MB", "10 KB: ms")
    if not without:
        asyncio.run(apart("txt", b"Hallo"))  # starts the template
    for name in only.split(",") if only else MAKE:
        large, small = document(name, BYTES), document(name, SMALL_BYTES)
        costs = [
            plain(name, data) if without else asyncio.run(apart(name, data)) for data in [small] * REPEATED + [large]
        ]
        typical_ms = statistics.median(cost.ms for cost in costs[:-1])
        figures = [len(large) / 1000, *costs[-1], typical_ms]
        table.add_row(name, *(f"{figure:,.0f}" for figure in figures))
    Console(width=100).print(table)


if __name__ == "__main__":
    typer.run(main)
