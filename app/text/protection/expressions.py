"""Expressions for the spans of every text, among them what a regular expression of RE2 can't say alone.

All have ``search`` and ``finditer`` as RE2's have, and take time in proportion to the text.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

import re2

from app.fairness.windows import finditer
from app.text.inline.objects import Kind


class Beside(NamedTuple):
    """A character that is in all matches, and what stands beside it there."""

    sign: str
    expression: re.Pattern[str]


Needed = str | tuple[str, ...] | frozenset[str] | Beside
Expressions = list[tuple[Needed, Any]]
"""Expressions, each after a string that is in all its matches: a text without that string isn't searched. There may be
several strings or characters, one of which is in each match, or a character and what is beside it.

Eleven searches of a short sentence took 70 us, which is a twentieth of what a request costs outside the model.
"""

INNER_DOT = Beside(".", re.compile(r"\.[^ \t\n\f\r]"))
"""Nearly every sentence has a full stop. What is not white space is what RE2 calls so."""

_BRACE = re.compile("[{}]")


class Span(NamedTuple):
    """A match of which only the place counts."""

    first: int
    last: int

    def span(self) -> tuple[int, int]:
        """Returns begin and end."""
        return self.first, self.last

    def start(self) -> int:
        """Returns the begin."""
        return self.first

    def end(self) -> int:
        """Returns the end."""
        return self.last


class Tag(NamedTuple):
    """A tag of an element.

    Attributes:
        first: Where it begins.
        last: Where it ends.
        name: Of the element; tags of other notations have other names.
        nesting: 1 if it opens an element, -1 if it closes one, 0 if it stands alone.
        kind: What it is if it is no tag of an element.
    """

    first: int
    last: int
    name: str
    nesting: int
    kind: Kind = Kind.POINT

    def span(self) -> tuple[int, int]:
        """Returns begin and end."""
        return self.first, self.last


Found = TypeVar("Found")


class Finder(ABC, Generic[Found]):
    """What finds spans in a text, as an expression does."""

    @abstractmethod
    def finditer(self, text: str) -> Iterator[Found]:
        """Yields what is found, in order."""

    def search(self, text: str) -> Found | None:
        """Returns the first one."""
        return next(self.finditer(text), None)


class Plain:
    """An expression of RE2, compiled when a text is first searched for it: all together take a tenth of a second.

    Args:
        expression: The expression.
        captures: Its groups are wanted.
    """

    def __init__(self, expression: str, *, captures: bool = False) -> None:
        self._source, self._captures = expression, captures

    @cached_property
    def _compiled(self) -> Any:
        options = re2.Options()
        options.never_capture = not self._captures
        return re2.compile(self._source, options)

    def finditer(self, text: str) -> Iterator[Any]:
        """Yields the matches, in order."""
        found: Iterator[Any] = self._compiled.finditer(text)
        return found

    def search(self, text: str) -> Any:
        """Returns the first match; None if there is none."""
        return self._compiled.search(text)


class Checked(Finder[Span]):
    """What the only group of an expression matches, if a function agrees.

    RE2 has no lookbehind; so what must stand before a match is outside of the group. What must stand behind it must not
    be in the expression, for it may be what must stand before the next one.
    """

    def __init__(self, expression: str, is_wanted: Callable[[str], bool] = bool) -> None:
        self._expression, self._is_wanted = Plain(expression, captures=True), is_wanted

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the matches, in order."""
        for match in self._expression.finditer(text):
            if self._is_wanted(match[1]):
                yield Span(*match.span(1))


class Searched(Finder[Span]):
    """What an expression of ``re`` matches, which decides within 1,024 characters; what it matches may be longer.

    Args:
        expression: The expression; with a group of the name "span", this is the match.
        is_wanted: Tells whether a match is one; None if all are.
    """

    def __init__(self, expression: re.Pattern[str], is_wanted: Callable[[re.Match[str]], object] | None = None) -> None:
        self._expression, self._is_wanted = expression, is_wanted
        self._group = "span" if "span" in expression.groupindex else 0

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the matches, in order."""
        for match in finditer(self._expression, text):
            if self._is_wanted is None or self._is_wanted(match):
                yield Span(*match.span(self._group))


class Braces(Finder[Span]):
    """What an expression matches up to its first brace, and everything up to the brace that closes that one.

    Args:
        opening: The expression, of ``re``, which decides within 1,024 characters.
        brackets: A brace or other bracket, and the one that closes it.
    """

    def __init__(self, opening: str, brackets: str = "{}") -> None:
        self._opening, self._first = re.compile(opening), brackets[0]
        self._brackets = re.compile(f"[{re.escape(brackets)}]")

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the matches, in the order of their begins; some are inside of others."""
        ends: Mapping[int, int] | None = None
        for match in finditer(self._opening, text):
            if ends is None:
                ends = closings(text, self._brackets)
            end = ends.get(text.index(self._first, match.start()))
            if end is not None:
                yield Span(match.start(), end)


def compiled(expressions: Mapping[str, Needed]) -> Expressions:
    """Returns regular expressions, each with what is in all its matches."""
    return [(needed, Plain(expression)) for expression, needed in expressions.items()]


def closings(text: str, brackets: re.Pattern[str] = _BRACE) -> dict[int, int]:
    """Finds the ends of the pairs of brackets in a text, by their begins."""
    ends: dict[int, int] = {}
    open_: list[int] = []
    for match in finditer(brackets, text):
        if match[0] in "{(":
            open_.append(match.start())
        elif open_:
            ends[open_.pop()] = match.end()
    return ends
