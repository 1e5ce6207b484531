"""stringsdict: Apple's plural forms, a property list. Its formats are translated, in the categories that are there.

https://developer.apple.com/documentation/xcode/localizing-strings-that-contain-plurals
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from app.documents.characters import char_references
from app.documents.document import Document, bounded
from app.documents.safe_xml import parse, writable
from app.documents.xml_places import Places, edited, encoded
from app.errors import DamagedDocument
from app.text.inline.placement import Edit

_TRANSLATED = frozenset("NSStringLocalizedFormatKey zero one two few many other".split())
_VARIABLE = re.compile(r"%(?:\d+\$)?#@\w+@")


def read(data: bytes) -> Document:
    """Reads a file of the source language. Of the translated file, only strings differ from it.

    Raises:
        DamagedDocument: It is no property list.
    """
    root = parse(data, may_have_doctype=True)
    if etree.QName(root).localname != "plist":
        raise DamagedDocument("The file is not a property list.")
    strings = list(bounded(_strings(root)))
    texts = tuple(element.text for element in strings)

    def write(translations: Sequence[str], language: str) -> bytes:
        file = encoded(data)
        places = Places(file.text, root, strings)
        edits = [
            Edit(places[element].inside, places[element].end_tag, escape(writable(translation)))
            for element, text, translation in zip(strings, texts, translations, strict=True)
            if translation != text
        ]
        return file.encoded(edited(file.text, edits), char_references)

    return Document(texts=texts, markup=None, write=write)


def _strings(root: Any) -> Iterator[Any]:
    """Yields the strings behind keys of texts; a format of nothing but variables has nothing to translate."""
    for key in root.iter("key"):
        string = key.getnext()
        if string is None or string.tag != "string" or len(string) or key.text not in _TRANSLATED:
            continue
        if any(map(str.isalpha, _VARIABLE.sub("", string.text or ""))):
            yield string
