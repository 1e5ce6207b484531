"""What stands in a text besides its words: atoms, marks, the tags of elements, and breaks, all told apart."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from app.text.inline.objects import Escape, Kind, Part, Rewrite
from app.text.protection.decoding import as_written
from app.text.protection.expressions import Tag
from app.text.protection.patterns import Patterns, Range, collected, merged


class Object(NamedTuple):
    """A mark, tag or break.

    Attributes:
        begin: Where it begins in the text.
        end: Where it ends.
        kind: POINT, ATOM, BREAK, or of the tags of an element OPENING or CLOSING.
        pair: The number that both tags of an element have; else 0.
    """

    begin: int
    end: int
    kind: Kind
    pair: int = 0


class Objects(NamedTuple):
    """What was found.

    Attributes:
        ranges: Of the atoms.
        others: All else. Ranges and others are disjoint, and in order.
    """

    ranges: list[Range]
    others: list[Object]


def find_objects(text: str, patterns: Patterns, ranges: Sequence[Range], *, has_markup: bool = False) -> Objects:
    """Finds the marks, tags and breaks of a text, and tells them apart from its atoms.

    An atom inside an object becomes part of the object. An object that overlaps an atom is protected with it, and so is
    a mark inside a word.

    Args:
        text: Any string.
        patterns: What to find.
        ranges: The atoms that were found, in order and disjoint.
        has_markup: The document has markup of its own. So a tag in its text that has no partner is like a word.

    Raises:
        InvalidRequest: There are too many objects.
        Cancelled, DeadlineExceeded: As ``checkpoint``.
    """
    pieces = sorted(piece for choices in patterns.choices for piece in choices.finditer(text))
    syntax = [Object(begin, end, Kind.BREAK) for begin, end, is_atom in pieces if not is_atom]
    if pieces:
        atoms = [(begin, end) for begin, end, is_atom in pieces if is_atom]
        ranges = merged([*_outside(ranges, syntax), *atoms])
    marks = collected(match.span() for expression in patterns.marks for match in expression.finditer(text))
    breaks = collected(match.span() for expression in patterns.breaks for match in expression.finditer(text))
    tags = [tag for each in patterns.tags for tag in each.finditer(text)]
    brackets = [tag for each in patterns.brackets for tag in each.finditer(text)]
    alone = set(map(_place, tags)) if has_markup else set()
    found = [
        *(Object(begin, end, Kind.POINT) for begin, end in marks),
        *(Object(begin, end, Kind.BREAK) for begin, end in breaks),
        *(one for one in _paired([*tags, *brackets]) if one.pair or _place(one) not in alone),
    ]
    if not (found or syntax):
        return Objects(list(ranges), [])
    ranges = merged([*ranges, *(one[:2] for one in found if one.kind is Kind.ATOM)])
    found = [one for one in found if one.kind is not Kind.ATOM]
    objects = _disjoint(syntax, found)
    return _told_apart(text, _without_runs(ranges, objects), objects)


def _without_runs(ranges: Iterable[Range], objects: Sequence[Object]) -> list[Range]:
    """Drops the ranges of several whole objects side by side: "{b}{i}", which are variables for other expressions."""
    begins, ends = ({one[place] for one in objects} for place in (0, 1))
    runs = merged(one[:2] for one in objects)
    return [
        (begin, end)
        for begin, end in ranges
        if not (begin in begins and end in ends and end <= runs[bisect_right(runs, (begin, math.inf)) - 1][1])
    ]


def _outside(ranges: Sequence[Range], syntax: Sequence[Object]) -> list[Range]:
    """Drops the ranges that overlap the syntax of a choice by half: "{file}" in "one {file} other {files}"."""
    begins, ends = [one.begin for one in syntax], [one.end for one in syntax]
    kept = []
    for begin, end in ranges:
        around = syntax[bisect_right(ends, begin) : bisect_left(begins, end)]
        if all(begin <= one.begin and one.end <= end for one in around):
            kept.append((begin, end))
    return kept


def _place(one: Tag | Object) -> Range:
    return one[0], one[1]


def _paired(tags: Iterable[Tag]) -> list[Object]:
    """Pairs off tags by their names; a tag without another is a mark."""
    objects: list[Object] = []
    open_: list[tuple[str, int]] = []  # name, index
    counts: Counter[str] = Counter()
    for tag in sorted(tags, key=_place):
        if tag.nesting > 0:
            open_.append((tag.name, len(objects)))
            counts[tag.name] += 1
        elif tag.nesting < 0 and counts[tag.name]:
            while True:
                name, index = open_.pop()
                counts[name] -= 1
                if name == tag.name:
                    break
            pair = index + 1
            objects[index] = objects[index]._replace(kind=Kind.OPENING, pair=pair)
            objects.append(Object(tag.first, tag.last, Kind.CLOSING, pair))
            continue
        objects.append(Object(tag.first, tag.last, tag.kind))
    return objects


def _disjoint(syntax: Sequence[Object], found: Iterable[Object]) -> list[Object]:
    """Puts all objects in order; of two that overlap, the syntax of choices stays, or else the first."""
    kept: list[Object] = []
    begins = [one.begin for one in syntax]
    for one in sorted(found, key=_place):
        before = bisect_left(begins, one.end) - 1
        if before >= 0 and syntax[before].end > one.begin:
            continue
        if not kept or kept[-1].end <= one.begin:
            kept.append(one)
    return sorted([*kept, *syntax], key=_place)


def _told_apart(text: str, ranges: Sequence[Range], objects: Sequence[Object]) -> Objects:
    ends = [end for _, end in ranges]
    kept: list[Range] = []
    apart: list[Object] = []
    done = 0
    for one in objects:
        first, last = bisect_right(ends, one.begin), bisect_left(ranges, (one.end,))
        kept += ranges[done:first]
        done = max(done, last)
        if all(one.begin <= begin and end <= one.end for begin, end in ranges[first:last]):
            apart.append(one)
        else:
            kept += [one[:2], *ranges[first:last]]
    pairs = Counter(one.pair for one in apart)
    others: list[Object] = []
    for one in apart:
        if one.pair and pairs[one.pair] < 2:
            one = Object(one.begin, one.end, Kind.POINT)
        in_word = text[one.begin - 1 : one.begin].isalnum() and text[one.end : one.end + 1].isalnum()
        if one.kind is Kind.POINT and in_word:
            kept.append(one[:2])
        else:
            others.append(one)
    return Objects(merged([*kept, *ranges[done:]]), others)


def split(
    text: str,
    ranges: Sequence[Range],
    escape: Callable[[str], str] = str,
    objects: Sequence[Object] = (),
    rewrites: Mapping[Range, Rewrite] = MappingProxyType({}),
    escapes: Sequence[Escape] = (),
    *,
    as_elements: bool = False,
) -> list[Part]:
    """Cuts a text into what is translated and what stands in the ranges; ``escape`` writes the latter as markup.

    Args:
        text: Any string.
        ranges: Of the atoms, which are in order and disjoint.
        escape: Writes what isn't translated as markup.
        objects: What else stands in the text.
        rewrites: What a translation has in the place of ranges.
        escapes: What the source writes differently, in order.
        as_elements: Make parts of elements of tags; else points, since an element may reach over several sentences.
    """
    atoms = (Object(begin, end, Kind.ATOM) for begin, end in ranges)
    parts: list[Part] = []
    done = 0
    for begin, end, kind, pair in [*sorted(chain(atoms, objects), key=_place), Object(len(text), len(text), Kind.TEXT)]:
        if done < begin:
            parts.append(Part(Kind.TEXT, text[done:begin]))
        if begin < end:
            rewrite = rewrites.get((begin, end)) if kind is Kind.ATOM else None
            inside = escapes[bisect_left(escapes, (begin,)) : bisect_left(escapes, (end,))] if escapes else ()
            content = escape(as_written(text[begin:end], (one.moved(-begin) for one in inside)))
            if pair and as_elements:
                parts.append(Part(kind, content, name=f"[{pair}"))
            else:
                kind = Kind.POINT if pair else kind
                sticks = kind is Kind.POINT and (text[begin].isdigit() or text[begin] in "⁻⁺")  # of a footnote
                rewrite = rewrite and rewrite.escaped(escape)
                parts.append(Part(kind, content, rewrite=rewrite, sticks=sticks, pair=pair))
        done = end
    return parts
