"""The texts of the OpenAPI document about DeepL's glossaries; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import INTERNAL, KEY_ERRORS, OWNER_KEY_ERRORS, error
from app.api.deepl.stored_openapi import answers, body, stored_errors
from app.api.openapi import Responses, path_parameter, query_parameters

_ID = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
_PAIR = {"source_lang": "de", "target_lang": "en"}
_DICTIONARY = {**_PAIR, "entries": "Vorstand\tboard", "entries_format": "tsv"}
_TIME = {"creation_time": "2026-11-23T14:16:18.329Z"}
_GLOSSARY = {"glossary_id": _ID, "name": "Company", "ready": True, **_PAIR, **_TIME, "entry_count": 1}
_GLOSSARY_V3 = {"glossary_id": _ID, "name": "Company", "dictionaries": [{**_PAIR, "entry_count": 1}], **_TIME}
_REFUSED = {
    "no_uuid": ("No UUID", "Value for 'glossary_id' not supported; it is not a UUID.", "invalid_request"),
    "pair": ("A pair that isn't served", "Unsupported glossary source and target language pair", "unsupported_pair"),
    "duplicate": (
        "A term twice",
        "Invalid glossary entries provided: key with the index 1 duplicates key with the index 0.",
        "invalid_glossary",
    ),
}
_ERRORS = stored_errors("glossary", "Glossaries", "glossary_not_found", making=_REFUSED, changing=_REFUSED)
_LIST_ERRORS: Responses = {500: INTERNAL, **OWNER_KEY_ERRORS}

PAIRS_RESPONSES = answers(
    200, schemas.GlossaryPairs, "The pairs", {"supported_languages": [_PAIR]}, {500: INTERNAL, **KEY_ERRORS}
)
CREATE_REQUEST = body(p.NEW_GLOSSARY, "NewGlossary", "A glossary of one pair.", {"name": "Company", **_DICTIONARY})
CREATE_RESPONSES = answers(201, schemas.GlossaryV2, "The glossary", _GLOSSARY, _ERRORS.of_all)
LIST_RESPONSES = answers(200, schemas.GlossariesV2, "The glossaries", {"glossaries": [_GLOSSARY]}, _LIST_ERRORS)
GLOSSARY_RESPONSES = answers(200, schemas.GlossaryV2, "The glossary", _GLOSSARY, _ERRORS.of_one)
_TSV = {"text/tab-separated-values": {"schema": {"type": "string"}, "examples": {"tsv": {"value": "Vorstand\tboard"}}}}
ENTRIES_RESPONSES: Responses = {
    200: {"description": "The entries", "content": _TSV},
    415: error(
        "`Accept` names another format",
        other=("CSV", "Entries come as text/tab-separated-values only.", "unsupported_media_type"),
    ),
    **_ERRORS.of_one,
}
DELETE_RESPONSES = _ERRORS.removal
CREATE_V3_REQUEST = body(
    p.NEW_GLOSSARY_V3,
    "NewGlossaryV3",
    "A glossary of several pairs.",
    {"name": "Company", "dictionaries": [_DICTIONARY]},
)
CREATE_V3_RESPONSES = answers(201, schemas.GlossaryV3, "The glossary", _GLOSSARY_V3, _ERRORS.of_all)
LIST_V3_RESPONSES = answers(200, schemas.GlossariesV3, "The glossaries", {"glossaries": [_GLOSSARY_V3]}, _LIST_ERRORS)
GLOSSARY_V3_RESPONSES = answers(200, schemas.GlossaryV3, "The glossary", _GLOSSARY_V3, _ERRORS.of_one)
PATCH_REQUEST = body(
    p.GLOSSARY_CHANGE,
    "GlossaryChange",
    "The change, with at least one of the two fields.",
    {"name": "Firm", "dictionaries": [_DICTIONARY]},
)
PUT_REQUEST = body(p.DICTIONARY, "NewDictionary", "The entries of a pair of languages.", _DICTIONARY)
PUT_RESPONSES = answers(200, schemas.Dictionary, "The dictionary", {**_PAIR, "entry_count": 1}, _ERRORS.of_one)
ENTRIES_V3_RESPONSES = answers(
    200, schemas.DictionaryEntries, "The entries", {"dictionaries": [_DICTIONARY]}, _ERRORS.of_one
)
_ID_IN_PATH = path_parameter("glossary_id", "The id of the glossary.", _ID)
ID_PARAMETER: dict[str, Any] = {"parameters": [_ID_IN_PATH]}
PAIR_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.DICTIONARY_PAIR)]}
ENTRIES_V3_PARAMETERS: dict[str, Any] = {"parameters": [_ID_IN_PATH, *query_parameters(p.DICTIONARY_ENTRIES)]}
