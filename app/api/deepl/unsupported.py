"""Answers the endpoints of DeepL's features that this server doesn't have. The OpenAPI document leaves them out.

Clients get a 404 for a thing that can't exist, and otherwise a 400: 403 would tell them that their key is wrong, and
5xx to try again.
"""

from fastapi import APIRouter

from app.api.error_responses import refusing

router = APIRouter(include_in_schema=False)

_WRITING = ["POST", "PUT", "PATCH", "DELETE"]
_FEATURES = (
    ("/v3/style_rules/{style_id}/custom_instructions", "Custom instructions"),
    ("/v2/write", "Text improvements"),
    ("/v2/write/rephrase", "Text improvements"),
    ("/v2/write/correct", "Text improvements"),
)

# The longest paths first, so that a path of its own is not taken for an item below a shorter path.
for _path, _feature in sorted(_FEATURES, reverse=True):
    _text = f"{_feature} are not available on this server."
    router.add_api_route(_path, refusing(400, _text), methods=_WRITING)
    router.add_api_route(f"{_path}/{{rest:path}}", refusing(404, _text), methods=["GET", *_WRITING])
