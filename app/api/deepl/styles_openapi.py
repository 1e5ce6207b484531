"""The texts of the OpenAPI document about style rules; ``app.api.openapi`` explains them."""

from typing import Any

from app.api.deepl import schemas
from app.api.deepl import stored_parameters as p
from app.api.deepl.openapi import INTERNAL, NOT_JSON, OWNER_KEY_ERRORS, error, too_large
from app.api.openapi import DEFAULTS, Responses, path_parameter, query_parameters, request_body, response
from app.api.parameter import Parameters

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
    "not_json": NOT_JSON,
    "rule": (
        "A rule that this server can't follow",
        "The style rule punctuation.dash: use_em_dash is not available on this server; leave it out.",
        "invalid_request",
    ),
}
_WRONG_TEXT = "The request can't be served as it is; the text says what to change"
_WITHOUT_DATABASE = ("A server without a database", "Style rules are not available on this server.", "feature_disabled")
_SERVER: Responses = {413: too_large(DEFAULTS.max_body_bytes), 500: INTERNAL, **OWNER_KEY_ERRORS}
_ERRORS: Responses = {400: error(_WRONG_TEXT, **_WRONG, website=_WITHOUT_DATABASE), **_SERVER}
_ERRORS_OF_ONE: Responses = {
    400: error(_WRONG_TEXT, **_WRONG),
    404: error(
        "There is no such list",
        none=("No such list", "There is no such style rule list.", "style_not_found"),
        website=_WITHOUT_DATABASE,
    ),
    **_SERVER,
}


def _body(parameters: Parameters, name: str, description: str, value: Any) -> dict[str, Any]:
    return request_body(parameters.model(name, description), {"website": ("The style of letters", value)})


def _answers(status: int, model: Any, description: str, value: Any, errors: Responses) -> Responses:
    return {status: response(model, description, {"letters": (description, value)}), **errors}


ID_PARAMETER: dict[str, Any] = {"parameters": [path_parameter("style_id", "The id of the list.", _ID)]}
LIST_PARAMETERS: dict[str, Any] = {"parameters": query_parameters(p.STYLE_LIST)}
LIST_RESPONSES = _answers(200, schemas.Styles, "The lists", {"style_rules": [_STYLE]}, _ERRORS)
CREATE_REQUEST = _body(
    p.NEW_STYLE,
    "NewStyle",
    "A list of style rules.",
    {"name": "Letters", "language": "de", "configured_rules": _RULES},
)
CREATE_RESPONSES = _answers(201, schemas.Style, "The list", _STYLE, _ERRORS)
RENAME_REQUEST = _body(p.STYLE_NAME, "StyleName", "The new name.", {"name": "Letters"})
RULES_REQUEST = request_body(schemas.NewConfiguredRules, {"website": ("The style of letters", _RULES)})
STYLE_RESPONSES = _answers(200, schemas.Style, "The list", _STYLE, _ERRORS_OF_ONE)
DELETE_RESPONSES: Responses = {204: {"description": "It is deleted"}, **_ERRORS_OF_ONE}
