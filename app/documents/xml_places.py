"""Where the elements of an XML document stand in its text, so that a change leaves the rest as it was written.

A parser forgets quotes, spaces inside tags, references and line ends. Documents come here when ``safe_xml.parse`` has
read them: they are well-formed and have no entities.
"""

import re
from array import array
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr, unescape

from lxml import etree

from app.documents.characters import Encoded
from app.errors import DamagedDocument
from app.fairness.budget import checkpoint
from app.text.inline.placement import Edit, apply

_DECLARED = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)""")
_BEGINNING_BYTES = 1_000
# Comments, CDATA, processing instructions and the document type; or a tag: "/" of an end tag, and "/" of an empty one.
_MARKUP = re.compile(
    r"""<(?:!--.*?-->|!\[CDATA\[.*?\]\]>|\?.*?\?>|!(?:[^>"']|"[^"]*+"|'[^']*+')*+>"""
    r"""|(?P<end>/)?(?P<name>[^\s/>!?"'<=]++)(?:[^>"'/]|"[^"]*+"|'[^']*+'|/(?!>))*+(?P<empty>/)?>)""",
    re.DOTALL,
)
# Each begins where a run of white space begins, or long runs would take quadratic time.
_ATTRIBUTE = re.compile(r"""(?<!\s)\s++([^\s="'<>/]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
_QUOTES = {"&quot;": '"', "&apos;": "'"}
_NAMESPACE = re.compile(r"""(?<!\s)\s++xmlns(?::([^\s=]++))?+="([^"]*+)\"""")
_CLOSING = re.compile(r"(?<!\s)\s*+/?+>\Z")


def encoded(data: bytes) -> Encoded:
    """Returns the text of an XML document.

    Raises:
        DamagedDocument: The bytes are not in the encoding that it names.
    """
    found = _DECLARED.search(data, 0, _BEGINNING_BYTES)
    return Encoded(data, found[1].decode("ascii", "replace") if found else None)


class Place(NamedTuple):
    """Where an element stands, in code points.

    Attributes:
        begin: Of its start tag.
        inside: Where that tag ends and the content begins.
        end_tag: Where the content ends; ``inside`` if the element is an empty tag.
        end: Of the element.
    """

    begin: int
    inside: int
    end_tag: int
    end: int


class Places:
    """The places of all elements of a document.

    Args:
        text: The document.
        root: The same, read.
        wanted: The elements to find.

    Attributes:
        line_end: The first line end of the document.

    Raises:
        DamagedDocument: The elements are not those of the text.
    """

    def __init__(self, text: str, root: Any, wanted: Iterable[Any]) -> None:
        self.text = text
        self.line_end = "\r\n" if text.find("\r\n") == text.find("\n") - 1 >= 0 else "\n"
        kept = set(wanted)  # while they are here, the library knows them again
        columns = _columns(text)
        self._places: dict[Any, Place] = {}
        number = -1
        for number, element in enumerate(root.iter("*")):
            if element in kept and number < len(columns[0]):
                self._places[element] = Place(*(column[number] for column in columns))
        if number + 1 != len(columns[0]):
            raise DamagedDocument("The file is damaged: a part of it isn't well-formed XML.")

    def __getitem__(self, element: Any) -> Place:
        return self._places[element]

    def start_tag(self, element: Any) -> str:
        """Returns the start tag of an element as it is written."""
        place = self[element]
        return self.text[place.begin : place.inside]

    def with_attributes(self, element: Any, values: Mapping[str, str | None]) -> Edit:
        """Returns the edit that sets attributes of an element; None removes one."""
        place = self[element]
        return Edit(place.begin, place.inside, with_attributes(self.start_tag(element), values))


def _columns(text: str) -> tuple["array[int]", ...]:
    """Returns four numbers of each element, as ``Place`` has them, in the order of start tags."""
    begins, insides, end_tags, ends = (array("q") for _ in range(4))
    open_: list[int] = []
    for match in _MARKUP.finditer(text):
        checkpoint()
        if not match["name"]:
            continue
        if match["end"]:
            if not open_:
                break
            number = open_.pop()
            end_tags[number], ends[number] = match.start(), match.end()
            continue
        if not match["empty"]:
            open_.append(len(begins))
        begins.append(match.start())
        for column in (insides, end_tags, ends):
            column.append(match.end())
    return begins, insides, end_tags, ends


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Returns the text with the edits, which may not overlap; those at one place come in their order."""
    return apply(sorted(edits, key=lambda edit: edit[:2]), text)


def with_attributes(tag: str, values: Mapping[str, str | None]) -> str:
    """Returns a start tag with other values of attributes; None removes one. Others stay as they are written."""
    for name, value in values.items():
        found = next((each for each in _ATTRIBUTE.finditer(tag) if each[1] == name), None)
        if value is None:
            tag = tag[: found.start()] + tag[found.end() :] if found else tag
        elif found is None:
            closing = _CLOSING.search(tag)
            assert closing
            tag = f"{tag[: closing.start()]} {name}={quoteattr(value)}{tag[closing.start() :]}"
        elif unescape(found[2][1:-1], _QUOTES) != value:
            tag = f"{tag[: found.start(2)]}{quoteattr(value)}{tag[found.end(2) :]}"
    return tag


def content_of(element: Any, scope: Mapping[str | None, str]) -> str:
    """Returns the content of an element as XML.

    Args:
        element: An element outside of the document.
        scope: The namespaces where the content will stand; these aren't declared again.
    """
    written = etree.tostring(element, encoding="unicode", with_tail=False)
    start = _MARKUP.match(written)
    if start is None or start["empty"]:
        return ""
    content = str(written[start.end() : written.rindex("</")])
    declared = {(prefix or None, uri) for prefix, uri in _NAMESPACE.findall(content)}
    if not all(scope.get(prefix) in (None, uri) for prefix, uri in declared):
        return content  # a prefix has several meanings
    return _MARKUP.sub(lambda tag: _without(tag[0], scope), content) if declared else content


def _without(tag: str, scope: Mapping[str | None, str]) -> str:
    def kept(declaration: re.Match[str]) -> str:
        return "" if scope.get(declaration[1]) == declaration[2] else declaration[0]

    return _NAMESPACE.sub(kept, tag)
