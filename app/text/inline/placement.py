"""Puts the inline objects of a text into its translation, by word alignment.

The idea is Bergamot's: each target word takes the elements of the source word that it is aligned to. But an element is
never repeated. It encloses the one range of words that contains most of its own words, so that the translation has
exactly the objects of the source, nested as they were.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from app.fairness.budget import checkpoint
from app.text.inline.codec import Codec
from app.text.inline.gaps import Edit, with_gaps
from app.text.inline.objects import Element, Inline, Point, breaks_line
from app.text.inline.stretches import best_stretches, spread
from app.text.inline.target_tokens import Ints, Link, align, read_target

__all__ = ["Edit", "Placement", "apply", "place"]

_MARKS = frozenset(",.;:!?-")
# Weight of a stand-in for something inside an element: it certainly belongs to the element.
_ATOM_WEIGHT = 1000
_LETTER_WEIGHT = 1e-6
_REACH = 3  # words to either side
_INNERMOST = 1_000  # deeper than all elements


class Placement(NamedTuple):
    """Edits that put all objects into a translation, in order; the atoms whose position is a guess; dropped marks."""

    edits: tuple[Edit, ...]
    lost: tuple[str, ...]


def apply(edits: Iterable[tuple[int, int, str]], text: str, escape: Callable[[str], str] = str) -> str:
    """Carries out edits that are in order; ``escape`` is for the text that stays."""
    pieces: list[str] = []
    done = 0
    for begin, end, replacement in edits:
        pieces += escape(text[done:begin]), replacement
        done = end
    pieces.append(escape(text[done:]))
    return "".join(pieces)


def disjoint(edits: Iterable[Edit]) -> list[Edit]:
    """Sorts edits; of two that overlap, the first one stays."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if not kept or kept[-1].end <= edit.begin:
            kept.append(edit)
    return kept


def place(inline: Inline, translation: str, links: Sequence[Link], *, coarse: bool = False) -> Placement:
    """Finds a position in the translation for every object, each exactly once.

    The time is proportional to the length of the text and to the nesting depth of its elements.

    Args:
        inline: The source.
        translation: Any string.
        links: The alignment of ``inline.text`` and the translation. Without links, words are assumed to keep their
            order.
        coarse: Put elements only around whole words between spaces, for a syntax that needs this. No element is empty
            if there are words for all. If there are not, elements that open and close with the same mark are dropped
            and reported as lost.
    """
    return _Placing(inline, translation, links, coarse).run()


class _Placing:
    def __init__(self, inline: Inline, translation: str, links: Sequence[Link], coarse: bool) -> None:
        self._inline, self._translation, self._coarse = inline, translation, coarse
        self._source_begins = inline.tokens.begins
        self._target = read_target(inline, translation, links, coarse)
        self._size = len(self._target.begins)
        self._aligned = align(self._source_begins, self._target, links)
        self._align_punctuation()
        self._first_hit, self._last_hit, self._hit_before = self._hits()
        self._need = self._needs()
        self._ranges, self._innermost = self._place_elements()
        self._marks: list[tuple[tuple[int, ...], Edit]] = []
        self._dropped: list[str] = []

    def run(self) -> Placement:
        """Collects the edits of everything."""
        inline, target = self._inline, self._target
        kept = {source for _, _, source, _ in target.stand_ins}
        lost = [point for index, point in inline.atoms.items() if index not in kept]
        points = [*inline.points, *lost]
        # Elements without words are written in one piece, innermost first.
        inside: dict[int, list[Point]] = {}
        for point in points:
            inside.setdefault(point.element, []).append(point)
        for index in range(len(inline.elements) - 1, 0, -1):
            checkpoint()
            element = inline.elements[index]
            parent = element.path[-2]
            begin, end = self._ranges[index]
            own = inside.get(index, [])
            if begin < end:
                for point in own:
                    self._mark_point(point)
                self._mark_element(element, begin, end)
            else:
                inside.setdefault(parent, []).append(self._as_point(element, parent, own))
        for point in inside.get(0, []):
            self._mark_point(point)
        done, before = 0, None
        for begin, end, source, markup in target.stand_ins:
            if not inline.spaced and self._touched(before, source) and self._translation[done:begin] == " ":
                # Models put a space between the pieces of "<b>1,234</b>.50".
                self._marks.append(((done, 9), Edit(done, begin, "")))
            before = source
            if source is not None:
                begin, end, markup = with_gaps(inline, source, Edit(begin, end, markup), self._translation, done)
            self._marks.append(((begin, 2), Edit(begin, end, markup)))
            done = end
        if inline.codec:
            self._mark_escapes(inline.codec)
        edits: list[Edit] = []
        done = 0  # a mark may stand in the gap of an atom
        for _, (begin, end, markup) in sorted(self._marks, key=lambda mark: mark[0]):
            edits.append(Edit(max(begin, done), max(end, done), markup))
            done = edits[-1].end
        return Placement(tuple(edits), (*(point.markup for point in lost), *self._dropped))

    def _mark_escapes(self, codec: Codec) -> None:
        """Writes the words of the translation as the source writes its own."""
        begins = [begin for begin, *_ in self._target.stand_ins]
        for begin, end, written in codec.edits(self._translation):
            before = bisect_right(begins, begin) - 1
            if before < 0 or self._target.stand_ins[before][1] <= begin:
                self._marks.append(((begin, 2 if begin < end else 1, _INNERMOST), Edit(begin, end, written)))

    def _touched(self, one: int | None, other: int | None) -> bool:
        """Whether two atoms, tokens of the source, stand side by side there without a space."""
        if one is None or other is None or other != one + 1:
            return False
        return self._inline.tokens[one].end == self._inline.tokens[other].begin

    def _align_punctuation(self) -> None:
        """Corrects a common error of models: a full stop linked to the word before the source's full stop."""
        inline, target = self._inline, self._target
        for index, source in enumerate(self._aligned):
            mark = self._translation[target.begins[index] : target.ends[index]]
            if mark[:1].isalnum() or index in target.atoms or source + 1 >= len(inline.tokens):
                continue
            if inline.word(source) != mark == inline.word(source + 1):
                self._aligned[index] = source + 1

    def _hits(self) -> tuple[Ints, Ints, Ints]:
        """For each source token: first and last aligned target token, and the nearest aligned source token before.

        All are -1 where there is none.
        """
        first, last, before = (array("i", [-1]) * len(self._source_begins) for _ in range(3))
        for index, source in enumerate(self._aligned):
            if source < len(first):
                first[source] = index if first[source] < 0 else first[source]
                last[source] = index
        latest = -1
        for source, hit in enumerate(first):
            checkpoint()
            latest = source if hit >= 0 else latest
            before[source] = latest
        return first, last, before

    def _place_elements(self) -> tuple[list[tuple[int, int]], list[int]]:
        """Returns the range of target tokens of each element, and the innermost element of each target token."""
        elements, tokens = self._inline.elements, self._inline.tokens
        ranges = [(0, 0)] * len(elements)
        ranges[0] = (0, self._size)
        innermost = [0] * self._size
        children: dict[int, list[int]] = {}
        for index, element in enumerate(elements[1:], 1):
            children.setdefault(element.path[-2], []).append(index)
        for index, element in enumerate(elements):
            checkpoint()
            begin, end = ranges[index]
            innermost[begin:end] = [index] * (end - begin)
            if index not in children:
                continue
            depth = len(element.path)
            owners: list[int | None] = []
            for token, source in enumerate(self._aligned[begin:end], begin):
                path = elements[tokens.elements[source]].path
                is_inside = len(path) > depth and path[depth - 1] == index and not self._is_new_mark(token, source)
                owners.append(path[depth] if is_inside else None)
            weights = [self._weight(token) for token in range(begin, end)]
            stretches = best_stretches(owners, weights)
            for child, (first, last) in stretches.items():
                owners[first:last] = [child] * (last - first)
            for child in children[index]:
                if child not in stretches and self._coarse:
                    centre = self._centre(elements[child]) - begin
                    stretches[child] = (centre, centre)
                elif child not in stretches:
                    stretches[child] = self._free_word(elements[child], begin, owners)
            if self._coarse:
                stretches = spread(stretches, self._need, end - begin)
            for child, (first, last) in stretches.items():
                ranges[child] = (begin + first, begin + last)
        return ranges, innermost

    def _is_new_mark(self, token: int, source: int) -> bool:
        """Tells a mark for which the source has a word, such as a comma before "which"."""
        mark = self._translation[self._target.begins[token]]
        return token not in self._target.atoms and mark in _MARKS and self._inline.word(source)[:1].isalnum()

    def _weight(self, token: int) -> float:
        """The weight of a target token; of equal stretches, that with more letters has the word of content."""
        if token in self._target.atoms:
            return _ATOM_WEIGHT
        return 1 + _LETTER_WEIGHT * (self._target.ends[token] - self._target.begins[token])

    def _needs(self) -> list[int]:
        """Returns how many words each element needs, so that no element in it is empty."""
        elements = self._inline.elements
        needs = [0] * len(elements)
        for index in range(len(elements) - 1, 0, -1):
            needs[index] = needs[index] or 1
            needs[elements[index].path[-2]] += needs[index]
        return needs

    def _centre(self, element: Element) -> int:
        """Returns a target token for an element without aligned tokens: the one next to the text before it."""
        nearest = self._hit_before[element.first]
        return self._last_hit[nearest] if nearest >= 0 else 0

    def _free_word(self, element: Element, begin: int, owners: list[int | None]) -> tuple[int, int]:
        """Finds a nearby word for an element without aligned words, so that no link is empty."""
        if all(token in self._inline.atoms for token in range(element.first, element.last)):
            return 0, 0
        centre = self._centre(element) - begin
        for place in sorted(range(centre - _REACH, centre + _REACH + 1), key=lambda place: abs(place - centre)):
            if not 0 <= place < len(owners) or owners[place] is not None or begin + place in self._target.atoms:
                continue
            if self._translation[self._target.begins[begin + place]].isalnum():
                owners[place] = element.path[-1]
                return place, place + 1
        return 0, 0

    def _as_point(self, element: Element, parent: int, own: Sequence[Point]) -> Point:
        """Places an element that has no target words, with its content, as a point."""
        gap = " " if self._coarse else ""  # two code spans side by side would be one
        markup = gap.join(point.written() for point in sorted(own, key=lambda point: point.order))
        if self._coarse and element.opening == element.closing:
            self._dropped += [element.opening] if element.opening else []
        else:
            markup = element.opening + markup + element.closing
        text, tokens = self._inline.text, self._inline.tokens
        begin, end = tokens[element.first].begin, tokens[element.last - 1].end
        return Point(
            markup,
            parent,
            element.first,
            element.order,
            begin,
            before=text[begin - 1 : begin],
            after=text[end : end + 1],
        )

    def _mark_element(self, element: Element, begin: int, end: int) -> None:
        depth = len(element.path) - 1
        opening, closing = self._target.begins[begin], self._target.ends[end - 1]
        self._marks.append(((opening, 1, depth, 1, element.order), Edit(opening, opening, element.opening)))
        self._marks.append(((closing, 0, -depth, 0, element.order), Edit(closing, closing, element.closing)))

    def _mark_point(self, point: Point) -> None:
        """Puts a point next to the translation of its neighbouring word."""
        if not point.markup:  # of a dropped element
            return
        gap, before_gap = self._gap(point)
        offset = self._offset_among_lines(point, gap)
        if offset is not None:
            self._marks.append(((offset, 0, 0, 1, point.order), Edit(offset, offset, point.written())))
            return
        depth = len(self._inline.elements[point.element].path)
        if not self._size:
            offset, key = len(self._translation), (0, 0, 0, point.order)
        elif before_gap:
            offset, key = self._target.ends[gap - 1], (0, -depth, 1, point.order)
        else:
            offset, key = self._target.begins[gap], (1, depth, 0, point.order)
        before, after = self._translation[offset - 1 : offset], self._translation[offset : offset + 1]
        gap_before = self._parts(point.before, before)
        if point.sticks:  # "€19 1)" is for "19 €1)"
            gap_before = point.markup[0].isdecimal() and self._written_before(offset).isdecimal()
        markup = " " * gap_before + point.written() + " " * self._parts(point.after, after)
        self._marks.append(((offset, *key), Edit(offset, offset, markup)))

    def _offset_among_lines(self, point: Point, gap: int) -> int | None:
        """Returns the position of a point in white space with line breaks, if the gap has the same white space."""
        tokens, target = self._inline.tokens, self._target
        if not (0 < gap < self._size and 0 < point.next < len(tokens)):
            return None
        source_begin, begin = tokens[point.next - 1].end, target.ends[gap - 1]
        space = self._inline.text[source_begin : tokens[point.next].begin]
        if not breaks_line(space) or space != self._translation[begin : target.begins[gap]]:
            return None
        return begin + point.place - source_begin

    def _gap(self, point: Point) -> tuple[int, bool]:
        """Returns the target token that a point stands before, and whether the point sticks to the token before it."""
        begin, end = self._ranges[point.element]
        gap, before_gap = self._projected(point)
        gap = min(max(gap, begin), end)
        if begin < gap < end:
            left, right = (self._child_at(point.element, token) for token in (gap - 1, gap))
            if left is not None and left == right:  # not into an element that it wasn't in
                first, last = self._ranges[left]
                gap, before_gap = (first, False) if gap - first <= last - gap else (last, True)
        if gap == begin:
            before_gap = False
        elif gap == end:
            before_gap = True
        return gap, before_gap

    def _projected(self, point: Point) -> tuple[int, bool]:
        """Returns the same by alignment alone: next to the neighbours that the point had inside its element."""
        if point.sticks and (before := self._hit_before[point.next - 1]) >= 0:
            return self._behind(before), True
        element = self._inline.elements[point.element]
        before = self._hit_before[point.next - 1] if point.next > element.first else -1
        after = point.next if point.next < element.last and self._first_hit[point.next] >= 0 else -1
        touches_word = point.before.isalnum() and not point.after.isalnum()
        sticks_to_before = touches_word or (point.after.isspace() and not point.before.isspace())
        if before >= element.first and (after < 0 or sticks_to_before):
            return self._last_hit[before] + 1, True
        return (self._first_hit[after] if after >= 0 else self._ranges[point.element][0]), False

    def _behind(self, source: int) -> int:
        """Returns the target token behind the translation of a source token, with the name of its currency."""
        atom = self._inline.atoms.get(source)
        if atom is None:
            return self._last_hit[source] + 1
        place = next((place for place, held in self._target.atoms.items() if held == source), self._last_hit[source])
        if not atom.rewrite or self._written_before(self._target.ends[place]) == atom.rewrite.text[-1]:
            return place + 1
        end = min(self._size, place + _REACH)  # "19 US dollars", where the symbol became a word
        while place + 1 < end and self._aligned[place + 1] == source and self._is_name(place + 1):
            place += 1
        return place + 1

    def _written_before(self, offset: int) -> str:
        """Returns the character that comes before a place in the end, when all stand-ins are replaced."""
        replaced = (markup for _, end, _, markup in self._target.stand_ins if end == offset and markup)
        return next(replaced, self._translation[:offset])[-1:]

    def _is_name(self, place: int) -> bool:
        return place not in self._target.atoms and self._translation[self._target.begins[place]].isalpha()

    def _parts(self, source: str, target: str) -> bool:
        """Whether a space must part markup from the character next to it, given the one that was next to it."""
        if self._coarse:
            return bool(target.strip())
        is_word = target.isalnum() or "\ue000" <= target <= "\uf8ff"  # the latter are placeholders
        return is_word and not source.isalnum()

    def _child_at(self, parent: int, token: int) -> int | None:
        """Returns the direct child of an element that contains a target token."""
        elements = self._inline.elements
        path, depth = elements[self._innermost[token]].path, len(elements[parent].path)
        return path[depth] if len(path) > depth and path[depth - 1] == parent else None
