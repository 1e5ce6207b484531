"""xml: the text of any document, as ``/v2/translate`` finds it with ``tag_handling`` = ``xml``; data stays.

Android's string resources are told by their root and what is in it, and read by ``app.documents.android_strings``.
"""

import re
from importlib.util import find_spec

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.documents.formats.html import declared
from app.errors import ExtraMissing
from app.text.markup.scope import Rules

_BEGINNING_BYTES = 100_000  # a licence may stand before the root
_RESOURCES = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:\s++|<\?[^>]*+>|<!--(?:[^-]++|-(?!->))*+-->)*+<resources[\s>]", re.DOTALL
)
_STRING = re.compile(rb"<(?:string|string-array|plurals)[\s>]")
_RULES = Rules(syntax="xml", ignore_tags=frozenset({"script", "style"}), keeps_data=True)


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: Its characters can't be read, or it is a damaged file of Android's.
        ExtraMissing: It is one of Android's, for which a library is missing.
    """
    if _RESOURCES.match(data[:_BEGINNING_BYTES]) and _STRING.search(data):
        if not find_spec("lxml"):
            raise ExtraMissing.needed_by("Translating strings.xml files", "documents")
        from app.documents.android_strings import read as read_android

        if android := read_android(data):
            return android
    file = Encoded(data, declared(data))
    return Document(
        texts=(file.text,),
        markup=_RULES,
        write=lambda texts, language: file.encoded(texts[0], char_references),
    )
