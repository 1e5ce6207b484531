"""docx: WordprocessingML. Body, tables, headers, footers, footnotes, comments, text boxes, charts and the title."""

from collections.abc import Iterator
from typing import Any

from app.documents.document import Document
from app.documents.marks import Mark
from app.documents.ooxml_dialects import WORD, W
from app.documents.ooxml_parts import OfficeParts, attributes
from app.documents.ooxml_runs import Paragraph
from app.documents.segments import Segment, package_document
from app.documents.word_bindings import Bindings
from app.documents.word_comments import Comments

_MAIN = "wordprocessingml.document.main+xml"
_TEXTS = (
    _MAIN,
    *(f"wordprocessingml.{kind}+xml" for kind in ("header", "footer", "footnotes", "endnotes", "comments")),
)
_STYLES = "wordprocessingml.styles+xml"


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large or has macros.
    """
    parts = OfficeParts(data, _MAIN)
    styles, bindings = list(parts.roots(_STYLES)), Bindings(parts, _TEXTS)

    def finish(language: str) -> None:
        bindings.write()
        for root in styles:
            for element in root.iter(f"{W}lang"):
                if element.get(f"{W}val"):
                    element.set(f"{W}val", language)

    comments, elements = Comments(parts, parts.name_of(_MAIN)), dict[Segment, Any]()

    def annotate(segment: Segment, mark: Mark) -> None:
        if segment in elements:
            comments.add(elements[segment], mark.note)

    return package_document(parts.package, parts.trees, _segments(parts, elements), finish, annotate)


def _segments(parts: OfficeParts, elements: dict[Segment, Any]) -> Iterator[Segment]:
    """Yields the texts; puts the paragraphs that may have a comment into ``elements``."""
    main = next(parts.roots(_MAIN))
    for root in parts.roots(*_TEXTS):
        for element in root.iter(f"{W}p"):
            paragraph = Paragraph(element, WORD)
            if root is main and next(element.iterancestors(f"{W}txbxContent"), None) is None:
                elements[paragraph] = element
            yield paragraph
            yield from paragraph.fields
        yield from attributes(root)
    yield from parts.common_segments()
