"""Stops work on a text after its deadline, or when its client has gone.

A thread can't be stopped from outside. So the functions of ``app.text`` call ``checkpoint`` in every loop whose length
a text decides, and whoever runs them in a thread gives them a budget:

    budget = Budget(deadline=time.monotonic() + 2)
    document = budget.run(extract, source)  # another thread may call budget.cancel() meanwhile

A context variable holds the budget, as trio holds its cancel scopes; otherwise dozens of functions would need one more
parameter. Without a budget, a checkpoint does nothing.
"""

import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from app.errors import Cancelled, DeadlineExceeded

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@dataclass(eq=False)
class Budget:
    """How long work on the texts of one request may go on. May be used from several threads.

    Attributes:
        deadline: Time of ``time.monotonic`` at which it ends, in seconds; infinite for none.
        cancelled: Nobody waits for the result any more.
    """

    deadline: float = math.inf
    cancelled: bool = False

    def cancel(self) -> None:
        """End the work at its next checkpoint, in a few milliseconds. Does nothing if it has ended."""
        self.cancelled = True

    def check(self) -> None:
        """Return if the work may go on.

        Raises:
            Cancelled: ``cancel`` was called.
            DeadlineExceeded: The deadline has passed.
        """
        if self.cancelled:
            raise Cancelled("Nobody waits for the result any more.")
        if time.monotonic() > self.deadline:
            raise DeadlineExceeded("The time limit passed before the translation was complete.")

    def run(self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """Call a function in this thread, all of whose checkpoints look at this budget.

        Raises:
            Cancelled: ``cancel`` was called before the function was done.
            DeadlineExceeded: The deadline passed before.
        """
        self.check()
        token = _current.set(self)
        try:
            return function(*args, **kwargs)
        finally:
            _current.reset(token)


_current: ContextVar[Budget | None] = ContextVar("budget", default=None)


def checkpoint() -> None:
    """End the work that runs here if its budget is used up. Takes less than a microsecond.

    Raises:
        Cancelled: Nobody waits for the result any more.
        DeadlineExceeded: The deadline has passed.
    """
    budget = _current.get()
    if budget is not None:
        budget.check()
