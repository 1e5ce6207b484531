"""What the OpenAPI document says alike of glossaries, translation memories and style rules."""

from typing import Any, NamedTuple

from app.api.deepl.openapi import INTERNAL, NOT_JSON, OWNER_KEY_ERRORS, error, too_large
from app.api.openapi import DEFAULTS, NO_ROOM, ErrorExamples, Responses, request_body, response
from app.api.parameter import Parameters

REFUSED = "The request can't be served as it is; the text says what to change"
_TOO_LARGE = too_large(DEFAULTS.max_body_bytes, **NO_ROOM)


class StoredErrors(NamedTuple):
    """Errors of requests to a collection and to a single thing in it, and the responses to DELETE."""

    of_all: Responses
    of_one: Responses
    removal: Responses


def stored_errors(
    thing: str,
    things: str,
    code: str,
    *,
    making: ErrorExamples,
    changing: ErrorExamples,
    large: dict[str, Any] = _TOO_LARGE,
) -> StoredErrors:
    """Returns the errors.

    Args:
        thing: What is stored, as errors call it.
        things: The same in the plural, with a capital letter.
        code: Of the error that there is no such thing.
        making: What a request is refused for that names none.
        changing: What one is refused for that names one.
        large: The response to what is too large.
    """
    off = {
        "off": ("A server without a database", f"{things} are not available on this server.", "feature_disabled"),
    }
    server: Responses = {413: large, 500: INTERNAL, **OWNER_KEY_ERRORS}
    of_all: Responses = {400: error(REFUSED, not_json=NOT_JSON, **off, **making), **server}
    none = (f"No such {thing}", f"There is no such {thing}.", code)
    missing = error("There is nothing with this id", none=none, **off)
    of_one: Responses = {400: error(REFUSED, not_json=NOT_JSON, **changing), 404: missing, **server}
    return StoredErrors(of_all, of_one, {204: {"description": "It is deleted"}, **of_one})


def answers(status: int, model: Any, description: str, value: Any, errors: Responses) -> Responses:
    """The response with an example, and the errors."""
    return {status: response(model, description, {"example": (description, value)}), **errors}


def body(parameters: Parameters, name: str, description: str, value: Any) -> dict[str, Any]:
    """A request body with an example, which a server without a database refuses."""
    return request_body(parameters.model(name, description), {"off": (description, value)})
