"""Azure Translator's contract, version 3: its errors have numbers, and its paths are LibreTranslate's.

https://learn.microsoft.com/azure/ai-services/translator/text-translation/reference/v3/reference
"""

from typing import Any

from app import errors
from app.api.azure import routes
from app.api.contract import Contract

# The first three digits are the status of HTTP.
_NUMBERS = {
    "unsupported_pair": 400036,
    "text_too_long": 400077,
    "key_required": 401000,
    "invalid_key": 401000,
    "feature_disabled": 403000,
    "quota_exceeded": 403001,
    "not_found": 404000,
    "method_not_allowed": 405000,
    "request_timeout": 408001,
    "body_too_large": 413000,
    "rate_limited": 429001,
    "internal": 500000,
    "model_failure": 500000,
    "overloaded": 503000,
    "engine_unavailable": 503000,
    "storage_failure": 503000,
    "deadline_exceeded": 504000,
}
# All paths of Azure's version 3. A path that the server doesn't have gets a 404 with Azure's error body.
_PATHS = frozenset(
    "/translate /detect /languages /transliterate /breaksentence /dictionary/lookup /dictionary/examples".split()
)
_OTHER = 400000  # one of the inputs isn't valid


def _error_body(text: str, code: str) -> dict[str, Any]:
    return {"error": {"code": _NUMBERS.get(code, _OTHER), "message": text}}


AZURE = Contract(
    name="Azure",
    description="Translate, detect and list languages, for clients of Azure Translator, version 3.",
    prefixes=("/azure/",),
    query="api-version",
    query_paths=_PATHS,
    routers=(routes.router,),
    translating_paths=frozenset({"/azure/translate"}),
    error_body=_error_body,
    statuses={errors.InvalidKey: 401, errors.KeyRequired: 401},
    trace_header="X-RequestId",
)
