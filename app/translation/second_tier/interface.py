"""The second tier as the stage of sentences sees it, whoever it is."""

from enum import StrEnum
from typing import Protocol

from app.translation.second_tier.prompt import Brief


class Outcome(StrEnum):
    """What became of a sentence that the first tier was unsure of."""

    USED = "used"  # the answer took the first translation's place
    REFUSED = "refused"  # the answer failed a check
    FAILED = "failed"  # there was none, or not in time
    SKIPPED = "skipped"  # nobody was asked: the server had failed before, or all calls were taken


class SecondTier(Protocol):
    """Another translator. ``app.translation.second_tier.server`` has the one over HTTP.

    Attributes:
        below: Sentences with a confidence below this, from 0 to 1, are sent to it, and those with a verdict.
    """

    below: float

    async def translate(self, brief: Brief, end: float) -> str | None:
        """Returns what it answers; None if it doesn't in time.

        Args:
            brief: The sentence.
            end: When the request needs an answer, by the event loop's clock.
        """
        ...

    def observe(self, outcome: Outcome) -> None:
        """Counts what became of a sentence."""
        ...

    async def close(self) -> None:
        """Gives back what it holds."""
        ...
