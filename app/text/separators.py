"""What parts a line into cells, names and steps, each of which is a text of its own.

    list(separators("Name     Menge"))  # the spaces
    list(separators("Start » Produkte » Brot"))  # both signs, with their spaces

A tab, three or more spaces, dot leaders and boxes to tick always do. Signs between names do in titles and menus, and
semicolons and bars in tables as programs write them (RFC 4180, with semicolons where a comma is a decimal one).
"""

import re
from collections.abc import Iterator

from app.fairness.budget import checkpoint
from app.fairness.windows import finditer, search
from languages.signs import CLOSING

Range = tuple[int, int]

# Two spaces between small letters are a slip in a sentence.
_SPACES = r"(?<=[^\s]) {3,}+(?=\S)|(?<=[^\s]) {2}(?=[^\s])"
_LEADERS = r" ?(?<![.\d])(?:[.·_=*] ?){4,}+|…{2,}+| ?(?<!-)-{3,}+ ?| ?(?:- ){3,}+-?|(?<!\S)\*{2,}(?!\S) ?| \.{3} (?=\d)"
# "(x)" may be a word of a sentence, unless it stands behind a run of spaces.
_BOXES = r"\[[ xX✓✔]\] ?|[☐☑☒] ?|(?<!\S)\( \) ?|(?<= {2})\([xX✓✔•]\) ?"
_SIGN = r"(?<=\S) (?:[|»›→▸►➔]|>|[·•]|[–—]|-) (?=\S)"
# Between cells. No sentence has two semicolons and no space behind them; faces do (";-)").
_CELL = r"(?<=[^\s;|])[;|](?=[^\s;|()-])"
_LAST = r"(?<=[^\s|])[ \t]*\|[ \t]*$"  # behind the last cell of a row
_SEPARATOR = re.compile(
    rf"(?P<tab>\t)|(?P<spaces>{_SPACES})|(?P<leader>{_LEADERS})|(?P<box>{_BOXES})|(?P<sign>{_SIGN})"
    rf"|(?P<cell>{_CELL})|{_LAST}"
)
# What is in all matches, for most lines have nothing of it: the search for all kinds took 1 % of a request.
_ANY_PART = re.compile(r"[\t…\[☐☑☒(|»›→▸►➔>·•–—_=*;-]|  |\. ?\.")
# These may be punctuation or mathematics, too: they part names only.
_WEAK = frozenset("-–—>·•")
_SENTENCE_END = re.compile(rf"[.!?…:;,][{CLOSING}]*\s*$")
_LONGEST_TITLE = 200  # characters
_LONGEST_ROW = 2_000
# What a mail program puts before the lines that it quotes (RFC 3676, section 4.5); the bar before a row of a table; the
# sign before a comment in code, or a heading in Markdown.
LINE_MARKS = r"(?:(?:>++(?!=)|\|(?!\|)|#{1,6}(?=[ \t]))[ \t]*+)++"
_LINE_MARKS = re.compile(rf"[ \t]*+{LINE_MARKS}")
# "for (i=0;i<n;i++)", "(foo|bar)", `a|b`, "a@b.de;c@d.de", "&uuml;"
_CODE = re.compile(r"[{}=<>`@]|\w\(|\([^()]*[|;]|//|&#?\w{2,31};")
_MOST_WORDS = 8  # of a name in a title


def separators(line: str, *, tabs: bool = True) -> list[Range]:
    """Returns what parts a line or paragraph, in order and disjoint.

    Args:
        line: Any string.
        tabs: Whether a tab is a separator.
    """
    if not search(_ANY_PART, line, 0):
        return []
    found = [match for match in finditer(_SEPARATOR, line) if _parts(line, match, tabs)]
    if any(match["cell"] for match in found) and not _is_row(line, found):
        found = [match for match in found if not match["cell"]]
    weak = [match.span() for match in found if _is_weak(match)]
    if weak and not _is_title(line, weak):
        return [match.span() for match in found if not _is_weak(match)]
    return [match.span() for match in found]


def separators_of_lines(text: str) -> Iterator[Range]:
    """Yields the separators of all lines, and the marks of mail before quoted ones."""
    begin = 0
    for line in text.splitlines(keepends=True):
        checkpoint()
        if quoted := _LINE_MARKS.match(line):
            yield begin, begin + quoted.end()
        yield from ((begin + first, begin + last) for first, last in separators(line))
        begin += len(line)


def _parts(line: str, match: re.Match[str], tabs: bool) -> bool:
    """Tells whether a match parts the line, if the line is a title."""
    if match["tab"]:
        return tabs
    if match["spaces"]:
        return not _is_slip(line, match)
    return match["sign"] != " » " or "«" not in line


def _is_row(line: str, found: list[re.Match[str]]) -> bool:
    """Tells whether signs without spaces part cells: there are two or more of one kind, and no other."""
    signs = {match["cell"] for match in found if match["cell"]}
    if len(signs) > 1 or len(line) > _LONGEST_ROW:
        return False
    [sign] = signs
    cells = [match.start() for match in found if match["cell"]]
    return len(cells) == line.count(sign) >= 2 and not (_CODE.search(line) or _SENTENCE_END.search(line))


def _is_weak(match: re.Match[str]) -> bool:
    return bool(match["sign"]) and match["sign"].strip() in _WEAK


def _is_slip(line: str, match: re.Match[str]) -> bool:
    """Tells whether the spaces are two between small letters."""
    begin, end = match.span()
    return end - begin == 2 and line[end].islower() and (line[begin - 1].islower() or line[begin - 1] in ",;")


def _is_title(line: str, weak: list[Range]) -> bool:
    """Tells whether signs part names: each begins with a capital, is short, and no sentence ends."""
    if len(line) > _LONGEST_TITLE or "\n" in line or _SENTENCE_END.search(line):
        return False
    begins = [0, *(end for _, end in weak)]
    ends = [*(begin for begin, _ in weak), len(line)]
    names = [line[begin:end].strip() for begin, end in zip(begins, ends, strict=True)]
    return all(map(_is_name, names)) and not all(name[0].isdigit() for name in names[1:])


def _is_name(text: str) -> bool:
    first = next((character for character in text if character.isalnum()), "")
    return bool(first) and not first.islower() and len(text.split()) <= _MOST_WORDS
