"""Processor time of reading and writing hostile documents, as they grow: libraries in C are counted, too.

    python -m benchmarks.growth
    python -m benchmarks.growth --only docx --number 8000

A document of twice the parts should take twice the time. Each size is read and written in a process of its own, whose
processor time is counted; the least of several runs counts, and the cost of the smallest document is taken off. What
grows faster than ``--bound`` ends the command with an error. ``tests/properties/test_document_growth.py`` counts lines
of Python instead, which doesn't depend on the machine.
"""

import os
import time
from collections.abc import Callable
from importlib import import_module
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.errors import DragomanError
from tests.support.hostile_documents import HOSTILE

_ENOUGH_S = 0.05  # below this, a ratio is noise


def seconds(name: str, data: bytes) -> float:
    """Processor time of reading and writing a document in a fork of this process; also if it is refused."""
    read: Callable[..., object] = import_module(f"app.documents.formats.{name.partition(':')[0]}").read
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        began = time.process_time()
        try:
            document = read(data)
            document.write(list(document.texts), "en")  # type: ignore[attr-defined]
        except DragomanError:
            pass
        finally:
            os.write(write_end, str(time.process_time() - began).encode())
            os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        found = float(stream.read())
    os.wait()
    return found


def main(
    only: Annotated[str, typer.Option(help="Part of the documents' names; all by default.")] = "",
    number: Annotated[int, typer.Option(min=100, help="Parts of the smaller document.")] = 4_000,
    bound: Annotated[float, typer.Option(help="How many times as long twice as much may take.")] = 3.0,
    runs: Annotated[int, typer.Option(min=1, help="Of each size; the fastest counts.")] = 3,
) -> None:
    """Prints a table; ends with 1 if something grows faster than the bound."""
    table = Table("document", "KB", "ms", "ms of twice as much", "times as long")
    slow = []
    for name, make in HOSTILE.items():
        if only not in name:
            continue
        sizes = [make(factor) for factor in (1, number, 2 * number)]
        least, small, large = (min(seconds(name, data) for _ in range(runs)) for data in sizes)
        ratio = (large - least) / max(small - least, _ENOUGH_S / 2)
        if ratio > bound and large > _ENOUGH_S:
            slow.append(name)
        figures = (f"{len(sizes[1]) / 1000:,.0f}", f"{1000 * small:,.0f}", f"{1000 * large:,.0f}", f"{ratio:.1f}")
        table.add_row(name, *figures)
    Console(width=100).print(table)
    if slow:
        print(f"Faster than {bound} times: {', '.join(slow)}")
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
