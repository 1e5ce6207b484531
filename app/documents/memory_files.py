"""The files of translation memories: TMX 1.4 (https://www.gala-global.org/tmx-14b), and TSV of two columns.

In TSV, a tab or line break inside a text becomes a space. TMX keeps them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

from app.documents.characters import Encoded
from app.errors import ExtraMissing, InvalidMemory, shortened
from app.fairness.budget import checkpoint
from app.text.memory.entries import check_entry_text
from languages import codes

EXTRA = "memory"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_NATIVE = frozenset({"bpt", "ept", "it", "ph", "ut"})  # codes of a document's format, which are no text

Pair = tuple[str, str]


class MemoryFile(NamedTuple):
    """The entries of a file for one pair of languages.

    Attributes:
        pairs: Texts and their translations.
        skipped: Number of its units that have no text or translation in these languages, or one that can't be kept.
    """

    pairs: list[Pair]
    skipped: int


class Form(NamedTuple):
    """A format of such files.

    Attributes:
        media_type: Of the files.
        read: Gives the text and translation of each unit of a file; None where there is none.
        write: Makes a file.
    """

    media_type: str
    read: Callable[[bytes, str, str], Iterator[Pair | None]]
    write: Callable[[Iterable[Pair], str, str], Iterator[bytes]]


def find_form(name: str) -> Form:
    """Finds the format with a name, or the format of a file name.

    Raises:
        InvalidMemory: There is no such format.
        ExtraMissing: It needs a library that is not installed.
    """
    extension = name.rpartition(".")[2].lower()
    if extension not in FORMS:
        known = " or ".join(FORMS)
        raise InvalidMemory(f"A translation memory can't be a file of the format {shortened(extension)}; use {known}.")
    if extension == "tmx" and not find_spec("lxml"):
        raise ExtraMissing.needed_by("Reading and writing TMX files", EXTRA)
    return FORMS[extension]


def read_file(data: bytes, form: Form, source: str, target: str) -> MemoryFile:
    """Reads a file.

    Args:
        data: The file.
        form: Its format.
        source: Code of the language of the texts.
        target: Code of the language of the translations.

    Raises:
        InvalidMemory: It has no entry for these languages.
        DamagedDocument: It can't be read.
    """
    pairs, skipped = [], 0
    for unit in form.read(data, source, target):
        checkpoint()
        try:
            if unit is None:
                raise InvalidMemory("The unit lacks a language.")
            pairs.append((check_entry_text(unit[0], "source"), check_entry_text(unit[1], "target")))
        except InvalidMemory:
            skipped += 1
    if not pairs:
        raise InvalidMemory(f"The file has no entries from {source} to {target}; {skipped:,} can't be used.")
    return MemoryFile(pairs, skipped)


def find_pair(data: bytes, served: Collection[Pair]) -> Pair:
    """Returns the pair of languages of a TMX file: from the language of its source to the most frequent other one.

    Args:
        data: The file.
        served: The pairs that it may be.

    Raises:
        InvalidMemory: It has no such pair.
        DamagedDocument: It can't be read.
    """
    from app.documents.safe_xml import elements  # lxml may be missing

    headers = (codes.base(header.get("srclang", "").lower()) for header in elements(data, "header"))
    declared = next(headers, "")
    pairs: Counter[Pair] = Counter()
    for unit in elements(data, "tu"):
        checkpoint()
        found = [codes.base(_language(variant)) for variant in unit.iterchildren("tuv")]
        source = declared if declared in found else next(iter(found), "")
        pairs.update((source, target) for target in dict.fromkeys(found) if (source, target) in served)
    if not pairs:
        raise InvalidMemory("The file has no entries in languages that this server translates.")
    return pairs.most_common(1)[0][0]


def _language(variant: Any) -> str:
    return (variant.get(_LANGUAGE) or variant.get("lang") or "").lower().replace("_", "-")


def _read_tsv(data: bytes, _source: str, _target: str) -> Iterator[Pair | None]:
    for line in Encoded(data).text.split("\n"):
        columns = line.rstrip("\r").split("\t")
        if any(columns):
            yield (columns[0], columns[1]) if len(columns) == 2 else None


def _write_tsv(pairs: Iterable[Pair], _source: str, _target: str) -> Iterator[bytes]:
    for pair in pairs:
        yield ("\t".join(" ".join(text.split()) for text in pair) + "\n").encode()


def _read_tmx(data: bytes, source: str, target: str) -> Iterator[Pair | None]:
    from app.documents.safe_xml import elements  # lxml may be missing

    for unit in elements(data, "tu"):
        exact: dict[str, str] = {}
        of_any_region: dict[str, str] = {}
        for variant in unit.iterchildren("tuv"):
            code = _language(variant)
            segment = variant.find("seg")
            if segment is not None:
                exact.setdefault(code, _text(segment))
                of_any_region.setdefault(codes.base(code), exact[code])
        found = of_any_region | exact
        pair = found.get(source.lower()), found.get(target.lower())
        yield None if pair[0] is None or pair[1] is None else (pair[0], pair[1])


def _text(element: Any) -> str:
    """Returns the text of a segment without the formatting codes of its document."""
    pieces = [element.text or ""]
    for child in element.iterchildren():
        checkpoint()
        if child.tag not in _NATIVE and isinstance(child.tag, str):
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _write_tmx(pairs: Iterable[Pair], source: str, target: str) -> Iterator[bytes]:
    from lxml import etree

    from app.documents.safe_xml import writable

    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    header = etree.Element(
        "header",
        {
            "creationtool": "Dragoman",
            "creationtoolversion": "1",
            "segtype": "sentence",
            "o-tmf": "Dragoman",
            "adminlang": "en",
            "srclang": source,
            "datatype": "plaintext",
        },
    )
    yield etree.tostring(header) + b"\n<body>\n"
    for pair in pairs:
        checkpoint()
        unit = etree.Element("tu")
        for code, text in zip((source, target), pair, strict=True):
            variant = etree.SubElement(unit, "tuv", {_LANGUAGE: code})
            etree.SubElement(variant, "seg").text = writable(text)
        yield etree.tostring(unit, encoding="utf-8") + b"\n"
    yield b"</body>\n</tmx>\n"


FORMS = {
    "tmx": Form("application/x-tmx+xml", _read_tmx, _write_tmx),
    "tsv": Form("text/tab-separated-values", _read_tsv, _write_tsv),
}
