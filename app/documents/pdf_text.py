"""The text of a PDF file: a list of blocks in the order of reading."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from app.documents.pdf_columns import in_reading_order
from app.documents.pdf_margins import Margins
from app.documents.pdf_tables import cells, in_rows, rules_of
from app.errors import DamagedDocument, DocumentTooLarge, EncryptedDocument

MAX_CHARS = 10_000_000
_BULLET = re.compile(r"\s*[•‣▪●○◦]\s*")
_SYMBOLS = str.maketrans("\uf0b7\uf0a7\n", "•▪ ")  # Symbol's and Wingdings' bullets
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
    margins = Margins()
    characters = 0
    try:
        for page in laid_out(data):
            boxes = list(_boxes(page))
            characters += sum(len(line.text) for box in boxes for line in box)
            lines += _ordered(boxes)
            margins.add([line for box in boxes for line in box], page.y0, page.y1)
            if characters > MAX_CHARS:
                raise DocumentTooLarge("The PDF has too much text; divide it.")
    except PDFPasswordIncorrect:
        raise EncryptedDocument("The file has a password; save it without one.") from None
    except (MemoryError, DocumentTooLarge):
        raise
    except Exception as error:  # whatever a stranger's file may cause
        raise DamagedDocument("The file is damaged or not a PDF.") from error
    numbers = margins.numbers()
    return list(_blocks([None if line in numbers else line for line in lines], margins.titles()))


class _Line:
    """A line of text, or the part of it in a cell.

    Attributes:
        runs: Its text.
        size: Of most of its letters, in points.
        top: Its upper edge.
        bottom: Its lower edge.
        left: Where it begins.
        right: Where it ends.
        room: From there to where the longest line below or above it ends.
    """

    def __init__(self, chars: Sequence[Any]) -> None:
        runs: list[_Pieces] = []
        sizes: Counter[float] = Counter()
        style = (False, False)
        for char in chars:
            font = getattr(char, "fontname", "").lower()
            if font:  # white space that is only implied has none
                style = ("bold" in font or "black" in font, "italic" in font or "oblique" in font)
                sizes[round(char.size, 1)] += 1
            _append(runs, (char.get_text().translate(_SYMBOLS), *style))
        self.runs = _joined(runs)
        self.size = sizes.most_common(1)[0][0] if sizes else 0.0
        placed = [char for char in chars if hasattr(char, "x0")]
        self.top, self.bottom = max(char.y1 for char in placed), min(char.y0 for char in placed)
        self.left, self.right = min(char.x0 for char in placed), max(char.x1 for char in placed)
        self.room = 0.0

    @property
    def text(self) -> str:
        return "".join(text for text, _, _ in self.runs)


def _boxes(page: Any) -> Iterator[list[_Line]]:
    """Yields the boxes of text of a page."""
    from pdfminer.layout import LTTextBox, LTTextLine

    rules = rules_of(page)
    for box in page:
        if isinstance(box, LTTextBox):  # a blank line is in none
            for cell in cells([line for line in box if isinstance(line, LTTextLine)], rules):
                yield [_Line(chars) for chars in cell]


def _ordered(boxes: Sequence[Sequence[_Line]]) -> Iterator[_Line | None]:
    """Yields the lines of a page in the order of reading, with None where a box of text ends."""
    boxes = in_rows(boxes)
    numbers = {id(line): number for number, box in enumerate(boxes) for line in box}
    lines = [line for box in boxes for line in box]
    ends: dict[int, float] = {}
    for line in lines:
        ends[round(line.left)] = max(line.right, ends.get(round(line.left), 0.0))
    before = None
    for line in in_reading_order(lines):
        line.room = ends[round(line.left)] - line.right
        if before is not None and numbers[id(line)] != before:
            yield None
        before = numbers[id(line)]
        yield line
    yield None


def _blocks(lines: Sequence[_Line | None], titles: Collection[Any]) -> Iterator[Block]:
    """Yields the paragraphs; one that goes on on the next page comes before the running titles between its parts."""
    sizes: Counter[float] = Counter()
    for line in lines:
        if line:
            sizes[line.size] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 1.0
    block: list[_Pieces] = []
    first: _Line | None = None  # of the block
    before: _Line | None = None
    aside: list[Block] = []
    level = 0
    for index, line in enumerate(lines):
        if line is None or not line.text.strip():
            continue
        own = next((number for number, ratio in enumerate(_HEADINGS, 1) if line.size > ratio * usual), 0)
        if line in titles:
            aside.append((own, _trimmed(line.runs)))
            continue
        begins_box = index == 0 or lines[index - 1] is None
        if first is None or before is None or own != level or _begins_paragraph(line, first, before, begins_box):
            if block:
                yield level, _trimmed(_joined(block))
            yield from aside
            block, aside, first = [], [], line
        _join(block, line)
        level, before = own, line
    if block:
        yield level, _trimmed(_joined(block))
    yield from aside


def _begins_paragraph(line: _Line, first: _Line, before: _Line, begins_box: bool) -> bool:
    """Tells whether a line begins a paragraph behind the one with these lines, the first and the last of it."""
    if _BULLET.match(line.text):
        return True
    if _BULLET.fullmatch(before.text):
        return False
    ends_sentence = _ENDS_SENTENCE.search(before.text[-_LAST:])
    if begins_box:  # a sentence may go on in the next column or on the next page
        goes_on = len(before.text) > _LINE_CHARS and not ends_sentence
        return not (goes_on and line.text.lstrip()[:1].islower())
    if ends_sentence or _BULLET.match(first.text):  # then a line that ends before it must is the last one
        word = len(line.text.split(maxsplit=1)[0]) + 2  # with a space, and one character more to be sure
        if before.room * len(line.text) > word * (line.right - line.left):
            return True
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
