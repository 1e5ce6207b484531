"""The parts of an Office Open XML package by kind, and the texts that Word, PowerPoint and Excel share."""

from collections.abc import Collection, Iterator
from typing import Any

from app.documents.ooxml_dialects import DRAWING, A, S, W
from app.documents.ooxml_runs import Paragraph
from app.documents.package import Package
from app.documents.segments import PlainText, Segment
from app.documents.sheet_escapes import escaped, unescaped
from app.errors import DamagedDocument, UnsupportedDocument
from app.text.data_values import is_data

CORE_PROPERTIES = "core-properties+xml"
DRAWINGS = tuple(
    f"{kind}+xml"
    for kind in ("drawingml.chart", "chartex", "diagramData", "diagramDrawing", "drawing", "drawingml.chartshapes")
)
"""Kinds of parts with paragraphs of DrawingML: charts, SmartArt and the picture of it that programs show, shapes."""

TYPES = "[Content_Types].xml"
# The names of all elements in ISO/IEC 29500's strict form, which Office offers when a file is saved.
_STRICT, _BEGINNING_BYTES = b"http://purl.oclc.org/ooxml/", 8192
_DC = "{http://purl.org/dc/elements/1.1/}"
# Attributes that readers see or hear: alternative texts, tips of links, and what a list of Word offers.
_ATTRIBUTES = {
    "{*}docPr": ("descr", "title"),
    "{*}cNvPr": ("descr", "title"),
    "{urn:schemas-microsoft-com:vml}*": ("alt",),
    f"{S}hyperlink": ("tooltip",),
    f"{W}hyperlink": (f"{W}tooltip",),
    f"{W}listItem": (f"{W}displayText",),
    f"{W}listEntry": (f"{W}val",),
}
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_CHART_EX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
# Names of series and categories: copied from cells, or the chart's own.
_CHART_TEXTS = (
    *(f".//{_CHART}{kind}//{_CHART}v" for kind in ("strCache", "multiLvlStrCache", "strLit")),
    f".//{_CHART}tx/{_CHART}v",
    f".//{_CHART_EX}strDim//{_CHART_EX}pt",
    f".//{_CHART_EX}txData/{_CHART_EX}v",
)


class OfficeParts:
    """The parts of a package.

    Args:
        data: The file.
        main: The end of the main part's content type, without which the file is of another format.

    Attributes:
        package: The package.
        trees: The root elements read so far, by the names of their parts.

    Raises:
        InvalidRequest: As ``Package``, and if the file is of another format.
    """

    def __init__(self, data: bytes, main: str) -> None:
        self.package = Package(data)
        self.trees: dict[str, Any] = {}
        self._types: dict[str, str] = {}
        for override in self.package.tree(TYPES):
            name = override.get("PartName", "").lstrip("/") if isinstance(override.tag, str) else ""
            if name in self.package:
                self._types[name] = override.get("ContentType", "")
        kinds = self._types.values()
        if any("macroEnabled" in kind or "vbaProject" in kind for kind in kinds):
            raise UnsupportedDocument("The file has macros; save it without them.")
        if not any(kind.endswith(main) for kind in kinds):
            raise DamagedDocument("The file is damaged, or not what its name says.")
        if _STRICT in self.package.read(self.name_of(main))[:_BEGINNING_BYTES]:
            raise UnsupportedDocument("The file has Office's strict format; save it in the usual one.")

    def roots(self, *kinds: str, having: bytes = b"") -> Iterator[Any]:
        """Yields the root elements of the parts whose content type ends in one of the given kinds, kind by kind.

        Args:
            kinds: Ends of content types.
            having: What must be in a part, so that large parts without it need not be taken apart.
        """
        for kind in kinds:
            for name, own in self._types.items():
                if own.endswith(kind) and (not having or name in self.trees or having in self.package.read(name)):
                    if name not in self.trees:
                        self.trees[name] = self.package.tree(name)
                    yield self.trees[name]

    def name_of(self, kind: str) -> str:
        """Returns the name of the first part whose content type ends in a kind; a part of this kind must be there."""
        return next(name for name, own in self._types.items() if own.endswith(kind))

    def common_segments(self) -> Iterator[Segment]:
        """Yields the texts of charts, diagrams and shapes, and the title of the document."""
        for root in self.roots(*DRAWINGS):
            yield from paragraphs(root)
            yield from attributes(root)
            for path in _CHART_TEXTS:
                for value in root.iterfind(path):
                    yield PlainText(value, read=unescaped, written=escaped)
        for root in self.roots(CORE_PROPERTIES):
            for name in ("title", "subject"):
                for element in root.iter(f"{_DC}{name}"):
                    yield PlainText(element)


def paragraphs(root: Any, left_out: Collection[Any] = ()) -> Iterator[Segment]:
    """Yields the DrawingML paragraphs of a part."""
    for element in root.iter(f"{A}p"):
        if element not in left_out:
            yield Paragraph(element, DRAWING)


def attributes(root: Any) -> Iterator[Segment]:
    """Yields the attributes of a part that readers see. The name of a picture's file is none."""
    for kind, names in _ATTRIBUTES.items():
        for element in root.iter(kind):
            for name in names:
                if not is_data(element.get(name, "")):
                    yield PlainText(element, name)
