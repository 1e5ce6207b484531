"""The meaning of the elements inside the texts of a format: what each becomes as inline markup."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Dialect:
    """The meaning of elements by their names. One without a name here is a point between words.

    Attributes:
        wrappers: Elements around text.
        atoms: Elements that are like words of the sentence.
        breaks: Elements that end a sentence.
        ranges: Elements at the beginnings of ranges, and those at their ends.
        range_names: The attributes in which the two ends of a range are equal.
        characters: Elements that stand for characters, and a function that gives these.
        is_kept: Tells of an element, whatever its name, whether it stays as it is with all inside it, like an atom.
        is_seen: Tells of an element without a name here whether readers see it, so that it may stand for a word.
        read: Returns the text that a stretch of characters stands for, as white space may not be meant.
    """

    wrappers: frozenset[str] = frozenset()
    atoms: frozenset[str] = frozenset()
    breaks: frozenset[str] = frozenset()
    ranges: Mapping[str, str] = field(default_factory=dict)
    range_names: tuple[str, ...] = ()
    characters: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    is_kept: Callable[[Any], bool] = lambda element: False
    is_seen: Callable[[Any], bool] = lambda element: False
    read: Callable[[str], str] = str

    def begins(self, element: Any) -> Hashable | None:
        """The name of the range that begins at an element; None if none does."""
        end = self.ranges.get(element.tag)
        return end and (end, *map(element.get, self.range_names))

    def ends(self, element: Any) -> Hashable | None:
        """The name of the range that ends at an element; None if none does."""
        return (element.tag, *map(element.get, self.range_names)) if element.tag in self.ranges.values() else None
