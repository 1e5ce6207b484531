"""A bundle's labels: texts that stand alone, such as those of buttons, menus, headings and signs.

A model that learnt from sentences takes a label for a part of one: "Abmelden" was "Sign up", "Add to cart" "Zum Karren
hinzufügen". Such texts are few, and the same everywhere. So a bundle may list them, as a translator's memory does.
"""

import re
from pathlib import Path

from app.engine.models.entries import read_entries

_LONGEST = 80
"""Characters. Longer texts are no labels, and aren't looked up."""
_BESIDE = re.compile(
    r"(?P<before>[^\w\s] +)?(?P<label>.*?)(?P<behind> ?\.\.\.| ?…| ?: ?\*| ?[*:»›→]|,|!{2,5}| \(\d+\))?"
)
"""What a label may have in one place and not in another: "Save as…", "• Name: *", "Inbox (3)", "Regards,", "Stop!!"."""


class Labels:
    """The labels of one direction. A line is a label, a tab, and its translation.

    Args:
        path: The file, UTF-8; compressed by gzip if its name ends in ".gz".

    Raises:
        BundleError: It can't be read or is too large, or a line has no translation.
    """

    def __init__(self, path: Path) -> None:
        _, self._entries = read_entries(path)
        self._folded: dict[str, str] = {}
        for label, translation in self._entries.items():
            if not label.isupper():  # its translation is, too
                self._folded.setdefault(label.casefold(), translation)

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, text: str) -> str:
        """The translation of a text that is a label; "" if it is none.

        Signs may stand beside a label. A label that begins with a capital may have more of them: "Add To Cart". One of
        several words may have none.
        """
        if len(text) > _LONGEST:
            return ""
        if found := self._looked_up(text):
            return found
        parts = _BESIDE.fullmatch(text)
        found = self._looked_up(parts["label"]) if parts else ""
        return f"{parts['before'] or ''}{found}{parts['behind'] or ''}" if parts and found else ""

    def _looked_up(self, label: str) -> str:
        if listed := self._entries.get(label):
            return listed
        # A word in small letters is another than that with a capital: "essen", "Essen".
        if label.isupper() or (label[:1].islower() and " " not in label):
            return ""
        found = self._folded.get(label.casefold(), "")
        # A name such as iPhone stays.
        return found if found[1:2].isupper() else found[:1].upper() + found[1:]
