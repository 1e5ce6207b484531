"""OpenDocument (ISO/IEC 26300): the texts of a package, for odt and odp alike."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from lxml import etree

from app.documents.code_styles import code_styles
from app.documents.dialect import Dialect
from app.documents.document import Document
from app.documents.mixed_content import MixedText, append_text, last_child
from app.documents.package import Package
from app.documents.segments import PlainText, Segment, package_document
from app.errors import DamagedDocument, EncryptedDocument
from languages import codes

_MANIFEST = "META-INF/manifest.xml"
_ENCRYPTION = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}encryption-data"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_LOEXT = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}"  # LibreOffice's own
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_SPACES = re.compile(r"[ \t\r\n]+")
_DOUBLE_SPACE = re.compile(r" {2,}|\A ")

_FIELDS = """page-number page-count date time sequence sequence-ref reference-ref bookmark-ref note-ref chapter title
    author-name author-initials file-name expression variable-get variable-set user-field-get word-count
    character-count paragraph-count table-count image-count placeholder measure""".split()
# Fields that repeat a caption or heading: a text of its own, so that it becomes what it repeats.
_REPEATING = frozenset(f"{_TEXT}{name}" for name in ("sequence-ref", "reference-ref", "bookmark-ref"))
_WRAPPERS = frozenset({*(f"{_TEXT}{name}" for name in ("span", "a", "meta", "text-input")), f"{_LOEXT}content-control"})
# What readers see outside of paragraphs: a table of contents is made of the first two, when it is made anew.
_PLAIN = (
    *(f"{_TEXT}{name}" for name in ("index-title-template", "index-entry-span")),
    *(f"{_PRESENTATION}{name}" for name in ("header-decl", "footer-decl")),
    *(f"{_SVG}{name}" for name in ("title", "desc")),
)
# What a list offers, in an attribute.
_CHOICES = {f"{_TEXT}label": f"{_TEXT}value", f"{_LOEXT}list-item": f"{_LOEXT}display-text"}


def _spaces(element: Any) -> str:
    count = element.get(f"{_TEXT}c", "1")
    return " " * min(int(count), 1000) if count.isdecimal() and len(count) < 6 else " "


def _is_kept(code: Collection[str], element: Any) -> bool:
    """Tells whether an element is a field, which has its text directly, or in a style for code."""
    if element.tag in _WRAPPERS:
        return element.get(f"{_TEXT}style-name") in code
    return any(text and not text.isspace() for text in (element.text, *(child.tail for child in element)))


def _code_styles(roots: Iterable[Any]) -> frozenset[str]:
    """Returns the styles for code of parts; of two styles with a name, that of the first part counts."""
    styles: dict[str, tuple[str, str, str]] = {}
    for style in (style for root in roots for style in root.iter(f"{_STYLE}style")):
        name = style.get(f"{_STYLE}name", "")
        if style.get(f"{_STYLE}family") == "text":
            styles.setdefault(name, (name, name, style.get(f"{_STYLE}parent-style-name", "")))
    return code_styles(styles.values())


_DIALECT = Dialect(
    wrappers=_WRAPPERS,
    atoms=frozenset(f"{_TEXT}{name}" for name in _FIELDS),
    breaks=frozenset({f"{_TEXT}tab", f"{_TEXT}line-break"}),
    ranges={
        f"{space}{name}{begin}": f"{space}{name}{end}"
        for space, name, begin, end in (
            (_TEXT, "bookmark", "-start", "-end"),
            (_TEXT, "reference-mark", "-start", "-end"),
            (_OFFICE, "annotation", "", "-end"),
        )
    },
    range_names=(f"{_TEXT}name", f"{_OFFICE}name"),
    characters={f"{_TEXT}s": _spaces},
    is_seen=lambda element: element.get(f"{_TEXT}anchor-type") == "as-char",
    read=lambda text: _SPACES.sub(" ", text),
)


def read_odf(data: bytes, kind: str) -> Document:
    """Reads a file.

    Args:
        data: The file.
        kind: The end of its media type.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large, has macros or is of another kind.
    """
    package = Package(data)
    if _MANIFEST in package and next(package.tree(_MANIFEST).iter(_ENCRYPTION), None) is not None:
        raise EncryptedDocument("The file has a password; save it without one.")
    if not package.read("mimetype").strip().decode("ascii", "replace").endswith(kind):
        raise DamagedDocument("The file is damaged, or not what its name says.")
    # Objects inside, such as charts, have parts of the same names in folders of their own.
    names = [
        name for name in package.names if name.rpartition("/")[2] in ("content.xml", "styles.xml") or name == "meta.xml"
    ]
    trees = {name: package.tree(name) for name in names}

    def finish(language: str) -> None:
        for root in trees.values():
            _set_language(root, language)

    return package_document(package, trees, _segments(trees), finish)


def _segments(trees: dict[str, Any]) -> Iterator[Segment]:
    for name, root in trees.items():
        if name == "meta.xml":
            for element in root.iter(f"{_DC}title", f"{_DC}subject"):
                yield PlainText(element)
            continue
        code = _code_styles([root, *(trees[name] for name in ("styles.xml",) if name in trees)])
        dialect = replace(_DIALECT, is_kept=partial(_is_kept, code))
        kinds = (f"{_TEXT}p", f"{_TEXT}h", f"{_TEXT}drop-down", *_PLAIN, *_CHOICES, *_REPEATING)
        for element in root.iter(*kinds):
            if element.tag in _REPEATING:
                if any(map(str.isalpha, element.text or "")):
                    yield PlainText(element)
            elif element.tag in _PLAIN or element.tag in _CHOICES:
                yield PlainText(element, _CHOICES.get(element.tag))
            else:
                yield MixedText(element, dialect, append=_append)


def _append(parent: Any, text: str) -> None:
    """Adds text. OpenDocument collapses spaces, so each space after the first becomes an element."""
    done = 0
    begins = parent.text is None and last_child(parent) is None and parent.tag in (f"{_TEXT}p", f"{_TEXT}h")
    for match in _DOUBLE_SPACE.finditer(text):
        kept = 0 if begins and match.start() == 0 else 1
        if kept == len(match[0]):
            continue
        append_text(parent, text[done : match.start() + kept])
        etree.SubElement(parent, f"{_TEXT}s", {f"{_TEXT}c": str(len(match[0]) - kept)})
        done = match.end()
    append_text(parent, text[done:])


def _set_language(root: Any, language: str) -> None:
    base, _, region = codes.parse(language)
    for element in root.iter():
        if isinstance(element.tag, str) and element.get(f"{_FO}language") not in (None, "zxx", "none"):
            element.set(f"{_FO}language", base)
            if f"{_FO}country" in element.attrib:
                element.set(f"{_FO}country", region or "none")
