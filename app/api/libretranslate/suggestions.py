"""LibreTranslate's POST /suggest: users propose better translations, which the operator reviews."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.dependencies import CurrentService
from app.api.libretranslate import suggestions_openapi as docs
from app.api.libretranslate.endpoints import SUGGEST, SUGGESTED_FOR, SUGGESTION
from app.api.libretranslate.parameters import SOURCE, TARGET
from app.api.request_body import read_parameters
from app.errors import FeatureDisabled

router = APIRouter(tags=["Translation"])


@router.post(
    "/suggest",
    summary="Suggest a better translation",
    openapi_extra=docs.SUGGEST_REQUEST,
    responses=docs.SUGGEST_RESPONSES,
)
async def post_suggest(request: Request, service: CurrentService) -> Response:
    """Stores `s` as a suggested translation of `q`, until the operator accepts or rejects it."""
    store, database = service.suggestions, service.database
    if store is None or database is None:
        raise FeatureDisabled("Suggestions are disabled on this server.")
    values = await read_parameters(request, service.settings.max_body_bytes)
    offered = values.get("api_key") or header_key(request, "Bearer")
    key = await service.access.check(request, offered, "translate")
    given = service.given(SUGGEST, values)
    entry = given[SOURCE], given[TARGET], given[SUGGESTED_FOR], given[SUGGESTION]
    await database.run(store.add, key.id if key else None, *entry)
    return JSONResponse({"success": True})
