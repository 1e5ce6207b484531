"""Where the values of a JSON file are, so that one changes and everything else stays as it is written."""

import json
import re
from typing import Any, NamedTuple

from app.errors import DamagedDocument, DocumentTooLarge

STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"')
_TOKEN = re.compile(rf'{STRING.pattern}|[{{}}\[\]]|[^\s{{}}\[\]",:]++')
_MAX_STRUCTURE = 500_000  # lists, objects and commas: each may become an object of 200 bytes
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class Place(NamedTuple):
    """A value in the file.

    Attributes:
        begin: Where it begins, in code points.
        end: Where it ends.
        members: The values of an object by their keys; of repeated keys, the last. Empty for all other values.
    """

    begin: int
    end: int
    members: dict[str, "Place"]


def check(text: str) -> None:
    """Refuses a file that is no JSON.

    Raises:
        DamagedDocument: It isn't JSON.
        DocumentTooLarge: It has too many values.
    """
    if sum(map(text.count, "[{,")) > _MAX_STRUCTURE:
        raise DocumentTooLarge("The document has too many values.")
    try:
        json.loads(text, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        raise DamagedDocument("The file is not JSON.") from None


def string(written: str) -> str:
    """Reads a string as it is written in the file.

    Raises:
        DamagedDocument: It is no text.
    """
    return checked(json.loads(written))


def checked(text: str) -> str:
    """Returns a string of a file.

    Raises:
        DamagedDocument: It is no text.
    """
    if _NO_TEXT.search(text):
        raise DamagedDocument("A string of the file has a NUL character or an unpaired surrogate: it is not text.")
    return text


def located(text: str) -> Place:
    """Returns the value of a file that was checked, and those of its objects."""
    outside = _Open(0)
    stack = [outside]
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ("{", "["):
            stack.append(_Open(match.start(), is_object=token == "{"))
            continue
        if token in ("}", "]"):
            value = Place(stack[-1].begin, match.end(), stack.pop().members)
        elif stack[-1].is_object and stack[-1].key is None:
            stack[-1].key = string(token)
            continue
        else:
            value = Place(*match.span(), {})
        stack[-1].add(value)
    return outside.members[""]


class _Open:
    """An object or a list that hasn't ended; of a list, only the last value is kept."""

    def __init__(self, begin: int, *, is_object: bool = False) -> None:
        self.begin, self.is_object = begin, is_object
        self.key: str | None = None
        self.members: dict[str, Place] = {}

    def add(self, value: Place) -> None:
        self.members[self.key or ""] = value
        self.key = None


class Layout:
    """How a file is written: the white space of its first object holds for what is added.

    Args:
        text: The file.
    """

    def __init__(self, text: str) -> None:
        first = re.search(rf"\{{(\r?\n)?([ \t]*){STRING.pattern}(\s*:\s*)", text)
        self._line_end, self._unit, self._colon = (first[1] or "", first[2], first[3]) if first else ("\n", "  ", " : ")
        if not self._line_end:
            self._unit = ""

    def written(self, value: Any, depth: int) -> str:
        """Returns a value of objects and scalars as text, its keys in order.

        Args:
            value: The value.
            depth: The number of objects around it.
        """
        if not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=False)
        inner = [self._member(key, value[key], depth + 1) for key in sorted(value)]
        return "{" + ",".join(inner) + self._line(depth) + "}"

    def with_member(self, place: Place, key: str, value: Any, depth: int) -> tuple[int, int, str]:
        """Returns the edit that adds a member to an object: where it begins, where it ends, and its text.

        Args:
            place: The object.
            key: A key that it doesn't have.
            value: The member.
            depth: The number of objects around it and the object itself.
        """
        member = self._member(key, value, depth)
        if not place.members:
            return place.begin, place.end, "{" + member + self._line(depth - 1) + "}"
        before = [each.end for name, each in place.members.items() if name < key]
        if before:
            return max(before), max(before), "," + member
        return place.begin + 1, place.begin + 1, member + ","

    def _member(self, key: str, value: Any, depth: int) -> str:
        return self._line(depth) + json.dumps(key, ensure_ascii=False) + self._colon + self.written(value, depth)

    def _line(self, depth: int) -> str:
        return self._line_end + self._unit * depth
