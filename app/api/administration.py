"""What changes the service while it runs. For the operator alone, who has the key."""

import secrets
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.api import openapi as docs
from app.api.dependencies import CurrentService
from app.errors import FeatureDisabled, Unauthorized

router = APIRouter(tags=["Operations"])

_Credentials = Annotated[
    HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False, description="DRAGOMAN_ADMIN_KEY"))
]


@router.post("/admin/reload", summary="Take up bundles that have changed", responses=docs.RELOAD_RESPONSES)
async def reload(service: CurrentService, credentials: _Credentials) -> Response:
    """Reads the bundles again: serves new ones, drops those that are gone, replaces those that have changed.

    Needs `Authorization: Bearer` with the key in the setting `admin_key`. Requests in flight end as they began, and
    none is refused meanwhile. A bundle that can't be served is named under `failed`, and what was served in its place
    stays. The signal SIGHUP does the same, and the log says what came of it.
    """
    key = service.settings.admin_key
    if key is None:
        raise FeatureDisabled("Reloading by request is off on this server: it has no admin key.")
    given = credentials.credentials if credentials else ""
    # A header's bytes are read as Latin-1; clients mean UTF-8.
    if not secrets.compare_digest(given.encode("latin-1"), key.get_secret_value().encode()):
        raise Unauthorized("The admin key is missing or wrong.")
    return JSONResponse(asdict(await service.reload()))
