"""Content controls of Word that are bound to another part: Word shows what that part says when it opens the file.

Cover pages have them, such as the title and the abstract. Bindings are those of ISO/IEC 29500-1, 17.5.2.6, and data
have an id in their properties (22.5.2.1); Office has ids of its own for the properties of the document.
"""

import re
from collections.abc import Iterator
from typing import Any

from app.documents.ooxml_dialects import W
from app.documents.ooxml_parts import CORE_PROPERTIES, OfficeParts

_OFFICE = {
    "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}": CORE_PROPERTIES,
    "{6668398D-A668-4E3E-A5EB-62B293D839F1}": "extended-properties+xml",
}
_PROPERTIES = re.compile(r"(customXml/item)Props(\d+\.xml)")
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}itemID"
_SPACE = re.compile(r"""xmlns:(\w+)=["']([^"']*)["']""")
# The steps that Word writes, each an element and its number. Other expressions may take long.
_PATH = re.compile(r"(?:/(?:\w+:)?\w+(?:\[\d{1,4}\])?)+")
_STEP = re.compile(r"/(?:(\w+):)?(\w+)(?:\[(\d+)\])?")


class Bindings:
    """The bound controls of a document that show what their data say.

    Args:
        parts: The document; the data go into its ``trees``.
        kinds: Of the parts with text.
    """

    def __init__(self, parts: OfficeParts, kinds: tuple[str, ...]) -> None:
        self._parts = parts
        self._bound: list[tuple[Any, Any]] = []
        for control in [each for root in parts.roots(*kinds) for each in root.iter(f"{W}sdt")]:
            binding, content = control.find(f"{W}sdtPr/{W}dataBinding"), control.find(f"{W}sdtContent")
            if binding is None or content is None:
                continue
            for root in self._data(binding.get(f"{W}storeItemID", "").upper()):
                element = _found(root, binding)
                if element is not None and element.text and element.text == _shown(content):
                    self._bound.append((content, element))

    def write(self) -> None:
        """Gives the data the texts that their controls show now."""
        for content, element in self._bound:
            element.text = _shown(content)

    def _data(self, wanted: str) -> Iterator[Any]:
        """Yields the root of the part with an id."""
        if wanted in _OFFICE:
            yield from self._parts.roots(_OFFICE[wanted])
            return
        package, trees = self._parts.package, self._parts.trees
        for match in filter(None, map(_PROPERTIES.fullmatch, package.names)):
            name = match[1] + match[2]
            if name in package and package.tree(match[0]).get(_ID, "").upper() == wanted:
                if name not in trees:
                    trees[name] = package.tree(name)
                yield trees[name]


def _shown(content: Any) -> str:
    return "".join(text.text or "" for text in content.iter(f"{W}t"))


def _found(root: Any, binding: Any) -> Any:
    """Returns the element to which a control is bound; None if there is none."""
    path = binding.get(f"{W}xpath", "")
    if not _PATH.fullmatch(path):
        return None
    spaces = dict(_SPACE.findall(binding.get(f"{W}prefixMappings", "")))
    siblings, element = [root], None
    for prefix, name, number in _STEP.findall(path):
        tag = f"{{{spaces[prefix]}}}{name}" if prefix in spaces else name
        named = [each for each in siblings if each.tag == tag]
        place = int(number or 1) - 1
        if not 0 <= place < len(named):
            return None
        element = named[place]
        siblings = list(element)
    return element
