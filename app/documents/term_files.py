"""Glossaries as TermBase eXchange: reads TBX of 2008 and 2019 (ISO 30042), writes that of 2008, which more tools read.

http://www.ttt.org/oscarstandards/tbx/ and https://www.tbxinfo.net describe them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

from app.errors import ExtraMissing, InvalidGlossary
from app.fairness.budget import checkpoint
from app.text.terms.entries import to_csv, to_tsv
from languages import codes

_EXTRA = "documents"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# The same thing is called differently in 2008 and in 2019.
_ENTRIES = frozenset({"termEntry", "conceptEntry"})
_LANGUAGES = frozenset({"langSet", "langSec"})

Pair = tuple[str, str]


def read(data: bytes, source: str, target: str) -> list[Pair]:
    """Reads the terms of a file for one pair of languages.

    Every term of the source language gets the first one of the target language. Of two entries with the same term, the
    first counts.

    Args:
        data: The file.
        source: Code of the language of the terms; one with a region in the file will do.
        target: Code of the language of their translations.

    Raises:
        InvalidGlossary: It is no TBX, or has no terms in these languages.
        DamagedDocument: It can't be read as XML.
        ExtraMissing: The library that reads XML is not installed.
    """
    _check_library()
    from app.documents.safe_xml import parse  # lxml may be missing

    root = parse(data, may_have_doctype=True)
    if _name(root) not in ("martif", "tbx"):
        raise InvalidGlossary("Invalid glossary entries provided: the file is no TBX.")
    found: dict[str, str] = {}
    for entry in root.iter("{*}*"):
        checkpoint()
        if _name(entry) in _ENTRIES:
            terms = _terms(entry)
            for term in terms.get(source, ()):
                if terms.get(target):
                    found.setdefault(term, terms[target][0])
    if not found:
        raise InvalidGlossary(f"Invalid glossary entries provided: no terms from {source} to {target}.")
    return list(found.items())


def _terms(entry: Any) -> dict[str, list[str]]:
    """Returns the terms of a concept by language, without region."""
    found: dict[str, list[str]] = {}
    for section in entry:
        if _name(section) in _LANGUAGES:
            code = codes.base((section.get(_LANGUAGE) or section.get("lang") or "").lower().replace("_", "-"))
            texts = (" ".join("".join(term.itertext()).split()) for term in section.iter("{*}term"))
            found.setdefault(code, []).extend(text for text in texts if text)
    return found


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2] if isinstance(element.tag, str) else ""


def write(pairs: Iterable[Pair], source: str, target: str) -> Iterator[bytes]:
    """Yields the parts of a file with these terms.

    Raises:
        ExtraMissing: The library that writes XML is not installed.
    """
    _check_library()
    from lxml import etree

    from app.documents.safe_xml import writable

    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<martif type="TBX" xml:lang="en">\n'
    yield b"<martifHeader><fileDesc><sourceDesc><p>Dragoman</p></sourceDesc></fileDesc></martifHeader>\n<text><body>\n"
    for number, pair in enumerate(pairs, 1):
        checkpoint()
        entry = etree.Element("termEntry", {"id": f"t{number}"})
        for code, text in zip((source, target), pair, strict=True):
            section = etree.SubElement(entry, "langSet", {_LANGUAGE: code})
            group = etree.SubElement(section, "tig")
            etree.SubElement(group, "term").text = writable(text)
        yield etree.tostring(entry, encoding="utf-8") + b"\n"
    yield b"</body></text>\n</martif>\n"


WRITERS: Mapping[str, Callable[[Mapping[str, str], str, str], str]] = {
    "tsv": lambda entries, source, target: to_tsv(entries),
    "csv": lambda entries, source, target: to_csv(entries),
    "tbx": lambda entries, source, target: b"".join(write(entries.items(), source, target)).decode(),
}
"""Write the terms of a glossary from one language into another, in each of the formats."""


def _check_library() -> None:
    if not find_spec("lxml"):
        raise ExtraMissing.needed_by("Reading and writing TBX files", _EXTRA)
