"""Office files: fields that repeat a text, and lists of values that cells may have."""

import io

import docx
import openpyxl
import pytest
from docx.oxml import parse_xml
from odf import text as odf_text
from odf.opendocument import OpenDocumentText, load
from openpyxl.worksheet.datavalidation import DataValidation

from app.documents.formats import docx as docx_format
from tests.support.documents import ShoutingEngine, assert_same_package, translate
from tests.support.office_files import W, run, saved

RESULT = run("Abbildung ") + run("1", "<w:rPr><w:noProof/></w:rPr>")
SIMPLE = f'<w:fldSimple w:instr=" REF _Ref1 \\h ">{RESULT}</w:fldSimple>'
COMPLEX = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    '<w:r><w:instrText xml:space="preserve"> REF _Ref1 \\h </w:instrText></w:r>'
    f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{RESULT}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)


class ForgettingEngine(ShoutingEngine):
    """Forgets the word of the caption in a sentence."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (sentence.upper().replace("SIEHE ABBILDUNG ", "SIEHE "),)


@pytest.mark.parametrize("field", [SIMPLE, COMPLEX])
def test_a_field_that_repeats_a_text_is_translated_on_its_own(field):
    document = docx.Document()
    document.element.body.insert(
        0, parse_xml(f"<w:p {W}>{run('Siehe ')}{field}{run(' auf der nächsten Seite.')}</w:p>")
    )
    translated = translate(saved(document), "a.docx", engine=ForgettingEngine())
    [paragraph] = docx.Document(io.BytesIO(translated)).paragraphs
    texts = [text.text or "" for text in paragraph._p.iter("{*}t")]
    assert "".join(texts) == "SIEHE ABBILDUNG 1 AUF DER NÄCHSTEN SEITE."
    assert texts[1] == "ABBILDUNG 1"
    assert len(list(paragraph._p.iter("{*}instrText"))) + len(list(paragraph._p.iter("{*}fldSimple"))) == 1


@pytest.mark.parametrize(
    ("instruction", "is_word"),
    [
        ("MERGEFIELD Name \\* MERGEFORMAT", True),
        ("ADDIN ZOTERO_ITEM CSL_CITATION {}", True),
        ("filename", True),
        ("HYPERLINK &quot;https://example.org/author&quot;", False),
        ("FORMTEXT", False),
        ("DATE", False),
    ],
)
def test_fields_with_data_are_words_and_others_text(instruction: str, is_word: bool):
    simple = f'<w:fldSimple w:instr=" {instruction} ">{run("Katze")}</w:fldSimple>'
    for field in (simple, COMPLEX.replace("REF _Ref1 \\h", instruction).replace(RESULT, run("Katze"))):
        document = docx.Document()
        document.element.body.insert(0, parse_xml(f"<w:p {W}>{run('Das ist ')}{field}{run(', ja.')}</w:p>"))
        data = saved(document)
        assert ("<m id=" in docx_format.read(data).texts[0]) is is_word
        [paragraph] = docx.Document(io.BytesIO(translate(data, "a.docx"))).paragraphs
        assert (
            "".join(text.text for text in paragraph._p.iter("{*}t"))
            == f"DAS IST {'Katze' if is_word else 'KATZE'}, JA."
        )


def test_a_superscript_run_stays_behind_its_amount():
    document = docx.Document()
    paragraph = document.add_paragraph("Preis: 19 €")
    paragraph.add_run("1").font.superscript = True
    paragraph.add_run(" pro Monat")
    [translated] = docx.Document(io.BytesIO(translate(saved(document), "a.docx"))).paragraphs
    before = "".join(
        run.text for run in translated.runs[: [run.font.superscript for run in translated.runs].index(True)]
    )
    assert [run.text for run in translated.runs if run.font.superscript] == ["1"]
    assert "19" in before


def test_odt_references_are_translated_on_their_own():
    document = OpenDocumentText()
    paragraph = odf_text.P(text="Siehe ")
    paragraph.addElement(odf_text.SequenceRef(referenceformat="text", refname="r", text="Abbildung 1"))
    paragraph.addElement(odf_text.BookmarkRef(referenceformat="page", refname="b", text="7"))
    paragraph.addText(" hier.")
    document.text.addElement(paragraph)
    file = io.BytesIO()
    document.write(file)
    translated = translate(file.getvalue(), "a.odt")
    assert_same_package(file.getvalue(), translated)
    assert str(load(io.BytesIO(translated)).text) == "SIEHE ABBILDUNG 17 HIER."


class CountingEngine(ShoutingEngine):
    """Translates a word as a word with a comma."""

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return ("NO, NEVER" if sentence == "nie" else "YES" if sentence == "doch" else sentence.upper(),)


def book(*lists: str) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet["A1"], sheet["B1"], sheet["C1"] = "Der Hund", "ja", "nein"
    for number, values in enumerate(lists, 1):
        validation = DataValidation(type="list", formula1=values)
        validation.add(f"B{number}")
        sheet.add_data_validation(validation)
    return saved(workbook)


@pytest.mark.parametrize(
    ("lists", "expected", "cells"),
    [
        (['"ja,nein"'], ['"JA,NEIN"'], ["JA", "NEIN"]),
        (['"ja,nein, vielleicht"'], ['"JA,NEIN,VIELLEICHT"'], ["JA", "NEIN"]),
        (['"1,2"', "=Sheet!$A$1:$A$3"], ['"1,2"', "=Sheet!$A$1:$A$3"], ["JA", "NEIN"]),
        (['"ja,nie"'], ['"ja,nie"'], ["ja", "NEIN"]),  # a value with a comma
        (['"ja,nein"', '"ja,nie"'], ['"ja,nein"', '"ja,nie"'], ["ja", "nein"]),
        (['"ja,Ja"'], ['"JA,JA"'], ["JA", "NEIN"]),
        (['"doch,yes"'], ['"doch,yes"'], ["JA", "NEIN"]),  # two values would be one
        (['"' + ",".join(["ß" * 20] * 12) + '"'], ['"' + ",".join(["ß" * 20] * 12) + '"'], ["JA", "NEIN"]),  # too long
    ],
)
def test_a_list_of_values_goes_with_its_cells(lists, expected, cells):
    data = book(*lists)
    translated = translate(data, "a.xlsx", engine=CountingEngine())
    sheet = openpyxl.load_workbook(io.BytesIO(translated)).active
    assert [each.formula1 for each in sheet.data_validations.dataValidation] == expected
    assert [sheet["B1"].value, sheet["C1"].value] == cells
    assert sheet["A1"].value == "DER HUND"
