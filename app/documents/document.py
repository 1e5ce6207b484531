"""What a format makes of a file: texts to translate, and a function that makes a file of their translations."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from app.documents.inline import INLINE, plain
from app.engine.interface import Splitting
from app.errors import DocumentTooLarge
from app.fairness.budget import checkpoint
from app.text.markup.extraction import Rules
from app.text.untranslated import Reason

MAX_TEXTS = 100_000
"""Texts of one document; each takes a few kilobytes while it is translated."""

Part = TypeVar("Part")

Write = Callable[..., bytes]
"""Takes the translated texts, in order, and the target as a locale (``en``, ``en-GB``); makes the translated file.

If the document ``takes_marks``, a third argument is ``app.documents.marks.Marks``.
"""


def bounded(parts: Iterable[Part]) -> Iterator[Part]:
    """Yields the items one by one; refuses a document with more items than are allowed.

    Raises:
        DocumentTooLarge: There are more.
        Cancelled, DeadlineExceeded: As ``checkpoint``.
    """
    for number, part in enumerate(parts):
        checkpoint()
        if number == MAX_TEXTS:
            raise DocumentTooLarge(f"The document has more than {MAX_TEXTS:,} paragraphs or cells; divide it.")
        yield part


@dataclass(frozen=True, kw_only=True)
class Document:
    """A file that was read.

    Attributes:
        texts: What is translated of it, in the order of reading. Formatting is markup in them.
        markup: How the texts are marked up; None for plain text.
        write: Makes the translated file; may be called once.
        splitting: What ends a sentence.
        kept: How much else stays as it is on purpose, by reason.
        takes_marks: The format has a place for what a translator should know of a text.
    """

    texts: tuple[str, ...]
    markup: Rules | None
    write: Write
    splitting: Splitting = "sentences"
    kept: Mapping[Reason, int] = field(default_factory=dict)
    takes_marks: bool = False

    @property
    def characters(self) -> int:
        """Counts the characters (code points) of all texts, without the marks of formatting in office files."""
        return sum(len(plain(text)) if self.markup == INLINE else len(text) for text in self.texts)
