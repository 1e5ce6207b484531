"""xliff: XLIFF 1.2 and 2. Units without a final translation are translated; their inline tags stay."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from lxml import etree

from app.documents.document import Document, bounded
from app.documents.inline import INLINE
from app.documents.mixed_content import MixedText, Names
from app.documents.safe_xml import parse, serialize
from app.errors import DamagedDocument
from app.text.budget import checkpoint
from app.text.untranslated import Reason

_SPACE = "urn:oasis:names:tc:xliff:document:"
# Of targets that are no translation yet.
_OPEN_STATES = frozenset({"new", "initial", "needs-translation", "needs-adaptation", "needs-l10n"})


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: It is no XLIFF, or of another version.
    """
    root = parse(data)
    name = etree.QName(root)
    if name.localname != "xliff" or not (name.namespace or "").startswith(_SPACE):
        raise DamagedDocument("The file is not XLIFF 1.2 or 2.")
    space = f"{{{name.namespace}}}"
    kept: Counter[Reason] = Counter()
    segments = [segment for segment in bounded(_segments(root, space, kept)) if segment.is_translatable]

    def write(translations: Sequence[str], language: str) -> bytes:
        for segment, translation in zip(segments, translations, strict=True):
            checkpoint()
            segment.write(translation, language)
        if root.get("version", "").startswith("1"):
            for file in root.iter(f"{space}file"):
                file.set("target-language", language)
        else:
            root.set("trgLang", language)
        return serialize(root)

    return Document(texts=tuple(each.markup for each in segments), markup=INLINE, write=write, kept=kept)


def _segments(root: Any, space: str, kept: Counter[Reason]) -> Iterator[MixedText]:
    """Yields the texts that need a translation; counts the units that say that they stay."""
    names = Names(wrappers=frozenset(f"{space}{name}" for name in ("g", "pc", "mrk")), is_kept=_is_protected)
    for unit in root.iter(f"{space}trans-unit", f"{space}segment"):
        checkpoint()
        source, target = unit.find(f"{space}source"), unit.find(f"{space}target")
        if source is None:
            continue
        if not _is_for_translation(unit):
            kept[Reason.MARKUP] += 1
            continue
        segmented = unit.find(f"{space}seg-source")
        if _is_translated(unit, source, target):
            continue
        yield MixedText(source if segmented is None else segmented, names, into=partial(_target, unit, space))


def _is_protected(element: Any) -> bool:
    """Tells whether an inline element marks text that stays as it is: in XLIFF 2, or in 1.2."""
    return bool(element.get("translate") == "no" or element.get("mtype") == "protected")


def _is_for_translation(unit: Any) -> bool:
    """Looks at the innermost element around a unit that says whether to translate: the unit, a group or the file."""
    wishes = (each.get("translate") for each in (unit, *unit.iterancestors()))
    return next(filter(None, wishes), "yes") != "no"


def _is_translated(unit: Any, source: Any, target: Any) -> bool:
    """Tells whether a unit has a translation. A copy of the source is one only if a state or an approval says so."""
    text = "" if target is None else "".join(target.itertext()).strip()
    if not text:
        return False
    states = [state for each in (target, unit) if (state := each.get("state"))]
    if not states and unit.get("approved") != "yes" and text == "".join(source.itertext()).strip():
        return False
    return _OPEN_STATES.isdisjoint(states)


def _target(unit: Any, space: str) -> Any:
    """Returns the element for the translation, which stands behind the source and behind any segmented source."""
    target = unit.find(f"{space}target")
    if target is None:
        before = unit.find(f"{space}seg-source")
        before = unit.find(f"{space}source") if before is None else before
        target = etree.Element(f"{space}target")
        target.tail, before.tail = before.tail, before.tail
        before.addnext(target)
        before.tail = target.tail
    target.attrib.pop("state", None)
    return target
