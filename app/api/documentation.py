"""What the OpenAPI document says about each endpoint beyond its signature: bodies, statuses, worked examples.

A request example and the response example of the same name belong together, and a test sends the one and compares the
answer with the other.
"""

from typing import Any

from pydantic import BaseModel

from app.api import schemas
from app.api.failures import INTERNAL_ERROR, MODEL_FAILURE_TEXT

Responses = dict[int | str, dict[str, Any]]
Examples = dict[str, tuple[str, Any]]

TITLE = "Dragoman"
DESCRIPTION = """Machine translation on your own computer.

`POST /translate` speaks the LibreTranslate contract, so its clients work unchanged, and adds search options and a
deadline. Every error is `{"error": "a sentence", "code": "a stable word"}`. Send `X-Request-ID` to find a request in
the log; it comes back in the response.
"""
TAGS = [
    {"name": "Translation", "description": "Translate, detect, list languages."},
    {"name": "Operations", "description": "For operators and orchestrators."},
]


def _request(model: type[BaseModel], examples: Examples) -> dict[str, Any]:
    schema = model.model_json_schema()
    form = {**schema, "properties": {**schema["properties"], "q": {"type": "string", "minLength": 1, "title": "Q"}}}
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": schema, "examples": _examples(examples)},
                "application/x-www-form-urlencoded": {"schema": form},
                "multipart/form-data": {"schema": form},
            },
        }
    }


def _response(model: Any, description: str, examples: Examples) -> dict[str, Any]:
    content = {"application/json": {"examples": _examples(examples)}}
    return {"model": model, "description": description, "content": content}


def _examples(examples: Examples) -> dict[str, Any]:
    return {name: {"summary": summary, "value": value} for name, (summary, value) in examples.items()}


def _error(description: str, **examples: tuple[str, str, str]) -> dict[str, Any]:
    """An error response; each example is (summary, text, code)."""
    values: Examples = {name: (title, {"error": text, "code": code}) for name, (title, text, code) in examples.items()}
    return _response(schemas.ErrorBody, description, values)


_TOO_LARGE = _error(
    "The body is too large",
    too_large=("Body over its limit", "The request body exceeds the limit of 8388608 bytes.", "body_too_large"),
)
_INTERNAL = _error(
    "The server is at fault",
    internal=("Unexpected error", INTERNAL_ERROR["error"], INTERNAL_ERROR["code"]),
)
_UNREADABLE = {
    "not_json": ("Not a JSON object", "Invalid JSON format", "invalid_request"),
    "missing": ("A required parameter is missing", "Invalid request: missing q parameter", "invalid_request"),
}

TRANSLATE_REQUEST = _request(
    schemas.TranslateRequest,
    {
        "german_to_english": ("German to English", {"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}),
        "english_to_german": ("English to German", {"q": "Where is the station?", "source": "en", "target": "de"}),
        "auto": ("Detect the language", {"q": "Wo ist der Bahnhof?", "source": "auto", "target": "en"}),
        "list": (
            "A list in two languages",
            {"q": ["Wo ist der Bahnhof?", "Where is the station?"], "source": "auto", "target": "en"},
        ),
        "alternatives": (
            "Two further translations",
            {"q": "Guten Morgen!", "source": "de", "target": "en", "alternatives": 2},
        ),
        "html": ("HTML", {"q": "<p>Guten Morgen!</p>", "source": "de", "target": "en", "format": "html"}),
        "options": (
            "Greedy search within two seconds",
            {"q": "Guten Morgen!", "source": "de", "target": "en", "beam_size": 1, "deadline_ms": 2000},
        ),
        "missing": ("Mistake: nothing to translate", {"q": "", "source": "de", "target": "en"}),
        "unsupported": ("Mistake: a language that is not served", {"q": "Hello", "source": "zz", "target": "de"}),
        "out_of_range": (
            "Mistake: an option out of range",
            {"q": "Hello", "source": "en", "target": "de", "beam_size": 99},
        ),
    },
)
TRANSLATE_RESPONSES: Responses = {
    200: _response(
        schemas.TranslateResponse,
        "The translation",
        {
            "german_to_english": ("German to English", {"translatedText": "I'd like a beer."}),
            "english_to_german": ("English to German", {"translatedText": "Wo ist der Bahnhof?"}),
            "auto": (
                "Detect the language",
                {
                    "translatedText": "Where is the station?",
                    "detectedLanguage": {"confidence": 100.0, "language": "de"},
                },
            ),
            "list": (
                "A list in two languages",
                {
                    "translatedText": ["Where is the station?", "Where is the station?"],
                    "detectedLanguage": [
                        {"confidence": 100.0, "language": "de"},
                        {"confidence": 100.0, "language": "en"},
                    ],
                },
            ),
            "alternatives": (
                "Two further translations",
                {"translatedText": "Good morning!", "alternatives": ["Good morning.", "Morning!"]},
            ),
            "html": ("HTML", {"translatedText": "<p>Good morning!</p>"}),
            "options": ("Greedy search within two seconds", {"translatedText": "Good morning!"}),
        },
    ),
    400: _error(
        "The request can't be served as it is; the text says what to change",
        **_UNREADABLE,
        unsupported=("Language not served", "zz is not supported", "unsupported_pair"),
        out_of_range=(
            "Option out of range",
            "beam_size is 99; it must be a whole number from 1 to 16.",
            "option_out_of_range",
        ),
        too_long=(
            "Text too long",
            "Invalid request: request (1000001) exceeds text limit (1000000)",
            "text_too_long",
        ),
    ),
    413: _TOO_LARGE,
    500: _error(
        "The server is at fault",
        model_failure=("The model failed", MODEL_FAILURE_TEXT, "model_failure"),
        internal=("Unexpected error", INTERNAL_ERROR["error"], INTERNAL_ERROR["code"]),
    ),
    503: _error(
        "Not now: try again after the seconds in `Retry-After`",
        overloaded=("The queue is full", "The queue is full; try again later.", "overloaded"),
        engine_unavailable=("Not ready", "The model is still loading.", "engine_unavailable"),
    ),
    504: _error(
        "The time limit passed",
        deadline_exceeded=(
            "The deadline passed",
            "The time limit passed before the translation was complete.",
            "deadline_exceeded",
        ),
    ),
}

DETECT_REQUEST = _request(
    schemas.DetectRequest,
    {
        "german": ("German", {"q": "Wo ist der Bahnhof?"}),
        "undetectable": ("Nothing to go by", {"q": "42"}),
        "missing": ("Mistake: nothing to detect", {"q": ""}),
    },
)
DETECT_RESPONSES: Responses = {
    200: _response(
        list[schemas.DetectedLanguage],
        "The likely languages, best first",
        {
            "german": (
                "German",
                [{"confidence": 100.0, "language": "de"}, {"confidence": 0.0, "language": "en"}],
            ),
            "undetectable": ("Nothing to go by", [{"confidence": 0.0, "language": "en"}]),
        },
    ),
    400: _error("The request can't be served as it is", **_UNREADABLE),
    413: _TOO_LARGE,
    500: _INTERNAL,
}

LANGUAGES_RESPONSES: Responses = {
    200: _response(
        list[schemas.Language],
        "The served languages",
        {
            "german_english": (
                "The model that comes with Dragoman",
                [
                    {"code": "de", "name": "German", "targets": ["de", "en"]},
                    {"code": "en", "name": "English", "targets": ["de", "en"]},
                ],
            )
        },
    )
}

FRONTEND_RESPONSES: Responses = {
    200: _response(
        schemas.FrontendSettings,
        "The page's settings",
        {
            "default": (
                "As delivered",
                {
                    "charLimit": 1000000,
                    "frontendTimeout": 500,
                    "apiKeys": False,
                    "keyRequired": False,
                    "suggestions": False,
                    "filesTranslation": False,
                    "supportedFilesFormat": [],
                    "language": {
                        "source": {"code": "auto", "name": "Auto Detect"},
                        "target": {"code": "en", "name": "English"},
                    },
                },
            )
        },
    )
}

HEALTH_RESPONSES: Responses = {200: _response(schemas.Status, "Alive", {"ok": ("Alive", {"status": "ok"})})}

READY_RESPONSES: Responses = {
    200: _response(schemas.Status, "Ready", {"ok": ("Ready", {"status": "ok"})}),
    503: _error(
        "Not ready, and why",
        starting=("Starting", "The model is still loading.", "engine_unavailable"),
        stopping=("Stopping", "The server is shutting down.", "engine_unavailable"),
        failed=("Failed", "The engine has failed; restart the server.", "engine_unavailable"),
    ),
}

INFO_RESPONSES: Responses = {
    200: _response(
        schemas.Info,
        "What is being served",
        {
            "german_english": (
                "The model that comes with Dragoman",
                {
                    "version": "0.1.0",
                    "state": "ready",
                    "model": {"name": "de-en", "providers": ["CPUExecutionProvider"], "precision": "int8"},
                    "limits": {
                        "text_chars": 1000000,
                        "texts": 1000,
                        "body_bytes": 8388608,
                        "alternatives": 15,
                        "request_timeout_s": 600.0,
                    },
                },
            )
        },
    )
}
