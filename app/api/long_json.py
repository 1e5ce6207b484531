"""Parses JSON of many megabytes in pieces, with a bound on time and memory.

``json.loads`` keeps every other thread waiting until it is done, for 0.5 s with 32 MiB, and makes of ``[[],[],...``
forty times its size. So long strings are taken out and read piece by piece, and what remains must be small.
"""

import json
import math
import re
import secrets
from collections.abc import Iterator
from typing import NoReturn

from app.errors import TextTooLong
from app.fairness.budget import checkpoint

MAX_VALUES = 100_000
"""Lists, objects and commas that a body may hold, outside of strings."""

_MAX_SKELETON_BYTES = 8 * 1024 * 1024
_AT_ONCE_BYTES = 64 * 1024  # what json.loads reads in less than a millisecond
_PIECE_BYTES = 16 * 1024
_SHORT_BYTES = 256  # strings up to this length stay in the skeleton
_BYTE_ORDER_MARK = "\ufeff"
# The longest beginning of a string's inside that ends neither within an escape nor behind the closing quote.
_INSIDE = re.compile(rb'[^"\\]*+(?:\\(?:u[0-9A-Fa-f]{4}|[^u])[^"\\]*+)*+')
_FIRST_HALF = re.compile(rb"\\u[Dd][89ABab][0-9A-Fa-f]{2}")  # of a character beyond U+FFFF
_ESCAPE_BYTES = 6
_MAX_CONTINUATION_BYTES = 3  # of a character in UTF-8
_STRUCTURE = b",[{"


def parse_json(encoded: bytes | bytearray, max_string_chars: float = math.inf) -> object:
    """Returns the value of a JSON text in UTF-8.

    Args:
        encoded: The text; a byte order mark is ignored.
        max_string_chars: Limit for strings: those beyond it are not read to their end. Only long texts are checked.

    Raises:
        ValueError: It is not JSON, or holds a whole number of thousands of digits.
        UnicodeDecodeError: It is not UTF-8.
        RecursionError: It is nested too deeply.
        TextTooLong: A string is longer than ``max_string_chars``, or there are more than ``MAX_VALUES`` values.
    """
    if len(encoded) <= _AT_ONCE_BYTES:
        return _loads(encoded)
    mark = secrets.token_hex(8)  # so that no string of the text is taken for one
    strings: list[str] = []
    value = _loads(b"".join(_skeleton(encoded, mark.encode(), strings, max_string_chars)))

    def put_back(item: object) -> object:
        if isinstance(item, dict):
            return {put_back(name): put_back(one) for name, one in item.items()}
        if isinstance(item, list):
            return [put_back(one) for one in item]
        return strings[int(item[len(mark) :])] if isinstance(item, str) and item.startswith(mark) else item

    return put_back(value)


def too_long(limit: float) -> TextTooLong:
    """The error about a text that was not read to its end because it is longer than ``limit`` characters."""
    return TextTooLong(f"Invalid request: request (more than {limit}) exceeds text limit ({limit})")


def _loads(encoded: bytes | bytearray) -> object:
    # json.loads would take the surrogates that Python's "surrogatepass" allows, and UTF-16.
    return json.loads(encoded.decode().removeprefix(_BYTE_ORDER_MARK), parse_constant=_refuse_constant)


def _skeleton(
    encoded: bytes | bytearray, mark: bytes, strings: list[str], max_string_chars: float
) -> Iterator[bytes | bytearray]:
    """The text, with a short string in the place of each long one, which is appended to ``strings``."""
    done = values = size = 0
    while done < len(encoded):
        checkpoint()
        quote = encoded.find(b'"', done, done + _PIECE_BYTES)
        between = encoded[done : quote if quote >= 0 else done + _PIECE_BYTES]
        values += sum(map(between.count, _STRUCTURE))
        size += len(between)
        if values > MAX_VALUES:
            raise TextTooLong(f"Invalid request: the JSON has more than {MAX_VALUES:,} values")
        if size > _MAX_SKELETON_BYTES:
            raise TextTooLong(
                f"Invalid request: the JSON has more than {_MAX_SKELETON_BYTES:,} bytes beside long texts"
            )
        yield between
        done += len(between)
        if quote < 0:
            continue
        done += 1
        short = _INSIDE.match(encoded, done, done + _SHORT_BYTES)
        if short and encoded.startswith(b'"', short.end()):
            done = short.end() + 1
            size += done - quote
            yield encoded[quote:done]
        else:
            string, done = _long_string(encoded, done, max_string_chars)
            yield b'"%s%d"' % (mark, len(strings))
            strings.append(string)


def _long_string(encoded: bytes | bytearray, begin: int, max_chars: float) -> tuple[str, int]:
    """A string from behind its opening quote on, and where the text goes on behind its closing one."""
    pieces: list[str] = []
    chars = 0
    while True:
        checkpoint()
        if chars > max_chars:
            raise too_long(max_chars)
        found = _INSIDE.match(encoded, begin, begin + _PIECE_BYTES)
        end = found.end() if found else begin
        is_last = encoded.startswith(b'"', end)
        if not is_last and end in (begin, len(encoded)):
            raise ValueError("a string without an end, or an unknown escape")
        if not is_last:
            end = _end_of_characters(encoded, begin, end)
        pieces.append(json.loads(f'"{encoded[begin:end].decode()}"'))
        chars += len(pieces[-1])
        begin = end
        if is_last:
            return "".join(pieces), end + 1


def _end_of_characters(encoded: bytes | bytearray, begin: int, end: int) -> int:
    """Where to cut a piece so that no character is cut in two: at ``end`` or a few bytes before it."""
    for _ in range(_MAX_CONTINUATION_BYTES):
        end -= 0x80 <= encoded[end] < 0xC0
    half = end - _ESCAPE_BYTES
    if half > begin and _FIRST_HALF.fullmatch(encoded, half, end):
        before = encoded[begin:half]
        backslashes = len(before) - len(before.rstrip(b"\\"))
        return end if backslashes % 2 else half  # an odd one escapes the backslash of "\\ud83d"
    return end


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
