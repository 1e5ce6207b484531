"""Pairs off the tags of a text, so that its elements are nested: of any source, and of plain text."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.fairness.budget import checkpoint
from app.text.inline.objects import Element, Inline, Kind, Part, Point
from app.text.inline.tokens import Tokens

# Each puts an element around everything before it, so that n of them would take memory and time in the square of n.
_MAX_STRAY_CLOSINGS = 32
_MAX_DEPTH = 32  # as of markup: an element has a path from the outermost


def balance(parts: Iterable[Part]) -> list[Part]:
    """Adds empty openings and closings, so that elements of any source are paired and nested.

    An element that is never closed ends with the element around it; one that is never opened begins with it. If many
    are never opened, as in ``<a><b></a></b>`` again and again, all but the first become points.
    """
    balanced: list[Part] = []
    begins = [0]  # where the content of each open element begins in balanced
    names: list[str] = []
    extra: list[int] = []  # where empty openings are missing
    counts: dict[str, int] = {}

    def close(part: Part | None) -> str:
        end = balanced[-1].end
        balanced.append(part or Part(Kind.CLOSING, "", begin=end, end=end))
        begins.pop()
        name = names.pop()
        counts[name] -= 1
        return name

    for part in parts:
        checkpoint()
        if part.kind is Kind.OPENING:
            balanced.append(part)
            begins.append(len(balanced))
            names.append(part.name)
            counts[part.name] = counts.get(part.name, 0) + 1
        elif part.kind is Kind.CLOSING and counts.get(part.name):
            while names[-1] != part.name:
                close(None)
            close(part)
        elif part.kind is Kind.CLOSING and len(extra) < _MAX_STRAY_CLOSINGS:
            extra.append(begins[-1])
            balanced.append(part)
        elif part.kind is Kind.CLOSING:
            balanced.append(part._replace(kind=Kind.POINT))
        else:
            balanced.append(part)
    while names:
        close(None)
    return _with_openings(balanced, extra)


def _with_openings(parts: Sequence[Part], places: Sequence[int]) -> list[Part]:
    missing: dict[int, int] = {}
    for place in places:
        missing[place] = missing.get(place, 0) + 1
    complete: list[Part] = []
    for index, part in enumerate(parts):
        complete += [Part(Kind.OPENING, "", begin=part.begin, end=part.begin)] * missing.get(index, 0)
        complete.append(part)
    return complete


def with_elements(inline: Inline) -> Inline:
    """Makes elements of the points of a plain text that are pairs of tags, but for those without a word between them.

    A tag whose other tag is in another sentence stays a point.
    """
    places = {point.order: point.next for point in inline.points if point.pair}
    partners: dict[int, list[int]] = {}
    for point in inline.points:
        if point.pair:
            partners.setdefault(point.pair, []).append(point.order)
    bounds = {pair: orders for pair, orders in partners.items() if len({places[order] for order in orders}) == 2}
    if not bounds:
        return inline
    elements = [replace(inline.elements[0])]
    innermost = array("i", [0]) * len(inline.tokens)
    open_ = [0]
    points: list[Point] = []
    done = 0
    for point in inline.points:
        checkpoint()
        innermost[done : point.next] = array("i", [open_[-1]]) * (point.next - done)
        done = point.next
        if point.pair not in bounds or (len(open_) > _MAX_DEPTH and elements[open_[-1]].pair != point.pair):
            points.append(replace(point, element=open_[-1]))
        elif point.order == bounds[point.pair][0]:
            path = (*elements[open_[-1]].path, len(elements))
            elements.append(Element(point.markup, path, point.next, point.order, pair=point.pair))
            open_.append(len(elements) - 1)
        else:
            element = elements[open_.pop()]
            element.last, element.closing = point.next, point.markup
    tokens = Tokens((begin, end, element) for (begin, end, _), element in zip(inline.tokens, innermost, strict=True))
    atoms = {index: replace(point, element=innermost[index]) for index, point in inline.atoms.items()}
    return replace(inline, tokens=tokens, elements=elements, points=points, atoms=atoms)
