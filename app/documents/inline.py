"""Formatted text as inline markup, the form that all formats share. The markup pipeline translates it.

A paragraph of a word processor, a cell or a subtitle becomes a line of XML: ``Das ist <g0>fett</g0>.<x id="1"/>``. The
numbers stand for objects of the format, such as the formatting of a run, a footnote or a field. In the translation,
each tag is there exactly once and the elements are nested as they were (``app.text.inline``), so the format can write
its runs back. The names are XLIFF's: ``g`` is a group, ``x`` a placeholder; ``sup`` is a raised group, which may be the
mark of a footnote (``app.text.markup.footnotes``).
"""

import html
import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, NamedTuple

from app.errors import DocumentTooLarge
from app.text.markup.scope import Rules, is_place_of_word

INLINE = Rules(
    syntax="xml",
    outline_detection=False,
    splitting_tags=frozenset({"br"}),
    ignore_tags=frozenset({"m"}),
    has_empty_words=False,
)
"""How to read the markup that ``InlineBuilder`` writes."""

_MAX_OBJECTS = 10_000  # of one paragraph; a page of a book has some 20
_TAG = re.compile(r'<(?:(/?)(?:g|sup)([0-9]+)|(x|br) id="([0-9]+)"/|(m) id="([0-9]+)"></m)>')


class Kind(Enum):
    """Kinds of events."""

    TEXT = auto()
    OPEN = auto()
    CLOSE = auto()
    OBJECT = auto()


class Event(NamedTuple):
    """A piece of inline markup: a text, or an object of the format."""

    kind: Kind
    text: str
    object: Any = None


class InlineBuilder:
    """Writes the markup of one paragraph; its methods raise ``DocumentTooLarge`` if it has too many objects.

    Attributes:
        markup: What was written so far.
        is_translatable: There is a letter or digit to translate.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._objects: list[Any] = []
        self._names: dict[int, str] = {}  # of elements
        self._seen: tuple[int, str] | None = None  # what readers see and ends the markup: its number; what is before it
        self.is_translatable = False

    @property
    def markup(self) -> str:
        """Returns the markup written so far."""
        return "".join(self._pieces)

    def text(self, content: str) -> None:
        """Adds text to translate."""
        if self._seen and is_place_of_word(self._seen[1], content[:1]):
            self._pieces[-1] = f'<m id="{self._seen[0]}"></m>'
        self._seen = None
        self._pieces.append(html.escape(content, quote=False))
        self.is_translatable = self.is_translatable or any(map(str.isalnum, content))

    def open(self, thing: Any, *, is_raised: bool = False) -> int:
        """Begins an element, whose text may be raised (superscript); returns its number."""
        number = self._add(thing)
        self._names[number] = f"sup{number}" if is_raised else f"g{number}"
        self._pieces.append(f"<{self._names[number]}>")
        return number

    def close(self, number: int) -> None:
        """Ends an element."""
        self._pieces.append(f"</{self._names.pop(number)}>")
        self._seen = None

    def point(self, thing: Any) -> None:
        """Adds an object that stands between words, such as a footnote mark."""
        self._pieces.append(f'<x id="{self._add(thing)}"/>')

    def seen(self, thing: Any) -> None:
        """Adds an object that readers see, such as a picture: an atom where a word would be, else a point."""
        before = "".join(self._pieces[-2:])[-2:]
        self.point(thing)
        self._seen = (len(self._objects) - 1, before)

    def atom(self, thing: Any) -> None:
        """Adds an object that acts as a word and is not translated, such as a field."""
        self._pieces.append(f'<m id="{self._add(thing)}"></m>')

    def line_break(self, thing: Any) -> None:
        """Adds a line break, which ends a sentence."""
        self._pieces.append(f'<br id="{self._add(thing)}"/>')

    def events(self, markup: str) -> Iterator[Event]:
        """Reads a translation of the markup: its texts, and the objects in their new places."""
        done = 0
        for tag in _TAG.finditer(markup):
            if done < tag.start():
                yield Event(Kind.TEXT, html.unescape(markup[done : tag.start()]))
            done = tag.end()
            if tag[2]:
                yield Event(Kind.CLOSE if tag[1] else Kind.OPEN, "", self._objects[int(tag[2])])
            else:
                yield Event(Kind.OBJECT, "", self._objects[int(tag[4] or tag[6])])
        if done < len(markup):
            yield Event(Kind.TEXT, html.unescape(markup[done:]))

    def _add(self, thing: Any) -> int:
        if len(self._objects) == _MAX_OBJECTS:
            raise DocumentTooLarge(f"A paragraph of the document has more than {_MAX_OBJECTS:,} formatted parts.")
        self._objects.append(thing)
        self._seen = None
        return len(self._objects) - 1


def objects_of(markup: str) -> tuple[list[str], bool]:
    """Returns the tags of inline markup in the order of their spelling, and whether each element ends where it may."""
    tags, open_ = [], list[str]()
    is_nested = True
    for tag in _TAG.finditer(markup):
        tags.append(tag[0])
        if tag[2] and not tag[1]:
            open_.append(tag[0])
        elif tag[1]:
            is_nested = is_nested and bool(open_) and open_.pop() == tag[0].replace("/", "")
    return sorted(tags), is_nested and not open_


def plain(markup: str) -> str:
    """Returns the text of inline markup without its objects."""
    return html.unescape(_TAG.sub("", markup))
