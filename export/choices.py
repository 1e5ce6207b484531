"""What a user chooses of an import."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Options of an import.

    Attributes:
        pairs: As ``export.marian.directions.parse_pair`` reads them; none: the model's files tell.
        name: Name of the bundle; None takes the name of the source.
        licence: Licence of the model; None takes the licence in its README.
        sentences: In the source languages; the graphs are compared by them, and by a built-in few.
    """

    pairs: Sequence[str] = ()
    name: str | None = None
    licence: str | None = None
    sentences: Sequence[str] = ()
