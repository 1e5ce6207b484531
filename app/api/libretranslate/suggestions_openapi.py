"""The texts of the OpenAPI document about suggestions; ``app.api.openapi`` explains them."""

from app.api.libretranslate import schemas
from app.api.libretranslate.endpoints import SUGGEST
from app.api.openapi import (
    FAILURES,
    INTERNAL,
    KEY_REFUSED,
    NO_KEY,
    STORAGE,
    TOO_LARGE_OR_NO_ROOM,
    TRY_LATER,
    Responses,
    error,
    request_body,
    response,
)

SUGGEST_REQUEST = request_body(
    SUGGEST.model("SuggestRequest", "Parameters of /suggest."),
    {
        "off": (
            "A suggestion, on a server that takes none",
            {"q": "Guten Morgen!", "s": "Good morning!", "source": "de", "target": "en"},
        )
    },
)
SUGGEST_RESPONSES: Responses = {
    200: response(schemas.Suggested, "The suggestion is stored", {"kept": ("Kept", {"success": True})}),
    400: error(
        "The suggestion can't be kept as it is; the text says what to change",
        missing=("No translation", "Invalid request: missing s parameter", "invalid_request"),
        unsupported=("A language that is not served", "fr is not supported", "unsupported_pair"),
        long_text=("A long text", "Value for 'q' not supported; it has more than 5,000 characters.", "invalid_memory"),
        no_key=NO_KEY,
    ),
    403: error(
        "Switched off, or not with this API key",
        off=("Off", "Suggestions are disabled on this server.", "feature_disabled"),
        **KEY_REFUSED,
    ),
    413: TOO_LARGE_OR_NO_ROOM,
    429: FAILURES[429],
    500: INTERNAL,
    503: error(
        TRY_LATER,
        **STORAGE,
        full=("Too many wait", "The server can't keep more suggestions now; try again later.", "overloaded"),
    ),
}
