"""Answers the endpoints of DeepL's features that this server doesn't have. The OpenAPI document leaves them out.

Clients get an empty list where they list, a 404 for a thing that can't exist, and otherwise a 400: 403 would tell them
that their key is wrong, and 5xx to try again.
"""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.error_responses import Endpoint, refusing

router = APIRouter(include_in_schema=False)

_WRITING = ["POST", "PUT", "PATCH", "DELETE"]
# Path, feature, and the name of its list if it can be listed.
_FEATURES = (
    ("/v3/style_rules", "Style rules", "style_rules"),
    ("/v2/write", "Text improvements", None),
    ("/v2/write/rephrase", "Text improvements", None),
    ("/v2/write/correct", "Text improvements", None),
)


def _listing(name: str) -> Endpoint:
    async def list_nothing(request: Request) -> Response:
        return JSONResponse({name: []})

    return list_nothing


# The longest paths first, so that a path of its own is not taken for an item below a shorter path.
for _path, _feature, _list_name in sorted(_FEATURES, reverse=True):
    _text = f"{_feature} are not available on this server."
    if _list_name:
        router.add_api_route(_path, _listing(_list_name), methods=["GET"])
    router.add_api_route(_path, refusing(400, _text), methods=_WRITING)
    router.add_api_route(f"{_path}/{{rest:path}}", refusing(404, _text), methods=["GET", *_WRITING])
