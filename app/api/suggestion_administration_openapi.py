"""The texts of the OpenAPI document about the operator's suggestions; ``app.api.openapi`` explains them."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from app.api.administration_parameters import DECISION, SUGGESTIONS
from app.api.openapi import (
    INTERNAL,
    NO_STORAGE,
    OPERATOR_RESPONSES,
    TOO_LARGE_OR_NO_ROOM,
    Responses,
    error,
    query_parameters,
    request_body,
    response,
)
from app.api.schemas import Status


class Suggestion(BaseModel):
    """A suggestion."""

    id: int
    key_id: int | None = Field(description="Number of the API key that it came with.")
    source: str
    target: str
    text: str
    translation: str
    state: Literal["pending", "accepted", "rejected"]
    created_at: str = Field(description="ISO 8601, UTC.")


class MemoryOfKey(BaseModel):
    """A translation memory."""

    translation_memory_id: str
    key_id: int | None = Field(description="Number of its owner's API key.")
    name: str
    source: str
    target: str


class Suggestions(BaseModel):
    """Suggestions, and the translation memories that they can go into."""

    suggestions: list[Suggestion]
    memories: list[MemoryOfKey]


_ID = "a74d88fb-ed2a-4943-a664-a4512398b994"
_LANGUAGES = {"source": "de", "target": "en"}
_SUGGESTION: dict[str, Any] = {
    "id": 1,
    "key_id": 3,
    **_LANGUAGES,
    "text": "Guten Morgen!",
    "translation": "Good morning!",
    "state": "pending",
    "created_at": "2026-11-23T08:00:00+00:00",
}
_MEMORY: dict[str, Any] = {"translation_memory_id": _ID, "key_id": 3, "name": "Website", **_LANGUAGES}
_NONE = ("No such suggestion", "No waiting suggestion has this number.", "invalid_request")

LIST_PARAMETERS: dict[str, Any] = {"parameters": query_parameters(SUGGESTIONS)}
LIST_RESPONSES: Responses = {
    200: response(
        Suggestions, "The suggestions", {"one": ("One", {"suggestions": [_SUGGESTION], "memories": [_MEMORY]})}
    ),
    400: error(
        "No such state",
        state=(
            "Another state",
            "Invalid request: state parameter must be one of pending, accepted, rejected",
            "invalid_request",
        ),
    ),
    **OPERATOR_RESPONSES,
    503: NO_STORAGE,
}
DECIDE_REQUEST: dict[str, Any] = {
    **request_body(DECISION.model("Decision", "The decision on a suggestion."), {}),
    "parameters": [
        {"name": "suggestion_id", "in": "path", "required": True, "schema": {"type": "integer"}, "example": 1}
    ],
}
DECIDE_RESPONSES: Responses = {
    200: response(Status, "It is accepted or rejected", {"done": ("Done", {"status": "ok"})}),
    400: error(
        "It can't be accepted or rejected",
        none=_NONE,
        languages=(
            "Other languages",
            "The translation memory is for other languages than the suggestion.",
            "invalid_memory",
        ),
    ),
    404: error(
        "There is no such translation memory",
        none=("No memory", "There is no such translation memory.", "memory_not_found"),
    ),
    413: TOO_LARGE_OR_NO_ROOM,
    **OPERATOR_RESPONSES,
    500: INTERNAL,
    503: NO_STORAGE,
}
