"""Endpoints that are asked by GET, with parameters in the query, or by POST, with the same ones in a body."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter

Endpoint = Callable[..., Any]


def get_and_post(
    router: APIRouter,
    path: str,
    *,
    summary: str,
    responses: dict[int | str, dict[str, Any]],
    post_responses: dict[int | str, dict[str, Any]] | None = None,
    query: dict[str, Any] | None = None,
    body: dict[str, Any] | None = None,
) -> Callable[[Endpoint], Endpoint]:
    """Decorates a function that answers both methods.

    Args:
        router: Gets the endpoint.
        path: Of the endpoint.
        summary: For the OpenAPI document.
        responses: As well.
        post_responses: Those of POST, if they differ.
        query: What the OpenAPI document has of GET's parameters.
        body: What it has of POST's.
    """

    def register(endpoint: Endpoint) -> Endpoint:
        router.post(path, summary=summary, openapi_extra=body, responses=post_responses or responses)(endpoint)
        return router.get(path, summary=summary, openapi_extra=query, responses=responses)(endpoint)

    return register
