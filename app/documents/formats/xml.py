"""xml: the text of any document, as ``/v2/translate`` finds it with ``tag_handling`` = ``xml``."""

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.documents.formats.html import declared
from app.text.markup.scope import Rules


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data, declared(data))
    return Document(
        texts=(file.text,),
        markup=Rules(syntax="xml"),
        write=lambda texts, language: file.encoded(texts[0], char_references),
    )
