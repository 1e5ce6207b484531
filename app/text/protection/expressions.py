"""Expressions for the spans of every text, among them what a regular expression of RE2 can't say alone.

All have ``search`` and ``finditer`` as RE2's have, and take time in proportion to the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import re2

from app.text.protection.patterns import compile_patterns
from app.text.windows import finditer

Expressions = list[tuple[str, Any]]
"""Expressions, each after a string that is in all its matches: a text without that string isn't searched.

Eleven searches of a short sentence took 70 us, which is a twentieth of what a request costs outside the model.
"""

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


class Checked:
    """What the only group of an expression matches, if a function agrees.

    RE2 has no lookbehind; so what must stand before a match is outside of the group. What must stand behind it must not
    be in the expression, for it may be what must stand before the next one.
    """

    def __init__(self, expression: str, is_wanted: Callable[[str], bool] = bool) -> None:
        self._expression, self._is_wanted = re2.compile(expression), is_wanted

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the matches, in order."""
        for match in self._expression.finditer(text):
            if self._is_wanted(match[1]):
                yield Span(*match.span(1))

    def search(self, text: str) -> Span | None:
        """Returns the first match."""
        return next(self.finditer(text), None)


class Braces:
    """What an expression matches up to its first brace, and everything up to the brace that closes that one.

    The expression is one of ``re`` that decides within 1,024 characters.
    """

    def __init__(self, opening: str) -> None:
        self._opening = re.compile(opening)

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the matches, in the order of their begins; some are inside of others."""
        closings: Mapping[int, int] | None = None
        for match in finditer(self._opening, text):
            if closings is None:
                closings = _closings(text)
            end = closings.get(text.index("{", match.start()))
            if end is not None:
                yield Span(match.start(), end)

    def search(self, text: str) -> Span | None:
        """Returns the first match."""
        return next(self.finditer(text), None)


class NumberedTags:
    """Tags such as <1> and </1>; one that isn't closed is none, as in "1 <2> 3"."""

    _closing = re.compile(r"</([0-9]{1,3})>")
    _tag = re.compile(r"</?([0-9]{1,3})>")

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the tags, in order."""
        closed = {match[1] for match in finditer(self._closing, text)}
        for match in finditer(self._tag, text):
            if match[1] in closed:
                yield Span(*match.span())

    def search(self, text: str) -> Span | None:
        """Returns the first tag."""
        return next(self.finditer(text), None)


def compiled(expressions: Mapping[str, str]) -> Expressions:
    """Compiles regular expressions, each with a string that is in all its matches."""
    found = compile_patterns([f"regex:{expression}" for expression in expressions]).expressions
    return list(zip(expressions.values(), found, strict=True))


def _closings(text: str) -> dict[int, int]:
    """Finds the ends of the pairs of braces in a text, by their begins."""
    ends: dict[int, int] = {}
    open_: list[int] = []
    for match in finditer(_BRACE, text):
        if match[0] == "{":
            open_.append(match.start())
        elif open_:
            ends[open_.pop()] = match.end()
    return ends
