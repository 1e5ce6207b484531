"""Long office files with everything that they can have in a text, made by the formats' own libraries."""

import io
import re

import docx
import pptx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from odf import dc
from odf import text as odf_text
from odf.opendocument import OpenDocumentText
from odf.style import Style, TextProperties
from odf.table import Table, TableCell, TableRow

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
LONG = "der Hund läuft über die Wiese und sieht eine Katze, die auf dem Zaun sitzt und schläft"
PARAGRAPHS = 420  # of two or three lines: more than 30 pages


def saved(document) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def run(content: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{content}</w:t></w:r>'


SPECIAL = f"""
<w:p {W} {R}>
  {run("Siehe ")}<w:hyperlink r:id="%s">{run("die lange Seite", "<w:rPr><w:u/></w:rPr>")}</w:hyperlink>{run(" im Netz")}
  <w:r><w:footnoteReference w:id="2"/></w:r>{run(" auf Seite ")}
  <w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>
  <w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
  {run(" weiter ")}<w:bookmarkStart w:id="5" w:name="x"/>{run("hinten", "<w:rPr><w:b/></w:rPr>")}
  <w:bookmarkEnd w:id="5"/>
  {run(" im ")}<w:ins w:id="9" w:author="a">{run("neuen")}</w:ins>{run(" ")}{run("Buch", "<w:rPr><w:i/></w:rPr>")}
  <w:r><w:tab/></w:r>{run("am Rand")}<w:r><w:br/></w:r>{run("und darunter")}
</w:p>"""
FOOTNOTES = f"""<w:footnotes {W}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>{run(" Eine Fußnote", "")}</w:p>
</w:footnote></w:footnotes>"""


def word() -> bytes:
    document = docx.Document()
    section = document.sections[0]
    section.header.paragraphs[0].text = "Kopfzeile hier"
    section.footer.paragraphs[0].text = "Fußzeile hier"
    for number in range(PARAGRAPHS):
        if number % 20 == 0:
            document.add_heading(f"Kapitel {number} über Hunde", 1)
        paragraph = document.add_paragraph(f"Absatz {number}: ", style="List Bullet" if number % 7 == 0 else None)
        paragraph.add_run("sehr fett").bold = True
        paragraph.add_run(f", und {LONG}, ")
        paragraph.add_run("ganz schräg").italic = True
        paragraph.add_run(" auch noch.")
    document.add_comment(document.paragraphs[1].runs, "Das ist ein Kommentar", author="a")
    table = document.add_table(3, 2)
    for cell in (cell for row in table.rows for cell in row.cells):
        cell.text = "Eine Zelle"
    part = document.part
    notes = Part(
        PackURI("/word/footnotes.xml"),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml",
        FOOTNOTES.encode(),
        part.package,
    )
    part.relate_to(notes, RELATIONSHIP_TYPE.FOOTNOTES)
    link = part.relate_to("https://example.org", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    document.element.body.insert(5, parse_xml(re.sub(r"\n\s*", "", SPECIAL) % link))
    document.core_properties.title = "Ein Titel"
    return saved(document)


def presentation() -> bytes:
    show = pptx.Presentation()
    for number in range(60):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Folie {number} über Hunde"
        frame = slide.placeholders[1].text_frame
        frame.text = "Ein Punkt"
        for _ in range(8):
            paragraph = frame.add_paragraph()
            for content, bold in (("Das ist ", None), ("sehr fett", True), (f" und {LONG}", None)):
                part = paragraph.add_run()
                part.text, part.font.bold = content, bold
        paragraph.runs[1].hyperlink.address = "https://example.org"
        slide.notes_slide.notes_text_frame.text = "Eine Notiz dazu"
    table = slide.shapes.add_table(2, 2, 0, 0, 999999, 999999).table
    table.cell(0, 0).text = "Eine Zelle"
    return saved(show)


def paragraph_of_odf(bold: Style, number: int) -> odf_text.P:
    paragraph = odf_text.P(text=f"Absatz {number}: das ist ")
    paragraph.addElement(odf_text.Span(stylename=bold, text="sehr fett"))
    paragraph.addText(f" und {LONG}")
    note = odf_text.Note(noteclass="footnote", id=f"n{number}")
    note.addElement(odf_text.NoteCitation(text=str(number)))
    body = odf_text.NoteBody()
    body.addElement(odf_text.P(text="Eine Fußnote"))
    note.addElement(body)
    paragraph.addElement(note)
    paragraph.addText(", siehe ")
    paragraph.addElement(odf_text.A(href="https://example.org", text="die Seite"))
    paragraph.addText(" hier.")
    paragraph.addElement(odf_text.Tab())
    paragraph.addText("Am Rand ")
    paragraph.addElement(odf_text.S(c=2))
    paragraph.addText("weit")
    return paragraph


def text_document() -> bytes:
    document = OpenDocumentText()
    bold = Style(name="Fett", family="text")
    bold.addElement(TextProperties(fontweight="bold"))
    document.automaticstyles.addElement(bold)
    document.meta.addElement(dc.Title(text="Ein Titel"))
    for number in range(PARAGRAPHS):
        if number % 20 == 0:
            document.text.addElement(odf_text.H(outlinelevel=1, text=f"Kapitel {number}"))
        document.text.addElement(paragraph_of_odf(bold, number))
    table = Table(name="Tabelle")
    row = TableRow()
    cell = TableCell()
    cell.addElement(odf_text.P(text="Eine Zelle"))
    row.addElement(cell)
    table.addElement(row)
    document.text.addElement(table)
    file = io.BytesIO()
    document.write(file)
    return file.getvalue()
