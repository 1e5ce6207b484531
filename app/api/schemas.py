"""The bodies of the operators' endpoints and of errors, for the OpenAPI document. They only document."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class ErrorBody(BaseModel):
    """Every error."""

    error: str = Field(description="A sentence for people.")
    code: str = Field(description="A stable word for programs.")


class Status(BaseModel):
    """All is well."""

    status: Literal["ok"]


class Info(BaseModel):
    """What is being served."""

    version: str
    state: str
    models: list[dict[str, Any]] = Field(
        description="Each bundle, its provenance and scores, whether it is loaded, and what really runs it."
    )
    pivot: dict[str, Any] = Field(
        description="The language in between, and the pairs that are translated by way of it."
    )
    limits: dict[str, float]


class Reloaded(BaseModel):
    """What became of each bundle, by its folder."""

    added: list[str]
    replaced: list[str]
    removed: list[str]
    unchanged: list[str]
    failed: dict[str, str] = Field(description="Those that can't be served, and why.")
