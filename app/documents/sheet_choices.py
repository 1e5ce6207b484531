"""The lists of values that cells may have (data validation): a list is translated like the cells that have its values.

A list has at most 255 characters, and none of its values has a comma. If the translation of one list hasn't, all lists
and their cells keep their values.
"""

import re
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from app.documents.ooxml_dialects import S
from app.documents.ooxml_parts import OfficeParts
from app.documents.segments import PlainText
from app.documents.sheet_escapes import escaped, unescaped

_MAX_CHARS = 255
_LITERAL = re.compile(r'\s*+"((?:[^"]|"")*+)"\s*+')


class Choices:
    """The lists of a workbook.

    Args:
        parts: The workbook.
        sheets: The kind of its sheets.
    """

    def __init__(self, parts: OfficeParts, sheets: str) -> None:
        self._lists: list[tuple[Any, list[str]]] = []  # formulas, and the values that they list
        for root in parts.roots(sheets, having=b"dataValidation"):
            for formula in root.iter(f"{S}formula1"):
                literal = _LITERAL.fullmatch(formula.text or "")
                if literal and formula.getparent().get("type") == "list":
                    values = unescaped(literal[1].replace('""', '"')).split(",")
                    self._lists.append((formula, [value.strip() for value in values]))
        # What each value becomes, in the form in which a segment writes it.
        self._new = {value: SimpleNamespace(text=value) for _, values in self._lists for value in values}
        self._cells: dict[str, list[tuple[Any, str]]] = {}  # the cells with a value, and how it is written

    def take(self, cell: Any) -> None:
        """Registers a cell."""
        if not self._lists:
            return
        written = "".join(cell.itertext(f"{S}t"))
        value = unescaped(written).strip()
        if value in self._new:
            self._cells.setdefault(value, []).append((cell, written))

    def segments(self) -> Iterator[PlainText]:
        """Yields the values that no cell has, when all cells are registered."""
        return (PlainText(new, written=str) for value, new in self._new.items() if value not in self._cells)

    def write(self) -> None:
        """Writes the lists when everything else is translated."""
        for value, [(cell, _), *_] in self._cells.items():
            self._new[value].text = unescaped("".join(cell.itertext(f"{S}t")))
        for new in self._new.values():
            new.text = new.text.strip()
        if all(self._fits(values) for _, values in self._lists):
            for formula, values in self._lists:
                formula.text = escaped('"' + ",".join(self._translated(values)).replace('"', '""') + '"')
            return
        for cells in self._cells.values():
            for cell, written in cells:
                restore(cell, written)

    def _fits(self, values: Sequence[str]) -> bool:
        translated = self._translated(values)
        is_clear = all(translated) and not any("," in value for value in translated)
        differ = len(set(map(str.casefold, translated))) == len(set(map(str.casefold, values)))
        return is_clear and differ and len(",".join(translated)) <= _MAX_CHARS

    def _translated(self, values: Sequence[str]) -> list[str]:
        return [self._new[value].text for value in values]


def restore(cell: Any, written: str) -> None:
    """Gives a cell its old text back."""
    for text in list(cell.iter(f"{S}t"))[1:]:
        text.text = ""
    next(cell.iter(f"{S}t")).text = written
