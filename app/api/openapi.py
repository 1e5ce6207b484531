"""The texts of the OpenAPI document about each endpoint: bodies, statuses, worked examples.

A request example and the response example of the same name belong together, and a test sends the one and compares the
answer with the other.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.api import schemas
from app.api.error_responses import INTERNAL_ERROR_TEXT, MODEL_FAILURE_TEXT
from app.api.parameter import Parameters
from app.settings import Settings

Responses = dict[int | str, dict[str, Any]]
Examples = dict[str, tuple[str, Any]]
ErrorExamples = dict[str, tuple[str, str, str]]

_SCHEMAS = "#/components/schemas/"
DEFAULTS = Settings.model_construct()
"""The default settings, without the environment."""

TITLE = "Dragoman"
DESCRIPTION = """Machine translation on your own computer.

`POST /translate` speaks the LibreTranslate contract, so its clients work unchanged, and adds Markdown, protected spans,
word alignment, streaming, search options and a deadline. Every error is
`{"error": "a sentence", "code": "a stable word"}`. Send `X-Request-ID` to find a request in the log; it comes back in
the response.

The paths under `/v2` and `/v3` speak the DeepL contract, for its clients. There an error is
`{"message": "a sentence", "detail": "a stable word"}`, and every response has an `X-Trace-ID`. Glossaries, memories
and style rules need a database. Text improvement is not available.

Where a body is JSON, the server also reads a form and a multipart form: a list is a repeated field, a list of objects
is `dictionaries[0].source_lang` and so on, and an object is the text of its JSON.

Both translate documents: `POST /translate_file` answers when the document is translated, `POST /v2/document` at once.
"""
OPERATIONS_TAG = {"name": "Operations", "description": "For operators and orchestrators."}


def request_body(model: type[BaseModel], examples: Examples) -> dict[str, Any]:
    """A request body, as JSON. Forms are read, too, but generators of clients make one type of body work only."""
    schema = _schema(model)
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema, "examples": named(examples)}},
        }
    }


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    schema = model.model_json_schema(ref_template=f"{_SCHEMAS}{{model}}")
    for field in schema["properties"].values():
        # Generators of clients make a field with a default one that every request must have.
        default = field.pop("default", None)
        if default not in (None, []):
            field["description"] = f"{field.get('description', '')} If absent: `{json.dumps(default)}`.".strip()
    return schema


def operation_id(route: APIRoute) -> str:
    """Returns what generated clients call an endpoint: ``post_v2_translate``, ``get_v2_glossaries_glossary_id``."""
    return "_".join([*map(str.lower, sorted(route.methods or ())), *re.findall(r"\w+", route.path_format)])


def with_named_schemas(document: dict[str, Any]) -> dict[str, Any]:
    """Moves the schemas of ``request_body`` to the document's components, where references look for them.

    FastAPI does so with the schemas of responses.
    """
    schemas = document["components"]["schemas"]
    for operation in (each for path in document["paths"].values() for each in path.values()):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            schema = content["schema"]
            if "title" in schema:
                own = {schema["title"]: schema} | schema.pop("$defs", {})
                for name, definition in own.items():
                    known = schemas.setdefault(name, definition)
                    assert known == definition, f"two schemas are called {name}"
                content["schema"] = {"$ref": f"{_SCHEMAS}{schema['title']}"}
    return document


def response(model: Any, description: str, examples: Examples) -> dict[str, Any]:
    """A JSON response; each example is (summary, value)."""
    content = {"application/json": {"examples": named(examples)}}
    return {"model": model, "description": description, "content": content}


def named(examples: Examples) -> dict[str, Any]:
    """The examples as OpenAPI has them."""
    return {name: {"summary": summary, "value": value} for name, (summary, value) in examples.items()}


def error(description: str, **examples: tuple[str, str, str]) -> dict[str, Any]:
    """An error response; each example is (summary, text, code)."""
    values: Examples = {name: (title, {"error": text, "code": code}) for name, (title, text, code) in examples.items()}
    return response(schemas.ErrorBody, description, values)


_TOO_LARGE: ErrorExamples = {
    "too_large": (
        "Body over its limit",
        f"The request body exceeds the limit of {DEFAULTS.max_body_bytes} bytes.",
        "body_too_large",
    )
}
NO_ROOM: ErrorExamples = {
    "room_exceeded": (
        "More than may be stored",
        f"Translation memories, glossaries and suggestions would exceed {DEFAULTS.max_stored_bytes_of_owner:,} bytes; "
        "delete some.",
        "room_exceeded",
    )
}
TOO_LARGE = error("The body is too large", **_TOO_LARGE)
TOO_LARGE_OR_NO_ROOM = error("The body is too large, or there is no room for more", **_TOO_LARGE, **NO_ROOM)
# Examples of errors that both contracts have, each in its own shape: (summary, text, code).
AT_FAULT = {
    "model_failure": ("The model failed", MODEL_FAILURE_TEXT, "model_failure"),
    "internal": ("Unexpected error", INTERNAL_ERROR_TEXT, "internal"),
}
INTERNAL = error("The server is at fault", internal=AT_FAULT["internal"])
NOT_NOW = {
    "overloaded": ("The queue is full", "The server is busy; try again in a moment.", "overloaded"),
    "engine_unavailable": ("Not ready", "The translation engine is not running.", "engine_unavailable"),
    "issuer_unavailable": (
        "A token can't be checked",
        "The issuer of the token can't be reached, so the token can't be checked",
        "issuer_unavailable",
    ),
}
STORAGE = {
    "storage_failure": (
        "The database is full or locked",
        "The database can't be used now: database or disk is full.",
        "storage_failure",
    )
}
# What a server with API keys refuses. Without keys, nothing is.
NO_KEY = ("No API key", "Please contact the server operator to get an API key", "key_required")
WRONG_KEY = ("No such API key", "Invalid API key", "invalid_key")
NOT_WITH_THIS_KEY = ("The key may not do this", "This API key may not use the feature translate.", "feature_disabled")
NO_QUOTA = ("The quota is used up", "Quota for this billing period has been exceeded.", "quota_exceeded")
KEY_REFUSED = {"wrong_key": WRONG_KEY, "not_with_this_key": NOT_WITH_THIS_KEY}
TRY_LATER = "Not now: try again after the seconds in `Retry-After`"


def failures(error: Callable[..., dict[str, Any]]) -> Responses:
    """What may happen to any translation, as a contract writes errors."""
    fast = ("Too many requests in a minute", "Slowdown: 60 per 1 minute", "rate_limited")
    text = "The time limit passed before the translation was complete."
    return {
        429: error("Too many requests: try again after the seconds in `Retry-After`", rate_limited=fast),
        500: error("The server is at fault", **AT_FAULT),
        503: error(TRY_LATER, **NOT_NOW, **STORAGE),
        504: error("The time limit passed", deadline_exceeded=("The time limit passed", text, "deadline_exceeded")),
    }


FAILURES = failures(error)
NO_STORAGE = error(TRY_LATER, **STORAGE)
DOCUMENT_REFUSED: ErrorExamples = {
    "unsupported_format": (
        "Another format",
        "Invalid file: the format exe is not translated; use txt, html, docx.",
        "document_unsupported",
    ),
    "extra_missing": (
        "An extra is not installed",
        "Translating docx files needs the extra 'documents', which is not installed.",
        "extra_missing",
    ),
}
# What turns out when a document is read, in the background.
DOCUMENT_UNREADABLE: ErrorExamples = {
    "damaged": (
        "A damaged file",
        "The file is damaged, or not what its name says: it is not a zip archive.",
        "document_damaged",
    ),
    "encrypted": (
        "A file with a password",
        "The file has a password; save it without one.",
        "document_encrypted",
    ),
}
DOCUMENT_TOO_LARGE: ErrorExamples = {
    "document_too_large": (
        "The file is over its limit",
        f"The document exceeds the limit of {DEFAULTS.max_document_bytes} bytes.",
        "body_too_large",
    ),
    "unpacked_too_large": (
        "What the file unpacks to is over its limit",
        "The file is too large when it is unpacked.",
        "document_too_large",
    ),
}
TOO_MANY_DOCUMENTS: ErrorExamples = {
    "too_many_documents": (
        "Too many documents",
        "The server can't keep more documents now; try again later.",
        "overloaded",
    )
}
NO_DOCUMENT: ErrorExamples = {
    "unknown": ("No such document", "There is no such document.", "document_not_found"),
}
NOT_STORED: ErrorExamples = {
    "no_glossary": ("No glossary", "There is no such glossary.", "glossary_not_found"),
    "no_memory": ("No memory", "There is no such translation memory.", "memory_not_found"),
}


def upload_body(parameters: Parameters | None = None) -> dict[str, Any]:
    """A multipart form with the file ``file``, and other fields as text."""
    file = {"type": "string", "format": "binary", "description": "The document; its name says its format."}
    properties = _schema(parameters.model("Form", ""))["properties"] if parameters else {}
    required = [each.name for each in parameters.documented if each.is_required] if parameters else []
    examples = {each.name: each.example for each in parameters.documented} if parameters else {}
    # Swagger UI fills a field without an example with the word "string" or 0: what may be absent stays empty.
    fields = {
        name: {**_as_field(schema), "example": examples[name] if name in required else ""}
        for name, schema in properties.items()
    }
    schema = {"type": "object", "properties": {"file": file, **fields}, "required": ["file", *required]}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


def _as_field(schema: dict[str, Any]) -> dict[str, Any]:
    """A value as a form holds it: lists and objects are text."""
    kind = next((each for each in schema.get("anyOf", ()) if each["type"] != "null"), schema)
    shown = {name: kind[name] for name in ("enum", "minimum", "maximum", "minLength") if name in kind}
    is_text = kind["type"] in ("array", "object")
    return {"type": "string" if is_text else kind["type"], **shown, "description": schema["description"]}


def query_parameters(parameters: Parameters) -> list[dict[str, Any]]:
    """The parameters of an endpoint in the query."""
    schemas = _schema(parameters.model("Query", ""))["properties"]
    shown = []
    for each in parameters.documented:
        schema = _as_field(schemas[each.name])
        description = schema.pop("description")
        place = {"name": each.name, "in": "query", "required": each.is_required}
        shown.append({**place, "description": description, "schema": schema, "example": each.example})
    return shown


def path_parameter(name: str, description: str, example: str) -> dict[str, Any]:
    """A part of a path."""
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "string"},
        "description": description,
        "example": example,
    }


def attachment_response(description: str, examples: Examples) -> dict[str, Any]:
    """A file, of any media type."""
    content = {"schema": {"type": "string", "format": "binary"}, "examples": named(examples)}
    return {"description": f"{description}, as an attachment", "content": {"*/*": content}}


REPORT_RESPONSE = attachment_response("The report", {"csv": ("As a table", "kind,text,source,translation,value,note")})
FILE_RESPONSE = attachment_response("The translated file", {"text": ("A file of plain text", "Where is the station?")})

HEALTH_RESPONSES: Responses = {200: response(schemas.Status, "Alive", {"ok": ("Alive", {"status": "ok"})})}

READY_RESPONSES: Responses = {
    200: response(schemas.Status, "Ready", {"ok": ("Ready", {"status": "ok"})}),
    503: error(
        "Not ready, and why",
        starting=("Starting", "The model is still loading.", "engine_unavailable"),
        stopping=("Stopping", "The server is shutting down.", "engine_unavailable"),
        failed=("Failed", "The engine has failed; restart the server.", "engine_unavailable"),
    ),
}

INFO_RESPONSES: Responses = {
    200: response(
        schemas.Info,
        "Models, limits and state",
        {
            "german_english": (
                "The model that comes with Dragoman",
                {
                    "version": "0.1.0",
                    "state": "ready",
                    "models": [
                        {"name": "de-en", "providers": ["CPUExecutionProvider"], "precision": "int8", "loaded": True}
                    ],
                    "pivot": {"language": "en", "pairs": []},
                    "limits": {
                        "text_chars": DEFAULTS.max_text_chars,
                        "texts": DEFAULTS.max_texts,
                        "body_bytes": DEFAULTS.max_body_bytes,
                        "alternatives": DEFAULTS.alternatives_limit,
                        "request_timeout_s": DEFAULTS.request_timeout_s,
                    },
                },
            )
        },
    )
}

METRICS_RESPONSES: Responses = {
    200: {
        "description": "The metrics, in Prometheus's text format",
        "content": {
            "text/plain": {
                "schema": {"type": "string"},
                "examples": named(
                    {
                        "requests": (
                            "One metric of many",
                            'dragoman_http_request_duration_seconds_count{endpoint="/translate",status="200"} 7.0',
                        )
                    }
                ),
            }
        },
    }
}

OPERATOR_RESPONSES: Responses = {
    401: error(
        "The admin key is missing or wrong",
        unauthorized=("A wrong key", "The admin key is missing or wrong.", "unauthorized"),
    ),
    403: error(
        "Switched off on this server",
        off=(
            "Off",
            "The operator's endpoints are off on this server: DRAGOMAN_ADMIN_KEY is not set.",
            "feature_disabled",
        ),
    ),
    500: INTERNAL,
}
ADMIN_STATUS_RESPONSES: Responses = {
    200: response(
        schemas.ServerStatus,
        "The key is right",
        {"ready": ("Ready", {"version": "0.1.0", "state": "ready", "keys": "off"})},
    ),
    **OPERATOR_RESPONSES,
}
RELOAD_RESPONSES: Responses = {
    200: response(
        schemas.Reloaded,
        "The result for each bundle",
        {
            "added": (
                "A new bundle, and one that can't be read",
                {
                    "added": ["models/es-en"],
                    "replaced": [],
                    "removed": [],
                    "unchanged": ["artifacts/de-en"],
                    "failed": {"models/fr-en": "models/fr-en/tokenizer.spm: No such file or directory"},
                },
            )
        },
    ),
    **OPERATOR_RESPONSES,
    503: error("Not now", stopping=("Stopping", "The translation engine is stopping.", "engine_unavailable")),
}
