"""xlsx: SpreadsheetML. Cells, comments, headers of tables, shapes, charts and the title; formulas stay."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from app.documents.document import Document
from app.documents.ooxml_dialects import SHEET, S
from app.documents.ooxml_parts import OfficeParts
from app.documents.ooxml_runs import Paragraph
from app.documents.segments import PlainText, Segment, package_document

_MAIN = "spreadsheetml.sheet.main+xml"
_SHEET = "spreadsheetml.worksheet+xml"
_TABLE = "spreadsheetml.table+xml"
_REFERENCE = re.compile(r"\[([^\[\]]+)\]")
_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large or has macros.
    """
    parts = OfficeParts(data, _MAIN)
    headers = _Headers(parts)
    return package_document(parts.package, parts.trees, _segments(parts, headers), lambda language: headers.write())


class _Headers:
    """The headers of tables, which formulas name and which the table's own part repeats.

    Excel calls a file damaged if the two differ, or if two columns of a table have the same name. So a header keeps its
    text where a formula names it, or where its translation isn't the only one in its table.
    """

    def __init__(self, parts: OfficeParts) -> None:
        self._tables = [list(root.iter(f"{S}tableColumn")) for root in parts.roots(_TABLE)]
        self._names = {column.get("name") for columns in self._tables for column in columns}
        self._cells: dict[str, Any] = {}
        roots = [*parts.roots(_SHEET), *parts.roots(_TABLE)] if self._names else []
        formulas = [
            formula.text or "" for root in roots for formula in root.iter(f"{S}f", f"{S}calculatedColumnFormula")
        ]
        named = {name for formula in formulas for name in _REFERENCE.findall(formula)}
        self._fixed = self._names & named

    def take(self, cell: Any) -> bool:
        """Registers a cell; returns whether it must stay unchanged."""
        text = "".join(cell.itertext(f"{S}t"))
        if text in self._names:
            self._cells[text] = cell
        return text in self._fixed

    def write(self) -> None:
        """Renames the columns after their translated header cells."""
        for columns in self._tables:
            names = {column: self._translated(column.get("name")) for column in columns}
            for name, number in Counter(name.casefold() for name in names.values()).items():
                for column in [column for column in columns if number > 1 and names[column].casefold() == name]:
                    self._restore(column.get("name"))
        for columns in self._tables:
            for column in columns:
                column.set("name", self._translated(column.get("name")))

    def _translated(self, name: str) -> str:
        return "".join(self._cells[name].itertext(f"{S}t")) if name in self._cells else name

    def _restore(self, name: str) -> None:
        cell = self._cells[name]
        for text in list(cell.iter(f"{S}t"))[1:]:
            text.text = ""
        next(cell.iter(f"{S}t")).text = name


def _segments(parts: OfficeParts, headers: _Headers) -> Iterator[Segment]:
    for root in parts.roots("spreadsheetml.sharedStrings+xml"):
        for cell in root.iter(f"{S}si"):
            if not headers.take(cell):
                yield Paragraph(cell, SHEET)
    for root in parts.roots(_SHEET, having=b"inlineStr"):
        for cell in root.iter(f"{S}is"):
            if not headers.take(cell):
                yield Paragraph(cell, SHEET)
    for root in parts.roots("spreadsheetml.comments+xml"):
        for comment in root.iterfind(f".//{S}comment/{S}text"):
            yield Paragraph(comment, SHEET)
    for root in parts.roots("threadedcomments+xml"):
        for comment in root.iter(f"{_THREADS}text"):
            yield PlainText(comment)
    yield from parts.common_segments()
