"""Plain text with inline objects in it: elements, points without text, and atoms, which stand-ins replace.

HTML, XML, Markdown and protected spans are all read into this one form. ``app.text.inline.placement`` puts the objects
into a translation of the plain text.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import count
from typing import NamedTuple

from app.fairness.budget import checkpoint
from app.text.inline.codec import Codec
from app.text.inline.tokens import Tokens

# If a model has no placeholders, names replace untranslated parts, because models copy names and build a sentence
# around them. Measured on such a model with 563 sentences in which variables had replaced names and numbers, chrF of
# greedy output: names 39.5, the variable cut out and put back by alignment 38.1, numbers 37.2, "X" 37.7, the variable
# left in place 25.9. Three names are used in turn, so that a sentence seldom has one twice.
NAMES = ("Tom", "Boston", "Paris", "Berlin", "London", "Julia", "Peter", "Maria")
_IN_TURN = 3
# What stands for a break: a sentence ends there, however a client splits texts.
_SEPARATORS = "\u2029\u2028\x1e\x1d\x1c\v\f"

# Scripts that put no space between words: each character counts as a word.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_JOINED = "\u0300-\u036f\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"  # accents and the like stay with their character
_LETTER = rf"(?:(?![{UNSPACED}])\w[{_JOINED}]*+)"
# A number isn't looked for inside a longer one that was none, which would be quadratic.
TOKEN = re.compile(rf"(?<!\d[.,])\d++(?:[.,]\d++)++(?!\w)|{_LETTER}++(?:['’]{_LETTER}++)*+|\S[{_JOINED}]*+")
CHUNK = re.compile(r"\S++")  # a word with the punctuation around it
_LONG_SPACE = 3  # characters, as for ``app.text.separators``
_NUMBERED_TOM = re.compile(r"tom([1-9][0-9]{0,6})")  # of seven digits, a text has room for a few only


class Kind(Enum):
    """Kinds of parts of a marked-up text."""

    TEXT = auto()
    OPENING = auto()  # of an element
    CLOSING = auto()
    POINT = auto()  # something with a place and no text: a void element, a comment
    ATOM = auto()  # something that isn't translated but is like a word of the sentence
    BREAK = auto()  # something that isn't translated and parts two texts, such as "\\n" of a message


class Form(NamedTuple):
    """A regular expression (without groups) for a form of a stand-in in a translation, and its replacement."""

    pattern: str
    written: str


class Rewrite(NamedTuple):
    """How to write an atom that differs between languages, such as a number.

    Attributes:
        text: What a translation has instead of it.
        stand_in: What stands in for it while the sentence is translated; a name or placeholder if empty.
        forms: What the translation may have made of ``stand_in``, most likely first.
    """

    text: str
    stand_in: str = ""
    forms: tuple[Form, ...] = ()

    def escaped(self, escape: Callable[[str], str]) -> "Rewrite":
        """Returns the same rewrite, written as markup."""
        forms = tuple(Form(pattern, escape(written)) for pattern, written in self.forms)
        return Rewrite(escape(self.text), self.stand_in, forms)


class Escape(NamedTuple):
    r"""Characters of a plain text that the source writes differently: ``'`` as ``\'``, nothing as ``&``.

    Attributes:
        place: Where they begin in the text.
        length: How many they are.
        written: How the source writes them.
    """

    place: int
    length: int
    written: str

    def moved(self, distance: int) -> "Escape":
        """Returns the escape for a text that has so many more characters before it."""
        return self._replace(place=self.place + distance)


class Part(NamedTuple):
    """A piece of a marked-up text. The content of TEXT is plain; all other content is markup as the source writes it.

    ``name`` tells which OPENING a CLOSING closes; ``begin`` and ``end`` are the part's position in the source.
    ``rewrite`` is what an ATOM becomes in a translation; None if it stays as it is. ``escapes`` are those of a TEXT.
    ``sticks`` tells of a POINT that it stays directly behind the word or amount before it; ``pair`` is the number that
    it shares with another, if the two are the tags of an element, else 0.
    """

    kind: Kind
    content: str
    name: str = ""
    begin: int = 0
    end: int = 0
    rewrite: Rewrite | None = None
    sticks: bool = False
    escapes: tuple[Escape, ...] = ()
    pair: int = 0


@dataclass(slots=True)
class Element:
    """Markup around the tokens from ``first`` up to but not including ``last``.

    ``path`` holds the elements around it, outermost first, and itself; ``order`` is that of all objects; ``pair`` is as
    of ``Part``.
    """

    opening: str
    path: tuple[int, ...]
    first: int
    order: int
    last: int = 0
    closing: str = ""
    pair: int = 0


@dataclass(slots=True)
class Point:
    """Markup inside ``element``, between the token ``next`` and the one before it, at ``place`` in the text.

    ``before`` and ``after`` are the characters of the text next to it, empty at the ends. ``rewrite`` is what a
    translation has instead of ``markup``, if anything. ``sticks`` and ``pair`` as of ``Part``.
    """

    markup: str
    element: int
    next: int
    order: int
    place: int
    before: str
    after: str = ""
    rewrite: Rewrite | None = None
    sticks: bool = False
    pair: int = 0

    def written(self, form: int | None = None) -> str:
        """The markup as a translation has it that made this form of the stand-in."""
        if self.rewrite is None:
            return self.markup
        return self.rewrite.text if form is None else self.rewrite.forms[form].written

    @property
    def touches(self) -> tuple[bool, bool]:
        """Whether it stands right behind a letter or digit, and right before one."""
        return self.before.isalnum(), self.after.isalnum()


@dataclass(slots=True)
class Inline:
    """A plain text and the objects in it.

    Attributes:
        text: The plain text, with a stand-in for each atom.
        tokens: Its words and punctuation marks; none reaches over markup.
        elements: In the order of their openings; the first is the whole text.
        points: In order.
        atoms: The markup that a stand-in replaces, by the index of its token.
        spaced: Spaces that the source doesn't have separate stand-ins from the words that they touch. Models drop words
            that a stand-in touches: "the \ue000page\ue001".
        escapes: Characters of the text that the source writes differently, in order.
        codec: How a translation is written where the source has escapes; None to write it as it is.
    """

    text: str = ""
    tokens: Tokens = field(default_factory=Tokens)
    elements: list[Element] = field(default_factory=lambda: [Element("", (0,), 0, 0)])
    points: list[Point] = field(default_factory=list)
    atoms: dict[int, Point] = field(default_factory=dict)
    spaced: bool = False
    escapes: list[Escape] = field(default_factory=list)
    codec: Codec | None = None

    @property
    def has_rewrites(self) -> bool:
        """Whether the target writes an atom differently: then even an unchanged translation differs from the source."""
        return any(point.rewrite and point.rewrite.text != point.markup for point in self.atoms.values())

    def word(self, token: int) -> str:
        """The token's text."""
        return self.text[self.tokens.begins[token] : self.tokens.ends[token]]


def breaks_line(space: str) -> bool:
    """Tells whether the text has a line break of any kind."""
    return len(f"{space}.".splitlines()) > 1


def read(parts: Sequence[Part], *, spaced: bool = False, codec: Codec | None = None) -> Inline:
    """Reads parts whose openings and closings pair off (see ``balance``); ``spaced``, ``codec`` as in ``Inline``."""
    reader = _Reader(parts, spaced, codec)
    for part in parts:
        checkpoint()
        reader.read(part)
    return reader.finish()


class _Reader:
    def __init__(self, parts: Sequence[Part], spaced: bool, codec: Codec | None) -> None:
        text = "".join(part.content for part in parts if part.kind is Kind.TEXT)
        self._names = _stand_ins(text)
        self._separator = next((one for one in _SEPARATORS if one not in text), "")
        self._result = Inline(spaced=spaced, codec=codec)
        self._open = [_Open(0, 0, 0, 0)]
        self._raw: list[str] = []  # every part as it is, to write an element without text in one piece
        self._plain: list[str] = []
        self._length = 0
        self._last = ""  # character of the text so far
        self._behind_atom = False
        self._waiting: list[Point] = []  # points since the last text; the text after them is not known yet

    def read(self, part: Part) -> None:
        match part.kind:
            case Kind.TEXT:
                self._text(part.content, part.escapes)
            case Kind.OPENING:
                self._opening(part.content)
            case Kind.CLOSING:
                self._closing(part.content)
            case Kind.POINT:
                self._point(part)
            case Kind.ATOM:
                self._atom(part)
            case Kind.BREAK:
                self._atom(part._replace(rewrite=Rewrite(part.content, self._separator)))

    def finish(self) -> Inline:
        self._result.text = "".join(self._plain)
        self._result.elements[0].last = len(self._result.tokens)
        return self._result

    def _text(self, content: str, escapes: Sequence[Escape] = ()) -> None:
        follows_markup = bool(self._raw)
        self._raw.append(content)
        if self._behind_atom:
            self._keep_off(content[:1], before=self._waiting)
            self._behind_atom = False
        self._meet(content[:1])
        # Markup stands between two spaces, of which one is enough; in plain text both are meant.
        if follows_markup and not self._result.spaced and not self._last.strip() and self._last != self._separator:
            rest = content.lstrip()
            if not breaks_line(content[: len(content) - len(rest)]):  # XML keeps them
                content = rest
        self._result.escapes += (escape.moved(self._length) for escape in escapes)
        self._append(content)

    def _opening(self, markup: str) -> None:
        elements = self._result.elements
        path = (*elements[self._open[-1].element].path, len(elements))
        self._open.append(_Open(len(elements), len(self._result.points), len(self._raw), len(self._plain), self._last))
        elements.append(Element(markup, path, len(self._result.tokens), len(self._raw)))
        self._raw.append(markup)

    def _closing(self, markup: str) -> None:
        self._raw.append(markup)
        opened = self._open.pop()
        element = self._result.elements[opened.element]
        element.last, element.closing = len(self._result.tokens), markup
        if element.first == element.last:
            self._close_empty(opened)

    def _close_empty(self, opened: "_Open") -> None:
        """Makes one point of an element without words. Its white space is that of the text, or parts texts if long."""
        raw, space = self._raw[opened.raw :], "".join(self._plain[opened.plain :])
        del self._result.elements[opened.element :], self._result.points[opened.points :], self._raw[opened.raw :]
        while self._waiting and self._waiting[-1].element >= opened.element:
            self._waiting.pop()
        if len(space) < _LONG_SPACE or breaks_line(space):
            whole = "".join(piece for piece in raw if not space or breaks_line(space) or not piece.isspace())
            self._point(Part(Kind.POINT, whole), before=opened.before)
            return
        del self._plain[opened.plain :]
        self._length, self._last = self._length - len(space), opened.before
        self.read(Part(Kind.BREAK, "".join(raw)))

    def _point(self, part: Part, *, before: str | None = None) -> None:
        point = self._new_point(part.content, self._last if before is None else before)
        point.sticks, point.pair = part.sticks, part.pair
        self._result.points.append(point)
        self._waiting.append(point)

    def _atom(self, part: Part) -> None:
        name = self._names[len(self._result.atoms) % len(self._names)]
        if part.rewrite and part.rewrite.stand_in:
            name = part.rewrite.stand_in
        self._meet("" if self._behind_atom else name[0])  # two stand-ins that touch need no space between them
        before = self._last
        self._keep_off(before)
        point = self._new_point(part.content, before)
        point.rewrite = part.rewrite
        self._result.atoms[len(self._result.tokens)] = point
        self._append(name, [(0, len(name))])
        self._waiting.append(point)
        self._behind_atom = True

    def _new_point(self, markup: str, before: str) -> Point:
        element, token = self._open[-1].element, len(self._result.tokens)
        point = Point(markup, element, token, len(self._raw), self._length, before)
        self._raw.append(markup)
        return point

    def _keep_off(self, neighbour: str, before: Sequence[Point] = ()) -> None:
        """Parts a stand-in from its neighbour; the points between the two stand before the neighbour."""
        if self._result.spaced and neighbour.isalnum():
            end = self._length
            self._append(" ")
            for point in before:
                if point.place == end:
                    point.place = self._length

    def _meet(self, after: str) -> None:
        for point in self._waiting:
            point.after = after
        self._waiting.clear()

    def _append(self, content: str, tokens: Iterable[tuple[int, int]] | None = None) -> None:
        element = self._open[-1].element
        if tokens is None:
            tokens = (match.span() for match in TOKEN.finditer(content))
        for begin, end in tokens:
            self._result.tokens.append(self._length + begin, self._length + end, element)
        self._plain.append(content)
        self._length += len(content)
        self._last = content[-1:] or self._last


class _Open(NamedTuple):
    """An element that is not closed yet, with the number of objects of each kind at its opening."""

    element: int
    points: int
    raw: int
    plain: int
    before: str = ""


def _stand_ins(text: str) -> list[str]:
    """Yields names that do not occur in the text."""
    folded = text.casefold()
    names = [name for name in NAMES if name.casefold() not in folded]
    if names:
        return names[:_IN_TURN]
    taken = {int(match[1][:size]) for match in _NUMBERED_TOM.finditer(folded) for size in range(1, len(match[1]) + 1)}
    return [next(f"Tom{number}" for number in count(2) if number not in taken)]
