"""Parses untrusted XML: no entities, no document type, no network; depth, elements and attributes are bounded.

Copies of an element have all namespaces that are declared around it, so these are bounded, too.
"""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from app.errors import DamagedDocument
from app.fairness.budget import checkpoint

XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
"""The attribute that says whether white space at the ends of a text is meant."""
_PIECE_BYTES = 1 << 16
# Tags, comments and attributes: of a document, and between two elements that are read. In memory, ``<a/>`` takes 130
# bytes: 32 MiB of it took 1 GB. The largest document may still have a node for every 11 bytes.
_MAX_NODES = 3_000_000
_MAX_NODES_BETWEEN = 200_000
_MAX_NAMESPACES = 1_000  # that are declared around an element; Word declares 35
# Encodings in which the bytes "<" and "=" are there for each of these characters. libxml2 knows others, such as UTF-7.
_ENCODINGS = re.compile(rb"utf-?8|utf-?16(?:[lb]e)?|(?:us-)?ascii|iso-?8859-?\d+|latin-?\d+|windows-125\d", re.I)
_BEGINNING_BYTES = 1_000
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*+<")
_DECLARED = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)""")
_SAFE: Any = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False}
_NOT_WELL_FORMED = "The file is damaged: a part of it isn't well-formed XML."
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse(data: bytes, *, may_have_doctype: bool = False) -> Any:
    """Returns the root element of a document. The parser is fed in pieces, so that other threads can run.

    Raises:
        DamagedDocument: It isn't XML, is nested too deeply, has too many elements, or a document type where none is
            expected.
    """
    _check_encoding(data)
    parser, nodes, spaces = etree.XMLPullParser(events=("start-ns", "end-ns"), **_SAFE), 0, 0
    try:
        for begin in range(0, len(data), _PIECE_BYTES):
            nodes = _feed(parser, data[begin : begin + _PIECE_BYTES], nodes, _MAX_NODES)
            spaces = _count_namespaces(parser, spaces)
        root = parser.close()
    except etree.XMLSyntaxError as error:
        raise _refused(error) from error
    _check_doctype(root, may_have_doctype)
    return root


def elements(data: bytes, tag: str) -> Iterator[Any]:
    """Yields the elements with a tag; each is discarded when the next one is read.

    The document may have a document type without entities.

    Raises:
        DamagedDocument: As ``parse``.
    """
    _check_encoding(data)
    parser, nodes = etree.XMLPullParser(events=("end",), tag=tag, **_SAFE), 0
    try:
        for begin in range(0, len(data), _PIECE_BYTES):
            nodes = _feed(parser, data[begin : begin + _PIECE_BYTES], nodes, _MAX_NODES_BETWEEN)
            for _, element in parser.read_events():
                nodes = 0
                _check_doctype(element, True)
                yield element
                element.clear()
                parent = element.getparent()
                while parent is not None and element.getprevious() is not None:
                    del parent[0]
        parser.close()
    except etree.XMLSyntaxError as error:
        raise _refused(error) from error


def _refused(error: etree.XMLSyntaxError) -> Exception:
    """Returns the error of a document that the parser refuses: no memory is another fault than bad syntax."""
    return MemoryError() if error.code == etree.ErrorTypes.ERR_NO_MEMORY else DamagedDocument(_NOT_WELL_FORMED)


def _check_encoding(data: bytes) -> None:
    """Refuses encodings in which ``_feed`` would count wrong.

    Raises:
        DamagedDocument: The document has another encoding than UTF-8, UTF-16 or one of Latin letters.
    """
    beginning = data[:_BEGINNING_BYTES]
    declared = _DECLARED.search(beginning.replace(b"\0", b""))
    if not _BEGINNING.match(beginning) or (declared and not _ENCODINGS.fullmatch(declared[1])):
        raise DamagedDocument("The file is damaged: a part of it isn't XML in UTF-8.")


def _count_namespaces(parser: Any, spaces: int) -> int:
    """Returns the number of namespaces that are declared where the parser is.

    Raises:
        DamagedDocument: There were more at a place than there may be.
    """
    for event, _ in parser.read_events():
        spaces += 1 if event == "start-ns" else -1
        if spaces > _MAX_NAMESPACES:
            raise DamagedDocument(f"The file has more than {_MAX_NAMESPACES:,} namespaces at one place.")
    return spaces


def _feed(parser: Any, piece: bytes, nodes: int, most: int) -> int:
    """Gives a piece to the parser; returns how many nodes there are with it, in any encoding that the parser reads."""
    checkpoint()
    nodes += piece.count(b"<") + piece.count(b"=")
    if nodes > most:
        raise DamagedDocument(f"The file has more than {most:,} elements and attributes in one part.")
    parser.feed(piece)
    return nodes


def _check_doctype(element: Any, may_have_doctype: bool) -> None:
    document = element.getroottree().docinfo
    if document.internalDTD is not None and (not may_have_doctype or any(document.internalDTD.iterentities())):
        raise DamagedDocument("The file has a document type declaration, which is not accepted.")


def serialize(root: Any) -> bytes:
    """Serialises a root element as a document."""
    tree = root.getroottree()
    encoding, standalone = tree.docinfo.encoding or "UTF-8", tree.docinfo.standalone
    return bytes(etree.tostring(tree, xml_declaration=True, encoding=encoding, standalone=standalone))


def writable(text: str) -> str:
    """Returns the text without the characters that XML forbids."""
    return _NOT_XML.sub("", text)
