"""xlsx: SpreadsheetML. Cells, their lists of values, filters, comments, headers, shapes, charts, title."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from app.documents.document import Document
from app.documents.ooxml_dialects import SHEET, S
from app.documents.ooxml_parts import OfficeParts, attributes
from app.documents.ooxml_runs import Paragraph
from app.documents.segments import PlainText, Segment, package_document
from app.documents.sheet_choices import Choices, restore
from app.documents.sheet_escapes import escaped, escaped_name, unescaped, unescaped_name
from app.documents.sheet_filters import Filters

_MAIN = "spreadsheetml.sheet.main+xml"
_SHEET = "spreadsheetml.worksheet+xml"
_TABLE = "spreadsheetml.table+xml"
_PIVOT = "spreadsheetml.pivotCacheDefinition+xml"
# A column's name in a formula, as in T[Umsatz] or T['[EUR']]: an apostrophe stands before a bracket of the name's own.
_REFERENCE = re.compile(r"\[((?:'.|[^\[\]'])++)")
_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large or has macros.
    """
    parts = OfficeParts(data, _MAIN)
    headers, choices, filters = _Headers(parts), Choices(parts, _SHEET), Filters(parts, _SHEET, _TABLE)

    def finish(language: str) -> None:
        headers.write()
        choices.write()
        filters.write()

    return package_document(parts.package, parts.trees, _segments(parts, headers, choices, filters), finish)


class _Headers:
    """The headers of tables, which formulas name and which the table's own part repeats, and those of pivot tables.

    Excel calls a file damaged if the two differ, or if two columns of a table have the same name. So a header keeps its
    text where a formula names it, or where its translation is another column's name, before or after the translation.
    A pivot table loses a column that has another name when Excel makes it anew.
    """

    def __init__(self, parts: OfficeParts) -> None:
        fields = [list(root.iter(f"{S}cacheField")) for root in parts.roots(_PIVOT)]
        self._tables = [*fields, *(list(root.iter(f"{S}tableColumn")) for root in parts.roots(_TABLE))]
        self._names = {_name(column) for columns in self._tables for column in columns}
        self._cells: dict[str, list[tuple[Any, str]]] = {}  # the cells with the text of a header, and how it is written
        roots = parts.roots(_MAIN, _SHEET, _TABLE) if self._names else ()
        kinds = [f"{S}{kind}" for kind in ("definedName", "f", "calculatedColumnFormula")]
        formulas = [unescaped_name(formula.text or "") for root in roots for formula in root.iter(*kinds)]
        named = {re.sub("'(.)", r"\1", name) for formula in formulas for name in _REFERENCE.findall(formula)}
        is_named = any(field.get("formula") for field in chain(*fields)) or any(
            "GETPIVOTDATA" in one for one in formulas
        )
        self._fixed = self._names & (named | {_name(field) for field in chain(*fields) if is_named})

    def take(self, cell: Any) -> bool:
        """Registers a cell; returns whether it must stay unchanged."""
        written = "".join(cell.itertext(f"{S}t"))
        text = unescaped_name(written)
        if text in self._names:
            self._cells.setdefault(text, []).append((cell, written))
        return text in self._fixed

    def write(self) -> None:
        """Renames the columns after their translated header cells."""
        for columns in self._tables:
            names = {_name(column): self._translated(_name(column)) for column in columns}
            taken = Counter(one for pair in names.items() for one in set(map(str.casefold, pair)))
            for name, translated in names.items():
                if taken[translated.casefold()] > 1:
                    self._restore(name)
        for columns in self._tables:
            for column in columns:
                translated = self._translated(_name(column))
                if translated != _name(column):
                    column.set("name", escaped_name(translated))

    def _translated(self, name: str) -> str:
        for cell, _ in self._cells.get(name, ()):
            return unescaped_name("".join(cell.itertext(f"{S}t")))
        return name

    def _restore(self, name: str) -> None:
        for cell, written in self._cells.get(name, ()):
            restore(cell, written)


def _name(column: Any) -> str:
    return unescaped_name(column.get("name", ""))


def _segments(parts: OfficeParts, headers: _Headers, choices: Choices, filters: Filters) -> Iterator[Segment]:
    for root in (*parts.roots("spreadsheetml.sharedStrings+xml"), *parts.roots(_SHEET, having=b"inlineStr")):
        for cell in root.iter(f"{S}si", f"{S}is"):  # shared texts, and those in cells themselves
            choices.take(cell)
            filters.take(cell)
            if not headers.take(cell):
                yield Paragraph(cell, SHEET)
    for root in parts.roots(_SHEET, having=b"tooltip"):
        yield from attributes(root)
    yield from choices.segments()
    for root in parts.roots("spreadsheetml.comments+xml"):
        for comment in root.iterfind(f".//{S}comment/{S}text"):
            yield Paragraph(comment, SHEET)
    for root in parts.roots("threadedcomments+xml"):
        for comment in root.iter(f"{_THREADS}text"):
            yield PlainText(comment, read=unescaped, written=escaped)
    yield from parts.common_segments()
