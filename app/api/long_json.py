"""Parses JSON of many megabytes: in pieces, with a bound on what it may cost.

``json.loads`` keeps every other thread waiting until it is done, for 0.5 s with 32 MiB, and makes of ``[[],[],...``
forty times its size. So long strings are taken out and read piece by piece, and what remains must be small.
"""

import json
import re
import secrets
from collections.abc import Iterator
from typing import NoReturn

from app.text.budget import checkpoint

MAX_VALUES = 100_000
"""Lists, objects and commas that a body may hold, outside of strings."""

_MAX_SKELETON_CHARS = 8 * 1024 * 1024
_PIECE_CHARS = 64 * 1024
# The longest beginning of a string's inside that ends neither within an escape nor behind the closing quote.
_INSIDE = re.compile(r'[^"\\]*+(?:\\(?:u[0-9A-Fa-f]{4}|[^u])[^"\\]*+)*+')
_FIRST_HALF = re.compile(r"\\u[Dd][89ABab][0-9A-Fa-f]{2}\Z")  # of a character beyond U+FFFF
_STRUCTURE = ",[{"


def parse_json(text: str) -> object:
    """Returns the value of a JSON text.

    Raises:
        ValueError: It is not JSON, or holds more than ``MAX_VALUES`` values or a whole number of thousands of digits.
        RecursionError: It is nested too deeply.
    """
    if len(text) <= _PIECE_CHARS:
        return json.loads(text, parse_constant=_refuse_constant)
    mark = secrets.token_hex(8)  # so that no string of the text is taken for one
    strings: list[str] = []
    value = json.loads("".join(_skeleton(text, mark, strings)), parse_constant=_refuse_constant)
    if not isinstance(value, dict):
        return value

    def put_back(item: object) -> object:
        if isinstance(item, dict):
            return {put_back(name): put_back(one) for name, one in item.items()}
        if isinstance(item, list):
            return [put_back(one) for one in item]
        return strings[int(item[len(mark) :])] if isinstance(item, str) and item.startswith(mark) else item

    return put_back(value)


def _skeleton(text: str, mark: str, strings: list[str]) -> Iterator[str]:
    """The text, with a short string in the place of each long one, which is appended to ``strings``."""
    done = values = size = 0
    while True:
        checkpoint()
        quote = text.find('"', done)
        between = text[done : quote if quote >= 0 else len(text)]
        values += sum(map(between.count, _STRUCTURE))
        size += len(between)
        if values > MAX_VALUES or size > _MAX_SKELETON_CHARS:
            raise ValueError("too many values")
        yield between
        if quote < 0:
            return
        done = quote + 1
        short = _INSIDE.match(text, done, done + _PIECE_CHARS)
        if short and text[short.end() : short.end() + 1] == '"':
            done = short.end() + 1
            size += done - quote
            yield text[quote:done]
        else:
            string, done = _long_string(text, done)
            yield f'"{mark}{len(strings)}"'
            strings.append(string)


def _long_string(text: str, begin: int) -> tuple[str, int]:
    """A string from behind its opening quote on, and where the text goes on behind its closing one."""
    pieces = []
    while True:
        checkpoint()
        found = _INSIDE.match(text, begin, begin + _PIECE_CHARS)
        piece = found[0] if found else ""
        end = begin + len(piece)
        is_last = text[end : end + 1] == '"'
        if not piece and not is_last:
            raise ValueError("a string without an end, or an escape that there is not")
        half = None if is_last else _FIRST_HALF.search(piece)
        if half and half.start():
            piece, end = piece[: half.start()], begin + half.start()
        pieces.append(json.loads(f'"{piece}"'))
        begin = end
        if is_last:
            return "".join(pieces), end + 1


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
