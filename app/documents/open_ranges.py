"""Ranges with a mark at each end, such as bookmarks and comments of a document: which two marks belong together."""

from collections import defaultdict
from typing import Generic, TypeVar

Value = TypeVar("Value")


class OpenRanges(Generic[Value]):
    """The ranges that have begun. Of two that cross, the one that ends first is a range, and the other none."""

    def __init__(self) -> None:
        self._open: list[tuple[object, Value]] = []
        self._places: dict[object, list[int]] = defaultdict(list)  # where in ``_open`` the ranges of a name are

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, name: object, value: Value) -> None:
        """Begins a range; its end has the same name."""
        self._places[name].append(len(self._open))
        self._open.append((name, value))

    def end(self, name: object) -> Value | None:
        """Ends the innermost range of a name, and forgets those inside; returns its value, or None if there is none."""
        if not self._places[name]:
            return None
        place = self._places[name][-1]
        value = self._open[place][1]
        for crossing, _ in self._open[place:]:
            self._places[crossing].pop()
        del self._open[place:]
        return value
