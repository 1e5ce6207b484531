"""LibreOffice opens what was translated, and prints it on as many pages as it should."""

import shutil
import subprocess
from pathlib import Path

import pytest

from app.documents.pdf_text import read_blocks
from tests.support.documents import translate
from tests.support.office_files import presentation, text_document, word

OFFICE = shutil.which("soffice")

pytestmark = [pytest.mark.libreoffice, pytest.mark.skipif(OFFICE is None, reason="LibreOffice is not installed")]


@pytest.mark.parametrize(("name", "make"), [("a.docx", word), ("a.pptx", presentation), ("a.odt", text_document)])
def test_a_translated_document_is_printed(tmp_path: Path, name: str, make) -> None:
    path = tmp_path / name
    path.write_bytes(translate(make(), name))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = [OFFICE, profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, path]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    printed = path.with_suffix(".pdf").read_bytes()
    assert printed.count(b"/Type/Page/") + printed.count(b"/Type /Page ") >= 30
    blocks = read_blocks(printed)
    assert isinstance(blocks, list)
    text = " ".join(text for _, runs in blocks for text, _, _ in runs)
    assert "DER HUND LÄUFT ÜBER DIE WIESE" in text
    assert "der Hund" not in text
