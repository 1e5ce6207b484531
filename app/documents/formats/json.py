"""json: the strings that are text; keys, values for programs, numbers and white space stay as they are."""

import json
import re
from collections import Counter
from collections.abc import Iterator

from app.documents.characters import Encoded
from app.documents.document import Document
from app.documents.slots import Slot, slotted
from app.errors import DamagedDocument, DocumentTooLarge
from app.text.data_values import is_data
from app.text.untranslated import Reason

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_MAX_STRUCTURE = 500_000  # lists, objects and commas: each may become an object of 200 bytes
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_COLON = re.compile(r"\s*+:")


def read(data: bytes) -> Document:
    """Reads a file.

    Raises:
        DamagedDocument: It isn't JSON, or a string in it is no text.
    """
    file = Encoded(data)
    if sum(map(file.text.count, "[{,")) > _MAX_STRUCTURE:
        raise DocumentTooLarge("The document has too many values.")
    try:
        json.loads(file.text, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        raise DamagedDocument("The file is not JSON.") from None
    kept: Counter[Reason] = Counter()
    return slotted(file, _slots(file.text, kept), kept)


def _slots(source: str, kept: Counter[Reason]) -> Iterator[Slot]:
    """Yields the texts; counts the values that programs read."""
    escapes = source.isascii() and "\\u" in source

    def written(text: str) -> str:
        return json.dumps(text, ensure_ascii=escapes)

    key = ""
    for match in _STRING.finditer(source):
        if _COLON.match(source, match.end()):
            key = match[0]
            continue
        text = json.loads(match[0])
        if _NO_TEXT.search(text):
            raise DamagedDocument("A string of the file has a NUL character or an unpaired surrogate: it is not text.")
        if is_data(text, key[1:-1]):
            kept[Reason.IDENTIFIER] += 1
        elif any(map(str.isalpha, text)):
            yield Slot(*match.span(), text, written)
