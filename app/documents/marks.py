"""What the server tells a translator of each text, in files whose format has a place for it."""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass

SENDER = "Dragoman"
"""Who says so, in files."""


@dataclass(frozen=True)
class Mark:
    """What is known of the translation of a text.

    Attributes:
        reasons: Why a person should look at it: a low confidence, failed quality checks, lost spans; usually none.
        confidence: The least confidence of its sentences; None if it isn't known.
        score: How similar the entry of a translation memory is whose translation it has, from 0 to 100; None if a model
            translated it.
        entry: That entry's text and translation.
        is_corrected: A person has changed it.
        is_approved: A person has approved all of it.
    """

    reasons: tuple[str, ...] = ()
    confidence: float | None = None
    score: int | None = None
    entry: tuple[str, str] | None = None
    is_corrected: bool = False
    is_approved: bool = False

    @property
    def note(self) -> str:
        """The reasons as one line."""
        return "; ".join(self.reasons)


Marks = Sequence[Mark] | None
"""One for each text of a document; None if nobody asked for them."""


def packed(mark: Mark) -> str:
    """Returns a mark as JSON; a mark without anything is an empty text."""
    return json.dumps(astuple(mark)) if mark != Mark() else ""


def unpacked(text: str) -> Mark:
    """Returns the mark that ``packed`` has made a text of."""
    if not text:
        return Mark()
    reasons, confidence, score, entry, *person = json.loads(text)
    return Mark(tuple(reasons), confidence, score, tuple(entry) if entry else None, *person)
