"""Reads a request's parameters from JSON, a form, a multipart form or the query string.

Any input is either read or raises one of the exceptions documented at ``read_parameters``.
"""

import codecs
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File
from starlette.exceptions import HTTPException
from starlette.requests import Request

from app.api.long_json import parse_json, too_long
from app.errors import Cancelled, InvalidRequest
from app.fairness.budget import checkpoint
from app.fairness.offload import Inline, offload
from app.fairness.pauses import take_long

MAX_FORM_FIELDS = 10_000
INVALID_JSON = "Invalid JSON format"
_NOT_UTF8 = "Invalid request: the body is not valid UTF-8"
_TOO_MANY_FIELDS = f"Invalid request: more than {MAX_FORM_FIELDS:,} form fields"
# Long values are read in pieces: a form of some megabytes takes a second.
_PIECE_BYTES = 1 << 14  # the most expensive piece, of escapes, takes 1 ms
_ESCAPE_BYTES = 3  # %C3
# Line ends of Python's ``splitlines`` other than "\n".
_LINE_BREAKS = ("\r\n", *"\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


_PART_OF_OBJECT = re.compile(r"(\w+)\[([0-9]{1,4})\](?:\.(\w+)|\[(\w+)\])")


class FilePart(NamedTuple):
    """The file ``file`` of a multipart form."""

    name: str
    content: bytes


async def read_parameters(
    request: Request,
    max_body_bytes: int,
    repeatable: Collection[str] = (),
    files: list[FilePart] | None = None,
    max_value_chars: float = math.inf,
) -> dict[str, object]:
    """Returns the request's parameters by name.

    With a JSON object, the query string is ignored. Otherwise query string and form are merged; the query string takes
    precedence, and so does the first of several values. Line breaks in ``q`` are normalised, as LibreTranslate does. A
    ``repeatable`` parameter of a form is a list of all its values, and so is ``q`` if it has several. The file of a
    form is added to ``files``. In bodies of more than 64 KiB, a value of more than ``max_value_chars`` is not read to
    its end.

    Raises:
        HTTPException: 413 if the body is larger than ``max_body_bytes``.
        Overloaded: Bodies take all the memory that there is for them.
        Cancelled: The client went away before the body was complete.
        InvalidRequest: The body is not what its content type says, or not UTF-8.
        TextTooLong: A value is longer than ``max_value_chars``, or the JSON has too many values.
    """
    if files is not None:
        take_long()
    chunks = await read_body(request, max_body_bytes)
    body = _Body(request, chunks, repeatable, files, max_value_chars)
    return await offload(_parse, body, size=len(chunks), inline=Inline.READING)


async def read_body(request: Request, max_body_bytes: int) -> bytearray:
    """Returns the body of a request.

    Raises:
        HTTPException: 413 if it is larger than ``max_body_bytes``.
        Overloaded: Bodies take all the memory that there is for them.
        Cancelled: The client went away before it was complete.
    """
    chunks, goes_on = bytearray(), True
    size = int(request.headers.get("content-length", "0"))  # the HTTP parser has checked the number
    while True:
        if size > max_body_bytes:
            raise HTTPException(413, f"The request body exceeds the limit of {max_body_bytes} bytes.")
        if not goes_on:
            return chunks
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise Cancelled("The client closed the connection before the body was complete.")
        chunks += message.get("body", b"")
        size, goes_on = len(chunks), message.get("more_body", False)


def body_bytes(request: Request) -> int | None:
    """Returns the length of a request's body; None if its headers don't tell."""
    length = request.headers.get("content-length")
    return None if length is None else int(length)


class _Body(NamedTuple):
    """The limits for reading a body; see ``read_parameters``."""

    request: Request
    content: bytearray
    repeatable: Collection[str]
    files: list[FilePart] | None
    max_value_chars: float


def _parse(body: _Body) -> dict[str, object]:
    request = body.request
    content_type = request.headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    is_json = media_type == "application/json" or (
        media_type.startswith("application/") and media_type.endswith("+json")
    )
    if is_json and (body.content or request.method != "GET"):  # some clients name the type of a body they don't send
        return _parse_json(body)
    pairs = _parse_urlencoded(request.scope["query_string"])
    if media_type == "application/x-www-form-urlencoded":
        pairs += _parse_urlencoded(body.content, body.max_value_chars)
    elif media_type == "multipart/form-data":
        pairs += _parse_multipart(content_type, body)
    return _merge(pairs, body.repeatable)


def with_objects(values: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Adds the list of objects that a form spells as ``name[0].field`` or ``name[0][field]``, by their numbers.

    So do DeepL's clients for Node.js, Java and .NET.
    """
    objects: dict[int, dict[str, object]] = {}
    for field, value in values.items():
        part = _PART_OF_OBJECT.fullmatch(field)
        if part and part[1] == name:
            objects.setdefault(int(part[2]), {})[part[3] or part[4]] = value
    return {name: [objects[number] for number in sorted(objects)]} | {**values} if objects else values


def _parse_json(body: _Body) -> dict[str, object]:
    try:
        value = parse_json(body.content, body.max_value_chars)
    except UnicodeDecodeError:
        raise InvalidRequest(_NOT_UTF8) from None
    except (ValueError, RecursionError):
        # ValueError: not JSON, or a whole number of thousands of digits. RecursionError: nested too deeply.
        raise InvalidRequest(INVALID_JSON) from None
    if not isinstance(value, dict):
        raise InvalidRequest(f"{INVALID_JSON}: it must be an object")
    return value


def _parse_urlencoded(encoded: bytes | bytearray, max_value_chars: float = math.inf) -> list[tuple[str, str]]:
    if encoded.count(b"&") >= MAX_FORM_FIELDS:
        raise InvalidRequest(_TOO_MANY_FIELDS)
    pairs, begin = [], 0
    try:
        while begin < len(encoded):
            end = encoded.find(b"&", begin)
            end = end if end >= 0 else len(encoded)
            equals = encoded.find(b"=", begin, end)
            equals = equals if equals >= 0 else end
            if begin < end:
                name = _unquoted(encoded, begin, equals, max_value_chars)
                pairs.append((name, _unquoted(encoded, equals + 1, end, max_value_chars)))
            begin = end + 1
    except UnicodeDecodeError:
        raise InvalidRequest("Invalid request: the form is not UTF-8") from None
    return pairs


def _unquoted(encoded: bytes | bytearray, begin: int, end: int, max_chars: float) -> str:
    """A part of a form without its encoding, undone in pieces: at once, that makes an object for every escape."""
    if end - begin <= _PIECE_BYTES:
        return unquote_to_bytes(bytes(encoded[begin:end]).replace(b"+", b" ")).decode()
    return _decoded(map(unquote_to_bytes, _escaped_pieces(encoded, begin, end)), max_chars)


def _escaped_pieces(encoded: bytes | bytearray, begin: int, end: int) -> Iterator[bytes]:
    while begin < end:
        last = min(end, begin + _PIECE_BYTES)
        percent = encoded.rfind(b"%", last - _ESCAPE_BYTES + 1, last)  # an escape that the piece would cut in two
        last = percent if begin < percent and last < end else last
        yield bytes(encoded[begin:last]).replace(b"+", b" ")
        begin = last


def _parse_multipart(content_type: str, body: _Body) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []

    def add(field: Field) -> None:
        if len(pairs) == MAX_FORM_FIELDS:
            raise InvalidRequest(_TOO_MANY_FIELDS)
        name, value = field.field_name or b"", field.value or b""
        pieces = (value[begin : begin + _PIECE_BYTES] for begin in range(0, len(value), _PIECE_BYTES))
        pairs.append((name.decode(), _decoded(pieces, body.max_value_chars)))

    def add_file(file: File) -> None:
        if body.files is not None and file.field_name == b"file":
            file.file_object.seek(0)
            body.files.append(FilePart((file.file_name or b"").decode(), file.file_object.read()))
        file.close()

    try:
        # A file stays in memory, being smaller than the body: no temporary file is ever written.
        limits = {"MAX_MEMORY_FILE_SIZE": len(body.content) + 1, "UPLOAD_ERROR_ON_BAD_CTE": True}
        parser = create_form_parser({"Content-Type": content_type.encode("latin-1")}, add, add_file, config=limits)
        try:
            for begin in range(0, len(body.content), _PIECE_BYTES):
                checkpoint()
                parser.write(bytes(body.content[begin : begin + _PIECE_BYTES]))
            parser.finalize()
            parser.close()
        finally:
            parser.parser = None  # a cycle, which would keep the file until Python looks for cycles among all objects
    except UnicodeDecodeError:
        raise InvalidRequest(_NOT_UTF8) from None
    except (FormParserError, ValueError):
        raise InvalidRequest("Invalid request: the multipart form is malformed") from None
    return pairs


def _merge(pairs: Iterable[tuple[str, str]], repeatable: Collection[str]) -> dict[str, object]:
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        lists.setdefault(name, []).append(_with_usual_lines(value) if name == "q" else value)
    is_list = {name: name in repeatable or (name == "q" and len(values) > 1) for name, values in lists.items()}
    return {name: values if is_list[name] else values[0] for name, values in lists.items()}


def _with_usual_lines(text: str) -> str:
    """All line breaks as one sign, and none at the end. Splitting would make an object for every line."""
    pieces, begin = [], 0
    while begin < len(text):
        checkpoint()
        end = begin + _PIECE_BYTES
        end -= text.startswith("\r", end - 1)  # "\n" may follow
        piece = text[begin:end]
        for line_break in _LINE_BREAKS:
            piece = piece.replace(line_break, "\n")
        pieces.append(piece)
        begin = end
    return "".join(pieces).removesuffix("\n")


def _decoded(pieces: Iterable[bytes], max_chars: float) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    texts, chars = [], 0
    for piece in pieces:
        checkpoint()
        if chars > max_chars:
            raise too_long(max_chars)
        texts.append(decoder.decode(piece))
        chars += len(texts[-1])
    return "".join([*texts, decoder.decode(b"", True)])
