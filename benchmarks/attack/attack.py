"""What an attack is."""

from collections.abc import Callable
from typing import NamedTuple

from benchmarks.attack.client import Target


class Attack(NamedTuple):
    """An attack.

    Attributes:
        name: Name in the table.
        run: Does it; returns its outcome.
        is_good: Judges the outcome.
    """

    name: str
    run: Callable[[Target], str]
    is_good: Callable[[str], bool]
