"""odt: OpenDocument Text. All paragraphs, notes, comments, headers, alternative texts and the title."""

from app.documents.document import Document
from app.documents.odf import read_odf


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted, too large, has macros or is of another kind.
    """
    return read_odf(data, "opendocument.text")
