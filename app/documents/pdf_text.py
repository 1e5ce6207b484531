"""The text of a PDF file: a list of blocks in the order of reading."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from app.documents.pdf_columns import in_reading_order
from app.errors import DamagedDocument, DocumentTooLarge, EncryptedDocument

MAX_CHARS = 10_000_000
_BULLET = re.compile(r"\s*[•‣▪●○◦]\s*")
_SYMBOLS = str.maketrans("\uf0b7\uf0a7\n", "•▪ ")  # Symbol's and Wingdings' bullets
_PAGE_NUMBER = re.compile(r"\W*\d{1,4}\W*")
_ENDS_SENTENCE = re.compile(r"""[.!?…:;]["'»«”’)\]]*\s*\Z""")
# Of the size of a heading's letters to that of the text: first and second level.
_HEADINGS = (1.5, 1.15)
_LAST = 40  # characters of a line that are looked at for its end
_LINE_CHARS = 30  # a cell of a table has fewer
_INDENT = 3.0  # of the size of the letters: more than the first line of a paragraph is indented
# Of the height of a line: a gap that separates paragraphs, and what a line beside another shares with it.
_GAP, _BESIDE = 0.8, 0.5

Run = tuple[str, bool, bool]
"""Text, and whether it is bold and italic."""
Block = tuple[int, list[Run]]
"""A paragraph (level 0) or heading (level 1 or 2)."""
_Pieces = tuple[list[str], bool, bool]  # a run that grows: each addition to a string would copy it


def read_blocks(data: bytes) -> list[Block]:
    """Returns the text blocks of a file.

    Raises:
        EncryptedDocument: It has a password.
        DamagedDocument: It is damaged.
        DocumentTooLarge: It has too much text, or is nested too deeply.
    """
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    from app.documents.pdf_pages import laid_out

    lines: list[_Line | None] = []  # None where a box of text ends
    characters = 0
    try:
        for page in laid_out(data):
            boxes = [list(_lines(box)) for box in page]
            characters += sum(len(line.text) for box in boxes for line in box)
            lines += _ordered(boxes)
            if characters > MAX_CHARS:
                raise DocumentTooLarge("The PDF has too much text; divide it.")
    except PDFPasswordIncorrect:
        raise EncryptedDocument("The file has a password; save it without one.") from None
    except (MemoryError, DocumentTooLarge):
        raise
    except Exception as error:  # whatever a stranger's file may cause
        raise DamagedDocument("The file is damaged or not a PDF.") from error
    return list(_blocks(lines))


class _Line:
    """A line of text.

    Attributes:
        runs: Its text.
        size: Of most of its letters, in points.
        top: Its upper edge.
        bottom: Its lower edge.
        left: Where it begins.
        right: Where it ends.
    """

    def __init__(self, line: Any) -> None:
        runs: list[_Pieces] = []
        sizes: Counter[float] = Counter()
        style = (False, False)
        for char in line:
            font = getattr(char, "fontname", "").lower()
            if font:  # white space that is only implied has none
                style = ("bold" in font or "black" in font, "italic" in font or "oblique" in font)
                sizes[round(char.size, 1)] += 1
            _append(runs, (char.get_text().translate(_SYMBOLS), *style))
        self.runs = _joined(runs)
        self.size = sizes.most_common(1)[0][0] if sizes else 0.0
        self.top, self.bottom, self.left, self.right = line.y1, line.y0, line.x0, line.x1

    @property
    def text(self) -> str:
        return "".join(text for text, _, _ in self.runs)


def _lines(box: Any) -> Iterator[_Line]:
    from pdfminer.layout import LTTextContainer, LTTextLine

    if isinstance(box, LTTextContainer):
        yield from (_Line(line) for line in box if isinstance(line, LTTextLine))


def _ordered(boxes: Sequence[Sequence[_Line]]) -> Iterator[_Line | None]:
    """Yields the lines of a page in the order of reading, with None where a box of text ends."""
    numbers = {id(line): number for number, box in enumerate(boxes) for line in box}
    before = None
    for line in in_reading_order([line for box in boxes for line in box]):
        if before is not None and numbers[id(line)] != before:
            yield None
        before = numbers[id(line)]
        yield line
    yield None


def _blocks(lines: list[_Line | None]) -> Iterator[Block]:
    sizes: Counter[float] = Counter()
    for line in lines:
        if line:
            sizes[line.size] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 1.0
    block: list[_Pieces] = []
    before: _Line | None = None
    level = 0
    for index, line in enumerate(lines):
        if line is None or not line.text.strip():
            continue
        own = next((number for number, ratio in enumerate(_HEADINGS, 1) if line.size > ratio * usual), 0)
        begins_box = index == 0 or lines[index - 1] is None
        if begins_box and _PAGE_NUMBER.fullmatch(line.text) and (index + 1 == len(lines) or lines[index + 1] is None):
            continue
        if block and (own != level or _begins_paragraph(line, before, begins_box)):
            yield level, _trimmed(_joined(block))
            block = []
        _join(block, line)
        level, before = own, line
    if block:
        yield level, _trimmed(_joined(block))


def _begins_paragraph(line: _Line, before: _Line | None, begins_box: bool) -> bool:
    if before is None or _BULLET.match(line.text):
        return True
    if _BULLET.fullmatch(before.text):
        return False
    if begins_box:  # a sentence may go on in the next column or on the next page
        goes_on = len(before.text) > _LINE_CHARS and not _ENDS_SENTENCE.search(before.text[-_LAST:])
        return not (goes_on and line.text.lstrip()[:1].islower())
    gap = (before.bottom - line.top) / max(line.top - line.bottom, 0.1)
    return bool(gap > _GAP or gap < -_BESIDE or abs(line.left - before.left) > _INDENT * line.size)


def _join(block: list[_Pieces], line: _Line) -> None:
    """Adds a line and joins a word that was hyphenated at its end."""
    text = line.text.lstrip()
    if block:
        pieces = block[-1][0]
        last = pieces.pop().rstrip()
        is_divided = last[-1:] in ("-", "\u00ad") and last[-2:-1].isalpha() and text[:1].islower()
        pieces.append(last[:-1] if is_divided else last + " ")
    for run in line.runs:
        _append(block, run)


def _append(runs: list[_Pieces], run: Run) -> None:
    text, *style = run
    if runs and (list(runs[-1][1:]) == style or not text.strip()):
        runs[-1][0].append(text)
    else:
        runs.append(([text], *run[1:]))


def _joined(runs: list[_Pieces]) -> list[Run]:
    return [("".join(pieces), is_bold, is_italic) for pieces, is_bold, is_italic in runs]


def _trimmed(runs: list[Run]) -> list[Run]:
    cleaned = [(re.sub(r"\s+", " ", text), is_bold, is_italic) for text, is_bold, is_italic in runs]
    first, last = cleaned[0], cleaned[-1]
    cleaned[0] = (first[0].lstrip(), first[1], first[2])
    cleaned[-1] = (cleaned[-1][0].rstrip(), last[1], last[2])
    return [run for run in cleaned if run[0]]
