"""Messages with branches by number or gender, and calls in them.

Sources: ICU, "Formatting Messages" (plural, select, selectordinal); Java, ``MessageFormat`` and ``ChoiceFormat``;
Project Fluent, "Syntax Guide" (selectors, placeables, functions); i18next, "Plurals" (intervals), "Nesting"
(``$t``); Laravel, "Pluralization".

    You have {n, plural, one {# file} other {# files}}.

The syntax around the branches parts texts: "You have", "# file" and "# files" are translated one by one. Keywords,
``#`` and arguments stay.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from app.fairness.windows import finditer
from app.text.inline.codec import Codec
from app.text.protection.decoding import Written
from app.text.protection.expressions import Braces, Expressions, Finder, Searched, Span, closings
from languages.registry import ordinal_endings


class Piece(NamedTuple):
    """A range of a message that isn't translated: syntax, or something in a branch that is like a word."""

    begin: int
    end: int
    is_atom: bool = False

    def span(self) -> tuple[int, int]:
        """Returns begin and end."""
        return self.begin, self.end


_ICU_HEAD = re.compile(r"\{\s{0,99}+[\w.-]{1,99}+\s{0,99}+,\s{0,99}+(plural|select|selectordinal|choice)\s{0,99}+,")
_BRANCH = re.compile(r"\s*+(?:offset:\d{1,9}\s*+)?(?:=\d{1,9}|[\w-]{1,99})\s*+\{")
_LIMIT = re.compile(r"(?:^|\|)\s*-?[\d.]*[\d∞]\s*[#<≤]")
_QUOTED = re.compile(r"'[{}|#][^']*'")
_FLUENT_HEAD = re.compile(r"\{\s{0,99}+(?:\$[\w-]{1,99}|-?[\w.-]{1,99}(?:\([^()]{0,500}\))?)\s{0,99}+->")
_VARIANT = re.compile(r"\s++\*?\[\s{0,9}[\w.-]{1,99}\s{0,9}\][^\S\n]*+")
_SPACE = re.compile(r"\s*+")


@lru_cache(maxsize=1)
def _argument() -> re.Pattern[str]:
    """What is like a word in a branch, or begins so: {name}, #, #nd."""
    return re.compile(rf"\{{|#(?:(?:{'|'.join(sorted(ordinal_endings()))})\b)?")


class IcuChoices(Finder[Piece]):
    """The branches of ICU and Java."""

    def finditer(self, text: str) -> Iterator[Piece]:
        """Yields the pieces of the syntax, and the arguments in the branches."""
        shown = _QUOTED.sub(lambda match: " " * len(match[0]), text)
        ends = closings(shown)
        syntax: list[Piece] = []
        outer: list[tuple[int, int]] = []
        for head in finditer(_ICU_HEAD, shown):
            end = ends.get(head.start())
            if end is None:
                continue
            read = _read_limits if head[1] == "choice" else _read_branches
            pieces = read(shown, head, end, ends)
            if not pieces:
                yield Piece(head.start(), end, is_atom=True)
                continue
            syntax += pieces
            if not outer or outer[-1][1] <= head.start():
                outer.append((head.start(), end))
        braces = {place for piece in syntax for place in range(*piece[:2]) if shown[place] == "{"}
        for begin, end in outer:
            yield from _arguments(shown, begin, end, ends, braces)
        yield from syntax


def _read_branches(text: str, head: re.Match[str], end: int, ends: Mapping[int, int]) -> list[Piece]:
    """Returns the syntax of plural and select; nothing if the text between the braces is something else."""
    pieces: list[Piece] = []
    done, place = head.start(), head.end()
    while branch := _BRANCH.match(text, place, end):
        place = ends.get(branch.end() - 1, end)
        if place >= end:
            return []
        pieces.append(Piece(done, branch.end()))
        done = place - 1
    if not pieces or _SPACE.fullmatch(text, place, end - 1) is None:
        return []
    return [*pieces, Piece(done, end)]


def _read_limits(text: str, head: re.Match[str], end: int, ends: Mapping[int, int]) -> list[Piece]:
    """Returns the syntax of Java's choices: ``0#no files|1#one file|1<{0} files``."""
    first = head.end()
    inner = list(text[first : end - 1])
    place = first
    while (place := text.find("{", place, end - 1)) >= 0:
        last = ends.get(place, end - 1)
        inner[place - first : last - first] = " " * (last - place)
        place = max(last, place + 1)
    limits = list(_LIMIT.finditer("".join(inner)))
    if not limits or limits[0].start():
        return []
    pieces = [Piece(first + limit.start(), first + limit.end()) for limit in limits]
    return [Piece(head.start(), pieces[0].end), *pieces[1:], Piece(end - 1, end)]


def _arguments(text: str, begin: int, end: int, ends: Mapping[int, int], braces: set[int]) -> Iterator[Piece]:
    """Yields what is like a word in the branches: ``#``, and ``{name}`` if no branch begins at the brace."""
    done = begin
    for match in _argument().finditer(text, begin, end):
        place = match.start()
        if place < done:
            continue
        if text[place] == "#":
            yield Piece(*match.span(), is_atom=True)
        elif place not in braces and place in ends:
            done = ends[place]
            yield Piece(place, done, is_atom=True)


class FluentChoices(Finder[Piece]):
    """The variants of Fluent's selectors."""

    def finditer(self, text: str) -> Iterator[Piece]:
        """Yields the pieces of the syntax; those of a selector in a variant belong to the one around it."""
        ends = closings(text)
        done = 0
        for head in finditer(_FLUENT_HEAD, text):
            end = ends.get(head.start())
            if end is None or head.start() < done or not _VARIANT.match(text, head.end(), end):
                continue
            done, begin = end, head.start()
            for variant in _VARIANT.finditer(text, head.end(), end):
                yield Piece(begin if begin < variant.start() else variant.start(), variant.end())
                begin = end
            last = end - 1
            while text[last - 1].isspace():
                last -= 1
            yield Piece(last, end)


def read_quotes(text: str) -> tuple[list[Written], Codec]:
    """Reads the doubled apostrophes of a message of ICU: see ``app.text.protection.decoding.Decoder``."""
    if not _ICU_HEAD.search(text):
        return [], Codec()
    found = [Written(*match.span(), "'") for match in re.finditer(r"(?<!')''(?!')", text)]
    return found, Codec(doubled="'")


class Cases(Finder[Span]):
    """Branches without braces, of i18next and Laravel: the signs that begin and end them.

    Args:
        beginning: What a text with them begins with.
        signs: The signs.
    """

    def __init__(self, beginning: str, signs: str) -> None:
        self._beginning, self._signs = re.compile(beginning), re.compile(signs)

    def finditer(self, text: str) -> Iterator[Span]:
        """Yields the signs, in order."""
        if self._beginning.match(text):
            for match in finditer(self._signs, text):
                yield Span(*match.span())


_INTERVAL = r"\(\d{1,9}(?:-(?:\d{1,9}|inf))?\)\["
_RANGE = r"(?:\{\d{1,9}\}|\[(?:\d{1,9}|\*),\s?(?:\d{1,9}|\*)\])"
# { $name }, { -brand }, { DATETIME($date, month: "long") }, { menu.label }, { "{" }
_PLACEABLE = re.compile(
    r"""\{\s{0,9}(?:\$[\w-]{1,99}(?:\.[\w-]{1,99})?|-?[A-Za-z][\w-]{0,99}(?:\.[\w-]{1,99})?(?:\([^()]{0,500}\))?
    |"[^"\n]{0,200}")\s{0,9}\}""",
    re.VERBOSE,
)
_TYPED = r"\{\s{0,99}+\w{1,99}+\s{0,99}+,\s{0,99}+(?:number|date|time|ordinal|spellout|duration|list)\s{0,99}+[,}]"

CHOICES: Expressions = [("{", IcuChoices()), ("->", FluentChoices())]
BREAKS: Expressions = [
    (")[", Cases(rf"\s*{_INTERVAL}", rf"(?:\];?\s*)?{_INTERVAL}|\];?\s*$")),
    ("|", Cases(rf"\s*{_RANGE}[^|]*\|", rf"(?:^|\|)\s*{_RANGE}\s*|\|")),
]
ARGUMENTS: Expressions = [
    ("}", Searched(_PLACEABLE)),
    ("{", Braces(_TYPED)),
    ("$t(", Braces(r"\$t\(", "()")),
]
