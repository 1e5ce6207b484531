"""The texts of the OpenAPI document about the operator's keys; ``app.api.openapi`` explains them."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from app.api.administration_parameters import NEW_KEY, PriorityName
from app.api.openapi import (
    INTERNAL,
    NO_STORAGE,
    OPERATOR_RESPONSES,
    TOO_LARGE,
    Responses,
    error,
    request_body,
    response,
)
from app.api.schemas import Status


class MadeKey(BaseModel):
    """The new key."""

    key: str = Field(description="The key. It can't be read again.")


class StoredKey(BaseModel):
    """An API key without the key."""

    id: int
    name: str
    hint: str = Field(description="Its last characters.")
    created_at: str = Field(description="ISO 8601, UTC.")
    features: list[str]
    priority: PriorityName
    monthly_characters: int | None = Field(None, description="Only if there is a limit.")
    requests_per_minute: int | None = Field(None, description="Only if there is a limit.")
    used: int = Field(description="Characters used this month.")


class Keys(BaseModel):
    """The API keys."""

    mode: Literal["optional", "required"]
    keys: list[StoredKey]


_WEBSITE: dict[str, Any] = {
    "id": 1,
    "name": "website",
    "hint": "9f3c",
    "created_at": "2026-11-23T08:00:00+00:00",
    "features": ["detect", "translate"],
    "priority": "normal",
    "monthly_characters": 500_000,
    "used": 12_345,
}

KEYS_RESPONSES: Responses = {
    200: response(Keys, "The keys", {"one": ("One key", {"mode": "required", "keys": [_WEBSITE]})}),
    **OPERATOR_RESPONSES,
    503: NO_STORAGE,
}
ADD_KEY_REQUEST = request_body(NEW_KEY.model("NewKey", "An API key to make."), {})
ADD_KEY_RESPONSES: Responses = {
    200: response(MadeKey, "The key", {"made": ("A new key", {"key": "f6f0a1d8c7e34b5d9a2b1c0d3e4f5a6b"})}),
    400: error(
        "The request can't be served as it is",
        no_name=("No name", "Invalid request: missing name parameter", "invalid_request"),
        unknown=(
            "Unknown parameter",
            "Invalid request: unknown parameter characters; known parameters: name, monthly_characters, "
            "requests_per_minute, features, priority",
            "invalid_request",
        ),
        no_features=(
            "No feature",
            "The features of a key must be among translate, detect.",
            "invalid_request",
        ),
    ),
    **OPERATOR_RESPONSES,
    413: TOO_LARGE,
    500: INTERNAL,
    503: NO_STORAGE,
}
REMOVE_KEY_PARAMETERS = {
    "parameters": [
        {"name": "key_id", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}, "example": 1}
    ]
}
REMOVE_KEY_RESPONSES: Responses = {
    200: response(Status, "It is removed", {"removed": ("Removed", {"status": "ok"})}),
    400: error("There is no such key", no_key=("No such key", "There is no key with this number.", "invalid_request")),
    **OPERATOR_RESPONSES,
    503: NO_STORAGE,
}
