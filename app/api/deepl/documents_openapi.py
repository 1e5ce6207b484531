"""The texts of the OpenAPI document about DeepL's documents; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl.endpoints import DOCUMENT, DOCUMENT_KEY, REPORT, UPLOAD
from app.api.deepl.openapi import FAILURES, INTERNAL, KEY_ERRORS, NOT_JSON, error, too_large
from app.api.openapi import (
    DEFAULTS,
    DOCUMENT_REFUSED,
    DOCUMENT_TOO_LARGE,
    FILE_RESPONSE,
    KEY_REFUSED,
    NO_DOCUMENT,
    NO_KEY,
    NOT_STORED,
    REPORT_RESPONSE,
    STORAGE,
    TOO_MANY_DOCUMENTS,
    TRY_LATER,
    Responses,
    path_parameter,
    query_parameters,
    request_body,
    response,
    upload_body,
)
from app.api.schemas import REVIEW_EXAMPLE, DocumentReview

_ID = "04DE5AD98A02647D83285A36021911C6"
_KEY = DOCUMENT_KEY.example

UPLOAD_REQUEST = upload_body(UPLOAD)
_SWITCHED_OFF = ("Switched off", "Documents are not available on this server.", "invalid_request")
UPLOAD_RESPONSES: Responses = {
    200: response(
        schemas.DocumentHandle,
        "The document was taken in",
        {"taken": ("A document", {"document_id": _ID, "document_key": _KEY})},
    ),
    400: error(
        "The document can't be translated as it is; the text says what to change",
        no_file=(
            "No file",
            "Invalid file data. A multipart form needs a file that is not empty as its part 'file'.",
            "invalid_request",
        ),
        unsupported=(
            "Language not served",
            "Value for 'target_lang' not supported; use one of DE, EN.",
            "unsupported_pair",
        ),
        equal=("Nothing to translate", "Source and target language are equal.", "invalid_request"),
        switched_off=_SWITCHED_OFF,
        **DOCUMENT_REFUSED,
    ),
    403: error("Not with this API key", no_key=NO_KEY, **KEY_REFUSED),
    404: error("There is no such glossary or translation memory", **NOT_STORED),
    413: error("The file is too large", document_too_large=DOCUMENT_TOO_LARGE["document_too_large"]),
    **{status: FAILURES[status] for status in (429, 456, 500)},
    503: error(TRY_LATER, **STORAGE, **TOO_MANY_DOCUMENTS),
}

_ID_PARAMETER = path_parameter("document_id", "The id of the document.", _ID)
KEY_PARAMETERS: dict[str, Any] = {"parameters": [_ID_PARAMETER, *query_parameters(DOCUMENT)]}
KEY_REQUEST: dict[str, Any] = {
    "parameters": [_ID_PARAMETER],
    **request_body(
        DOCUMENT.model("DocumentKey", "Parameters of requests for a document."),
        {
            "unknown": ("Mistake: no such document", {"document_key": _KEY}),
            "no_document_key": ("Mistake: no key", {"document_key": ""}),
        },
    ),
}
_FINDING_ERRORS: Responses = {
    400: error(
        "The request can't be served as it is",
        no_document_key=("No key", "Parameter 'document_key' not specified", "invalid_request"),
        not_json=NOT_JSON,
        switched_off=_SWITCHED_OFF,
    ),
    404: error("There is no document of this id and key, or it was deleted", **NO_DOCUMENT),
    413: too_large(DEFAULTS.max_body_bytes),
    500: INTERNAL,
    **KEY_ERRORS,
}
STATUS_RESPONSES: Responses = _FINDING_ERRORS | {
    200: response(
        schemas.DocumentStatus,
        "The status",
        {
            "translating": (
                "Being translated",
                {"document_id": _ID, "status": "translating", "seconds_remaining": 20},
            ),
            "done": (
                "Translated",
                {
                    "document_id": _ID,
                    "status": "done",
                    "seconds_remaining": 0,
                    "billed_characters": 1337,
                    "terms": [{"source": "Vorstand", "target": "board", "status": "applied", "count": 3}],
                    "memory": {"exact": 12, "fuzzy": 3, "offered": 1},
                },
            ),
            "error": (
                "Not translated",
                {
                    "document_id": _ID,
                    "status": "error",
                    "error_message": "The file has a password; save it without one.",
                    "message": "The file has a password; save it without one.",
                    "detail": "document_encrypted",
                },
            ),
        },
    )
}
RESULT_RESPONSES: Responses = _FINDING_ERRORS | {
    200: FILE_RESPONSE,
    404: error(
        "There is no document of this id and key, or it was downloaded",
        **NO_DOCUMENT,
        downloaded=("Downloaded before", "Document already downloaded", "document_not_found"),
    ),
    503: error(
        "Not now: ask for the status first",
        not_done=("Not done", "Document translation is not done", "document_not_ready"),
        **STORAGE,
    ),
}
SENTENCES_RESPONSES: Responses = RESULT_RESPONSES | {
    200: response(
        DocumentReview,
        "The sentences",
        {"review": ("A document of one sentence", REVIEW_EXAMPLE)},
    ),
    404: error(
        "There is no document of this id and key, or it was downloaded, or not uploaded for review",
        **NO_DOCUMENT,
        not_for_review=(
            "Not for review",
            "The document was not translated for review, or has too many sentences.",
            "document_not_found",
        ),
    ),
}
REPORT_PARAMETERS: dict[str, Any] = {"parameters": [_ID_PARAMETER, *query_parameters(REPORT)]}
REPORT_REQUEST: dict[str, Any] = {
    "parameters": [_ID_PARAMETER],
    **request_body(
        REPORT.model("DocumentReport", "Parameters of a request for the report of a document."),
        {
            "unknown": ("Mistake: no such document", {"document_key": _KEY, "format": "csv"}),
            "no_document_key": ("Mistake: no key", {"document_key": "", "format": "html"}),
        },
    ),
}
REPORT_RESPONSES: Responses = RESULT_RESPONSES | {
    200: REPORT_RESPONSE,
    404: error("There is no document of this id and key, or it could not be translated", **NO_DOCUMENT),
}
