"""Comments at doubtful paragraphs of Word documents, read by python-docx."""

import io
import zipfile

import docx
import pytest
from docx.document import Document

from app.documents.marks import Mark
from app.documents.registry import find_format
from tests.support.documents import assert_same_package

DOUBTFUL, SURE = Mark(("confidence 0.21", "digits_changed"), 0.21), Mark((), 0.9)


def made(document: Document) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def translated(data: bytes, *marks: Mark) -> bytes:
    document = find_format("a.docx").reader()(data)
    doubtful = [*marks, *(SURE for _ in document.texts[len(marks) :])]
    return document.write(list(document.texts), "en", doubtful)


@pytest.mark.parametrize("has_comments", [False, True])
def test_a_doubtful_paragraph_gets_a_comment(has_comments: bool) -> None:
    document = docx.Document()
    first, second = document.add_paragraph("Der Hund"), document.add_paragraph("Der ")
    second.add_run("Berg").bold = True
    if has_comments:
        document.add_comment(first.runs[0], text="Sicher?", author="Anna")
    data = made(document)
    after = docx.Document(io.BytesIO(translated(data, SURE, DOUBTFUL)))
    told = [(comment.author, comment.text) for comment in after.comments]
    assert told == [("Anna", "Sicher?")] * has_comments + [("Dragoman", "confidence 0.21; digits_changed")]
    assert [paragraph.text for paragraph in after.paragraphs] == ["Der Hund", "Der Berg"]
    xml = after.paragraphs[1]._p.xml
    number = max(comment.comment_id for comment in after.comments)
    for name in ("commentRangeStart", "commentRangeEnd", "commentReference"):
        assert xml.count(f'<w:{name} w:id="{number}"/>') == 1
    assert "comment" not in after.paragraphs[0]._p.xml or has_comments


def test_without_doubts_nothing_is_added() -> None:
    document = docx.Document()
    document.add_paragraph("Der Hund")
    data = made(document)
    after = translated(data)
    assert zipfile.ZipFile(io.BytesIO(after)).namelist() == zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert_same_package(data, find_format("a.docx").reader()(data).write(["DER HUND"], "en"), {"val"})


def test_headers_and_tables() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Kopf"
    document.add_table(1, 1).cell(0, 0).text = "Zelle"
    data = made(document)
    texts = find_format("a.docx").reader()(data).texts
    after = docx.Document(io.BytesIO(translated(data, *(DOUBTFUL for _ in texts))))
    assert len(list(after.comments)) == 1  # Word has no comments in headers
    assert "commentReference" in after.tables[0].cell(0, 0).paragraphs[0]._p.xml
