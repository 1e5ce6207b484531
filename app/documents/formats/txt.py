"""txt: plain text."""

from app.documents.characters import Encoded
from app.documents.document import Document


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data)
    return Document(texts=(file.text,), markup=None, write=lambda texts, language: file.encoded(texts[0]))
