"""The one table from errors to HTTP statuses, and the handlers that write every error as JSON."""

import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from app import errors
from app.api.contract import contract_of

STATUS: dict[type[errors.DragomanError], int] = {
    errors.DragomanError: 500,
    errors.InvalidRequest: 400,
    errors.InvalidGlossary: 400,
    errors.GlossaryNotFound: 404,
    errors.StyleNotFound: 404,
    errors.InvalidMemory: 400,
    errors.MemoryNotFound: 404,
    errors.FeatureUnavailable: 400,
    errors.NotThere: 404,
    errors.UnsupportedPair: 400,
    errors.OptionOutOfRange: 400,
    errors.TextTooLong: 400,  # the LibreTranslate contract; a body over its limit in bytes is 413
    errors.UnsupportedDocument: 400,
    errors.EncryptedDocument: 400,
    errors.DamagedDocument: 400,
    errors.DocumentTooLarge: 413,
    errors.WrongReview: 400,
    errors.ExtraMissing: 400,
    errors.Unauthorized: 401,
    errors.KeyRequired: 400,  # the LibreTranslate contract
    errors.InvalidKey: 403,
    errors.RoomExceeded: 413,
    errors.QuotaExceeded: 403,  # what LibreTranslate's clients take for a quota, such as Mastodon
    errors.RateLimited: 429,
    errors.DocumentNotFound: 404,
    errors.DocumentNotReady: 503,  # the DeepL contract
    errors.FeatureDisabled: 403,
    errors.StorageFailure: 503,
    errors.IssuerUnavailable: 503,
    errors.Overloaded: 503,
    errors.DeadlineExceeded: 504,
    errors.Cancelled: 499,  # nobody reads it: the client is gone; the access log shows it
    errors.EngineUnavailable: 503,
    errors.ModelFailure: 500,
    errors.BundleError: 500,
    errors.ConfigurationError: 500,
}
MODEL_FAILURE_TEXT = "Cannot translate text: the model failed"
INTERNAL_ERROR_TEXT = "Internal error"

Endpoint = Callable[[Request], Awaitable[Response]]

logger = logging.getLogger(__name__)

_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large", 415: "unsupported_media_type"}


def error_response(
    scope: Scope, status: int, text: str, code: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Writes an error in the shape of the request's contract."""
    return JSONResponse(contract_of(scope).error_body(text, code), status_code=status, headers=headers)


def refusing(status: int, text: str) -> Endpoint:
    """Makes an endpoint for a missing feature, which always answers with this error."""

    async def refuse(request: Request) -> Response:
        return error_response(request.scope, status, text, errors.FeatureDisabled.code)

    return refuse


def internal_error_response(scope: Scope) -> JSONResponse:
    """Returns the response to an unexpected error, without details."""
    return error_response(scope, 500, INTERNAL_ERROR_TEXT, errors.DragomanError.code)


def install_handlers(app: FastAPI, routes: Sequence[BaseRoute] = ()) -> None:
    """Makes the application answer every expected error as JSON.

    Unexpected exceptions are handled by ``middleware.UnexpectedErrors``, inside the middleware that sets headers.

    Args:
        app: It.
        routes: The endpoints, for their methods.
    """
    app.add_exception_handler(errors.DragomanError, _answer_own_error)
    app.add_exception_handler(HTTPException, partial(_answer_http_error, routes))
    app.add_exception_handler(RequestValidationError, _answer_validation_error)


def error_of(error: errors.DragomanError) -> tuple[int, str, str]:
    """Returns status, text and code of an error for the client; an error of the server is logged."""
    status = STATUS[type(error)]
    if status != 500:
        return status, str(error), error.code
    logger.error("a request failed", exc_info=error)
    text = MODEL_FAILURE_TEXT if isinstance(error, errors.ModelFailure) else INTERNAL_ERROR_TEXT
    return status, text, error.code


def status_of(scope: Scope, error: errors.DragomanError) -> int:
    """Returns the HTTP status of an error in the request's contract."""
    return contract_of(scope).statuses.get(type(error), STATUS[type(error)])


async def _answer_own_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.DragomanError)
    return own_error_response(request.scope, error)


def own_error_response(
    scope: Scope, error: errors.DragomanError, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Answers an expected error, with additional headers."""
    _, text, code = error_of(error)
    status = status_of(scope, error)
    headers = dict(headers or {})
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if status in (429, 503):
        retry_after_s = error.retry_after_s if isinstance(error, errors.Overloaded | errors.RateLimited) else 1.0
        headers["Retry-After"] = str(max(1, math.ceil(retry_after_s)))
    return error_response(scope, status, text, code, headers)


async def _answer_http_error(routes: Sequence[BaseRoute], request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _HTTP_CODES.get(error.status_code, "http_error")
    headers = dict(error.headers or {})
    here = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    if error.status_code == 405 and here:  # Starlette names the methods of the first of them alone
        methods = {method for route in here for method in getattr(route, "methods", None) or ()}
        headers["Allow"] = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
    return error_response(request.scope, error.status_code, error.detail, code, headers)


async def _answer_validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = sorted({".".join(str(part) for part in entry["loc"]) for entry in error.errors()})
    return error_response(request.scope, 422, f"Invalid request: {', '.join(places)}", errors.InvalidRequest.code)
