"""The three kinds of rules. A rule is a value; its order among others is its place in a tuple."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.text.inline.placement import Edit
from app.text.quality_checks import Verdict
from app.translation.attempts import Attempt
from app.translation.rules.pair import Pair

Situation = TypeVar("Situation")


@dataclass(frozen=True)
class Correction:
    """Changes a translation.

    Attributes:
        edits: Finds the edits, in order and disjoint.
        is_formatting: It follows conventions of the target language: a client that preserves formatting does without.
    """

    edits: Callable[[Pair], Sequence[Edit]]
    is_formatting: bool = False


@dataclass(frozen=True)
class Check:
    """Judges a translation.

    Attributes:
        verdict: What it says of a translation that fails.
        fails: Whether one fails.
    """

    verdict: Verdict
    fails: Callable[[Pair], bool]


@dataclass(frozen=True)
class Retry(Generic[Situation]):
    """Translates a sentence again.

    Attributes:
        attempts: Yields attempts; each is made before the next one is asked for.
        is_free: It may change every word: not where somebody is writing the translation.
    """

    attempts: Callable[[Situation], Iterator[Attempt]]
    is_free: bool = False
