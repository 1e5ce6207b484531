"""Spans that a translation must keep unchanged: placeholders, variables, names of things.

patterns = compile_patterns(["{{name}}", "%s", "regex:[$][A-Z_]+"])
protected = protect(text, patterns)
restored = protected.restore(translation_of(protected.text), links)
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import pairwise
from typing import NamedTuple

from app.text.inline.balance import with_elements
from app.text.inline.objects import Element, Inline, read
from app.text.inline.placement import Edit, apply, place
from app.text.inline.target_tokens import Link
from app.text.inline.tokens import Tokens
from app.text.protection.decoding import decode
from app.text.protection.found_objects import find_objects, split
from app.text.protection.patterns import Patterns, find_all, rewrites_of


class Offsets:
    """Where the characters of a string are after parts of it were replaced."""

    def __init__(self, edits: Iterable[tuple[int, int, int]]) -> None:
        """Takes (begin, end, new length), in order and disjoint."""
        self._begins, self._ends, self._lengths = array("i"), array("i"), array("i")
        self._moved = array("i", [0])
        for begin, end, length in edits:
            self._begins.append(begin)
            self._ends.append(end)
            self._lengths.append(length)
            self._moved.append(self._moved[-1] + length - (end - begin))

    @classmethod
    def of(cls, edits: Iterable[tuple[int, int, str]]) -> "Offsets":
        """Where the characters of a string are after these edits."""
        return cls((begin, end, len(new)) for begin, end, new in edits)

    def begin(self, offset: int) -> int:
        """Returns the new begin of a range; for an offset inside a replaced part, the start of its replacement."""
        index = bisect_right(self._ends, offset)
        while index and self._begins[index - 1] == offset:  # inserted at the offset: belongs to the range
            index -= 1
        inside = index < len(self._begins) and self._begins[index] < offset
        return (self._begins[index] if inside else offset) + self._moved[index]

    def end(self, offset: int) -> int:
        """Returns the new end of a range; for an offset inside a replaced part, the end of its replacement."""
        index = bisect_right(self._ends, offset)
        if index < len(self._begins) and self._begins[index] < offset:
            return self._begins[index] + self._moved[index] + self._lengths[index]
        return offset + self._moved[index]


def moved(links: Iterable[Link], source: Offsets, target: Offsets) -> tuple[Link, ...]:
    """Returns the links between the texts after parts of both texts were replaced."""
    return tuple(
        Link(
            source.begin(link.source_begin),
            source.end(link.source_end),
            target.begin(link.target_begin),
            target.end(link.target_end),
        )
        for link in links
    )


class Restored(NamedTuple):
    """A translation with every protected span in it, exactly once.

    Attributes:
        text: The translation.
        lost: The spans that the translation gave no place to; they stand where they probably belong.
        offsets: From places in the translation as it was to places in ``text``.
    """

    text: str
    lost: tuple[str, ...]
    offsets: Offsets


@dataclass(frozen=True)
class Protected:
    """A text in which a stand-in that models copy replaces each protected span.

    Attributes:
        text: The text with stand-ins, which is translated.
        spans: The protected spans, in order.
        offsets: Map positions in ``text`` to positions in ``source``.
        source: The original text.
    """

    text: str
    spans: tuple[str, ...]
    offsets: Offsets
    source: str
    _inline: Inline

    @property
    def differs(self) -> bool:
        """Whether the text has protected spans, marks between words, or characters that are written differently."""
        return bool(self._inline.atoms or self._inline.points or self._inline.escapes)

    @property
    def has_words_only(self) -> bool:
        """Whether nothing in the text is like a word and isn't translated."""
        return not self._inline.atoms

    @property
    def hides_words(self) -> bool:
        """Whether the model sees a placeholder or another stand-in for something, and no date or number."""
        return not all(atom.rewrite and atom.rewrite.stand_in for atom in self._inline.atoms.values())

    @property
    def is_translatable(self) -> bool:
        """Whether the text has a letter outside of the protected spans."""
        inline = self._inline
        return any(
            any(map(str.isalpha, inline.word(index)))
            for index in range(len(inline.tokens))
            if index not in inline.atoms
        )

    def lacks_words(self, translation: str) -> bool:
        """Whether a translation has no letter though the text has words: a model took placeholders for a list."""
        return bool(self._inline.atoms) and self.is_translatable and not any(map(str.isalpha, translation))

    @property
    def stand_ins(self) -> tuple[tuple[int, int], ...]:
        """Returns the ranges of the stand-ins in ``text``, as (begin, end)."""
        tokens = (self._inline.tokens[index] for index in self._inline.atoms)
        return tuple((token.begin, token.end) for token in tokens)

    def kept(self) -> Iterator[tuple[int, int]]:
        """Yields the ranges of ``source`` that a translation has as they are: no numbers, which are written anew."""
        done = 0
        for point in self._inline.atoms.values():
            begin = self.source.find(point.markup, done)
            if begin < 0:
                continue
            done = begin + len(point.markup)
            if point.rewrite is None:
                yield begin, done

    def rewrites(self) -> list[Edit]:
        """Returns how the target writes the numbers of ``source``, in order."""
        tokens = self._inline.tokens
        return [
            Edit(self.offsets.begin(tokens.begins[index]), self.offsets.end(tokens.ends[index]), point.rewrite.text)
            for index, point in self._inline.atoms.items()
            if point.rewrite and point.rewrite.text != point.markup
        ]

    def hide(self, translation: str) -> str:
        """Replaces the spans in the beginning of a translation by their stand-ins, each once."""
        for (begin, end), span in zip(self.stand_ins, self.spans, strict=True):
            translation = translation.replace(span, self.text[begin:end], 1)
        return translation

    def hidden(self, translation: str) -> str | None:
        """Replaces the spans of a whole translation by their stand-ins; None unless each span occurs exactly once."""
        edits = []
        for index, point in self._inline.atoms.items():
            stand_in, written = self._inline.word(index), point.written()
            if translation.count(written) != 1 or stand_in in translation:
                return None
            begin = translation.index(written)
            edits.append(Edit(begin, begin + len(written), stand_in))
        edits.sort()
        if any(one.end > other.begin for one, other in pairwise(edits)):
            return None
        return apply(edits, translation)

    def part(self, begin: int, end: int) -> "Protected":
        """Returns a range of ``text``, such as a sentence; the range must not split a stand-in."""
        inline = self._inline
        first, last = (bisect_left(inline.tokens.begins, place) for place in (begin, end))
        tokens = Tokens((token.begin - begin, token.end - begin, 0) for token in inline.tokens.part(first, last))
        atoms = {
            index - first: replace(inline.atoms[index], element=0, next=inline.atoms[index].next - first)
            for index in range(first, last)
            if index in inline.atoms
        }
        root = Element("", (0,), 0, 0, len(tokens))
        # A point at the boundary belongs to the next part, unless white space follows.
        ends_here = not self.text[end : end + 1].strip()
        from_point = bisect_left(inline.points, begin, key=lambda point: point.place)
        to_point = bisect_left(inline.points, end + ends_here, key=lambda point: point.place)
        points = [
            replace(point, element=0, next=point.next - first, place=point.place - begin)
            for point in inline.points[from_point:to_point]
            if inline.spaced  # points of markup belong to the whole text
        ]
        escapes = [one.moved(-begin) for one in inline.escapes if begin <= one.place < end]
        codec = inline.codec
        if codec and codec.mnemonic and all(one.length for one in escapes):
            codec = codec.without_mnemonic()
        part = Inline(self.text[begin:end], tokens, [root], points, atoms, inline.spaced, escapes, codec)
        return with_stand_ins(part)

    def restore(self, translation: str, links: Sequence[Link] = ()) -> Restored:
        """Puts the spans into the translation of ``text``, each exactly once and as it was.

        Args:
            translation: Of ``text``; if it is ``text``, the text as it was comes back, with numbers in the target's
                notation.
            links: The alignment of ``text`` and the translation. Without it, a span whose stand-in is gone goes where
                it would be if words kept their order.
        """
        if translation == self.text and not self._inline.has_rewrites:
            return Restored(self.source, (), self.offsets)
        edits, lost = place(with_elements(self._inline), translation, links)
        return Restored(apply(edits, translation), lost, Offsets.of(edits))

    def restore_links(self, links: Iterable[Link], restored: Restored) -> tuple[Link, ...]:
        """Turns links of ``text`` and its translation into links of ``source`` and the restored translation."""
        return moved(links, self.offsets, restored.offsets)


def protect(text: str, patterns: Patterns, placeholders: Sequence[str] = (), *, by_line: bool = False) -> Protected:
    """Finds the spans that the patterns protect; matches that overlap or touch are one span.

    Args:
        text: Any string.
        patterns: What to protect.
        placeholders: Characters that the model carries over exactly once.
        by_line: See ``with_placeholders``.

    Raises:
        InvalidRequest: The search takes too long, or finds too much.
    """
    decoded = decode(text, patterns.decoders)
    text = decoded.text
    ranges, rewrites, _ = find_all(text, patterns, with_marks=False)
    objects = find_objects(text, patterns, ranges)
    parts = split(text, objects.ranges, objects=objects.others, rewrites=rewrites_of(text, objects.ranges, rewrites))
    inline = read(decoded.undone(parts), spaced=True, codec=decoded.codec)
    return with_stand_ins(with_placeholders(inline, placeholders, by_line=by_line))


def protect_ranges(text: str, ranges: Sequence[tuple[int, int]], placeholders: Sequence[str] = ()) -> Protected:
    """Protects the text in the given ranges, which are in order and disjoint."""
    return with_stand_ins(with_placeholders(read(split(text, ranges), spaced=True), placeholders))


def with_placeholders(inline: Inline, placeholders: Sequence[str], *, by_line: bool = False) -> Inline:
    """Replaces the stand-ins by placeholders, in turn, if there are placeholders that the text doesn't have.

    If each line is a text of its own (``by_line``), its stand-ins don't depend on those of other lines.
    """
    free = [placeholder for placeholder in placeholders if placeholder not in inline.text]
    if not free or not inline.atoms:
        return inline
    open_ = [index for index, point in inline.atoms.items() if not (point.rewrite and point.rewrite.stand_in)]
    turns = _turns(inline, open_, by_line=by_line)
    edits = [Edit(*inline.tokens[index][:2], free[turn % len(free)]) for index, turn in zip(open_, turns, strict=True)]
    offsets = Offsets.of(edits)
    tokens = Tokens((offsets.begin(begin), offsets.end(end), element) for begin, end, element in inline.tokens)
    points = [replace(point, place=offsets.end(point.place)) for point in inline.points]
    escapes = [escape._replace(place=offsets.end(escape.place)) for escape in inline.escapes]
    return replace(inline, text=apply(edits, inline.text), tokens=tokens, points=points, escapes=escapes)


def _turns(inline: Inline, indices: Iterable[int], *, by_line: bool) -> Iterator[int]:
    """Numbers tokens from 0, in each line if lines are texts."""
    turn = done = 0
    for index in indices:
        begin = inline.tokens[index].begin
        if by_line and "\n" in inline.text[done:begin]:
            turn = 0
        yield turn
        turn, done = turn + 1, begin


def with_stand_ins(inline: Inline) -> Protected:
    """Makes a protected text of a plain text with stand-ins."""
    points = inline.points if inline.spaced else ()
    edits = [(point.order, Edit(point.place, point.place, point.markup)) for point in points]
    for index, point in inline.atoms.items():
        token, (behind, before) = inline.tokens[index], point.touches
        begin = max(0, token.begin - (inline.spaced and behind))
        end = min(len(inline.text), token.end + (inline.spaced and before))
        edits.append((point.order, Edit(begin, end, point.markup)))
    disjoint: list[Edit] = []
    for _, (begin, end, markup) in sorted(edits):
        done = disjoint[-1].end if disjoint else 0  # beyond a point that stands before the space behind an atom
        disjoint.append(Edit(max(begin, done), max(end, done), markup))
    if inline.escapes:
        own = (Edit(place, place + length, written) for place, length, written in inline.escapes)
        disjoint = list(merge(disjoint, own, key=lambda edit: edit[:2]))
    spans = tuple(point.markup for point in inline.atoms.values())
    return Protected(inline.text, spans, Offsets.of(disjoint), apply(disjoint, inline.text), inline)
