"""json: the strings that are text; keys, values for programs, numbers and white space stay as they are."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from app.documents.characters import Encoded
from app.documents.document import Document
from app.documents.json_places import STRING, check, string
from app.documents.slots import Slot, slotted
from app.text.data_values import is_data
from app.text.untranslated import Reason

_COLON = re.compile(r"\s*+:")


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: It isn't JSON, or a string in it is no text.
    """
    file = Encoded(data)
    check(file.text)
    kept: Counter[Reason] = Counter()
    return slotted(file, _slots(file.text, kept), kept)


def _slots(source: str, kept: Counter[Reason]) -> Iterator[Slot]:
    """Yields the texts; counts the values that programs read."""
    escapes = source.isascii() and "\\u" in source

    def written(text: str) -> str:
        return json.dumps(text, ensure_ascii=escapes)

    key = ""
    for match in STRING.finditer(source):
        if _COLON.match(source, match.end()):
            key = match[0]
            continue
        text = string(match[0])
        if is_data(text, key[1:-1]):
            kept[Reason.IDENTIFIER] += 1
        elif any(map(str.isalpha, text)):
            yield Slot(*match.span(), text, written)
