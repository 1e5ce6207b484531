"""Progress messages of a command."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[str], None]
"""Called with one line for each stage."""


@contextmanager
def reporting(doing: str) -> Iterator[Callable[[str], None]]:
    """Show progress on stderr; yields a function to call with one line for each stage."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(doing) as status:

        def report(line: str) -> None:
            console.print(line)
            status.update(line)

        yield report


@contextmanager
def downloading(doing: str) -> Iterator[tuple[Callable[[str], None], Callable[[int, int | None], None]]]:
    """Show steps and a bar of the file that is downloaded, on stderr.

    Yields:
        A function for a line on each step, and one for the bytes of a file so far and in all.
    """
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(doing, total=None)

        def report(line: str) -> None:
            bars.console.print(line)
            bars.reset(task, description=line, total=None)

        def progress(done: int, whole: int | None) -> None:
            bars.update(task, completed=done, total=whole)

        yield report, progress
