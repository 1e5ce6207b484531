"""The texts of the OpenAPI document about style rules; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import too_large
from app.api.deepl.stored_openapi import answers, body, stored_errors
from app.api.openapi import DEFAULTS, path_parameter, query_parameters, request_body

_ID = "a74d88fb-ed2a-4943-a664-a4512398b994"
_RULES = {
    "style_and_tone": {"formality": "use_formal_tone"},
    "spelling_and_grammar": {"eszett": "replace_eszett_with_ss"},
}
_STYLE = {
    "style_id": _ID,
    "name": "Letters",
    "creation_time": "2026-11-23T14:16:18.329Z",
    "updated_time": "2026-11-23T14:16:18.329Z",
    "language": "de",
    "version": 1,
    "configured_rules": _RULES,
    "custom_instructions": [],
}
_WRONG = {
    "rule": (
        "A rule that this server can't follow",
        "The style rule punctuation.dash: use_em_dash is not available on this server; leave it out.",
        "invalid_request",
    ),
}
_ERRORS = stored_errors(
    "style rule list",
    "Style rules",
    "style_not_found",
    making=_WRONG,
    changing=_WRONG,
    large=too_large(DEFAULTS.max_body_bytes),
)

ID_PARAMETER: dict[str, Any] = {"parameters": [path_parameter("style_id", "The id of the list.", _ID)]}
LIST_PARAMETERS: dict[str, Any] = {"parameters": query_parameters(p.STYLE_LIST)}
LIST_RESPONSES = answers(200, schemas.Styles, "The lists", {"style_rules": [_STYLE]}, _ERRORS.of_all)
CREATE_REQUEST = body(
    p.NEW_STYLE,
    "NewStyle",
    "A list of style rules.",
    {"name": "Letters", "language": "de", "configured_rules": _RULES},
)
CREATE_RESPONSES = answers(201, schemas.Style, "The list", _STYLE, _ERRORS.of_all)
RENAME_REQUEST = body(p.STYLE_NAME, "StyleName", "The new name.", {"name": "Letters"})
RULES_REQUEST = request_body(schemas.NewConfiguredRules, {"off": ("The style of letters", _RULES)})
STYLE_RESPONSES = answers(200, schemas.Style, "The list", _STYLE, _ERRORS.of_one)
DELETE_RESPONSES = _ERRORS.removal
