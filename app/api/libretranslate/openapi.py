"""The texts of the OpenAPI document about LibreTranslate's endpoints; ``app.api.openapi`` explains them."""

import json
from typing import Any

from app.api.libretranslate import schemas
from app.api.libretranslate.endpoints import DETECT, TRANSLATE
from app.api.openapi import (
    DEFAULTS,
    FAILURES,
    INTERNAL,
    KEY_REFUSED,
    NO_KEY,
    NO_QUOTA,
    NO_STORAGE,
    NOT_STORED,
    TOO_LARGE,
    Examples,
    Responses,
    error,
    named,
    request_body,
    response,
)
from app.api.response_headers import TRANSLATE_HEADERS

UNREADABLE = {
    "not_json": ("Not a JSON object", "Invalid JSON format: it must be an object", "invalid_request"),
    "missing": ("A required parameter is missing", "Invalid request: missing q parameter", "invalid_request"),
}

_GERMAN_TO_ENGLISH = {"source": "de", "target": "en"}
_MORNING = {"q": "Guten Morgen! Wo ist der Bahnhof?", **_GERMAN_TO_ENGLISH}
_FIRST: dict[str, Any] = {
    "block": 0,
    "source": {"text": "Guten Morgen!", "begin": 0, "end": 13},
    "target": {"text": "Good morning!", "begin": 0, "end": 13},
    "score": -0.1,
    "confidence": 0.9,
    "tier": 1,
    "verdicts": [],
    "alternatives": [],
    "alignment": [
        {"source": [0, 5], "target": [0, 4]},
        {"source": [6, 12], "target": [5, 12]},
        {"source": [12, 13], "target": [12, 13]},
    ],
}
_SECOND: dict[str, Any] = {
    "block": 0,
    "source": {"text": "Wo ist der Bahnhof?", "begin": 14, "end": 33},
    "target": {"text": "Where is the station?", "begin": 14, "end": 35},
    "score": -0.1,
    "confidence": 0.9,
    "tier": 1,
    "verdicts": [],
    "alternatives": [],
    "alignment": [
        {"source": [14, 16], "target": [14, 19]},
        {"source": [17, 20], "target": [20, 22]},
        {"source": [21, 24], "target": [23, 26]},
        {"source": [25, 32], "target": [27, 34]},
        {"source": [32, 33], "target": [34, 35]},
    ],
}
_TIMING = {"queue": 1.0, "encode": 2.0, "decode": 3.5}


def _events(*events: tuple[str, dict[str, Any]]) -> str:
    """A stream as it is sent."""
    return "".join(
        f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
        for name, data in events
    )


_STREAMS: Examples = {
    "stream": (
        "Sentence by sentence",
        _events(
            ("sentence", {"index": 0, **_FIRST}),
            ("sentence", {"index": 0, **_SECOND}),
            ("translation", {"translatedText": "Good morning! Where is the station?", "timing": _TIMING}),
        ),
    ),
    "tokens": (
        "In greedy search, with tokens; a short sentence often has one event for all of them",
        _events(
            ("token", {"index": 0, "block": 0, "text": "Good"}),
            ("token", {"index": 0, "block": 0, "text": " morning!"}),
            ("sentence", {"index": 0, **_FIRST}),
            ("translation", {"translatedText": "Good morning!", "timing": _TIMING}),
        ),
    ),
}
_EVENTS = {  # OpenAPI 3.1 has no schema for the single event
    "type": "string",
    "description": "Server-sent events `token`, `sentence`, `translation` and `error`; the data of each is JSON.",
}


def _translated(model: Any, description: str, examples: Examples) -> dict[str, Any]:
    """The answer, all at once or as a stream."""
    whole = response(model, description, examples)
    whole["content"]["text/event-stream"] = {
        "schema": _EVENTS,
        "examples": named(_STREAMS),
    }
    return {**whole, "headers": TRANSLATE_HEADERS}


def _from_german(text: object, **others: object) -> dict[str, object]:
    return {"q": text, **_GERMAN_TO_ENGLISH, **others}


def _from_english(text: str, **others: object) -> dict[str, object]:
    return {"q": text, "source": "en", "target": "de", **others}


TRANSLATE_REQUEST = request_body(
    TRANSLATE.model(
        "TranslateRequest", "Parameters of /translate; everything after `format` goes beyond LibreTranslate."
    ),
    {
        "german_to_english": ("German to English", _from_german("Ich möchte ein Bier.")),
        "english_to_german": ("English to German", _from_english("Where is the station?")),
        "auto": ("Detect the language", _from_german("Wo ist der Bahnhof?", source="auto")),
        "list": (
            "A list in two languages",
            _from_german(["Wo ist der Bahnhof?", "Where is the station?"], source="auto"),
        ),
        "alternatives": ("Two other translations", _from_german("Guten Morgen!", alternatives=2)),
        "html": (
            "HTML: tags stay, attributes and code too",
            _from_german('<h1>Guten Morgen!</h1><p class="sign">Ich möchte ein <b>Bier</b>.</p>', format="html"),
        ),
        "markdown": (
            "Markdown: syntax, links and code stay",
            _from_german("# Guten Morgen!\n\n* Ich möchte ein **Bier**.\n\n```\nprint(1)\n```\n", format="markdown"),
        ),
        "protect": (
            "Placeholders kept",
            _from_german("Hallo {{name}}, du hast %d Briefe.", protect=["%d", "regex:[{]{2}[a-z]+[}]{2}"]),
        ),
        "glossary": ("A glossary", _from_german("Ich möchte ein Bier.", glossary={"Bier": "beer"})),
        "details": ("Every sentence described", _MORNING | {"details": True}),
        "stream": ("Sentence by sentence", _MORNING | {"stream": True}),
        "tokens": ("With tokens", _from_german("Guten Morgen!", beam_size=1, stream=True)),
        "options": (
            "Greedy search within two seconds",
            _from_german("Guten Morgen!", beam_size=1, deadline_ms=2000),
        ),
        "missing": ("Mistake: nothing to translate", _from_german("")),
        "unsupported": ("Mistake: a language that is not served", _from_english("Hello", source="zz")),
        "out_of_range": ("Mistake: an option out of range", _from_english("Hello", beam_size=99)),
        "empty_term": ("Mistake: a term without a translation", _from_german("Hallo", glossary={"Bier": ""})),
        "memory": (
            "Mistake: a translation memory, which this server doesn't have",
            _from_german("Hallo", translation_memory_id="a74d88fb-ed2a-4943-a664-a4512398b994"),
        ),
        "pattern": ("Mistake: a malformed pattern", _from_english("Hello", protect=["regex:("])),
    },
)
TRANSLATE_RESPONSES: Responses = {
    200: _translated(
        schemas.TranslateResponse,
        "The translation",
        {
            "german_to_english": ("German to English", {"translatedText": "I'd like a beer."}),
            "english_to_german": ("English to German", {"translatedText": "Wo ist der Bahnhof?"}),
            "glossary": (
                "A glossary",
                {
                    "translatedText": "I'd like a beer.",
                    "terms": [{"source": "Bier", "target": "beer", "status": "applied", "count": 1}],
                },
            ),
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
                "Two other translations",
                {"translatedText": "Good morning!", "alternatives": ["Good morning to you!", "Morning!"]},
            ),
            "html": (
                "HTML: tags stay, attributes and code too",
                {"translatedText": '<h1>Good morning!</h1><p class="sign">I\'d like a <b>beer</b>.</p>'},
            ),
            "markdown": (
                "Markdown: syntax, links and code stay",
                {"translatedText": "# Good morning!\n\n* I'd like a **beer**.\n\n```\nprint(1)\n```\n"},
            ),
            "protect": (
                "Placeholders kept",
                {"translatedText": "Hello {{name}}, you have %d letters.", "protectedLost": []},
            ),
            "details": (
                "Every sentence described",
                {
                    "translatedText": "Good morning! Where is the station?",
                    "details": [_FIRST, _SECOND],
                    "untranslated": [],
                },
            ),
            "options": ("Greedy search within two seconds", {"translatedText": "Good morning!"}),
        },
    ),
    400: error(
        "The request can't be served as it is; the text says what to change",
        **UNREADABLE,
        no_key=NO_KEY,
        unsupported=("Language not served", "zz is not supported", "unsupported_pair"),
        out_of_range=(
            "Option out of range",
            "beam_size is 99; it must be a whole number from 1 to 16.",
            "option_out_of_range",
        ),
        empty_term=(
            "A glossary that can't be used",
            "Invalid glossary entries provided: the target term with the index 0 is empty.",
            "invalid_glossary",
        ),
        memory=(
            "A translation memory on a server without a database",
            "Translation memories are not available on this server; leave out 'translation_memory_id'.",
            "invalid_request",
        ),
        pattern=(
            "A malformed pattern",
            "protect pattern 1 is not a regular expression that RE2 understands "
            "(it has no lookaround and no backreferences).",
            "invalid_request",
        ),
        too_long=(
            "Text too long",
            f"Invalid request: request ({DEFAULTS.max_text_chars + 1}) exceeds text limit ({DEFAULTS.max_text_chars})",
            "text_too_long",
        ),
    ),
    403: error("Not with this API key", **KEY_REFUSED, no_quota=NO_QUOTA),
    404: error("There is no such glossary or translation memory", **NOT_STORED),
    413: TOO_LARGE,
    **FAILURES,
}

DETECT_REQUEST = request_body(
    DETECT.model("DetectRequest", "Parameters of /detect."),
    {
        "german": ("German", {"q": "Wo ist der Bahnhof?"}),
        "undetectable": ("Nothing to go by", {"q": "42"}),
        "missing": ("Mistake: nothing to detect", {"q": ""}),
    },
)
DETECT_RESPONSES: Responses = {
    200: response(
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
    400: error("The request can't be served as it is", **UNREADABLE, no_key=NO_KEY),
    403: error("Not with this API key", **KEY_REFUSED),
    413: TOO_LARGE,
    429: FAILURES[429],
    500: INTERNAL,
    503: NO_STORAGE,
}

LANGUAGES_RESPONSES: Responses = {
    200: response(
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
    200: response(
        schemas.FrontendSettings,
        "The page's settings",
        {
            "default": (
                "As delivered",
                {
                    "charLimit": DEFAULTS.max_text_chars,
                    "frontendTimeout": 500,
                    "apiKeys": False,
                    "keyRequired": False,
                    "suggestions": False,
                    "filesTranslation": True,
                    "supportedFilesFormat": [".txt", ".html", ".docx"],
                    "capabilities": {"admin": False, "glossaries": False, "memories": False},
                    "formality": ["de"],
                    "operator": {},
                    "language": {
                        "source": {"code": "auto", "name": "Auto Detect"},
                        "target": {"code": "en", "name": "English"},
                    },
                },
            )
        },
    )
}
