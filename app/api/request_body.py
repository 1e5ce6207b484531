"""Reads a request's parameters, whatever way they were sent: JSON, a form, a multipart form or the query string.

Nothing that can be sent makes this raise anything but InvalidRequest, HTTPException(413) or, if the client goes away,
Cancelled.
"""

import asyncio
import json
from collections.abc import Collection, Iterable
from typing import NoReturn
from urllib.parse import parse_qsl

from python_multipart import create_form_parser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from app.errors import Cancelled, InvalidRequest

MAX_FORM_FIELDS = 10_000
INVALID_JSON = "Invalid JSON format"
_TOO_MANY_FIELDS = f"Invalid request: more than {MAX_FORM_FIELDS:,} form fields"
# Larger bodies are parsed in a thread: a form of some megabytes takes a second.
_LARGE_BYTES = 1 << 16


async def read_parameters(request: Request, max_body_bytes: int, repeatable: Collection[str] = ()) -> dict[str, object]:
    """The request's parameters by name.

    A JSON object is taken as it is and the query string ignored. Otherwise query string and form are merged, the
    query string and first values winning, and line breaks in ``q`` are normalised, as LibreTranslate does. What is
    ``repeatable`` then comes as a list of all its values.

    Raises:
        HTTPException: 413 if the body is larger than ``max_body_bytes``.
        Cancelled: The client went away before the body was complete.
        InvalidRequest: The body is not what its content type says, or not UTF-8.
    """
    body = await _read_body(request, max_body_bytes)
    if len(body) < _LARGE_BYTES:
        return _parse(request, body, repeatable)
    return await asyncio.to_thread(_parse, request, body, repeatable)


def _parse(request: Request, body: bytes, repeatable: Collection[str]) -> dict[str, object]:
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
        pairs += _parse_multipart(content_type, body)
    return _merge(pairs, repeatable)


async def _read_body(request: Request, max_body_bytes: int) -> bytes:
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > max_body_bytes:
                raise HTTPException(413, f"The request body exceeds the limit of {max_body_bytes} bytes.")
    except ClientDisconnect:
        raise Cancelled("The client closed the connection before the body was complete.") from None
    return bytes(body)


def _parse_json(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(_decode(body).removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        # ValueError: not JSON, or a whole number of thousands of digits. RecursionError: nested too deeply.
        raise InvalidRequest(INVALID_JSON) from None
    if not isinstance(value, dict):
        raise InvalidRequest(INVALID_JSON)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse_urlencoded(encoded: bytes) -> list[tuple[str, str]]:
    if encoded.count(b"&") >= MAX_FORM_FIELDS:
        raise InvalidRequest(_TOO_MANY_FIELDS)
    try:
        return parse_qsl(encoded.decode("utf-8"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise InvalidRequest("Invalid request: the form is not UTF-8") from None


def _parse_multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []

    def add(field: Field) -> None:
        if len(pairs) == MAX_FORM_FIELDS:
            raise InvalidRequest(_TOO_MANY_FIELDS)
        pairs.append((_decode(field.field_name or b""), _decode(field.value or b"")))

    try:
        # A file part is skipped. It stays in memory, being smaller than the body: no temporary file is ever written.
        limits = {"MAX_MEMORY_FILE_SIZE": len(body) + 1, "UPLOAD_ERROR_ON_BAD_CTE": True}
        parser = create_form_parser({"Content-Type": content_type.encode("latin-1")}, add, File.close, config=limits)
        parser.write(body)
        parser.finalize()
        parser.close()
    except (FormParserError, ValueError):
        raise InvalidRequest("Invalid request: the multipart form is malformed") from None
    return pairs


def _merge(pairs: Iterable[tuple[str, str]], repeatable: Collection[str]) -> dict[str, object]:
    lists: dict[str, list[str]] = {}
    for name, value in pairs:
        lists.setdefault(name, []).append("\n".join(value.splitlines()) if name == "q" else value)
    return {name: values if name in repeatable else values[0] for name, values in lists.items()}


def _decode(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("Invalid request: the body is not valid UTF-8") from None
