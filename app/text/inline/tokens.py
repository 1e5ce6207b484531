"""The words and punctuation marks of a text, in 12 bytes each: objects take ten times as much, and texts are long."""

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Token(NamedTuple):
    """A word or a punctuation mark of the plain text, and the innermost element around it."""

    begin: int
    end: int
    element: int


class Tokens:
    """Tokens in order.

    Args:
        tokens: The first of them.

    Attributes:
        begins: Where each begins in the text.
        ends: Where each ends.
        elements: The innermost element around each.
    """

    __slots__ = ("begins", "elements", "ends")

    def __init__(self, tokens: Iterable[tuple[int, int, int]] = ()) -> None:
        self.begins, self.ends, self.elements = array("i"), array("i"), array("i")
        for token in tokens:
            self.append(*token)

    def append(self, begin: int, end: int, element: int) -> None:
        """Adds the next token."""
        self.begins.append(begin)
        self.ends.append(end)
        self.elements.append(element)

    def part(self, first: int, last: int) -> Iterator[Token]:
        """The tokens from ``first`` up to but not including ``last``."""
        return map(Token, self.begins[first:last], self.ends[first:last], self.elements[first:last])

    def __len__(self) -> int:
        return len(self.begins)

    def __getitem__(self, index: int) -> Token:
        return Token(self.begins[index], self.ends[index], self.elements[index])

    def __iter__(self) -> Iterator[Token]:
        return map(Token, self.begins, self.ends, self.elements)
