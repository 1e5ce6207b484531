"""How the commands of ``dragoman data`` show their progress on standard error."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress, TaskID


class Steps:
    """Shows each named step of some work as its own line of a progress bar."""

    def __init__(self, bar: "Progress") -> None:
        self._bar = bar
        self._tasks: dict[str, TaskID] = {}

    def show(self, name: str, done: int, total: int | None, *, unit: str) -> None:
        """Move the line of a step, which its first call adds; ``total`` is None where nobody knows it."""
        if name not in self._tasks:
            # The first report of a resumed download is not work done just now: it must not count as speed.
            self._tasks[name] = self._bar.add_task(name, total=total, completed=done, unit=unit)
        self._bar.update(self._tasks[name], completed=done, total=total)


@contextmanager
def progress_bar() -> "Iterator[Progress]":
    """A bar on standard error with amount, speed and time left, in bytes or pairs by the task's unit."""
    from rich.console import Console
    from rich.filesize import decimal
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            def say(amount: float) -> str:
                return decimal(int(amount)) if task.fields["unit"] == "bytes" else f"{int(amount):,}"

            unit = "" if task.fields["unit"] == "bytes" else f" {task.fields['unit']}"
            total = f" of {say(task.total)}" if task.total else ""
            speed = f", {say(task.speed)}/s" if task.speed else ""
            return Text(f"{say(task.completed)}{total}{unit}{speed}")

    columns = TextColumn("{task.description}"), BarColumn(bar_width=24), Amount(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield bar
