"""Office files: attributes that readers see or hear are translated, and those for programs are not."""

import io

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from openpyxl.worksheet.hyperlink import Hyperlink
from pptx.util import Cm

from tests.support.documents import assert_same_package, translate
from tests.support.office_files import W, run, saved

WP = 'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
V = 'xmlns:v="urn:schemas-microsoft-com:vml"'


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f'<wp:docPr {WP} id="1" name="Bild 1" descr="ein Hund" title="Hund"/>', ["Bild 1", "EIN HUND", "HUND"]),
        (f'<wp:docPr {WP} id="1" name="Bild 1" descr="hund.png"/>', ["Bild 1", "hund.png"]),
        (f'<v:rect {V} id="Kasten" alt="ein Kasten"/>', ["Kasten", "EIN KASTEN"]),
        ('<w:hyperlink w:anchor="Anfang" w:tooltip="zum Anfang"/>', ["Anfang", "ZUM ANFANG"]),
        ('<w:listItem w:displayText="befristet" w:value="fest"/>', ["BEFRISTET", "fest"]),
        ('<w:listEntry w:val="befristet"/>', ["BEFRISTET"]),
        ('<w:alias w:val="Dauer"/>', ["Dauer"]),
    ],
)
def test_attributes_of_word(source: str, expected: list[str]) -> None:
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {W}><w:r>{source}</w:r>{run('Das ist gut.')}</w:p>"))
    data = saved(document)
    translated = translate(data, "a.docx")
    assert_same_package(data, translated, changed={"descr", "title", "alt", "tooltip", "displayText", "val"})
    [element] = docx.Document(io.BytesIO(translated)).element.body[0][0]
    assert [value for value in element.attrib.values() if value.strip("1")] == expected


def test_attributes_of_powerpoint() -> None:
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, Cm(5), Cm(1))
    box._element.nvSpPr.cNvPr.set("descr", "ein Kasten")
    box.text = "Das ist gut."
    box.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr().set("lang", "de-DE")
    [shape] = pptx.Presentation(io.BytesIO(translate(saved(slides), "a.pptx"))).slides[0].shapes
    assert (shape.name, shape._element.nvSpPr.cNvPr.get("descr")) == ("TextBox 1", "EIN KASTEN")
    [added] = shape.text_frame.paragraphs[0].runs
    assert (added.text, added._r.rPr.get("lang")) == ("DAS IST GUT.", "en-US")


def test_attributes_of_excel() -> None:
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = "hier"
    workbook.active["A1"].hyperlink = Hyperlink("A1", tooltip="zur Seite", location="Sheet!B1")
    sheet = openpyxl.load_workbook(io.BytesIO(translate(saved(workbook), "a.xlsx"))).active
    link = sheet["A1"].hyperlink
    assert (sheet["A1"].value, link.tooltip, link.location) == ("HIER", "ZUR SEITE", "Sheet!B1")
