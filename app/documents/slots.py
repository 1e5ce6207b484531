"""Text files with slots for translations; everything between the slots stays unchanged."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from app.documents.characters import Encoded
from app.documents.document import Document, bounded
from app.text.inline.placement import apply
from app.text.untranslated import Reason


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


def slotted(file: Encoded, slots: Iterable[Slot], kept: Mapping[Reason, int]) -> Document:
    """Returns the document of a file with slots.

    Args:
        file: The file.
        slots: In their order; read at once, which counts ``kept``.
        kept: How many texts stay untranslated on purpose, by reason.

    Raises:
        DocumentTooLarge: There are too many slots.
    """
    found = list(bounded(slots))
    return Document(
        texts=tuple(slot.text for slot in found),
        markup=None,
        write=lambda texts, language: file.encoded(filled(file.text, found, texts)),
        kept=kept,
    )


def filled(source: str, slots: Sequence[Slot], translations: Sequence[str]) -> str:
    """Returns the file with the translations. A text that equals its translation stays as it is written."""
    changed = (each for each in zip(slots, translations, strict=True) if each[1] != each[0].text)
    return apply(((slot.begin, slot.end, slot.written(translation)) for slot, translation in changed), source)
