"""What Word can have in a paragraph: everything comes back once, around the translated words."""

import io

import docx
import pytest
from docx.oxml import parse_xml
from lxml import etree

from tests.support.documents import ShoutingEngine, assert_same_tree, translate
from tests.support.office_files import W, run, saved

BOLD = "<w:rPr><w:b/></w:rPr>"
LOW = "<w:rPr><w:vertAlign w:val='subscript'/></w:rPr>"
GERMAN = "<w:rPr><w:lang w:val='de-DE'/></w:rPr>"


def field(instruction: str, shown: str) -> str:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    return f"{begin}{instruction}{separate}{shown}{end}"


def instruction(text: str) -> str:
    return f"<w:r><w:instrText>{text}</w:instrText></w:r>"


def translated(content: str) -> tuple[etree._Element, etree._Element]:
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {W}>{content}</w:p>"))
    data = saved(document)
    bodies = (docx.Document(io.BytesIO(each)).element.body for each in (data, translate(data, "a.docx")))
    return tuple(etree.fromstring(etree.tostring(body[0])) for body in bodies)  # without python-docx's own classes


@pytest.mark.parametrize(
    "content",
    [
        f"{run('Vor ')}<w:sdt><w:sdtPr/><w:sdtContent>{run('im Feld', BOLD)}</w:sdtContent></w:sdt>{run(' nach.')}",
        f"{run('Ein ')}<w:smartTag w:element='x'><w:smartTagPr/>{run('Hund')}</w:smartTag>{run(' bellt.')}",
        f"{run('Seite ')}<w:fldSimple w:instr='PAGE'>{run('3')}</w:fldSimple>{run(' und mehr.')}",
        f"{run('Siehe ')}<w:fldSimple w:instr='REF x'>{run('den Hund')}</w:fldSimple>{run(' bitte.')}",
        f"{run('Siehe ')}{field(instruction('HYPERLINK'), run('diese Seite', BOLD))}{run(' bitte.')}",
        run("Wenn ")
        + field(instruction("IF ") + field(instruction("PAGE"), run("1")) + instruction(" = 1"), run("gerade"))
        + run(" ist."),
        f"{run('Kapitel')}<w:r><w:tab/></w:r>{run('6')}<w:r><w:fldChar w:fldCharType='end'/></w:r>",
        f"{run('Alt ')}<w:del w:id='3'><w:r><w:delText>weg</w:delText></w:r></w:del>"
        f"<w:ins w:id='4'>{run('neu')}</w:ins>{run(' hier.')}",
        f"{run('H')}{run('2', LOW)}{run('O ist nass')}",
        f"{run('Mit ')}<w:r><w:pict><w:txbxContent><w:p>{run('im ')}{run('Kasten', BOLD)}</w:p></w:txbxContent>"
        f"</w:pict></w:r>{run('Kasten.')}",
        f"{run('eins ')}<w:bookmarkStart w:id='1'/>{run('zwei ')}<w:commentRangeStart w:id='0'/>{run('drei', BOLD)}"
        f"<w:bookmarkEnd w:id='1'/>{run(' vier ')}<w:commentRangeEnd w:id='0'/>{run('fünf.')}",
    ],
)
def test_what_is_in_a_paragraph_stays(content):
    source, target = translated(content)
    assert_same_tree(source, target)
    assert all(text.isupper() for text in target.itertext(f"{{{target.nsmap['w']}}}t") if text.isalpha())


def test_runs_that_look_the_same_are_one():
    content = (
        f"{run('Das')}<w:proofErr w:type='spellStart'/>{run(' ist', GERMAN)}"
        f"<w:r w:rsidR='00'><w:lastRenderedPageBreak/><w:t xml:space='preserve'> zer</w:t></w:r>{run('stückelt.')}"
    )
    _, target = translated(content)
    assert [child.xpath("string()") for child in target] == ["DAS IST ZERSTÜCKELT."]


def test_what_is_no_text_stays_as_it_is():
    source, target = translated(f"<w:r><w:tab/></w:r>{run('–')}<w:bookmarkStart w:id='1'/>")
    assert etree.tostring(source) == etree.tostring(target)


def test_a_raised_digit_behind_an_amount_stays_a_mark():
    raised = "<w:rPr><w:vertAlign w:val='superscript'/></w:rPr>"
    _, target = translated(f"{run('Preis: 19 €')}{run('1', raised)}{run(' pro Monat')}")
    runs = [(each.findtext(f"{{{target.nsmap['w']}}}t"), "superscript" in str(etree.tostring(each))) for each in target]
    assert runs == [("PREIS: €19", False), ("1", True), (" PRO MONAT", False)]


BIG = "<w:rPr><w:sz w:val='60'/></w:rPr>"


class Translated(ShoutingEngine):
    """Gives one translation."""

    def __init__(self, translation: str) -> None:
        super().__init__()
        self._translation = translation

    def known(self, sentence: str, target: str) -> tuple[str, ...]:
        return (self._translation,)


@pytest.mark.parametrize(
    ("content", "translation", "expected"),
    [
        (run("W", BIG) + run("illkommen hier."), "Hello there.", ["H"]),
        (run("W", BIG) + run("illkommen ") + run("hier", BOLD) + run("."), "“Hello there.”", ["“H"]),
        (run("W", BIG) + run("ie bitte?", GERMAN), "I beg your pardon?", ["I"]),
        (run("Wir", BIG) + run(" sind da."), "We are here.", ["We"]),
        (run("A", BIG) + run(" ist ein Laut."), "A is a sound.", ["A"]),
        (run("H", BIG) + run("2 ist da."), "H2 is here.", ["H"]),
    ],
)
def test_an_initial_is_a_letter(content: str, translation: str, expected: list[str]) -> None:
    document = docx.Document()
    document.element.body.insert(0, parse_xml(f"<w:p {W}>{content}</w:p>"))
    data = translate(saved(document), "a.docx", engine=Translated(translation))
    paragraph = docx.Document(io.BytesIO(data)).paragraphs[0]
    assert paragraph.text == translation
    assert [each.text for each in paragraph.runs if each.font.size] == expected
