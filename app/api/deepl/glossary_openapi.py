"""The texts of the OpenAPI document about DeepL's glossaries; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import INTERNAL, KEY_ERRORS, NOT_JSON, OWNER_KEY_ERRORS, error, too_large
from app.api.openapi import DEFAULTS, NO_ROOM, Responses, path_parameter, query_parameters, request_body, response
from app.api.parameter import Parameters

_ID = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
_PAIR = {"source_lang": "de", "target_lang": "en"}
_DICTIONARY = {**_PAIR, "entries": "Vorstand\tboard", "entries_format": "tsv"}
_TIME = {"creation_time": "2026-11-23T14:16:18.329Z"}
_GLOSSARY = {"glossary_id": _ID, "name": "Company", "ready": True, **_PAIR, **_TIME, "entry_count": 1}
_GLOSSARY_V3 = {"glossary_id": _ID, "name": "Company", "dictionaries": [{**_PAIR, "entry_count": 1}], **_TIME}
_OFF = "Glossaries are not available on this server."
_REFUSED = {
    "not_json": NOT_JSON,
    "no_uuid": ("No UUID", "Value for 'glossary_id' not supported; it is not a UUID.", "invalid_request"),
    "pair": ("A pair that isn't served", "Unsupported glossary source and target language pair", "unsupported_pair"),
    "duplicate": (
        "A term twice",
        "Invalid glossary entries provided: key with the index 1 duplicates key with the index 0.",
        "invalid_glossary",
    ),
}
_REFUSED_TEXT = "The request can't be served as it is; the text says what to change"
_SERVER: Responses = {413: too_large(DEFAULTS.max_body_bytes, **NO_ROOM), 500: INTERNAL, **OWNER_KEY_ERRORS}
_ERRORS: Responses = {
    400: error(_REFUSED_TEXT, company=("A server without a database", _OFF, "feature_disabled"), **_REFUSED),
    **_SERVER,
}
_ERRORS_OF_ONE: Responses = {
    400: error(_REFUSED_TEXT, **_REFUSED),
    404: error(
        "There is no such glossary",
        none=("No such glossary", "There is no such glossary.", "glossary_not_found"),
        company=("A server without a database", _OFF, "feature_disabled"),
    ),
    **_SERVER,
}


def _answers(status: int, model: Any, description: str, value: Any, errors: Responses) -> Responses:
    return {status: response(model, description, {"example": (description, value)}), **errors}


def _body(parameters: Parameters, name: str, description: str, value: Any) -> dict[str, Any]:
    return request_body(parameters.model(name, description), {"company": ("A company's terms", value)})


PAIRS_RESPONSES = _answers(
    200, schemas.GlossaryPairs, "The pairs", {"supported_languages": [_PAIR]}, {500: INTERNAL, **KEY_ERRORS}
)
CREATE_REQUEST = _body(p.NEW_GLOSSARY, "NewGlossary", "A glossary of one pair.", {"name": "Company", **_DICTIONARY})
CREATE_RESPONSES = _answers(201, schemas.GlossaryV2, "The glossary", _GLOSSARY, _ERRORS)
LIST_RESPONSES = _answers(
    200, schemas.GlossariesV2, "The glossaries", {"glossaries": [_GLOSSARY]}, {500: INTERNAL, **OWNER_KEY_ERRORS}
)
GLOSSARY_RESPONSES = _answers(200, schemas.GlossaryV2, "The glossary", _GLOSSARY, _ERRORS_OF_ONE)
_TSV = {"text/tab-separated-values": {"schema": {"type": "string"}, "examples": {"tsv": {"value": "Vorstand\tboard"}}}}
ENTRIES_RESPONSES: Responses = {
    200: {"description": "The entries", "content": _TSV},
    415: error(
        "`Accept` names another format",
        other=("CSV", "Entries come as text/tab-separated-values only.", "unsupported_media_type"),
    ),
    **_ERRORS_OF_ONE,
}
DELETE_RESPONSES: Responses = {204: {"description": "It is deleted"}, **_ERRORS_OF_ONE}
CREATE_V3_REQUEST = _body(
    p.NEW_GLOSSARY_V3,
    "NewGlossaryV3",
    "A glossary of several pairs.",
    {"name": "Company", "dictionaries": [_DICTIONARY]},
)
CREATE_V3_RESPONSES = _answers(201, schemas.GlossaryV3, "The glossary", _GLOSSARY_V3, _ERRORS)
LIST_V3_RESPONSES = _answers(
    200, schemas.GlossariesV3, "The glossaries", {"glossaries": [_GLOSSARY_V3]}, {500: INTERNAL, **OWNER_KEY_ERRORS}
)
GLOSSARY_V3_RESPONSES = _answers(200, schemas.GlossaryV3, "The glossary", _GLOSSARY_V3, _ERRORS_OF_ONE)
PATCH_REQUEST = _body(
    p.GLOSSARY_CHANGE,
    "GlossaryChange",
    "The change, with at least one of the two fields.",
    {"name": "Firm", "dictionaries": [_DICTIONARY]},
)
PUT_REQUEST = _body(p.DICTIONARY, "NewDictionary", "The entries of a pair of languages.", _DICTIONARY)
PUT_RESPONSES = _answers(200, schemas.Dictionary, "The dictionary", {**_PAIR, "entry_count": 1}, _ERRORS_OF_ONE)
ENTRIES_V3_RESPONSES = _answers(
    200, schemas.DictionaryEntries, "The entries", {"dictionaries": [_DICTIONARY]}, _ERRORS_OF_ONE
)
_ID_IN_PATH = path_parameter("glossary_id", "The id of the glossary.", _ID)
ID_PARAMETER: dict[str, Any] = {"parameters": [_ID_IN_PATH]}
PAIR_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.DICTIONARY_PAIR)]}
ENTRIES_V3_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.DICTIONARY_ENTRIES)]}
