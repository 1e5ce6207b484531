"""The units of XLIFF 1.2 and 2: how their targets are written, with what a translator should know of them.

States and the places of elements are those of the specifications:
https://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html and https://docs.oasis-open.org/xliff/xliff-core/v2.1/.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from app.documents.dialect import Dialect
from app.documents.marks import SENDER, Mark
from app.documents.mixed_content import MixedText
from app.documents.xml_places import Places, content_of, with_attributes
from app.text.inline.placement import Edit

_METADATA = "urn:oasis:names:tc:xliff:metadata:2.0"
_EXACT = 100


class Unit:
    """What has a source and a target: a ``trans-unit`` of XLIFF 1.2 or a segment of it, or a ``segment`` of 2.

    Args:
        element: It; the ``trans-unit`` around a segment of XLIFF 1.2.
        space: The namespace of XLIFF, in braces.
        before: What its target stands behind: its source, or the segmented one. For a segment of 1.2, its source.
        target: Its target, if it has one; the ``mrk`` of a segment.
        dialect: The meanings of inline elements.

    Attributes:
        text: What is translated.
        parent: The element around it.
        elements: The elements whose places the writer needs.
    """

    def __init__(self, element: Any, space: str, before: Any, target: Any, dialect: Dialect) -> None:
        self._element, self._before, self._target = element, before, target
        self._space, self._written = space, None
        self.text = MixedText(before, dialect, into=self._new_target)
        self.parent = element.getparent()
        self.elements = [each for each in (element, self.parent, before, target) if each is not None]

    def _new_target(self) -> Any:
        """Makes what gets the translation; each is a document of its own, which takes its memory."""
        self._written = etree.Element(f"{self._space}target", nsmap=self._element.nsmap)
        return self._written

    def edits(self, places: Places, mark: Mark | None) -> list[Edit]:
        """Returns the edits that write the translation into XLIFF 1.2, where one segment of several has no state."""
        if self._target is not None and self._target.tag != f"{self._space}target":
            return [self._target_edit(places, {}, ())]
        states: dict[str, str | None] = {"state": None}
        behind: list[str] = []
        edits: list[Edit] = []
        if mark:
            state = "signed-off" if mark.is_approved else "translated"
            states["state"] = "needs-review-translation" if mark.reasons else state
            states["state-qualifier"] = None if mark.is_corrected else _qualifier(mark.score)
            if mark.is_approved:
                edits.append(places.with_attributes(self._element, {"approved": "yes"}))
            # In the order of the specification: a note and other translations may come in any, behind the target.
            behind = [*self._note(mark), *self._other(mark)]
        return [*edits, self._target_edit(places, states, behind)]

    def edits_of_segment(self, places: Places, mark: Mark | None) -> list[Edit]:
        """Returns the edits that write the translation into XLIFF 2."""
        edits = [self._target_edit(places, {}, ())]
        if mark:
            doubt = f"{SENDER.lower()}:needs-review" if mark.reasons else None
            state = "reviewed" if mark.is_approved else "translated"
            edits.append(places.with_attributes(self._element, {"state": state, "subState": doubt}))
        return edits

    def _target_edit(self, places: Places, attributes: Mapping[str, str | None], behind: Any) -> Edit:
        content = content_of(self._written, self._element.nsmap).replace("\n", places.line_end)
        self._written = None
        space = self._indent().replace("\n", places.line_end)
        rest = "".join(space + each for each in behind)
        name = self._named("target" if self._target is None else etree.QName(self._target).localname)
        if self._target is None:
            begin = end = places[self._before].end
            tag = f"{space}<{name}>"
        else:
            begin, _, _, end = places[self._target]
            tag = places.start_tag(self._target)
            tag = f"{tag[:-2].rstrip()}>" if tag.endswith("/>") else tag
        return Edit(begin, end, f"{with_attributes(tag, attributes)}{content}</{name}>{rest}")

    def _indent(self) -> str:
        """Returns the white space in front of the source, which is that in front of any element beside it."""
        previous = self._before.getprevious()
        space = (self._before.getparent().text if previous is None else previous.tail) or ""
        return "" if space.strip() else space

    def _named(self, name: str) -> str:
        return f"{self._element.prefix}:{name}" if self._element.prefix else name

    def _note(self, mark: Mark) -> list[str]:
        name = self._named("note")
        return [f'<{name} from="{SENDER}">{escape(mark.note)}</{name}>'] if mark.reasons else []

    def _other(self, mark: Mark) -> list[str]:
        if mark.entry is None:
            return []
        source, target = (
            f"<{self._named(tag)}>{escape(text)}</{self._named(tag)}>"
            for tag, text in zip(("source", "target"), mark.entry, strict=True)
        )
        name = self._named("alt-trans")
        return [f'<{name} match-quality="{mark.score}" origin="{SENDER}">{source}{target}</{name}>']

    def group(self, mark: Mark) -> str | None:
        """Returns what is known of the translation as a group of XLIFF 2's Metadata module."""
        values = {
            "confidence": None if mark.confidence is None else f"{mark.confidence:.2f}",
            "match-quality": mark.score,
            "review": mark.note or None,
        }
        if not any(value is not None for value in values.values()):
            return None
        named = {"segment": self._element.get("id"), **values}
        metas = "".join(
            f'<mda:meta type="{name}">{escape(str(value))}</mda:meta>'
            for name, value in named.items()
            if value is not None
        )
        return f'<mda:metaGroup category="{SENDER.lower()}">{metas}</mda:metaGroup>'


def metadata_of(units: Iterable[Unit]) -> dict[Any, Any]:
    """Returns the elements of metadata by the parents of units; a parent may have a hundred thousand of these."""
    parents = dict.fromkeys(unit.parent for unit in units)
    found = ((parent, parent.find(f"{{{_METADATA}}}metadata")) for parent in parents)
    return {parent: metadata for parent, metadata in found if metadata is not None}


def metadata_edit(places: Places, unit: Any, existing: Any, groups: Sequence[str]) -> Edit:
    """Returns the edit that adds groups to the metadata of a ``unit``, which may have one element of them."""
    text = "".join(groups)
    declared = f'xmlns:mda="{_METADATA}"'
    if existing is None or places[existing].inside == places[existing].end:
        begin = end = places[unit].inside
        if existing is not None:
            begin, end = places[existing].begin, places[existing].end
        return Edit(begin, end, f"<mda:metadata {declared}>{text}</mda:metadata>")
    begin = places[existing].end_tag
    return Edit(begin, begin, text.replace("<mda:metaGroup", f"<mda:metaGroup {declared}"))


def _qualifier(score: int | None) -> str:
    if score is None:
        return "leveraged-mt"
    return "exact-match" if score == _EXACT else "fuzzy-match"
