"""API keys and their usage, for the operator: what ``dragoman keys`` does, over HTTP."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api import administration_parameters as p
from app.api import key_administration_openapi as docs
from app.api.administration import Credentials, check_admin_key
from app.api.dependencies import CurrentService, Service
from app.api.request_body import read_parameters
from app.errors import FeatureDisabled, InvalidRequest

if TYPE_CHECKING:
    from app.storage.keys import Key, KeyStore

router = APIRouter(tags=["Operations"])


@router.get("/admin/keys", summary="API keys and their usage", responses=docs.KEYS_RESPONSES)
async def get_keys(service: CurrentService, credentials: Credentials) -> Response:
    """Lists the API keys with their limits and the characters that they have used this month (UTC).

    A key itself can't be shown again, only its last characters, `hint`.
    """
    store = _store(service, credentials)
    found = await service.access.read(store.list)
    return JSONResponse(
        {"mode": service.settings.keys, "keys": [{**_key_body(key), "used": used} for key, used in found]}
    )


@router.post(
    "/admin/keys", summary="Add an API key", openapi_extra=docs.ADD_KEY_REQUEST, responses=docs.ADD_KEY_RESPONSES
)
async def post_key(request: Request, service: CurrentService, credentials: Credentials) -> Response:
    """Creates an API key and returns it. It can't be shown again.

    Without a limit, there is none; without `features`, the key may use all. Unknown parameters and an empty list of
    features are refused.
    """
    store = _store(service, credentials)
    values = await read_parameters(request, service.settings.max_body_bytes)
    given = service.given(p.NEW_KEY, values)
    made = await service.access.run(
        lambda: store.add(
            given[p.NAME],
            monthly_characters=given[p.CHARACTERS],
            requests_per_minute=given[p.REQUESTS],
            features=given[p.FEATURES],
            priority=given[p.PRIORITY],
        )
    )
    return JSONResponse({"key": made})


@router.delete(
    "/admin/keys/{key_id}",
    summary="Remove an API key",
    openapi_extra=docs.REMOVE_KEY_PARAMETERS,
    responses=docs.REMOVE_KEY_RESPONSES,
)
async def delete_key(request: Request, service: CurrentService, credentials: Credentials) -> Response:
    """Removes a key and its usage. The server refuses the next request with the key."""
    store = _store(service, credentials)
    key_id: str = request.path_params["key_id"]
    is_number = key_id.isascii() and key_id.isdigit() and len(key_id) < 10
    if not is_number or not await service.access.run(store.remove, int(key_id)):
        raise InvalidRequest("There is no key with this number.")
    return JSONResponse({"status": "ok"})


def _store(service: Service, credentials: Any) -> "KeyStore":
    check_admin_key(service.settings, credentials)
    store = service.access.store
    if store is None or service.settings.keys == "off":
        raise FeatureDisabled("This server uses no API keys: DRAGOMAN_KEYS is off.")
    return store


def _key_body(key: "Key") -> dict[str, Any]:
    limits = {"monthly_characters": key.monthly_characters, "requests_per_minute": key.requests_per_minute}
    return {
        "id": key.id,
        "name": key.name,
        "hint": key.hint,
        "created_at": key.created_at,
        "features": list(key.features),
        "priority": key.priority.value,
        **{name: limit for name, limit in limits.items() if limit is not None},
    }
