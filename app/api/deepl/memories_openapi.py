"""The texts of the OpenAPI document about translation memories; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import INTERNAL, OWNER_KEY_ERRORS, error
from app.api.deepl.stored_openapi import REFUSED, answers, body, stored_errors
from app.api.openapi import (
    STORAGE,
    TRY_LATER,
    Responses,
    attachment_response,
    path_parameter,
    query_parameters,
    upload_body,
)

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
_ERRORS = stored_errors(
    "translation memory",
    "Translation memories",
    "memory_not_found",
    making={
        "pair": (
            "A pair that isn't served",
            "Unsupported translation memory source and target language pair",
            "unsupported_pair",
        ),
        "too_many": ("Too many", "There are 1,000 translation memories already; delete one.", "invalid_memory"),
    },
    changing={
        "no_uuid": ("No UUID", "Value for 'translation_memory_id' not supported; it is not a UUID.", "invalid_request"),
        "empty": (
            "An empty text",
            "Value for 'source_text' not supported; it must be a text that is not empty.",
            "invalid_memory",
        ),
    },
)
_ID_IN_PATH = path_parameter("translation_memory_id", "The id of the translation memory.", _ID)
ID_PARAMETER: dict[str, Any] = {"parameters": [_ID_IN_PATH]}
SEGMENT_PARAMETERS: dict[str, Any] = {
    "parameters": [_ID_IN_PATH, path_parameter("segment_id", "The id of the entry.", "17")]
}
LIST_PARAMETERS: dict[str, Any] = {"parameters": query_parameters(p.MEMORY_LIST)}
SEGMENTS_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.MEMORY_ENTRIES)]}
LIST_RESPONSES = answers(
    200,
    schemas.Memories,
    "The translation memories",
    {"translation_memories": [_MEMORY], "total_count": 1},
    {
        400: error(
            REFUSED,
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
CREATE_REQUEST = body(
    p.NEW_MEMORY,
    "NewMemory",
    "A translation memory.",
    {"name": "Website", "source_lang": "de", "target_lang": "en"},
)
CREATE_RESPONSES = answers(201, schemas.Memory, "The translation memory", _MEMORY, _ERRORS.of_all)
CHANGE_MEMORY_REQUEST = body(p.MEMORY_CHANGE, "MemoryChange", "What changes.", {"name": "Page", "adapt": True})
MEMORY_RESPONSES = answers(200, schemas.Memory, "The translation memory", _MEMORY, _ERRORS.of_one)
DELETE_RESPONSES = _ERRORS.removal
SEGMENTS_RESPONSES = answers(
    200,
    schemas.MemoryEntries,
    "The entries",
    {"segments": [_ENTRY], "segment_count": 40, "next_page_cursor": "17"},
    _ERRORS.of_one
    | {
        503: error(
            TRY_LATER,
            **STORAGE,
            searches=("Too many searches", "Too many searches are waiting; try again in a moment.", "overloaded"),
        )
    },
)
ADD_REQUEST = body(p.NEW_ENTRY, "NewMemoryEntry", "A text and its translation.", _NEW_ENTRY)
ADD_RESPONSES = answers(201, schemas.MemoryEntry, "The entry", _ENTRY, _ERRORS.of_one)
CHANGE_REQUEST = body(
    p.ENTRY_CHANGE,
    "MemoryEntryChange",
    "The change, with at least one of the two fields.",
    {"target_text": "Where's the station?"},
)
CHANGE_RESPONSES = answers(200, schemas.MemoryEntry, "The entry", _ENTRY, _ERRORS.of_one)
UPLOAD_REQUEST = upload_body()
UPLOAD_RESPONSES = answers(
    200,
    schemas.MemoryUpload,
    "How many entries were added, replaced and skipped",
    {"added": 1, "replaced": 0, "skipped": 0, "memory": _MEMORY},
    {
        **_ERRORS.of_one,
        400: error(
            REFUSED,
            no_file=("No file", "Parameter 'file' not specified", "invalid_request"),
            format=(
                "Another format",
                "A translation memory can't be a file of the format docx; use tmx or tsv.",
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
DOWNLOAD_RESPONSES: Responses = {
    200: attachment_response("The entries", {"tsv": ("TSV", "Wo ist der Bahnhof?\tWhere is the station?\n")}),
    **_ERRORS.of_one,
}
