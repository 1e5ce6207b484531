"""idml: InDesign Markup. The texts of all stories, paragraph by paragraph, with tables, footnotes and notes.

Adobe's IDML File Format Specification, chapter "Text": a ``ParagraphStyleRange`` has runs (``CharacterStyleRange``),
these have texts (``Content``), and a ``Br`` ends a paragraph.
"""

import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import groupby
from typing import Any, NamedTuple

from lxml import etree

from app.documents.dialect import Dialect
from app.documents.document import Document
from app.documents.mixed_content import MixedText
from app.documents.package import Package
from app.documents.segments import package_document
from app.errors import DamagedDocument
from app.fairness.budget import checkpoint

_MEDIA_TYPE = "application/vnd.adobe.indesign-idml-package"
_PARAGRAPHS, _RUN, _CONTENT, _PROPERTIES = "ParagraphStyleRange", "CharacterStyleRange", "Content", "Properties"
_WRAPPERS = frozenset({_RUN, "HyperlinkTextSource", "XMLElement", "Change"})
# While a paragraph is translated: parts of a ``Content`` that are no text, and what else isn't in the file.
_BREAK, _NUMBER, _POINT, _PLACE, _KEPT = "break", "number", "point", "place", "kept"
_BARE = -1  # in no run
_SPECIAL = re.compile("([\t\u2028\u2029\ufeff])")
_NUMBERS = ("18", "19")  # in the instruction ACE: of the page, and the name of its section
_DIALECT = Dialect(
    wrappers=_WRAPPERS,
    atoms=frozenset({_NUMBER, "TextVariableInstance"}),
    breaks=frozenset({_BREAK, "Br"}),
    characters={_CONTENT: lambda content: content.text or ""},
    is_kept=lambda element: _is_deleted(element),
    read=lambda space: "",
)


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted or too large.
    """
    package = Package(data)
    if package.read("mimetype").strip().decode("ascii", "replace") != _MEDIA_TYPE:
        raise DamagedDocument("The file is damaged, or not what its name says.")
    names = [name for name in package.names if name.startswith("Stories/") and name.endswith(".xml")]
    trees = {name: package.tree(name) for name in names}
    ranges = [_Range(element) for root in trees.values() for element in [*root.iter(_PARAGRAPHS)]]

    def finish(language: str) -> None:
        for each in ranges:
            each.finish()

    segments = (paragraph for each in ranges for paragraph in each.paragraphs)
    return package_document(package, trees, segments, finish)


class _Range:
    """A range of paragraphs with one style, whose element is empty until ``finish``."""

    def __init__(self, element: Any) -> None:
        self._element = element
        self._shells = [etree.Element(_RUN)]  # runs without what is in them; the first is for text that was in none
        self._numbers: dict[bytes, int] = {}  # of shells, by how they are written
        self.paragraphs: list[_Paragraph] = []
        parts: list[_Part] = []
        for child in [each for each in element if each.tag != _PROPERTIES]:
            checkpoint()
            element.remove(child)
            for part in self._parts(child):
                parts.append(part)
                if part.element.tag == "Br":
                    self.paragraphs.append(_Paragraph(parts))
                    parts = []
        if parts:
            self.paragraphs.append(_Paragraph(parts))

    def _parts(self, child: Any) -> Iterator["_Part"]:
        """Yields what is in a run; another element as it is."""
        if child.tag != _RUN:
            yield from (_Part(_BARE, each) for each in _split(child))
            return
        inner = [each for each in child if each.tag != _PROPERTIES]
        for each in inner:
            child.remove(each)
        child.text = child.tail = None
        shell = self._numbers.setdefault(etree.tostring(child), len(self._shells))
        if shell == len(self._shells):
            self._shells.append(child)
        for each in inner:
            yield from (_Part(shell, part) for part in _split(each))

    def finish(self) -> None:
        """Puts everything back; neighbouring runs with the same shell become one."""
        parts = (part for paragraph in self.paragraphs for part in paragraph.parts)
        for shell, group in groupby(parts, key=lambda part: part.shell):
            parent = self._element if shell == _BARE else deepcopy(self._shells[shell])
            for part in group:
                checkpoint()
                parent.append(_closed(part.element))
            if shell != _BARE:
                self._element.append(parent)


class _Part(NamedTuple):
    """An element of a paragraph, and the number of the shell that is around it."""

    shell: int
    element: Any


class _Paragraph:
    """A paragraph, as ``Segment`` has it; ``parts`` are those of the translation after ``write``."""

    def __init__(self, parts: list[_Part]) -> None:
        self.parts = parts
        self._end = parts[-1:] if parts[-1].element.tag == "Br" else []
        sizes = Counter[int]()
        for shell, element in parts:
            if shell != _BARE:
                sizes[shell] += len(element.text or "")
        self._base = max(sizes, key=sizes.__getitem__, default=0)  # its run needs no tag
        self._root = etree.Element("paragraph")
        for shell, group in groupby(parts[: len(parts) - len(self._end)], key=lambda part: part.shell):
            is_tagged = shell not in (_BARE, self._base)
            parent = etree.SubElement(self._root, _RUN, {_PLACE: str(shell)}) if is_tagged else self._root
            for _, element in group:
                if shell == _BARE:
                    element.set(_PLACE, str(_BARE))
                parent.append(element)
        self._text = MixedText(self._root, _DIALECT, append=_append)
        self.markup, self.is_translatable = self._text.markup, self._text.is_translatable

    def write(self, markup: str, language: str) -> None:
        """See ``Segment.write``."""
        self._text.write(markup, language)
        self.parts = []
        for child in self._root:
            shell = int(child.attrib.pop(_PLACE, self._base))
            is_tagged = shell not in (_BARE, self._base)
            self.parts += (_Part(shell, element) for element in (child if is_tagged else [child]))
        self.parts += self._end


def _split(element: Any) -> Iterator[Any]:
    """Yields an element; of a ``Content``, its texts, breaks and instructions one by one."""
    element.tail = None
    if element.tag != _CONTENT:
        if isinstance(element.tag, str):  # no comment
            for name in (_PLACE, _KEPT):  # nothing of the file is ours
                element.attrib.pop(name, None)
            _open(element)
            yield element
        return
    yield from _pieces(element.text)
    for child in list(element):
        tail, child.tail = child.tail, None
        is_number = child.tag is etree.ProcessingInstruction and (child.text or "").strip() in _NUMBERS
        instruction = etree.Element(_NUMBER if is_number else _POINT)
        instruction.append(child)
        yield instruction
        yield from _pieces(tail)


def _pieces(text: str | None) -> Iterator[Any]:
    for number, piece in enumerate(_SPECIAL.split(text or "")):
        if piece:
            special = _POINT if piece == "\ufeff" else _BREAK  # an anchor, of an index entry say
            element = etree.Element(special if number % 2 else _CONTENT)
            element.text = piece
            yield element


def _open(element: Any) -> None:
    """Makes what is in an element ready to be read: without white space between elements, and with split texts."""
    if element.tag not in _WRAPPERS or _is_deleted(element):
        return
    element.text = None
    for child in list(element):
        element.remove(child)
        if child.tag == _PROPERTIES:
            element.set(_KEPT, etree.tostring(child, encoding="unicode", with_tail=False))
        else:
            element.extend(_split(child))


def _closed(part: Any) -> Any:
    """Returns a part as the file has it. Neighbouring ``Content`` elements, into which one was split, are one text."""
    part.attrib.pop(_PLACE, None)
    if part.tag in (_BREAK, _NUMBER, _POINT):
        part.tag = _CONTENT
    if part.tag in _WRAPPERS and not _is_deleted(part):
        for child in part:
            _closed(child)
        if kept := part.attrib.pop(_KEPT, None):
            part.insert(0, etree.fromstring(kept))
    return part


def _append(parent: Any, text: str) -> None:
    """Adds text at the end of a run, or of what is like one."""
    etree.SubElement(parent, _CONTENT).text = text


def _is_deleted(element: Any) -> bool:
    """Tells whether an element is text that somebody has deleted and nobody has accepted."""
    return bool(element.tag == "Change" and element.get("ChangeType") == "DeletedText")
