"""The texts of the OpenAPI document about translation memories; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import INTERNAL, NOT_JSON, OWNER_KEY_ERRORS, error, too_large
from app.api.openapi import (
    DEFAULTS,
    NO_ROOM,
    STORAGE,
    Responses,
    path_parameter,
    query_parameters,
    request_body,
    response,
    upload_body,
)
from app.api.parameter import Parameters

_ID = "a74d88fb-ed2a-4943-a664-a4512398b994"
_TIMES = {"creation_time": "2026-11-23T14:16:18.329Z", "updated_time": "2026-11-23T14:16:18.329Z"}
_MEMORY = {
    "translation_memory_id": _ID,
    "name": "Website",
    "source_language": "de",
    "target_languages": ["en"],
    "segment_count": 1,
    "adapt": False,
    **_TIMES,
}
_ENTRY = {
    "source_segment_id": "17",
    "source_text": "Wo ist der Bahnhof?",
    "origin": "edit",
    "targets": [{"target_segment_id": "17", "target_language": "en", "target_text": "Where is the station?", **_TIMES}],
    **_TIMES,
}
_NEW_ENTRY = {"source_text": "Wo ist der Bahnhof?", "target_text": "Where is the station?"}
_OFF = "Translation memories are not available on this server."
_REFUSED_TEXT = "The request can't be served as it is; the text says what to change"
_SERVER: Responses = {413: too_large(DEFAULTS.max_body_bytes, **NO_ROOM), 500: INTERNAL, **OWNER_KEY_ERRORS}
_ERRORS: Responses = {
    400: error(
        _REFUSED_TEXT,
        not_json=NOT_JSON,
        website=("A server without a database", _OFF, "feature_disabled"),
        pair=(
            "A pair that isn't served",
            "Unsupported translation memory source and target language pair",
            "unsupported_pair",
        ),
        too_many=("Too many", "There are 1,000 translation memories already; delete one.", "invalid_memory"),
    ),
    **_SERVER,
}
_ERRORS_OF_ONE: Responses = {
    400: error(
        _REFUSED_TEXT,
        not_json=NOT_JSON,
        no_uuid=("No UUID", "Value for 'translation_memory_id' not supported; it is not a UUID.", "invalid_request"),
        empty=(
            "An empty text",
            "Value for 'source_text' not supported; it must be a text that is not empty.",
            "invalid_memory",
        ),
    ),
    404: error(
        "There is no such translation memory or entry",
        none=("No such translation memory", "There is no such translation memory.", "memory_not_found"),
        website=("A server without a database", _OFF, "feature_disabled"),
    ),
    **_SERVER,
}


def _answers(status: int, model: Any, description: str, value: Any, errors: Responses) -> Responses:
    return {status: response(model, description, {"example": (description, value)}), **errors}


def _body(parameters: Parameters, name: str, description: str, value: Any) -> dict[str, Any]:
    return request_body(parameters.model(name, description), {"website": ("The texts of a website", value)})


_ID_IN_PATH = path_parameter("translation_memory_id", "The id of the translation memory.", _ID)
ID_PARAMETER: dict[str, Any] = {"parameters": [_ID_IN_PATH]}
SEGMENT_PARAMETERS: dict[str, Any] = {
    "parameters": [_ID_IN_PATH, path_parameter("segment_id", "The id of the entry.", "17")]
}
LIST_PARAMETERS: dict[str, Any] = {"parameters": query_parameters(p.MEMORY_LIST)}
SEGMENTS_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.MEMORY_ENTRIES)]}
LIST_RESPONSES = _answers(
    200,
    schemas.Memories,
    "The translation memories",
    {"translation_memories": [_MEMORY], "total_count": 1},
    {
        400: error(
            _REFUSED_TEXT,
            page=(
                "Not a number",
                "Value for 'page' not supported; it must be a whole number from 0 to 1000000.",
                "invalid_request",
            ),
        ),
        500: INTERNAL,
        **OWNER_KEY_ERRORS,
    },
)
CREATE_REQUEST = _body(
    p.NEW_MEMORY,
    "NewMemory",
    "A translation memory.",
    {"name": "Website", "source_lang": "de", "target_lang": "en"},
)
CREATE_RESPONSES = _answers(201, schemas.Memory, "The translation memory", _MEMORY, _ERRORS)
CHANGE_MEMORY_REQUEST = _body(p.MEMORY_CHANGE, "MemoryChange", "What changes.", {"name": "Page", "adapt": True})
MEMORY_RESPONSES = _answers(200, schemas.Memory, "The translation memory", _MEMORY, _ERRORS_OF_ONE)
DELETE_RESPONSES: Responses = {204: {"description": "It is deleted"}, **_ERRORS_OF_ONE}
SEGMENTS_RESPONSES = _answers(
    200,
    schemas.MemoryEntries,
    "The entries",
    {"segments": [_ENTRY], "segment_count": 40, "next_page_cursor": "17"},
    _ERRORS_OF_ONE
    | {
        503: error(
            "Not now: try again after the seconds in `Retry-After`",
            **STORAGE,
            searches=("Too many searches", "Too many searches are waiting; try again in a moment.", "overloaded"),
        )
    },
)
ADD_REQUEST = _body(p.NEW_ENTRY, "NewMemoryEntry", "A text and its translation.", _NEW_ENTRY)
ADD_RESPONSES = _answers(201, schemas.MemoryEntry, "The entry", _ENTRY, _ERRORS_OF_ONE)
CHANGE_REQUEST = _body(
    p.ENTRY_CHANGE,
    "MemoryEntryChange",
    "The change, with at least one of the two fields.",
    {"target_text": "Where's the station?"},
)
CHANGE_RESPONSES = _answers(200, schemas.MemoryEntry, "The entry", _ENTRY, _ERRORS_OF_ONE)
UPLOAD_REQUEST = upload_body()
UPLOAD_RESPONSES = _answers(
    200,
    schemas.MemoryUpload,
    "How many entries were added, replaced and skipped",
    {"added": 1, "replaced": 0, "skipped": 0, "memory": _MEMORY},
    {
        **_ERRORS_OF_ONE,
        400: error(
            _REFUSED_TEXT,
            no_file=("No file", "Parameter 'file' not specified", "invalid_request"),
            format=(
                "Another format",
                "A translation memory can't be read from docx files; use tmx or tsv.",
                "invalid_memory",
            ),
            damaged=(
                "A damaged file",
                "The file is damaged: a part of it isn't well-formed XML.",
                "document_damaged",
            ),
            extra_missing=(
                "An extra is not installed",
                "Reading and writing TMX files needs the extra 'memory', which is not installed.",
                "extra_missing",
            ),
        ),
    },
)
DOWNLOAD_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.MEMORY_FILE)]}
_TSV = {"tsv": {"summary": "TSV", "value": "Wo ist der Bahnhof?\tWhere is the station?\n"}}
DOWNLOAD_RESPONSES: Responses = {
    200: {
        "description": "The entries, as an attachment",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}, "examples": _TSV}},
    },
    **_ERRORS_OF_ONE,
}
