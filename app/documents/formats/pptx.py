"""pptx: PresentationML. Slides, notes, tables, diagrams, charts, comments and the title."""

from collections.abc import Iterator

from app.documents.document import Document
from app.documents.ooxml_dialects import A
from app.documents.ooxml_parts import OfficeParts, attributes, paragraphs
from app.documents.segments import PlainText, Segment, package_document

_MAIN = "presentationml.presentation.main+xml"
_SLIDES = ("presentationml.slide+xml", "presentationml.notesSlide+xml")
_MASTERS = ("presentationml.slideMaster+xml", "presentationml.slideLayout+xml")
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large or has macros.
    """
    parts = OfficeParts(data, _MAIN)
    return package_document(parts.package, parts.trees, _segments(parts))


def _segments(parts: OfficeParts) -> Iterator[Segment]:
    for root in parts.roots(*_SLIDES):
        yield from paragraphs(root)
        yield from attributes(root)
    for root in parts.roots(".comments+xml"):
        yield from paragraphs(root)
        for text in root.iter(f"{_P}text"):
            yield PlainText(text)
    for root in parts.roots(*_MASTERS):
        # The text of a placeholder is seen by the author only, in the language of the program.
        prompts = {
            paragraph
            for shape in root.iter(f"{_P}sp")
            if shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph") is not None
            for paragraph in shape.iter(f"{A}p")
        }
        yield from paragraphs(root, prompts)
        yield from attributes(root)
    yield from parts.common_segments()
