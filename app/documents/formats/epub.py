"""epub: the chapters, the table of contents, title and description of a book."""

from collections.abc import Iterator, Sequence
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from app.documents.characters import Encoded, char_references
from app.documents.document import Document
from app.documents.formats.html import PAGE, declared
from app.documents.package import Package
from app.documents.safe_xml import serialize, writable
from app.documents.segments import PlainText
from app.errors import EncryptedDocument
from app.fairness.budget import checkpoint
from app.text.markup.attributes import in_language

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_OCF = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_CIPHER = "{http://www.w3.org/2001/04/xmlenc#}CipherReference"


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        InvalidRequest: It is damaged, encrypted or too large.
    """
    package = Package(data)
    place = next((each.get("full-path", "") for each in package.tree(_CONTAINER).iter(f"{_OCF}rootfile")), "")
    book = package.tree(place, may_have_doctype=True)
    names = {
        kind: dict.fromkeys(
            normpath(join(dirname(place), unquote(item.get("href", "")))) for item in _items(book, kind)
        )
        for kind in ("application/xhtml+xml", "application/x-dtbncx+xml")
    }
    chapters = {name: _chapter(package, name) for name in names["application/xhtml+xml"]}
    _refuse_encrypted(package, chapters)
    trees = {place: book} | {
        name: package.tree(name, may_have_doctype=True) for name in names["application/x-dtbncx+xml"]
    }
    titles = [PlainText(element) for root in trees.values() for element in _titles(root)]

    def write(translations: Sequence[str], language: str) -> bytes:
        parts: dict[str, bytes] = {}
        for (name, chapter), translation in zip(chapters.items(), translations, strict=False):
            checkpoint()
            parts[name] = chapter.encoded(in_language(writable(translation), language), char_references)
        for title, translation in zip(titles, translations[len(chapters) :], strict=True):
            title.write(translation, language)
        for element in book.iter(f"{_DC}language"):
            element.text = language
        return package.rewritten(parts | {name: serialize(root) for name, root in trees.items()})

    texts = (*(chapter.text for chapter in chapters.values()), *(title.markup for title in titles))
    return Document(texts=texts, markup=PAGE, write=write)


def _items(book: Any, kind: str) -> Iterator[Any]:
    return (item for item in book.iter(f"{_OPF}item") if item.get("media-type") == kind)


def _titles(root: Any) -> Iterator[Any]:
    yield from root.iter(f"{_DC}title", f"{_DC}description", f"{_NCX}text")


def _chapter(package: Package, name: str) -> Encoded:
    data = package.text(name)
    return Encoded(data, declared(data))


def _refuse_encrypted(package: Package, chapters: dict[str, Encoded]) -> None:
    """Refuses a book whose text is encrypted. Encrypted fonts are allowed: they do not protect the text."""
    if _ENCRYPTION in package:
        encrypted = {unquote(each.get("URI", "")) for each in package.tree(_ENCRYPTION).iter(_CIPHER)}
        if encrypted & chapters.keys():
            raise EncryptedDocument("The book is protected against copying.")
