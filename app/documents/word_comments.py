"""Comments at paragraphs of a Word document; a document without comments gets a part for them.

Elements, parts and content types are those of ISO/IEC 29500-1, 17.13.4.
"""

from typing import Any

from lxml import etree

from app.documents.marks import SENDER
from app.documents.ooxml_dialects import W
from app.documents.ooxml_parts import TYPES, OfficeParts
from app.documents.safe_xml import writable

_KIND = "wordprocessingml.comments+xml"
_CONTENT_TYPE = f"application/vnd.openxmlformats-officedocument.{_KIND}"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"


class Comments:
    """Adds comments to the main part of a document.

    Args:
        parts: The document; comments go into its ``trees``.
        main: The name of its main part.
    """

    def __init__(self, parts: OfficeParts, main: str) -> None:
        self._parts, self._main = parts, main
        self._root: Any = None
        self._next = 0

    def add(self, paragraph: Any, text: str) -> None:
        """Adds a comment about a whole paragraph, which stands neither in a text box nor in another part."""
        if self._root is None:
            self._root = next(self._parts.roots(_KIND), None)
            if self._root is None:
                self._root = self._new_part()
            ids = (comment.get(f"{W}id", "") for comment in self._root.iter(f"{W}comment"))
            self._next = 1 + max((int(each) for each in ids if each.isdecimal()), default=-1)
        number, self._next = str(self._next), self._next + 1
        named = {f"{W}id": number, f"{W}author": SENDER, f"{W}initials": SENDER[0]}
        comment = etree.SubElement(self._root, f"{W}comment", named)
        run = etree.SubElement(etree.SubElement(comment, f"{W}p"), f"{W}r")
        etree.SubElement(run, f"{W}t").text = writable(text)
        begin = etree.Element(f"{W}commentRangeStart", {f"{W}id": number})
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            paragraph.insert(0, begin)
        else:
            properties.addnext(begin)
        etree.SubElement(paragraph, f"{W}commentRangeEnd", {f"{W}id": number})
        etree.SubElement(etree.SubElement(paragraph, f"{W}r"), f"{W}commentReference", {f"{W}id": number})

    def _new_part(self) -> Any:
        """Makes the part for comments, and names it where readers look: among types and relationships."""
        package, trees = self._parts.package, self._parts.trees
        folder, _, file = self._main.rpartition("/")
        prefix = f"{folder}/" if folder else ""
        name = next(name for name in (f"{prefix}comments{n or ''}.xml" for n in range(100)) if name not in package)
        types = trees.setdefault(TYPES, package.tree(TYPES))
        space = etree.QName(types).namespace
        etree.SubElement(types, f"{{{space}}}Override", PartName=f"/{name}", ContentType=_CONTENT_TYPE)
        relations_name = f"{prefix}_rels/{file}.rels"
        relations = trees.setdefault(relations_name, package.tree(relations_name))
        taken = {each.get("Id") for each in relations}
        own = next(each for each in (f"rIdComments{n}" for n in range(len(taken) + 1)) if each not in taken)
        space = etree.QName(relations).namespace
        target = name.removeprefix(prefix)
        etree.SubElement(relations, f"{{{space}}}Relationship", Id=own, Type=_RELATION, Target=target)
        trees[name] = etree.Element(f"{W}comments", nsmap={"w": W.strip("{}")})
        return trees[name]
