"""Elements with text and elements side by side, as in OpenDocument and XLIFF, as inline markup and back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from lxml import etree

from app.documents.dialect import Dialect
from app.documents.inline import InlineBuilder, Kind
from app.documents.open_ranges import OpenRanges
from app.documents.safe_xml import writable
from app.fairness.budget import checkpoint


class _Range(NamedTuple):
    begin: Any
    end: Any


class MixedText:
    """An element that contains both text and elements.

    Args:
        element: The element; only ``write`` changes it.
        dialect: What the elements in it mean.
        append: Writes text behind what is in an element already.
        into: The element that gets the translation; None for the same.
    """

    def __init__(
        self,
        element: Any,
        dialect: Dialect,
        *,
        append: Callable[[Any, str], None] | None = None,
        into: Callable[[], Any] | None = None,
    ) -> None:
        self._element, self._dialect = element, dialect
        self._append = append or append_text
        self._into = into
        self._builder = InlineBuilder()
        self._collect(element)
        self.markup = self._builder.markup
        self.is_translatable = self._builder.is_translatable

    def write(self, markup: str, language: str) -> None:
        """See ``Segment.write``."""
        target = self._into() if self._into else self._element
        _empty(target)
        open_: list[Any] = [target]
        for event in self._builder.events(markup):
            parent, thing = open_[-1], event.object
            if event.kind is Kind.TEXT:
                self._append(parent, writable(event.text))
            elif event.kind is Kind.OBJECT:
                parent.append(self._own(thing))
            elif isinstance(thing, _Range):
                parent.append(self._own(thing.begin if event.kind is Kind.OPEN else thing.end))
            elif event.kind is Kind.OPEN:
                own = etree.SubElement(parent, thing.tag, thing.attrib, nsmap=thing.nsmap)
                open_.append(own)
            else:
                open_.pop()

    def _own(self, element: Any) -> Any:
        """Returns an object without its tail text; a copy if the source stays in the document."""
        if self._into:
            element = etree.fromstring(etree.tostring(element, with_tail=False))
        element.tail = None
        return element

    def _collect(self, parent: Any) -> None:
        builder, dialect = self._builder, self._dialect
        ranges = self._ranges(parent)
        numbers: dict[Any, int] = {}
        self._text(parent.text)
        for child in parent:
            checkpoint()
            if not isinstance(child.tag, str):
                pass
            elif dialect.is_kept(child):
                builder.atom(child)
            elif child.tag in dialect.characters:
                builder.text(dialect.characters[child.tag](child))
            elif child.tag in dialect.wrappers:
                number = builder.open(child)
                self._collect(child)
                builder.close(number)
            elif child in ranges:
                numbers[ranges[child]] = builder.open(_Range(child, ranges[child]))
            elif child in numbers:
                builder.close(numbers[child])
            elif child.tag in dialect.atoms:
                builder.atom(child)
            elif child.tag in dialect.breaks:
                builder.line_break(child)
            elif dialect.is_seen(child):
                builder.seen(child)
            else:
                builder.point(child)
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        content = self._dialect.read(text or "")
        if content:
            self._builder.text(content)

    def _ranges(self, parent: Any) -> dict[Any, Any]:
        """Finds the ranges that begin and end among the children, and nests them in each other."""
        found: dict[Any, Any] = {}
        open_ = OpenRanges[Any]()  # their beginnings
        for child in parent:
            checkpoint()
            if (name := self._dialect.begins(child)) is not None:
                open_.begin(name, child)
            elif (name := self._dialect.ends(child)) is not None and (begin := open_.end(name)) is not None:
                found[begin] = child
        return found


def append_text(parent: Any, text: str) -> None:
    """Adds text at the end of an element."""
    last = last_child(parent)
    if last is None:
        parent.text = (parent.text or "") + text
    else:
        last.tail = (last.tail or "") + text


def last_child(element: Any) -> Any:
    """Returns the last child; None if there is none. ``len`` would count them all, each time."""
    return next(element.iterchildren(reversed=True), None)


def _empty(element: Any) -> None:
    for child in list(element):
        element.remove(child)
    element.text = None
