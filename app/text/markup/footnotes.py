"""Marks of footnotes behind words and amounts, as in "19 €<sup>1)</sup>": no words of the sentence.

A model would take such a mark for a number or a part of the word before it. So the element becomes a point that stays
directly behind what it stood behind.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.text.inline.objects import Kind, Part

# 1, 12, 1), (1), [1], [note 1], *, **, †, ‡, a, a); several with commas; an exponent has a sign.
_NUMBER = r"[-−+]?\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,5}"
_SIGN = r"(?:\*{1,4}|†{1,3}|‡{1,3}|§|¶|#)"
_MARK = re.compile(
    rf"\s*(?:(?P<number>{_NUMBER}[,;]?)|(?P<sign>(?:{_NUMBER}|[a-z])\)|\((?:{_NUMBER}|[a-z])\)"
    rf"|\[(?:{_NUMBER}|[a-z*†‡]|[^\W\d_]{{2,8}}\.? \d{{1,3}})\]|{_SIGN}\)?[,;]?)|(?P<letter>[a-z]))\s*"
)
_RAISED = re.compile(r"sup\d*")
# A number behind one or two letters is an exponent (m², km²) or belongs to a formula; several are marks.
_SHORT_WORD = re.compile(r"(?<!\w)[^\W\d_]{1,2}$")
# The mark before raised cents: "19,<sup>99</sup> €".
_DECIMAL_MARK = re.compile(r"\d[.,]$")
_LONG_NUMBER = re.compile(r"\d[\d.,]\d$")
_BETWEEN_MARKS = re.compile(r"\s?[,;]?\s?")
_MOST_PARTS = 12  # of a mark with all its tags


def with_marks(parts: Sequence[Part], escape: Callable[[str], str]) -> list[Part]:
    """Makes one point of each element whose text is the mark of a footnote.

    At the beginning of a text, a raised mark is the footnote's own, and a point, too.

    Args:
        parts: Balanced parts of a text.
        escape: How to write text as markup.
    """
    if not any(part.kind is Kind.OPENING for part in parts):
        return list(parts)
    found: list[Part] = []
    index = 0
    while index < len(parts):
        mark = _mark(parts, index) if parts[index].kind is Kind.OPENING else None
        sticks = _sticks(found, mark) if mark else None
        if mark is None or sticks is None:
            found.append(parts[index])
            index += 1
            continue
        inner = parts[index : mark.end]
        content = "".join(escape(part.content) if part.kind is Kind.TEXT else part.content for part in inner)
        _add(found, Part(Kind.POINT, content, begin=inner[0].begin, end=inner[-1].end, sticks=sticks), escape)
        index = mark.end
    return found


@dataclass(frozen=True, slots=True)
class _Mark:
    """An element that may be a mark; ``end`` is the index behind its closing."""

    match: re.Match[str]
    is_raised: bool
    is_link: bool
    end: int


def _mark(parts: Sequence[Part], begin: int) -> _Mark | None:
    """Reads the element that begins at an index; None if its text is no mark."""
    depth, text, names, target = 0, "", set[str](), ""
    for index in range(begin, min(begin + _MOST_PARTS, len(parts))):
        part = parts[index]
        if part.kind is Kind.OPENING:
            depth += 1
            names.add(part.name)
            target += part.content
        elif part.kind is Kind.CLOSING:
            depth -= 1
        elif part.kind is Kind.TEXT:
            text += part.content
        else:
            return None
        if not depth:
            match = _MARK.fullmatch(text)
            is_raised = any(map(_RAISED.fullmatch, names))
            return match and _Mark(match, is_raised, "a" in names and "#" in target, index + 1)
    return None


def _sticks(before: Sequence[Part], mark: _Mark) -> bool | None:
    """Tells whether a mark sticks to what stands before it; None if it is no mark in this place."""
    last = next((part for part in reversed(before) if part.kind not in (Kind.OPENING, Kind.CLOSING)), None)
    if last is None or (last.kind is Kind.TEXT and not last.content.strip() and not _has_text(before)):
        return False if mark.is_raised else None
    if last.kind is not Kind.TEXT:
        return True if last.kind is Kind.ATOM or last.sticks else None
    if last.content[-1].isspace():
        return None
    if not (mark.is_raised or mark.is_link):
        return True if mark.match["sign"] and "[" not in mark.match[0] else None
    if mark.match["letter"] and last.content[-1].isalnum() and not _LONG_NUMBER.search(last.content):  # "1a", "No"
        return None
    if not mark.match["number"]:
        return True
    behind = "".join(part.content for part in before[-_MOST_PARTS:] if part.kind is Kind.TEXT)
    is_exponent = _SHORT_WORD.search(behind[-3:]) and not re.search("[,;]", mark.match["number"])
    return None if is_exponent or _DECIMAL_MARK.search(behind) else True


def _has_text(parts: Sequence[Part]) -> bool:
    return any(part.kind is Kind.ATOM or (part.kind is Kind.TEXT and part.content.strip()) for part in parts)


def _add(found: list[Part], mark: Part, escape: Callable[[str], str]) -> None:
    """Adds a mark; with one just before it, which only a comma parts from it, it is one point."""
    middle = found[-1] if found and found[-1].kind is Kind.TEXT else None
    if middle and len(found) > 1 and found[-2].sticks and _BETWEEN_MARKS.fullmatch(middle.content):
        first = found[-2]
        del found[-2:]
        content = first.content + escape(middle.content) + mark.content
        mark = first._replace(content=content, end=mark.end)
    found.append(mark)
