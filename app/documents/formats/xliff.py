"""xliff: XLIFF 1.2 and 2. Units without a final translation are translated; their inline tags stay."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

from lxml import etree

from app.documents.characters import char_references
from app.documents.dialect import Dialect
from app.documents.document import Document, bounded
from app.documents.inline import INLINE
from app.documents.marks import Marks
from app.documents.safe_xml import parse
from app.documents.xliff_units import Unit, metadata_edit, metadata_of
from app.documents.xml_places import Places, edited, encoded
from app.errors import DamagedDocument
from app.fairness.budget import checkpoint
from app.text.untranslated import Reason
from languages.codes import as_named

_SPACE = "urn:oasis:names:tc:xliff:document:"
# Of targets that are no translation yet.
_OPEN_STATES = frozenset({"new", "initial", "needs-translation", "needs-adaptation", "needs-l10n"})

_BREAKS = frozenset({"lb", "pb", "xlf:lb", "xlf:pb"})  # types of inline elements in the two versions


def read(data: bytes) -> Document:
    """Reads a file. Of the translated file, only targets and their languages differ from it.

    Raises:
        DamagedDocument: It is no XLIFF, or of another version.
    """
    root = parse(data)
    name = etree.QName(root)
    if name.localname != "xliff" or not (name.namespace or "").startswith(_SPACE):
        raise DamagedDocument("The file is not XLIFF 1.2 or 2.")
    space = f"{{{name.namespace}}}"
    kept: Counter[Reason] = Counter()
    units = [unit for unit in bounded(_units(root, space, kept)) if unit.text.is_translatable]
    is_first = root.get("version", "").startswith("1")

    def write(translations: Sequence[str], language: str, marks: Marks = None) -> bytes:
        file = encoded(data)
        heads = list(root.iter(f"{space}file")) if is_first else [root]
        metadata = {} if is_first else metadata_of(units)
        places = Places(file.text, root, chain(heads, metadata.values(), *(unit.elements for unit in units)))
        target = "target-language" if is_first else "trgLang"
        edits = [places.with_attributes(head, {target: as_named(head.get(target, ""), language)}) for head in heads]
        groups = defaultdict[Any, list[str]](list)
        for unit, translation, mark in zip(units, translations, marks or repeat(None), strict=marks is not None):
            checkpoint()
            unit.text.write(translation, language)
            edits += (unit.edits if is_first else unit.edits_of_segment)(places, mark)
            if mark and not is_first and (group := unit.group(mark)):
                groups[unit.parent].append(group)
        edits += [metadata_edit(places, parent, metadata.get(parent), added) for parent, added in groups.items()]
        return file.encoded(edited(file.text, edits), char_references)

    texts = tuple(unit.text.markup for unit in units)
    return Document(texts=texts, markup=INLINE, write=write, kept=kept, takes_marks=True)


def _units(root: Any, space: str, kept: Counter[Reason]) -> Iterator[Unit]:
    """Yields the texts that need a translation; counts the units that say that they stay."""
    dialect = Dialect(
        wrappers=frozenset(f"{space}{name}" for name in ("g", "pc", "mrk")), is_kept=_is_protected, is_seen=_is_seen
    )
    for unit in root.iter(f"{space}trans-unit", f"{space}segment"):
        checkpoint()
        source, target = unit.find(f"{space}source"), unit.find(f"{space}target")
        if source is None:
            continue
        if not _is_for_translation(unit):
            kept[Reason.MARKUP] += 1
            continue
        segmented = unit.find(f"{space}seg-source")
        if not _is_translated(unit, source, target):
            yield Unit(unit, space, source if segmented is None else segmented, target, dialect)
        elif segmented is not None:
            sources = _segments(segmented, space)
            for number, segment in _segments(target, space).items():
                if number in sources and not "".join(segment.itertext()).strip():
                    yield Unit(unit, space, sources[number], segment, dialect)


def _segments(element: Any, space: str) -> dict[str, Any]:
    """Returns the segments of a segmented source, or of its target, by their numbers."""
    return {mark.get("mid"): mark for mark in element.iter(f"{space}mrk") if mark.get("mtype") == "seg"}


def _is_protected(element: Any) -> bool:
    """Tells whether an inline element marks text that stays as it is: in XLIFF 2, or in 1.2."""
    return bool(element.get("translate") == "no" or element.get("mtype") == "protected")


def _is_seen(element: Any) -> bool:
    """Tells whether an inline element may stand for a word: it has no end, and is no break of a line or page."""
    types = {element.get("ctype"), element.get("subType")}
    return etree.QName(element).localname in ("ph", "x") and types.isdisjoint(_BREAKS)


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
