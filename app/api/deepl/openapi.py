"""The texts of the OpenAPI document about DeepL's endpoints; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl.endpoints import LANGUAGES, LANGUAGES_V3, TRANSLATE
from app.api.deepl.parameters import MAX_BODY_BYTES, RESOURCES
from app.api.openapi import (
    AT_FAULT,
    DEFAULTS,
    KEY_REFUSED,
    NO_KEY,
    NO_QUOTA,
    NOT_STORED,
    STORAGE,
    TRY_LATER,
    WRONG_KEY,
    Examples,
    Responses,
    failures,
    query_parameters,
    request_body,
    response,
)
from app.api.response_headers import TRANSLATE_HEADERS


def error(description: str, **examples: tuple[str, str, str]) -> dict[str, Any]:
    """An error response; each example is (summary, text, code)."""
    values: Examples = {
        name: (title, {"message": text, "detail": code}) for name, (title, text, code) in examples.items()
    }
    return response(schemas.DeepLError, description, values)


def too_large(limit: int, **others: tuple[str, str, str]) -> dict[str, Any]:
    """The response to a body over the limit, in bytes, and to other things that are too large."""
    text = f"The request body exceeds the limit of {limit} bytes."
    return error("The body is too large", too_large=("Body over its limit", text, "body_too_large"), **others)


INTERNAL = error("The server is at fault", internal=AT_FAULT["internal"])
FAILURES = failures(error) | {456: error("The quota of the key is used up", no_quota=NO_QUOTA), 500: INTERNAL}
NOT_JSON = ("Not a JSON object", "Invalid JSON format: it must be an object", "invalid_request")


def _from_german(*texts: str, **others: object) -> dict[str, object]:
    return {"text": list(texts), "source_lang": "DE", "target_lang": "EN-GB", **others}


def _from_english(**others: object) -> dict[str, object]:
    return {"text": ["Hello"], "source_lang": "EN", "target_lang": "DE", **others}


TRANSLATE_REQUEST = request_body(
    TRANSLATE.model(
        "DeepLTranslateRequest",
        "Parameters of /v2/translate. A form repeats `text`, and writes the tag lists with commas.",
    ),
    {
        "german_to_english": ("German to English", _from_german("Ich möchte ein Bier.")),
        "list": (
            "Two texts, languages detected, characters counted",
            {
                "text": ["Wo ist der Bahnhof?", "Guten Morgen!"],
                "target_lang": "EN-US",
                "show_billed_characters": True,
            },
        ),
        "greedy_html": (
            "HTML, translated by greedy search",
            _from_german("<p>Guten Morgen!</p>", tag_handling="html", model_type="latency_optimized"),
        ),
        "missing": ("Mistake: nothing to translate", {"text": [], "target_lang": "DE"}),
        "unsupported": ("Mistake: a language that is not served", {"text": ["Hello"], "target_lang": "TLH"}),
        "formality": (
            "Mistake: formality in a language that has none",
            {"text": ["Hello"], "target_lang": "EN-US", "formality": "more"},
        ),
        "inline_glossary": (
            "A glossary in the request",
            _from_german("Ich möchte ein Bier.", glossary={"Bier": "beer"}),
        ),
        "glossary": (
            "Mistake: a glossary, which this server doesn't have",
            _from_english(glossary_id="def3a26b-3e84-45b3-84ae-0c0aaf3525f7"),
        ),
        "memory": (
            "Mistake: a translation memory, which this server doesn't have",
            _from_english(
                translation_memory_id="a74d88fb-ed2a-4943-a664-a4512398b994", translation_memory_threshold=80
            ),
        ),
    },
)
TRANSLATE_RESPONSES: Responses = {
    200: {"headers": TRANSLATE_HEADERS}
    | response(
        schemas.DeepLTranslations,
        "The translations",
        {
            "german_to_english": (
                "German to English",
                {"translations": [{"detected_source_language": "DE", "text": "I'd like a beer."}]},
            ),
            "inline_glossary": (
                "A glossary in the request",
                {
                    "translations": [
                        {
                            "detected_source_language": "DE",
                            "text": "I'd like a beer.",
                            "terms": [{"source": "Bier", "target": "beer", "status": "applied", "count": 1}],
                        }
                    ]
                },
            ),
            "list": (
                "Two texts, languages detected, characters counted",
                {
                    "translations": [
                        {"detected_source_language": "DE", "text": "Where is the station?", "billed_characters": 19},
                        {"detected_source_language": "DE", "text": "Good morning!", "billed_characters": 13},
                    ]
                },
            ),
            "greedy_html": (
                "HTML, translated by greedy search",
                {
                    "translations": [
                        {
                            "detected_source_language": "DE",
                            "text": "<p>Good morning!</p>",
                            "model_type_used": "latency_optimized",
                            "tag_handling_version": "v2",
                        }
                    ]
                },
            ),
        },
    ),
    400: error(
        "The request can't be served as it is; the text says what to change",
        not_json=NOT_JSON,
        missing=("A required parameter is missing", "Parameter 'text' not specified", "invalid_request"),
        unsupported=(
            "Language not served",
            "Value for 'target_lang' not supported; use one of DE, EN.",
            "unsupported_pair",
        ),
        formality=("No formality", "Target language 'en' doesn't support formality.", "invalid_request"),
        memory=(
            "A translation memory on a server without a database",
            "Translation memories are not available on this server; leave out 'translation_memory_id'.",
            "invalid_request",
        ),
        other_languages=(
            "A translation memory for other languages",
            "The translation memory is for other languages: de to en.",
            "invalid_memory",
        ),
        glossary=(
            "No glossaries",
            "Glossaries are not available on this server; leave out 'glossary_id'.",
            "invalid_request",
        ),
        too_long=(
            "Too many texts",
            f"Invalid request: request ({DEFAULTS.max_texts + 1}) exceeds text limit ({DEFAULTS.max_texts})",
            "text_too_long",
        ),
        model_failure=AT_FAULT["model_failure"],
    ),
    403: error("Not with this API key", no_key=NO_KEY, **KEY_REFUSED),
    404: error("There is no such glossary or translation memory", **NOT_STORED),
    413: too_large(MAX_BODY_BYTES),
    **FAILURES,
}

LANGUAGES_PARAMETERS = {"parameters": query_parameters(LANGUAGES)}
LANGUAGES_REQUEST = request_body(
    LANGUAGES.model("DeepLLanguagesRequest", "Parameters of /v2/languages."),
    {
        "source": ("Languages to translate from", {"type": "source"}),
        "target": ("Languages to translate into", {"type": "target"}),
        "unknown": ("Mistake: another type", {"type": "both"}),
    },
)
_SOURCES = (
    "Languages to translate from",
    [{"language": "DE", "name": "German"}, {"language": "EN", "name": "English"}],
)
_TARGETS = (
    "Languages to translate into",
    [
        {"language": "DE", "name": "German", "supports_formality": True},
        {"language": "EN-GB", "name": "English (British)", "supports_formality": False},
        {"language": "EN-US", "name": "English (American)", "supports_formality": False},
    ],
)
KEY_ERRORS: Responses = {
    403: error("Not with this API key", no_key=NO_KEY, wrong_key=WRONG_KEY),
    503: error(TRY_LATER, **STORAGE),
}
OWNER_KEY_ERRORS: Responses = {**KEY_ERRORS, 403: error("Not with this API key", no_key=NO_KEY, **KEY_REFUSED)}
_LANGUAGES_ERRORS: Responses = {
    400: error(
        "The request can't be served as it is",
        not_json=NOT_JSON,
        unknown=("Another type", "Value for 'type' not supported; use one of source, target.", "invalid_request"),
    ),
    413: too_large(DEFAULTS.max_body_bytes),
    500: INTERNAL,
    **KEY_ERRORS,
}
GET_LANGUAGES_RESPONSES = _LANGUAGES_ERRORS | {
    200: response(list[schemas.DeepLLanguage], "The languages", {"source": _SOURCES})
}
POST_LANGUAGES_RESPONSES = _LANGUAGES_ERRORS | {
    200: response(list[schemas.DeepLLanguage], "The languages", {"source": _SOURCES, "target": _TARGETS})
}

USAGE_RESPONSES: Responses = {
    200: response(
        schemas.Usage,
        "The count",
        {"no_limit": ("Without a limit", {"character_count": 12345, "character_limit": 1_000_000_000_000})},
    ),
    **KEY_ERRORS,
}

RESOURCE_PARAMETERS = {"parameters": query_parameters(LANGUAGES_V3)}
LANGUAGES_V3_RESPONSES: Responses = {
    **KEY_ERRORS,
    200: response(
        list[schemas.DeepLLanguageV3],
        "The languages",
        {
            "german": (
                "The first language",
                [
                    {
                        "lang": "de",
                        "name": "German",
                        "status": "stable",
                        "usable_as_source": True,
                        "usable_as_target": True,
                        "features": {
                            "tag_handling": {"status": "stable"},
                            "auto_detection": {"status": "stable"},
                            "formality": {"status": "stable"},
                        },
                    }
                ],
            )
        },
    ),
    400: error(
        "The resource is missing or unknown",
        missing=(
            "No resource",
            f"Parameter 'resource' not specified; use one of {', '.join(RESOURCES)}.",
            "invalid_request",
        ),
    ),
    413: too_large(DEFAULTS.max_body_bytes),
    500: INTERNAL,
}
RESOURCES_RESPONSES: Responses = {
    200: response(
        list[schemas.Resource],
        "The resources",
        {
            "first": (
                "The first resource",
                [
                    {
                        "name": "translate_text",
                        "features": [
                            {"name": "tag_handling", "needs_source_support": True, "needs_target_support": True}
                        ],
                    }
                ],
            )
        },
    )
}
