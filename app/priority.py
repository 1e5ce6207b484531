"""How urgent a request is: who waits for whom, and who is refused first."""

from contextvars import ContextVar
from enum import Enum


class Priority(Enum):
    """From the most urgent, which a person waits for, to the least.

    Attributes:
        weight: Share of the work, relative to those of the others, while requests of all of them wait.
    """

    INTERACTIVE = "interactive"
    NORMAL = "normal"
    BULK = "bulk"

    weight: float

    def at_most(self, highest: "Priority") -> "Priority":
        """The less urgent of two."""
        return min(self, highest, key=lambda each: each.weight)


# Attributes rather than a property: the scheduler asks for them hundreds of times a batch.
Priority.INTERACTIVE.weight, Priority.NORMAL.weight, Priority.BULK.weight = 4.0, 1.0, 0.25

priority: ContextVar[Priority] = ContextVar("priority", default=Priority.NORMAL)
"""That of the request that is served."""
