"""xml: the text of any document, as ``/v2/translate`` finds it with ``tag_handling`` = ``xml``; data stays."""

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.documents.formats.html import declared
from app.text.markup.scope import Rules

_RULES = Rules(syntax="xml", ignore_tags=frozenset({"script", "style"}), keeps_data=True)


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data, declared(data))
    return Document(
        texts=(file.text,),
        markup=_RULES,
        write=lambda texts, language: file.encoded(texts[0], char_references),
    )
