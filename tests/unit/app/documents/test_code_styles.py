"""Code in word processors, which is in a style for it, stays as it is; what only looks like such a style doesn't."""

import io

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from odf import style as odf_style
from odf import text as odf_text
from odf.opendocument import OpenDocumentText

from app.documents.code_styles import code_styles
from app.documents.formats import docx as docx_format
from tests.support.documents import texts, translate
from tests.support.office_files import saved


@pytest.mark.parametrize(
    ("name", "is_code"),
    [
        ("Source Code", True),
        ("Verbatim Char", True),
        ("Source_20_Text", True),
        ("HTML Code", True),
        ("Code", True),
        ("Inline-Code", True),
        ("HTML Preformatted", False),
        ("Preformatted Text", False),
        ("Postcode", False),
        ("Code of Conduct", False),
        ("", False),
    ],
)
def test_names_of_styles(name: str, is_code: bool) -> None:
    assert code_styles([("S1", name, "")]) == ({"S1"} if is_code else frozenset())


def test_a_style_is_what_its_parent_is() -> None:
    styles = [
        ("T2", "KeywordTok", "T1"),
        ("T1", "Tok", "C"),
        ("C", "Code", "N"),
        ("N", "Normal", "T3"),
        ("T3", "", "N"),
    ]
    assert code_styles(styles) == {"C", "T1", "T2"}


def test_code_in_word() -> None:
    document = docx.Document()
    block = document.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
    char = document.styles.add_style("Verbatim Char", WD_STYLE_TYPE.CHARACTER)
    document.add_paragraph("print('Hund')", block)
    paragraph = document.add_paragraph("Benutze nun ")
    paragraph.add_run("lauf", char)
    paragraph.add_run("(Hund)", char).bold = True
    paragraph.add_run(" statt ")
    paragraph.add_run("Katze", document.styles.add_style("Wichtig", WD_STYLE_TYPE.CHARACTER))
    data = saved(document)
    assert [text.count("<m ") for text in docx_format.read(data).texts if "Benutze" in text] == [1]
    paragraphs = docx.Document(io.BytesIO(translate(data, "a.docx"))).paragraphs
    assert [each.text for each in paragraphs] == ["print('Hund')", "BENUTZE NUN lauf(Hund) STATT KATZE"]
    assert [run.text for run in paragraphs[1].runs if run.style.name == "Verbatim Char"] == ["lauf", "(Hund)"]
    assert paragraphs[1].runs[2].bold


def test_code_in_opendocument() -> None:
    document = OpenDocumentText()
    code = odf_style.Style(name="Source_20_Text", family="text")
    document.styles.addElement(code)
    own = odf_style.Style(name="T1", family="text", parentstylename=code)
    document.automaticstyles.addElement(own)
    paragraph = odf_text.P(text="Benutze ")
    paragraph.addElement(odf_text.Span(stylename=own, text="lauf(Hund)"))
    paragraph.addText(" nur einmal.")
    document.text.addElement(paragraph)
    file = io.BytesIO()
    document.write(file)
    assert texts(translate(file.getvalue(), "a.odt"), "content.xml") == ["BENUTZE ", "lauf(Hund)", " NUR EINMAL."]
