"""LibreTranslate's POST /suggest: users propose better translations, which the operator reviews."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.access import header_key
from app.api.checks import check_language, is_absent
from app.api.dependencies import CurrentService
from app.api.libretranslate import suggestions_openapi as docs
from app.api.request_body import read_parameters
from app.errors import FeatureDisabled, InvalidRequest
from app.text.memory.entries import check_entry_text
from app.translation.languages import check_pair, languages_of

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
    for name in ("q", "s", "source", "target"):
        if is_absent(values.get(name)):
            raise InvalidRequest(f"Invalid request: missing {name} parameter")
    languages = languages_of(service.engine.pairs)
    source, target = (check_language(name, values[name], languages) for name in ("source", "target"))
    check_pair(source, target, service.engine.pairs)
    text, translation = (check_entry_text(values[name], name) for name in ("q", "s"))
    await database.run(store.add, key.id if key else None, source, target, text, translation)
    return JSONResponse({"success": True})
