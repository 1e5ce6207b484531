"""Paragraphs of Office Open XML (ISO/IEC 29500) as inline markup, and back: runs become elements around text.

WordprocessingML, DrawingML and SpreadsheetML have the same idea under other names: a paragraph has runs, a run has
properties and text. Word cuts a paragraph into far more runs than there are formats, so neighbours that look the same
are joined, and text without a format needs no markup, or else that with the format of most of the paragraph.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from lxml import etree

from app.documents.field_text import FieldText, has_data, repeats
from app.documents.inline import Event, InlineBuilder, Kind
from app.documents.ooxml_dialects import A, RunDialect, S, W
from app.documents.ooxml_initials import take_initial, with_initial
from app.documents.ooxml_properties import check_copies, in_language, is_raised, key_of
from app.documents.open_ranges import OpenRanges
from app.documents.safe_xml import XML_SPACE
from app.fairness.budget import checkpoint

# Ranges that are open at a time; more are marks without a range. Each range looks through all that is inside.
_MAX_OPEN = 50
_LINKS = (f"{A}hlinkClick", f"{A}hlinkMouseOver")


class _Source(NamedTuple):
    """The position of an object: a child of a run, or of the paragraph itself (no run)."""

    run: Any
    child: Any

    def moved(self, space: str) -> Any:
        """Removes the child from its position; returns it in a run with the same properties."""
        if self.run is None:
            return self.child
        run = etree.Element(self.run.tag, self.run.attrib, nsmap=self.run.nsmap)
        properties = self.run.find(f"{space}rPr")
        if properties is not None:
            run.append(deepcopy(properties))
        run.append(self.child)
        return run


class _Text(NamedTuple):
    content: str
    key: bytes  # equal for properties that look the same
    properties: Any
    sources: list[_Source]


class _Object(NamedTuple):
    add: Callable[[InlineBuilder, Any], None]  # as a point, an atom or a line break
    sources: list[_Source]


@dataclass(eq=False)
class _Group:
    """Content in a wrapper, or between the two ends of a range or field."""

    items: list["_Item"]
    before: list[_Source] = field(default_factory=list)
    behind: list[_Source] = field(default_factory=list)
    wrapper: tuple[Any, Any] | None = None  # the outermost element and the one that has the runs
    base: Any = None

    @property
    def sources(self) -> list[_Source]:
        if self.wrapper:
            return [_Source(None, self.wrapper[0])]
        return [*self.before, *(source for item in self.items for source in item.sources), *self.behind]


class _Style(NamedTuple):
    properties: Any


_Item = _Text | _Object | _Group


class Paragraph:
    """One paragraph, cell or comment. Only ``write`` changes the element.

    Args:
        element: The element.
        dialect: Its language.

    Attributes:
        fields: The results of fields in it that are texts of their own.
    """

    def __init__(self, element: Any, dialect: RunDialect) -> None:
        self._element, self._dialect = element, dialect
        self.fields: list[FieldText] = []
        self._builder = InlineBuilder()
        items = self._items(element)
        initial = take_initial(items, _Text)
        self._initial = _Style(*initial) if initial else None
        self._base = self._build(items)
        self.markup = self._builder.markup
        self.is_translatable = self._builder.is_translatable

    def write(self, markup: str, language: str) -> None:
        """Replaces the content.

        Args:
            markup: The translation of ``markup``.
            language: Its language as a tag, such as ``en-GB``.
        """
        space = self._dialect.space
        end = self._element.find(f"{space}endParaRPr")
        self._empty(self._element)
        self._element.text = None
        open_: list[Any] = [self._element]
        styles = [self._base]
        events = list(self._builder.events(markup))
        if self._initial:
            events = with_initial(events, self._initial)
        if space == S and self._base is None and all(event.kind is Kind.TEXT for event in events):
            _add_text(self._element, self._dialect, "".join(event.text for event in events))
            return
        for event in events:
            if event.kind is Kind.TEXT:
                run = etree.SubElement(open_[-1], f"{space}r")
                if styles[-1] is not None:
                    run.append(in_language(styles[-1], language))
                _add_text(run, self._dialect, event.text)
            elif event.kind is Kind.OBJECT:
                open_[-1].extend([source.moved(space) for source in event.object.sources])
            elif isinstance(event.object, _Style):
                styles = [*styles, event.object.properties] if event.kind is Kind.OPEN else styles[:-1]
            else:
                self._write_end_of_group(event, open_, styles)
        if end is not None:
            self._element.append(end)

    def _write_end_of_group(self, event: Event, open_: list[Any], styles: list[Any]) -> None:
        group, space = event.object, self._dialect.space
        if event.kind is Kind.OPEN:
            open_[-1].extend([source.moved(space) for source in group.before])
            styles.append(group.base)
            if group.wrapper:
                outer, inner = group.wrapper
                open_[-1].append(outer)
                self._empty(inner)
                open_.append(inner)
            return
        styles.pop()
        if group.wrapper:
            open_.pop()
        open_[-1].extend([source.moved(space) for source in group.behind])

    def _empty(self, element: Any) -> None:
        for child in list(element):
            if child.tag not in self._dialect.properties:
                element.remove(child)

    def _items(self, parent: Any) -> list[_Item]:
        return _with_ranges(self._flat_items(parent), self._dialect, self._closed)

    def _flat_items(self, parent: Any) -> Iterator[_Item]:
        dialect = self._dialect
        for is_kept, children in groupby(parent, dialect.is_kept):
            if is_kept:
                yield _Object(InlineBuilder.atom, [_Source(None, child) for child in children])
                continue
            for child in children:
                if child.tag in dialect.properties or child.tag in dialect.dropped or not isinstance(child.tag, str):
                    continue
                if child.tag == f"{dialect.space}r":
                    yield from self._run_items(child)
                elif child.tag == f"{dialect.space}t":
                    yield _Text(dialect.read(child.text or ""), b"", None, [_Source(None, child)])
                elif child.tag in dialect.wrappers:
                    yield self._wrapper(child)
                else:
                    yield self._object(None, child)

    def _run_items(self, run: Any) -> Iterator[_Item]:
        dialect = self._dialect
        properties = run.find(f"{dialect.space}rPr")
        check_copies(run, properties)
        key = key_of(properties)
        for child in run:
            if child is properties or child.tag in dialect.dropped or not isinstance(child.tag, str):
                continue
            if child.tag == f"{dialect.space}t":
                yield _Text(dialect.read(child.text or ""), key, properties, [_Source(run, child)])
            elif child.tag in dialect.characters:
                yield _Text(dialect.characters[child.tag](child), key, properties, [_Source(run, child)])
            else:
                yield self._object(run, child)

    def _object(self, run: Any, child: Any) -> _Object:
        kind = InlineBuilder.point
        if child.tag in self._dialect.atoms:
            kind = InlineBuilder.atom
        elif child.tag in self._dialect.breaks:
            kind = InlineBuilder.line_break
        elif self._dialect.is_seen(child):
            kind = InlineBuilder.seen
        return _Object(kind, [_Source(run, child)])

    def _wrapper(self, outer: Any) -> _Group | _Object:
        name = self._dialect.contents.get(outer.tag)
        inner = outer.find(name) if name else outer
        # A content control around a picture, or around paragraphs of its own, is left alone.
        if inner is None or any(child.tag == f"{W}p" for child in inner):
            return _Object(InlineBuilder.point, [_Source(None, outer)])
        items = self._items(inner)
        if outer.tag == f"{W}fldSimple" and (
            not _has_letters(items) or self._take_field(outer.get(f"{W}instr", ""), items)
        ):
            return _Object(InlineBuilder.atom, [_Source(None, outer)])
        return _Group(items, wrapper=(outer, inner))

    def _take_field(self, instruction: str, result: Sequence[_Item]) -> bool:
        """Tells whether a field's result is no part of the sentence; makes a text of its own of one that repeats."""
        if has_data(instruction):
            return True
        if not repeats(instruction):
            return False
        sources = [source for item in result for source in item.sources]
        self.fields.append(FieldText([text for source in sources for text in source.child.iter(f"{W}t")]))
        return True

    def _closed(self, is_field: bool, before: list[_Source], items: list[_Item], behind: list[_Source]) -> _Item:
        """Returns the group of a finished range or field. The instruction of a field stays with its beginning."""
        if not is_field:
            return _Group(items, before, behind)
        result = next((index for index, item in enumerate(items) if _is_separator(item)), -1) + 1
        head = [source for item in items[:result] for source in item.sources]
        shown = items[result:] if result else []
        instruction = "".join(source.child.text or "" for source in head if source.child.tag == f"{W}instrText")
        if _has_letters(shown) and not self._take_field(instruction, shown):
            return _Group(shown, [*before, *head], behind)
        sources = [source for item in items for source in item.sources]
        return _Object(InlineBuilder.atom if shown else InlineBuilder.point, [*before, *sources, *behind])

    def _build(self, items: Sequence[_Item]) -> Any:
        """Writes the markup of one level; returns the properties of text that stands there without markup."""
        builder = self._builder
        base, known = _usual(items)
        key = base
        style: int | None = None  # number of the element that is open around texts of ``key``
        for item, next_key in zip(items, _next_keys(items), strict=True):
            checkpoint()
            wanted = item.key if isinstance(item, _Text) and item.content.strip() else key
            if style is not None and (wanted != key or next_key != key):
                builder.close(style)
                style = None
            key = wanted
            if isinstance(item, _Text):
                if style is None and item.content.strip() and key != base:
                    style = builder.open(_Style(known[key]), is_raised=is_raised(known[key]))
                builder.text(item.content)
            elif isinstance(item, _Object):
                item.add(builder, item)
            else:
                number = builder.open(item)
                item.base = self._build(item.items)
                builder.close(number)
        if style is not None:
            builder.close(style)
        return known.get(base)


def _usual(items: Sequence[_Item]) -> tuple[bytes, dict[bytes, Any]]:
    """Returns the format key of the text that needs no markup on a level, and the properties of all keys.

    It is text without properties, or else what most of the text is. Links stay links, however long.
    """
    known: dict[bytes, Any] = {}
    lengths: Counter[bytes] = Counter()
    for item in items:
        if isinstance(item, _Text) and item.content.strip():
            known.setdefault(item.key, item.properties)
            lengths[item.key] += len(item.content)
    if b"" in known:
        return b"", known
    plain = [key for key, properties in known.items() if all(properties.find(link) is None for link in _LINKS)]
    return max(plain or known, key=lengths.__getitem__, default=b""), known


def _next_keys(items: Sequence[_Item]) -> list[bytes | None]:
    """Returns for each item the format key of the next text from there on; None if more than points comes before it."""
    keys: list[bytes | None] = []
    key: bytes | None = None
    for item in reversed(items):
        if isinstance(item, _Group) or (isinstance(item, _Object) and item.add is InlineBuilder.line_break):
            key = None
        elif isinstance(item, _Text) and item.content.strip():
            key = item.key
        keys.append(key)
    return keys[::-1]


def _with_ranges(
    items: Iterable[_Item],
    dialect: RunDialect,
    close: Callable[[bool, list[_Source], list[_Item], list[_Source]], _Item],
) -> list[_Item]:
    """Groups the ranges and fields that begin and end on this level; other marks stay points."""
    grouped: list[_Item] = []
    open_ = OpenRanges[int]()  # where in ``grouped`` each begins
    for item in items:
        checkpoint()
        begins, ends = _range_marks(item, dialect)
        if begins is not None and len(open_) < _MAX_OPEN:
            open_.begin(begins, len(grouped))
        begin = None if ends is None else open_.end(ends)
        if begin is None:
            grouped.append(item)
            continue
        opening, *inside = grouped[begin:]
        grouped[begin:] = [close(ends == "field", opening.sources, inside, item.sources)]
    return grouped


def _range_marks(item: _Item, dialect: RunDialect) -> tuple[object, object]:
    """Returns the name of the range that begins here, and the name of the range that ends here."""
    if not isinstance(item, _Object) or len(item.sources) != 1:
        return None, None
    element = item.sources[0].child
    if element.tag == f"{W}fldChar":
        kind = element.get(f"{W}fldCharType")
        return ("field", None) if kind == "begin" else (None, "field") if kind == "end" else (None, None)
    return dialect.begins(element), dialect.ends(element)


def _is_separator(item: _Item) -> bool:
    if not isinstance(item, _Object) or item.sources[0].child.tag != f"{W}fldChar":
        return False
    return bool(item.sources[0].child.get(f"{W}fldCharType") == "separate")


def _has_letters(items: Sequence[_Item]) -> bool:
    return any(
        any(map(str.isalpha, item.content))
        if isinstance(item, _Text)
        else isinstance(item, _Group) and _has_letters(item.items)
        for item in items
    )


def _add_text(parent: Any, dialect: RunDialect, content: str) -> None:
    text = etree.SubElement(parent, f"{dialect.space}t")
    text.text = dialect.written(content)
    if dialect.space != A and content != content.strip():
        text.set(XML_SPACE, "preserve")
