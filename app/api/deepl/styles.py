"""DeepL's style rules: stored lists of what this server steers, which ``style_rules`` describes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from app.api.deepl import stored_parameters as p
from app.api.deepl import styles_openapi as docs
from app.api.deepl.owner_call import OwnerCall, check_owner
from app.api.deepl.parameters import STYLE_ID
from app.api.deepl.style_rules import check_rules, meaning
from app.api.dependencies import CurrentService, Service
from app.errors import InvalidRequest
from app.storage.identifiers import checked_id
from app.translation.request import Wish
from languages import codes

if TYPE_CHECKING:
    from app.storage.keys import Key
    from app.storage.styles import StoredStyle, StyleStore

router = APIRouter(tags=["DeepL"])

PATH = "/v3/style_rules"
Asked = TypeVar("Asked", bound=Wish)


class StyleCall(OwnerCall["StyleStore"]):
    """A request about style rules."""

    thing, things, id_name = "style rule list", "Style rules", "style_id"

    @staticmethod
    def find_store(service: Service) -> "StyleStore | None":
        """See ``OwnerCall.find_store``."""
        return service.styles


Call = Annotated[StyleCall, Depends(StyleCall.of)]


async def styled(service: Service, key: "Key | None", wish: Asked, values: Mapping[str, object]) -> Asked:
    """Returns a wish with what the style rules say that a request names; its own ``formality`` counts more.

    Raises:
        InvalidRequest: This server keeps none, or they are for another language or region.
        StyleNotFound: There is no such list.
    """
    if STYLE_ID.is_absent(values):
        return wish
    if service.styles is None or service.database is None:
        raise InvalidRequest(f"Style rules are not available on this server; leave out '{STYLE_ID.name}'.")
    style_id = checked_id(values[STYLE_ID.name], STYLE_ID.name)
    style = await service.database.read(service.styles.find, key.id if key else None, style_id)
    if codes.base(wish.target) != codes.base(style.language):
        raise InvalidRequest(f"The style rules are for {style.language.upper()}, not for the target language.")
    register, locale = meaning(style.rules, style.language, wish.locale)
    return replace(wish, register=wish.register or register, locale=locale)


@router.get(PATH, summary="List style rules", openapi_extra=docs.LIST_PARAMETERS, responses=docs.LIST_RESPONSES)
async def list_styles(request: Request, service: CurrentService) -> Response:
    """Lists the style rule lists of the API key; their rules, too, with `detailed`."""
    if service.styles is None:
        await check_owner(request, service)
        return JSONResponse({"style_rules": []})
    call = await StyleCall.of(request, service)
    given = call.given(p.STYLE_LIST)
    begin = given[p.STYLES_SIZE] * given[p.PAGE]
    found = await call.read(lambda store, owner: store.list(owner))
    page = found[begin : begin + given[p.STYLES_SIZE]]
    return JSONResponse({"style_rules": [_body(style, is_detailed=given[p.DETAILED]) for style in page]})


@router.post(
    PATH,
    summary="Make a list of style rules",
    status_code=201,
    openapi_extra=docs.CREATE_REQUEST,
    responses=docs.CREATE_RESPONSES,
)
async def post_style(call: Call) -> Response:
    """Makes a list for a target language. A rule that this server can't follow is refused by its name."""
    given = call.given(p.NEW_STYLE)
    name, language, rules = given[p.NAME], given[p.STYLE_LANGUAGE], given[p.CONFIGURED_RULES]
    made = await call.run(lambda store, owner: store.add(owner, name, language, rules))
    return JSONResponse(_body(made), status_code=201)


@router.get(
    PATH + "/{style_id}",
    summary="A list of style rules",
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.STYLE_RESPONSES,
)
async def get_style(call: Call) -> Response:
    """Returns a list with its rules."""
    return JSONResponse(_body(await call.read(lambda store, owner: store.find(owner, call.id))))


@router.patch(
    PATH + "/{style_id}",
    summary="Rename a list of style rules",
    openapi_extra=docs.RENAME_REQUEST | docs.ID_PARAMETER,
    responses=docs.STYLE_RESPONSES,
)
async def patch_style(call: Call) -> Response:
    """Renames a list."""
    name = call.given(p.STYLE_NAME)[p.NAME]
    return JSONResponse(_body(await call.run(lambda store, owner: store.set(owner, call.id, name=name))))


@router.put(
    PATH + "/{style_id}/configured_rules",
    summary="Replace the rules of a list",
    openapi_extra=docs.RULES_REQUEST | docs.ID_PARAMETER,
    responses=docs.STYLE_RESPONSES,
)
async def put_rules(call: Call) -> Response:
    """Replaces all rules of a list."""
    style = await call.read(lambda store, owner: store.find(owner, call.id))
    rules = check_rules(dict(call.values), style.language)
    return JSONResponse(_body(await call.run(lambda store, owner: store.set(owner, call.id, rules=rules))))


@router.delete(
    PATH + "/{style_id}",
    summary="Delete a list of style rules",
    status_code=204,
    openapi_extra=docs.ID_PARAMETER,
    responses=docs.DELETE_RESPONSES,
)
async def delete_style(call: Call) -> Response:
    """Deletes a list."""
    await call.run(lambda store, owner: store.remove(owner, call.id))
    return Response(status_code=204)


def _body(style: "StoredStyle", *, is_detailed: bool = True) -> dict[str, Any]:
    body = {
        "style_id": style.id,
        "name": style.name,
        "creation_time": style.created_at,
        "updated_time": style.updated_at,
        "language": style.language,
        "version": style.version,
    }
    return body | ({"configured_rules": style.rules, "custom_instructions": []} if is_detailed else {})
