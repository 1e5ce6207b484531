"""pdf: the text in reading order, written as docx or html. Pictures and layout are lost."""

import html
import io

import docx

from app.documents import pdf_text
from app.documents.document import Document
from app.documents.formats import docx as docx_format
from app.documents.formats import html as html_format
from app.errors import DamagedDocument
from app.fairness.budget import checkpoint


def read(data: bytes, output: str) -> Document:
    """Reads a file.

    Args:
        data: The file.
        output: ``docx`` or ``html``.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large, or a scan without text.
    """
    blocks = pdf_text.read_blocks(data)
    if not blocks:
        raise DamagedDocument("The PDF has no text; it may be a scan.")
    return html_format.read(_page(blocks).encode()) if output == "html" else docx_format.read(_docx(blocks))


def _page(blocks: list[pdf_text.Block]) -> str:
    pieces = ['<!DOCTYPE html>\n<html lang="und">\n<head><meta charset="utf-8"></head>\n<body>\n']
    for level, runs in blocks:
        name = f"h{level}" if level else "p"
        text = "".join(
            "<b>" * is_bold + "<i>" * is_italic + html.escape(text, False) + "</i>" * is_italic + "</b>" * is_bold
            for text, is_bold, is_italic in runs
        )
        pieces.append(f"<{name}>{text}</{name}>\n")
    return "".join([*pieces, "</body>\n</html>\n"])


def _docx(blocks: list[pdf_text.Block]) -> bytes:
    document = docx.Document()
    for name in ("title", "comments", "author"):
        setattr(document.core_properties, name, "")  # the template's own
    for level, runs in blocks:
        checkpoint()
        paragraph = document.add_heading(level=level) if level else document.add_paragraph()
        for text, is_bold, is_italic in runs:
            run = paragraph.add_run(text)
            run.bold, run.italic = is_bold or None, is_italic or None
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()
