"""strings: the values of Apple's .strings files; keys, comments and white space stay as they are.

https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/LoadingResources/Strings/Strings.html
"""

import re
from collections import Counter
from collections.abc import Iterator

from app.documents.characters import Encoded
from app.documents.document import Document
from app.documents.slots import Slot, slotted
from app.errors import DamagedDocument
from app.text.data_values import is_data
from app.text.untranslated import Reason

# Each part is possessive: a file that breaks off is refused in linear time.
# A comment ends with its line; the line separators are those of CoreFoundation's parser of property lists.
_GAP = re.compile(r"(?:\s++|//[^\n\r\u2028\u2029]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_QUOTED = r'"(?:[^"\\]++|\\.)*+"'
_ENTRY = re.compile(
    rf"(?P<key>{_QUOTED}|[\w$/:.-]++){_GAP.pattern}(?:={_GAP.pattern}(?P<value>{_QUOTED}|[\w$/:.-]++){_GAP.pattern})?+;",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:U([0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def read(data: bytes) -> Document:
    """Reads a file of the source language.

    Raises:
        DamagedDocument: It is no file of strings.
    """
    file = Encoded(data)
    kept: Counter[Reason] = Counter()
    return slotted(file, _slots(file.text, kept), kept)


def _slots(source: str, kept: Counter[Reason]) -> Iterator[Slot]:
    """Yields the texts; counts the values that programs read."""
    place = _end_of_gap(source, 0)
    while place < len(source):
        entry = _ENTRY.match(source, place)
        if entry is None:
            raise DamagedDocument("The file is damaged, or not a file of strings for Apple's systems.")
        place = _end_of_gap(source, entry.end())
        value = entry["value"]
        if not value or value[0] != '"':
            continue
        text = unescaped(value[1:-1])
        if is_data(text, ""):
            kept[Reason.IDENTIFIER] += 1
        elif any(map(str.isalpha, text)):
            begin, end = entry.span("value")
            yield Slot(begin + 1, end - 1, text, lambda translation: translation.translate(_WRITTEN))


def _end_of_gap(source: str, place: int) -> int:
    gap = _GAP.match(source, place)
    return gap.end() if gap else place


def unescaped(written: str) -> str:
    """Reads escapes; an unknown one stands for its character.

    Raises:
        DamagedDocument: There is half of a character beyond U+FFFF, or a NUL.
    """

    def read_one(match: re.Match[str]) -> str:
        code, octal, other = match.groups()
        if other is None:
            return chr(int(code, 16) if code else int(octal, 8))
        return _CONTROLS.get(other, other)

    text = _ESCAPE.sub(read_one, written)
    try:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise DamagedDocument("A string of the file has an unpaired surrogate: it is not text.") from None
    if "\0" in text:
        raise DamagedDocument("A string of the file has a NUL character: it is not text.")
    return text
