"""The properties of runs in Office Open XML: which look the same, what is raised, and their language."""

import re
from copy import deepcopy
from typing import Any

from lxml import etree

from app.documents.ooxml_dialects import S, W
from app.errors import DocumentTooLarge

# What a program notes about the language of a run and its spelling.
_NOTES = frozenset({f"{W}lang", f"{W}noProof"})
_NOTE_ATTRIBUTES = ("lang", "altLang", "dirty", "err", "noProof", "smtClean")
# Elements in the properties of a run, which has some 20, and all the elements that its parts get together.
_MAX_PROPERTIES, _MAX_COPIES = 200, 50_000


def check_copies(run: Any, properties: Any) -> None:
    """Refuses a run whose properties would be copied too often: each part of it may get a run of its own.

    Raises:
        DocumentTooLarge: There are too many of them.
    """
    if properties is None:
        return
    number = sum(1 + len(element.attrib) for element in properties.iter())
    if number > _MAX_PROPERTIES or number * len(run) > _MAX_COPIES:
        raise DocumentTooLarge("A stretch of text in the document has too many properties.")


def key_of(properties: Any) -> bytes:
    """Returns what is equal for properties that look the same; for none at all, nothing."""
    if properties is None:
        return b""
    bare = deepcopy(properties)
    bare.tail = None
    for note in [child for child in bare if child.tag in _NOTES]:
        bare.remove(note)
    for name in _NOTE_ATTRIBUTES:
        bare.attrib.pop(name, None)
    return bytes(etree.tostring(bare)) if len(bare) or bare.attrib else b""


def is_raised(properties: Any) -> bool:
    """Tells whether text is superscript, as in "19 €¹": by an element in Word and Excel, an attribute in PowerPoint."""
    if properties is None:
        return False
    marks = [mark for space in (W, S) for mark in properties.iterfind(f"{space}vertAlign")]
    if any("superscript" in mark.attrib.values() for mark in marks):
        return True
    return re.fullmatch(r"[1-9]\d*%?", properties.get("baseline", "")) is not None


def in_language(properties: Any, language: str) -> Any:
    """Returns a copy of the properties for text in a language."""
    copy = deepcopy(properties)
    for child in [child for child in copy if child.tag == f"{W}lang"]:
        copy.remove(child)  # the document's styles say which language it is in
    if "lang" in copy.attrib:
        copy.set("lang", language)
    return copy
