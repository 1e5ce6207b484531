"""Suggestions, for the operator: what ``dragoman suggestions`` does, over HTTP."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api import administration_parameters as p
from app.api import suggestion_administration_openapi as docs
from app.api.administration import Credentials, check_admin_key
from app.api.dependencies import CurrentService, Service
from app.api.request_body import read_parameters
from app.errors import FeatureDisabled, InvalidRequest
from app.storage.identifiers import checked_id

if TYPE_CHECKING:
    from app.storage.suggestions import SuggestionStore

router = APIRouter(tags=["Operations"])

_OF_A_PAGE = 100


@router.get(
    "/admin/suggestions",
    summary="Suggestions, and the memories for them",
    openapi_extra=docs.LIST_PARAMETERS,
    responses=docs.LIST_RESPONSES,
)
async def get_suggestions(request: Request, service: CurrentService, credentials: Credentials) -> Response:
    """Lists the first 100 suggestions in a `state` after the suggestion `after`, and all translation memories."""
    store = _store(service, credentials)
    values = await read_parameters(request, service.settings.max_body_bytes)
    given = service.given(p.SUGGESTIONS, values)
    state, after = given[p.STATE], given[p.AFTER]
    assert service.database and service.memories.store
    found = await service.database.read(lambda: store.list(state, after=after, most=_OF_A_PAGE))
    memories = await service.database.read(service.memories.store.list_all)
    return JSONResponse(
        {
            "suggestions": [vars(suggestion) for suggestion in found],
            "memories": [
                {
                    "translation_memory_id": memory.id,
                    "key_id": memory.key_id,
                    "name": memory.name,
                    "source": memory.source,
                    "target": memory.target,
                }
                for memory in memories
            ],
        }
    )


@router.post(
    "/admin/suggestions/{suggestion_id}",
    summary="Accept or reject a suggestion",
    openapi_extra=docs.DECIDE_REQUEST,
    responses=docs.DECIDE_RESPONSES,
)
async def post_suggestion(request: Request, service: CurrentService, credentials: Credentials) -> Response:
    """Rejects a suggestion, or accepts it into the translation memory `translation_memory_id`."""
    store = _store(service, credentials)
    values = await read_parameters(request, service.settings.max_body_bytes)
    given = service.given(p.DECISION, values)
    number = p.suggestion_number(request.path_params["suggestion_id"])
    assert service.database
    if given[p.DECIDED] == "rejected":
        done = await service.database.run(store.reject, number)
    else:
        if p.MEMORY_ID.is_absent(values):
            raise given.missing(p.MEMORY_ID.name)
        memory_id = checked_id(given[p.MEMORY_ID], p.MEMORY_ID.name)
        done = await service.database.run(store.accept, number, memory_id)
    if not done:
        raise InvalidRequest("No waiting suggestion has this number.")
    return JSONResponse({"status": "ok"})


def _store(service: Service, credentials: Any) -> "SuggestionStore":
    check_admin_key(service.settings, credentials)
    if service.suggestions is None:
        raise FeatureDisabled("Suggestions are disabled on this server.")
    return service.suggestions
