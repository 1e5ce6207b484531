"""Reads a request's parameters from JSON, a form, a multipart form or the query string.

Any input is either read or raises one of the exceptions documented at ``read_parameters``.
"""

import codecs
from collections.abc import Collection, Iterable
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from app.api.long_json import parse_json
from app.errors import Cancelled, InvalidRequest
from app.text.budget import checkpoint
from app.work_pool import TEXT_POOL

MAX_FORM_FIELDS = 10_000
INVALID_JSON = "Invalid JSON format"
_TOO_MANY_FIELDS = f"Invalid request: more than {MAX_FORM_FIELDS:,} form fields"
# Larger bodies are parsed in the pool, and in pieces of this size: a form of some megabytes takes a second.
_LARGE_BYTES = _PIECE_BYTES = 1 << 16
_ESCAPE_BYTES = 3  # %C3
# Line ends of Python's ``splitlines`` other than "\n".
_LINE_BREAKS = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")


class FilePart(NamedTuple):
    """The file ``file`` of a multipart form."""

    name: str
    content: bytes


async def read_parameters(
    request: Request,
    max_body_bytes: int,
    repeatable: Collection[str] = (),
    files: list[FilePart] | None = None,
) -> dict[str, object]:
    """Returns the request's parameters by name.

    With a JSON object, the query string is ignored. Otherwise query string and form are merged; the query string takes
    precedence, and so does the first of several values. Line breaks in ``q`` are normalised, as LibreTranslate does. A
    ``repeatable`` parameter of a form is a list of all its values. The file of a form is added to ``files``.

    Raises:
        HTTPException: 413 if the body is larger than ``max_body_bytes``.
        Overloaded: Bodies take all the memory that there is for them.
        Cancelled: The client went away before the body was complete.
        InvalidRequest: The body is not what its content type says, or not UTF-8.
    """
    too_large = HTTPException(413, f"The request body exceeds the limit of {max_body_bytes} bytes.")
    if int(request.headers.get("content-length", "0")) > max_body_bytes:  # the HTTP parser has checked the number
        raise too_large
    chunks = bytearray()
    try:
        async for chunk in request.stream():
            chunks += chunk
            if len(chunks) > max_body_bytes:
                raise too_large
    except ClientDisconnect:
        raise Cancelled("The client closed the connection before the body was complete.") from None
    body = bytes(chunks)
    if len(body) < _LARGE_BYTES:
        return _parse(request, body, repeatable, files)
    return await TEXT_POOL.run(_parse, request, body, repeatable, files, size=len(body))


def _parse(
    request: Request, body: bytes, repeatable: Collection[str], files: list[FilePart] | None
) -> dict[str, object]:
    content_type = request.headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    is_json = media_type == "application/json" or (
        media_type.startswith("application/") and media_type.endswith("+json")
    )
    if is_json and (body or request.method != "GET"):  # some clients name the type of a body that they don't send
        return _parse_json(body)
    pairs = _parse_urlencoded(request.scope["query_string"])
    if media_type == "application/x-www-form-urlencoded":
        pairs += _parse_urlencoded(body)
    elif media_type == "multipart/form-data":
        pairs += _parse_multipart(content_type, body, files)
    return _merge(pairs, repeatable)


def _parse_json(body: bytes) -> dict[str, object]:
    try:
        value = parse_json(_decode(body).removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        # ValueError: not JSON, or a whole number of thousands of digits. RecursionError: nested too deeply.
        raise InvalidRequest(INVALID_JSON) from None
    if not isinstance(value, dict):
        raise InvalidRequest(INVALID_JSON)
    return value


def _parse_urlencoded(encoded: bytes) -> list[tuple[str, str]]:
    if encoded.count(b"&") >= MAX_FORM_FIELDS:
        raise InvalidRequest(_TOO_MANY_FIELDS)
    parts = (field.partition(b"=") for field in encoded.split(b"&") if field)
    try:
        return [(_unquoted(name).decode(), _unquoted(value).decode()) for name, _, value in parts]
    except ValueError:
        raise InvalidRequest("Invalid request: the form is not UTF-8") from None


def _unquoted(encoded: bytes) -> bytes:
    """Undoes the encoding of forms, in pieces: at once, it makes an object of 50 bytes for every escape."""
    encoded = encoded.replace(b"+", b" ")
    pieces, begin = [], 0
    while begin < len(encoded):
        checkpoint()
        end = begin + _PIECE_BYTES
        percent = encoded.rfind(b"%", end - _ESCAPE_BYTES + 1, end)  # an escape that the piece would cut in two
        end = percent if percent > begin else end
        pieces.append(unquote_to_bytes(encoded[begin:end]))
        begin = end
    return b"".join(pieces)


def _parse_multipart(content_type: str, body: bytes, files: list[FilePart] | None) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []

    def add(field: Field) -> None:
        if len(pairs) == MAX_FORM_FIELDS:
            raise InvalidRequest(_TOO_MANY_FIELDS)
        pairs.append((_decode(field.field_name or b""), _decode(field.value or b"")))

    def add_file(file: File) -> None:
        if files is not None and file.field_name == b"file":
            file.file_object.seek(0)
            files.append(FilePart(_decode(file.file_name or b""), file.file_object.read()))
        file.close()

    try:
        # A file stays in memory, being smaller than the body: no temporary file is ever written.
        limits = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "UPLOAD_ERROR_ON_BAD_CTE": True}
        parser = create_form_parser({"Content-Type": content_type.encode("latin-1")}, add, add_file, config=limits)
        for begin in range(0, len(body), _PIECE_BYTES):
            checkpoint()
            parser.write(body[begin : begin + _PIECE_BYTES])
        parser.finalize()
        parser.close()
    except (FormParserError, ValueError):
        raise InvalidRequest("Invalid request: the multipart form is malformed") from None
    return pairs


def _merge(pairs: Iterable[tuple[str, str]], repeatable: Collection[str]) -> dict[str, object]:
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        lists.setdefault(name, []).append(_with_usual_lines(value) if name == "q" else value)
    return {name: values if name in repeatable else values[0] for name, values in lists.items()}


def _with_usual_lines(text: str) -> str:
    """All line breaks as one sign, and none at the end. Splitting would make an object for every line."""
    return text.replace("\r\n", "\n").translate(_LINE_BREAKS).removesuffix("\n")


def _decode(raw: bytes) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    pieces = range(0, len(raw), _PIECE_BYTES)
    try:
        return "".join(decoder.decode(raw[begin : begin + _PIECE_BYTES]) for begin in pieces) + decoder.decode(
            b"", True
        )
    except UnicodeDecodeError:
        raise InvalidRequest("Invalid request: the body is not valid UTF-8") from None
