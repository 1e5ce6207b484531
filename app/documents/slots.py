"""Text files with slots for translations; everything between the slots stays unchanged."""

from collections.abc import Callable, Sequence
from typing import NamedTuple


class Slot(NamedTuple):
    """A range of the file that a translation replaces.

    Attributes:
        begin: Where it begins in the file, in code points.
        end: Where it ends.
        text: The text to translate.
        written: Writes a translation as the file's syntax has it.
    """

    begin: int
    end: int
    text: str
    written: Callable[[str], str] = str


def filled(source: str, slots: Sequence[Slot], translations: Sequence[str]) -> str:
    """Returns the file with the translations. A text that equals its translation stays as it is written."""
    pieces: list[str] = []
    done = 0
    for slot, translation in zip(slots, translations, strict=True):
        if translation != slot.text:
            pieces += source[done : slot.begin], slot.written(translation)
            done = slot.end
    return "".join([*pieces, source[done:]])
