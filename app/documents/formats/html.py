"""html: a page and the attributes that readers see; the translated page names its new language."""

import re
from dataclasses import replace

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.text.markup.attributes import in_language
from app.text.markup.extraction import HTML

PAGE = replace(HTML, translate_attributes=True)
# What a page says about its characters.
_DECLARED = re.compile(
    rb"""<meta[^>]*charset\s*=\s*["']?([A-Za-z0-9_-]+)|<\?xml[^>]*encoding\s*=\s*["']([\w-]+)""", re.I
)


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read.
    """
    file = Encoded(data, declared(data))
    return Document(
        texts=(file.text,),
        markup=PAGE,
        write=lambda texts, language: file.encoded(in_language(texts[0], language), char_references),
    )


def declared(data: bytes) -> str | None:
    """Returns the encoding that the beginning of a page names."""
    match = _DECLARED.search(data, 0, 4096)
    return (match[1] or match[2]).decode() if match else None
