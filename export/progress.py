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
