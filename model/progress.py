"""Progress bars on the terminal."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


def progress_bar(extra: str = "", *, hidden: bool = False) -> "Progress":
    """A bar with a count and the time that remains, beside the command's output.

    Args:
        extra: Format of a further column; empty for none.
        hidden: Show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TextColumn(extra), TimeRemainingColumn()] if extra else [TimeRemainingColumn()]
    return Progress(*columns, console=Console(stderr=True), disable=hidden)
