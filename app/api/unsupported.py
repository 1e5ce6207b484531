"""Answers the endpoints of both contracts whose features this server doesn't have, as the contracts do.

DeepL's clients get an empty list where they list, a 404 for a thing that can't exist, and otherwise a 400: 403 would
tell them that their key is wrong, and 5xx to try again. The OpenAPI document leaves these endpoints out.
"""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.api.error_responses import error_response

Endpoint = Callable[[Request], Awaitable[Response]]

router = APIRouter(include_in_schema=False)

_CODE = "feature_disabled"
_FILES_TEXT = "Files translation are disabled on this server."
_WRITING = ["POST", "PUT", "PATCH", "DELETE"]
# DeepL's: path, feature, name of its list if it can be listed.
_FEATURES = (
    ("/v2/glossaries", "Glossaries", "glossaries"),
    ("/v3/glossaries", "Glossaries", "glossaries"),
    ("/v2/glossary-language-pairs", "Glossaries", "supported_languages"),
    ("/v3/style_rules", "Style rules", "style_rules"),
    ("/v3/translation_memories", "Translation memories", "translation_memories"),
    ("/v2/document", "Documents", None),
    ("/v2/write", "Text improvements", None),
)


def _refusing(status: int, text: str) -> Endpoint:
    async def refuse(request: Request) -> Response:
        return error_response(request.scope, status, text, _CODE)

    return refuse


def _listing(name: str) -> Endpoint:
    async def list_nothing(request: Request) -> Response:
        return JSONResponse({name: []})

    return list_nothing


router.add_api_route("/suggest", _refusing(403, "Suggestions are disabled on this server."), methods=["POST"])
router.add_api_route("/translate_file", _refusing(403, _FILES_TEXT), methods=["POST"])
router.add_api_route("/download_file/{filename}", _refusing(400, _FILES_TEXT), methods=["GET"])
for _path, _feature, _list_name in _FEATURES:
    _text = f"{_feature} are not available on this server."
    if _list_name:
        router.add_api_route(_path, _listing(_list_name), methods=["GET"])
    router.add_api_route(_path, _refusing(400, _text), methods=_WRITING)
    router.add_api_route(f"{_path}/{{rest:path}}", _refusing(404, _text), methods=["GET", *_WRITING])
