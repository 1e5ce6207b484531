"""csv: the cells with letters; quotes, numbers and everything else stay as they are."""

import re
from collections.abc import Iterator
from functools import partial

from app.documents.characters import Encoded
from app.documents.document import Document
from app.documents.slots import Slot, slotted
from app.fairness.budget import checkpoint

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
    return slotted(file, _slots(file.text, delimiter or _delimiter(file.text)), {})


def _slots(source: str, delimiter: str) -> Iterator[Slot]:
    cell = re.compile(rf"({_QUOTED.pattern})(?=[{re.escape(delimiter)}\r\n]|\Z)|[^{re.escape(delimiter)}\r\n]++")
    to_quote = _to_quote(delimiter, cell, source)
    for match in cell.finditer(source):
        checkpoint()
        text = match[1][1:-1].replace('""', '"') if match[1] else match[0]
        if any(map(str.isalpha, text)):
            yield Slot(*match.span(), text, partial(_written, to_quote, bool(match[1])))


def _delimiter(source: str) -> str:
    """Returns the character that separates the cells of the first line."""
    line = _QUOTED.sub("", source[:100_000]).lstrip("\r\n").partition("\n")[0]
    return max(_DELIMITERS, key=line.count)


def _to_quote(delimiter: str, cell: re.Pattern[str], source: str) -> re.Pattern[str]:
    """Returns what a cell without quotes must not have.

    Between tabs, a quotation mark inside a cell is a character like others, and many programs that write such files
    know no quotes at all. Only where the file has quoted cells, one at the beginning of a cell begins such a cell.
    """
    if delimiter != "\t":
        return re.compile(rf'[{re.escape(delimiter)}"\r\n]')
    for match in cell.finditer(source):
        checkpoint()
        if match[1]:
            return re.compile(r'[\t\r\n]|\A"')
    return re.compile(r"[\t\r\n]")


def _written(to_quote: re.Pattern[str], is_quoted: bool, text: str) -> str:
    if is_quoted or to_quote.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
