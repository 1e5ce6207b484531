"""Endpoints that change the running service. Only the operator, who has the admin key, may use them."""

import secrets
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.api import openapi as docs
from app.api.dependencies import CurrentService
from app.api.operations import program_version
from app.errors import FeatureDisabled, Unauthorized
from app.settings import Settings

router = APIRouter(tags=["Operations"])

Credentials = Annotated[
    HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False, description="DRAGOMAN_ADMIN_KEY"))
]


@router.get("/admin/status", summary="Is this the operator's key?", responses=docs.ADMIN_STATUS_RESPONSES)
async def status(service: CurrentService, credentials: Credentials) -> Response:
    """Checks the admin key for the operator's page, and shows the state of the server."""
    check_admin_key(service.settings, credentials)
    return JSONResponse({"version": program_version(), "state": service.engine.state, "keys": service.settings.keys})


@router.post("/admin/reload", summary="Load bundles that have changed", responses=docs.RELOAD_RESPONSES)
async def reload(service: CurrentService, credentials: Credentials) -> Response:
    """Reloads the bundles: loads new ones, unloads removed ones, replaces changed ones.

    Needs `Authorization: Bearer` with the key in the setting `admin_key`. Requests in progress finish on the model that
    they started with; no request is refused. A bundle that can't be served is listed in `failed`, and the model that it
    should replace stays. The signal SIGHUP does the same and logs the result.
    """
    check_admin_key(service.settings, credentials)
    return JSONResponse(asdict(await service.reload()))


def check_admin_key(settings: Settings, credentials: HTTPAuthorizationCredentials | None) -> None:
    """Refuses every request without the admin key.

    Raises:
        FeatureDisabled: There is no admin key on this server.
        Unauthorized: The key is missing or wrong.
    """
    if settings.admin_key is None:
        raise FeatureDisabled("The operator's endpoints are off on this server: DRAGOMAN_ADMIN_KEY is not set.")
    given = credentials.credentials if credentials else ""
    # A header's bytes are read as Latin-1; clients mean UTF-8.
    if not secrets.compare_digest(given.encode("latin-1"), settings.admin_key.get_secret_value().encode()):
        raise Unauthorized("The admin key is missing or wrong.")
