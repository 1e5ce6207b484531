"""Android's string resources: ``strings.xml`` with strings, arrays and plural forms.

https://developer.android.com/guide/topics/resources/string-resource
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lxml import etree

from app.documents.characters import char_references
from app.documents.dialect import Dialect
from app.documents.document import Document, bounded
from app.documents.inline import INLINE
from app.documents.mixed_content import MixedText, append_text
from app.documents.safe_xml import parse
from app.documents.xml_places import Places, content_of, edited, encoded
from app.fairness.budget import checkpoint
from app.text.inline.placement import Edit
from app.text.untranslated import Reason

_STYLES = "a annotation b big del em font i li small span strike strong sub sup tt u ul".split()
_PLACEHOLDER = "{urn:oasis:names:tc:xliff:document:1.2}g"
# A tag of HTML that is written as text, in CDATA or with references: its quotation marks are those of attributes.
_TAG = r"<[!/]?[A-Za-z][^<>]*+>"
_ESCAPE = re.compile(rf"({_TAG})|\\(?:u([0-9A-Fa-f]{{4}})|(.))|(\")|([ \t\r\n]++)", re.DOTALL)
_TAGS = re.compile(f"({_TAG})")
_CONTROLS = {"n": "\n", "t": "\t"}
_WRITTEN = str.maketrans({"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_SPACES = re.compile(r"  ++")
# A string within quotation marks, which keep its white space.
_QUOTED = re.compile(r'\s*+"(?:[^"\\]++|\\.)*+"\s*+', re.DOTALL)
_CDATA = "<![CDATA["
_STRINGS = ("string", "string-array", "plurals")


class _String:
    """A string of the file.

    Args:
        element: It.
    """

    def __init__(self, element: Any) -> None:
        self.element, self._written = element, None
        is_quoted = not len(element) and _QUOTED.fullmatch(element.text or "")
        append = _append_quoted if is_quoted else _append
        self.text = MixedText(element, _DIALECT, append=append, into=self._new)

    def _new(self) -> Any:
        self._written = etree.Element(self.element.tag, nsmap=self.element.nsmap)
        return self._written

    def edit(self, places: Places) -> Edit:
        """Returns the edit that writes the translation in place of the string."""
        _, inside, end_tag, _ = places[self.element]
        content = content_of(self._written, self.element.nsmap)
        if places.text.startswith(_CDATA, inside) and self._written is not None and "]]>" not in content:
            content = f"{_CDATA}{self._written.text or ''}]]>"
        self._written = None
        return Edit(inside, end_tag, content)


def read(data: bytes) -> Document | None:
    """Reads a file of the source language. Of the translated file, only the strings differ from it.

    It is none of Android's if nothing right below its root is a string, an array of them or a plural: then, None.

    Raises:
        DamagedDocument: It isn't well-formed.
    """
    root = parse(data)
    if next(root.iterchildren(*_STRINGS), None) is None:
        return None
    kept: Counter[Reason] = Counter()
    strings = [string for string in bounded(_strings(root, kept)) if string.text.is_translatable]
    texts = tuple(string.text.markup for string in strings)

    def write(translations: Sequence[str], language: str) -> bytes:
        file = encoded(data)
        places = Places(file.text, root, (string.element for string in strings))
        edits = []
        for string, text, translation in zip(strings, texts, translations, strict=True):
            checkpoint()
            if translation != text:
                string.text.write(translation, language)
                edits.append(string.edit(places))
        return file.encoded(edited(file.text, edits), char_references)

    return Document(texts=texts, markup=INLINE, write=write, kept=kept)


def _strings(root: Any, kept: Counter[Reason]) -> Iterator[_String]:
    for element in root.iter("string", "item"):
        checkpoint()
        parent = element.getparent()
        if element.tag == "item" and parent.tag not in ("string-array", "plurals"):
            continue
        if "false" in (element.get("translatable"), parent.get("translatable")):
            kept[Reason.MARKUP] += 1
        elif not (element.text or "").lstrip().startswith(("@string/", "@android:", "?")) or len(element):
            yield _String(element)


def unescaped(written: str) -> str:
    """Reads a stretch of text: escapes, quotes that keep white space, and white space that counts as one space.

    Tags of HTML that are written as text stay as they are.
    """
    pieces: list[str] = []
    done, quoted = 0, False
    for match in _ESCAPE.finditer(written):
        tag, code, escaped, quote, space = match.groups()
        pieces.append(written[done : match.start()])
        done = match.end()
        if tag:
            pieces.append(tag)
        elif code:
            character = chr(int(code, 16))
            pieces.append(character if character.isprintable() or character.isspace() else match[0])
        elif escaped:
            pieces.append(_CONTROLS.get(escaped, escaped))
        elif quote:
            quoted = not quoted
        else:
            pieces.append(space if quoted else " ")
    return "".join([*pieces, written[done:]])


_DIALECT = Dialect(
    wrappers=frozenset(_STYLES), is_kept=lambda element: bool(element.tag == _PLACEHOLDER), read=unescaped
)


def escaped(text: str) -> str:
    """Writes a text so that ``unescaped`` reads it."""
    text = _outside_tags(text, lambda part: _SPACES.sub(lambda run: "\\u0020" * len(run[0]), part.translate(_WRITTEN)))
    return f"\\{text}" if text.startswith(("@", "?")) else text


def _outside_tags(text: str, change: Callable[[str], str]) -> str:
    pieces = _TAGS.split(text)  # tags are every second one
    pieces[::2] = map(change, pieces[::2])
    return "".join(pieces)


def _append(parent: Any, text: str) -> None:
    is_first = parent.text is None and not len(parent)
    written = escaped(text)
    append_text(parent, written if is_first or not written.startswith(("\\@", "\\?")) else written[1:])


def _append_quoted(parent: Any, text: str) -> None:
    parent.text = f'"{_outside_tags(text, lambda part: part.translate(_WRITTEN))}"'
