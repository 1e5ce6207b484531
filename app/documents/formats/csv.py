"""csv: the cells with letters; quotes, numbers and everything else stay as they are."""

import re
from collections.abc import Iterator
from functools import partial

from app.documents.characters import Encoded
from app.documents.document import Document, bounded
from app.documents.slots import Slot, filled
from app.text.budget import checkpoint

_DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"(?:[^"]++|"")*+"')


def read(data: bytes, delimiter: str | None = None) -> Document:
    """Reads a file.

    Args:
        data: The file.
        delimiter: What separates the cells; None to find out from the first line.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data)
    slots = list(bounded(_slots(file.text, delimiter or _delimiter(file.text))))
    return Document(
        texts=tuple(slot.text for slot in slots),
        markup=None,
        write=lambda texts, language: file.encoded(filled(file.text, slots, texts)),
    )


def _slots(source: str, delimiter: str) -> Iterator[Slot]:
    cell = re.compile(rf"({_QUOTED.pattern})(?=[{re.escape(delimiter)}\r\n]|\Z)|[^{re.escape(delimiter)}\r\n]++")
    for match in cell.finditer(source):
        checkpoint()
        text = match[1][1:-1].replace('""', '"') if match[1] else match[0]
        if any(map(str.isalpha, text)):
            yield Slot(*match.span(), text, partial(_written, delimiter, bool(match[1])))


def _delimiter(source: str) -> str:
    """Returns the character that separates the cells of the first line."""
    line = _QUOTED.sub("", source[:100_000]).lstrip("\r\n").partition("\n")[0]
    return max(_DELIMITERS, key=line.count)


def _written(delimiter: str, is_quoted: bool, text: str) -> str:
    if is_quoted or any(sign in text for sign in (delimiter, '"', "\r", "\n")):
        return '"' + text.replace('"', '""') + '"'
    return text
