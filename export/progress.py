"""What a command says while it works."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def reporting(doing: str) -> Iterator[Callable[[str], None]]:
    """Progress on stderr: gives what is called with a line on each step."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(doing) as status:

        def report(line: str) -> None:
            console.print(line)
            status.update(line)

        yield report
