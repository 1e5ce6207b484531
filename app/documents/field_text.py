"""Fields of Word: some repeat a text of the document, and some are filled with data."""

import html
from collections.abc import Sequence
from typing import Any

from app.documents.safe_xml import XML_SPACE, writable

# Word makes their text anew, without the sentence around them.
_REPEATING = frozenset({"REF", "STYLEREF", "TITLE", "SUBJECT", "SEQ", "NOTEREF", "DOCPROPERTY"})
# Word or an add-in fills them with names of people and files, records of a mail merge, or citations.
_DATA = frozenset(
    """ADDIN ADDRESSBLOCK AUTHOR CITATION DOCVARIABLE FILENAME GREETINGLINE LASTSAVEDBY MERGEFIELD MERGEREC MERGESEQ
    TEMPLATE USERADDRESS USERINITIALS USERNAME""".split()
)


def repeats(instruction: str) -> bool:
    """Tells whether a field with this instruction repeats a text."""
    return not _REPEATING.isdisjoint(_name(instruction))


def has_data(instruction: str) -> bool:
    """Tells whether a field with this instruction is filled with data, which are no text to translate."""
    return not _DATA.isdisjoint(_name(instruction))


def _name(instruction: str) -> list[str]:
    return instruction.upper().split(maxsplit=1)[:1]


class FieldText:
    """The result of a field that repeats a text: a text of its own, so that it becomes what it repeats.

    Args:
        texts: The elements with the text; the translation is written into the first.
    """

    def __init__(self, texts: Sequence[Any]) -> None:
        self._texts = texts
        content = "".join(text.text or "" for text in texts)
        self.markup = html.escape(content, quote=False)
        self.is_translatable = any(map(str.isalpha, content))

    def write(self, markup: str, language: str) -> None:
        """See ``Segment.write``."""
        for text in self._texts[1:]:
            text.text = ""
        self._texts[0].text = writable(html.unescape(markup))
        self._texts[0].set(XML_SPACE, "preserve")
