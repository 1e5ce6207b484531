"""md: Markdown."""

from app.documents.characters import Encoded
from app.documents.document import Document
from app.text.markup.extraction import MARKDOWN


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data)
    return Document(texts=(file.text,), markup=MARKDOWN, write=lambda texts, language: file.encoded(texts[0]))
