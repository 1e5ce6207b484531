"""Charts, diagrams and comments of Office: every text that readers see is translated, whichever part has it."""

import io
import zipfile

import pptx
import pytest

from tests.support.documents import assert_same_package, texts, translate
from tests.support.office_files import saved

C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
CX = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
CHART = "vnd.openxmlformats-officedocument.drawingml.chart"


@pytest.mark.parametrize(
    ("kind", "content", "expected"),
    [
        (CHART, f"<c:ser {C}><c:tx><c:v>Umsatz</c:v></c:tx></c:ser>", ["UMSATZ"]),
        (
            CHART,
            f"<c:tx {C}><c:strRef><c:f>Tabelle1!$A$1</c:f><c:strCache><c:pt><c:v>Umsatz</c:v></c:pt></c:strCache>"
            "</c:strRef></c:tx>",
            ["Tabelle1!$A$1", "UMSATZ"],
        ),
        (CHART, f"<c:strLit {C}><c:pt><c:v>Nord</c:v></c:pt></c:strLit>", ["NORD"]),
        (CHART, f"<c:multiLvlStrCache {C}><c:lvl><c:pt><c:v>Nord</c:v></c:pt></c:lvl></c:multiLvlStrCache>", ["NORD"]),
        (CHART, f"<c:numCache {C}><c:formatCode>General</c:formatCode></c:numCache>", ["General"]),
        ("vnd.ms-office.chartex", f"<cx:strDim {CX}><cx:lvl><cx:pt>Nord</cx:pt></cx:lvl></cx:strDim>", ["NORD"]),
        (
            "vnd.ms-office.chartex",
            f"<cx:txData {CX}><cx:f>A!$A$1</cx:f><cx:v>Nord</cx:v></cx:txData>",
            ["A!$A$1", "NORD"],
        ),
        ("vnd.ms-office.drawingml.diagramDrawing", f"<a:p {A}><a:r><a:t>Ein Hund</a:t></a:r></a:p>", ["EIN HUND"]),
        ("vnd.ms-powerpoint.comments", f"<a:p {A}><a:r><a:t>Ein Hund</a:t></a:r></a:p>", ["EIN HUND"]),
    ],
)
def test_texts_of_drawings(kind: str, content: str, expected: list[str]) -> None:
    old = zipfile.ZipFile(io.BytesIO(saved(pptx.Presentation())))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in old.namelist():
            override = f'<Override PartName="/ppt/own.xml" ContentType="application/{kind}+xml"/></Types>'
            archive.writestr(name, old.read(name).replace(b"</Types>", override.encode()))
        archive.writestr("ppt/own.xml", f"<root>{content}</root>")
    translated = translate(file.getvalue(), "a.pptx")
    assert_same_package(file.getvalue(), translated)
    assert texts(translated, "ppt/own.xml") == expected
