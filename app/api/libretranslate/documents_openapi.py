"""The texts of the OpenAPI document about LibreTranslate's documents; ``app.api.openapi`` explains them."""

from app.api.libretranslate import schemas
from app.api.libretranslate.endpoints import CORRECT_FILE, TRANSLATE_FILE
from app.api.openapi import (
    DOCUMENT_REFUSED,
    DOCUMENT_TOO_LARGE,
    DOCUMENT_UNREADABLE,
    FAILURES,
    FILE_RESPONSE,
    INTERNAL,
    KEY_REFUSED,
    NO_DOCUMENT,
    NO_KEY,
    NO_QUOTA,
    NO_STORAGE,
    NOT_NOW,
    NOT_STORED,
    REPORT_RESPONSE,
    STORAGE,
    TOO_MANY_DOCUMENTS,
    TRY_LATER,
    Responses,
    error,
    path_parameter,
    response,
    upload_body,
)

_DISABLED = ("Switched off", "Files translation are disabled on this server.", "feature_disabled")
_NAME = "0b3c0dcd-6d5e-4a0c-9d5e-5a1d3b6f2a10.letter_en.docx"

TRANSLATE_FILE_REQUEST = upload_body(TRANSLATE_FILE)
TRANSLATE_FILE_RESPONSES: Responses = {
    200: response(
        schemas.TranslatedFile,
        "Where the translated document is",
        {"translated": ("A letter", {"translatedFileUrl": f"http://127.0.0.1:8000/download_file/{_NAME}"})},
    ),
    400: error(
        "The document can't be translated as it is; the text says what to change",
        no_file=("No file", "Invalid request: missing file parameter", "invalid_request"),
        no_key=NO_KEY,
        unsupported=("Language not served", "zz is not supported", "unsupported_pair"),
        equal=("In the target language already", "Source and target language are equal.", "invalid_request"),
        **DOCUMENT_REFUSED,
        **DOCUMENT_UNREADABLE,
    ),
    403: error(
        "Not with this API key, or not on this server",
        **KEY_REFUSED,
        no_quota=NO_QUOTA,
        disabled=_DISABLED,
    ),
    404: error(
        "There is no such glossary or memory, or the document was deleted meanwhile", **NO_DOCUMENT, **NOT_STORED
    ),
    413: error("The file is too large", **DOCUMENT_TOO_LARGE),
    **FAILURES,
    503: error(TRY_LATER, **NOT_NOW, **STORAGE, **TOO_MANY_DOCUMENTS),
}

CORRECT_FILE_REQUEST = upload_body(CORRECT_FILE)
CORRECT_FILE_RESPONSES: Responses = {
    200: FILE_RESPONSE,
    400: error(
        "The document can't be made of this; the text says why",
        no_file=("No file", "Invalid request: missing file parameter", "invalid_request"),
        wrong_review=(
            "Of another file",
            "The review doesn't belong to this file, or its texts were changed.",
            "wrong_review",
        ),
        no_key=NO_KEY,
        **DOCUMENT_REFUSED,
        **DOCUMENT_UNREADABLE,
    ),
    403: error(
        "Not with this API key, or not on this server",
        **KEY_REFUSED,
        disabled=_DISABLED,
    ),
    413: error("The file is too large", **DOCUMENT_TOO_LARGE),
    **FAILURES,
    500: INTERNAL,
}

DOWNLOAD_FILE_PARAMETERS = {
    "parameters": [path_parameter("filename", "The end of the address that `/translate_file` answered.", _NAME)]
}
DOWNLOAD_FILE_RESPONSES: Responses = {
    200: FILE_RESPONSE,
    400: error(
        "`/translate_file` gives no such name, or documents are switched off",
        invalid=("Another name", "Invalid filename", "invalid_request"),
    ),
    404: error("There is no such document, or it was deleted", **NO_DOCUMENT),
    500: INTERNAL,
    503: NO_STORAGE,
}

REPORT_FILE_PARAMETERS = {
    "parameters": [path_parameter("filename", "The end of the address `reportUrl`.", f"{_NAME.partition('.')[0]}.html")]
}
REPORT_FILE_RESPONSES: Responses = DOWNLOAD_FILE_RESPONSES | {200: REPORT_RESPONSE}
