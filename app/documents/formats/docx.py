"""docx: WordprocessingML. Body, tables, headers, footers, footnotes, comments, text boxes, charts and the title."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from app.documents.code_styles import code_styles
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

    code = code_styles(
        (style.get(f"{W}styleId", ""), *(_value(style, f"{W}{name}") for name in ("name", "basedOn")))
        for root in styles
        for style in root.iter(f"{W}style")
    )
    comments, elements = Comments(parts, parts.name_of(_MAIN)), dict[Segment, Any]()

    def annotate(segment: Segment, mark: Mark) -> None:
        if segment in elements:
            comments.add(elements[segment], mark.note)

    return package_document(parts.package, parts.trees, _segments(parts, elements, code), finish, annotate)


def _value(element: Any, path: str) -> str:
    found = element.find(path)
    return "" if found is None else found.get(f"{W}val", "")


def _segments(parts: OfficeParts, elements: dict[Segment, Any], code: Collection[str]) -> Iterator[Segment]:
    """Yields the texts but for code; puts the paragraphs that may have a comment into ``elements``."""
    main = next(parts.roots(_MAIN))
    dialect = replace(WORD, is_kept=lambda run: run.tag == f"{W}r" and _value(run, f"{W}rPr/{W}rStyle") in code)
    for root in parts.roots(*_TEXTS):
        for element in root.iter(f"{W}p"):
            if _value(element, f"{W}pPr/{W}pStyle") in code:
                continue
            paragraph = Paragraph(element, dialect)
            if root is main and next(element.iterancestors(f"{W}txbxContent"), None) is None:
                elements[paragraph] = element
            yield paragraph
            yield from paragraph.fields
        yield from attributes(root)
    yield from parts.common_segments()
