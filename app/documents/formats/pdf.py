"""pdf: the text in reading order, written as docx or html. Pictures and layout are lost.

The text is read in a process of its own (``app.documents.pdf_text``), because a page of a stranger's PDF can unpack to
any size, and the library can't be stopped in the middle of one.
"""

import html
import io
import json
import subprocess
import sys

import docx

from app.documents import pdf_text
from app.documents.document import Document
from app.documents.formats import docx as docx_format
from app.documents.formats import html as html_format
from app.errors import DamagedDocument, DocumentTooLarge, EncryptedDocument
from app.text.budget import checkpoint

_LOOK_S = 0.01


def read(data: bytes, output: str) -> Document:
    """Reads a file.

    Args:
        data: The file.
        output: ``docx`` or ``html``.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large, or a scan without text.
    """
    blocks = _blocks(data)
    if not blocks:
        raise DamagedDocument("The PDF has no text; it may be a scan.")
    return html_format.read(_page(blocks).encode()) if output == "html" else docx_format.read(_docx(blocks))


def _blocks(data: bytes) -> list[pdf_text.Block]:
    command = [sys.executable, "-m", pdf_text.__name__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        rest: bytes | None = data  # may be given in the first call only
        try:
            while True:
                checkpoint()
                try:
                    result, _ = process.communicate(rest, timeout=_LOOK_S)
                    break
                except subprocess.TimeoutExpired:
                    rest = None
        finally:
            process.kill()
    if process.returncode == pdf_text.ENCRYPTED:
        raise EncryptedDocument("The file has a password; save it without one.")
    if process.returncode == pdf_text.DAMAGED:
        raise DamagedDocument("The file is damaged or not a PDF.")
    if process.returncode:
        raise DocumentTooLarge("The PDF takes too much time or memory.")
    blocks: list[pdf_text.Block] = json.loads(result)
    return blocks


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
