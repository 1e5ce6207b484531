"""A contract: one HTTP interface, such as LibreTranslate's or DeepL's, as shared code sees it.

To add a contract, make a folder like ``app/api/deepl/`` whose ``contract.py`` holds the object, and name that in
``CONTRACTS`` in ``app/main.py``. Everything else follows from the object: admission control, the shape and the status
of errors, the response's headers and the section of the OpenAPI document.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter
from starlette.types import Scope

from app.errors import DragomanError

SCOPE_KEY = "dragoman.contract"
"""Where a connection's scope holds the contract, once ``NormalizedRequest`` has found it."""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """One HTTP interface.

    Attributes:
        name: For the section of the OpenAPI document.
        description: The section's first sentence.
        prefixes: Beginnings of the contract's paths. A path belongs to the contract with the longest one.
        query: A parameter of the query that chooses this contract for some paths.
        query_paths: Those paths; they are served below the first prefix.
        routers: The endpoints.
        translating_paths: Paths whose POST requests translate: they are refused while the queue is full.
        error_body: Makes the JSON body of an error from its sentence and its stable code.
        statuses: HTTP statuses that differ from the table ``app.api.error_responses.STATUS``.
        trace_header: Response header that names a request, beside ``X-Request-ID``; None for no further one.
    """

    name: str
    description: str
    prefixes: tuple[str, ...]
    routers: tuple[APIRouter, ...]
    translating_paths: frozenset[str]
    error_body: Callable[[str, str], Mapping[str, Any]]
    query: str | None = None
    query_paths: frozenset[str] = frozenset()
    statuses: Mapping[type[DragomanError], int] = field(default_factory=dict)
    trace_header: str | None = None

    @property
    def is_documented(self) -> bool:
        """Whether its endpoints are in the OpenAPI document."""
        return any(router.include_in_schema for router in self.routers)


def find_contract(path: str, contracts: Sequence[Contract]) -> Contract:
    """Finds the contract of a path, which comes without the URL prefix.

    Raises:
        ValueError: No contract has a prefix of the path; one of them should have ``/``.
    """
    owners = {prefix: contract for contract in contracts for prefix in contract.prefixes if path.startswith(prefix)}
    return owners[max(owners, key=len)]


def chosen_prefix(path: str, query: bytes, contracts: Sequence[Contract]) -> str:
    """Returns the prefix of the contract that a query chooses, without a slash at its end; "" if it chooses none.

    Args:
        path: Without the URL prefix.
        query: As the client sent it.
        contracts: All contracts.
    """
    names = {part.partition(b"=")[0].decode("latin-1") for part in query.split(b"&")} if query else ()
    chosen = (each for each in contracts if each.query in names and path in each.query_paths)
    return next((each.prefixes[0].rstrip("/") for each in chosen), "")


def contract_of(scope: Scope) -> Contract:
    """Returns the contract of a request, which the outermost middleware has found."""
    contract: Contract = scope[SCOPE_KEY]
    return contract


def local_path(scope: Scope) -> str:
    """Returns the path of a request without the URL prefix, always with a leading slash."""
    path: str = scope["path"]
    return "/" + path.removeprefix(scope.get("root_path", "")).lstrip("/")
