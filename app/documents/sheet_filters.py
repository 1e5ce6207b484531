"""The values that a filter shows: each becomes what the cells with it become, or filtering again would hide them."""

from typing import Any

from app.documents.ooxml_dialects import S
from app.documents.ooxml_parts import OfficeParts
from app.documents.sheet_escapes import escaped, unescaped


class Filters:
    """The filters of a workbook, on sheets and tables.

    Args:
        parts: The workbook.
        kinds: The kinds of its sheets and tables.
    """

    def __init__(self, parts: OfficeParts, *kinds: str) -> None:
        names = (f"{S}filter", f"{S}customFilter")
        roots = parts.roots(*kinds, having=b"ilter ")
        self._values = [value for root in roots for value in root.iter(*names) if value.get("val")]
        self._cells: dict[str, Any] = dict.fromkeys(map(_value, self._values))  # one with each value

    def take(self, cell: Any) -> None:
        """Registers a cell."""
        if self._cells and (key := _text(cell).casefold()) in self._cells:
            self._cells[key] = cell

    def write(self) -> None:
        """Writes the values when the cells have their last texts."""
        for value in self._values:
            if (cell := self._cells[_value(value)]) is not None:
                value.set("val", escaped(_text(cell)))


def _value(element: Any) -> str:
    return unescaped(element.get("val")).casefold()


def _text(cell: Any) -> str:
    return unescaped("".join(cell.itertext(f"{S}t")))
