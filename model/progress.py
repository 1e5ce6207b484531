"""Progress bars on the terminal."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def progress_bar(console: object, extra: str, *, hidden: bool = False) -> "Progress":
    """A bar with a count and the time that remains.

    Args:
        console: A ``rich.console.Console``.
        extra: Format of a further column; empty for none.
        hidden: Show nothing.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TextColumn(extra), TimeRemainingColumn()] if extra else [TimeRemainingColumn()]
    return Progress(*columns, console=console, disable=hidden)  # type: ignore[arg-type]
