"""The one table from errors to HTTP statuses, and the handlers that write every error as JSON."""

import logging
import math

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from app import errors

STATUS: dict[type[errors.DragomanError], int] = {
    errors.DragomanError: 500,
    errors.InvalidRequest: 400,
    errors.UnsupportedPair: 400,
    errors.OptionOutOfRange: 400,
    errors.TextTooLong: 400,  # the LibreTranslate contract; a body over its limit in bytes is 413
    errors.Overloaded: 503,
    errors.DeadlineExceeded: 504,
    errors.Cancelled: 499,  # nobody reads it: the client is gone; the access log shows it
    errors.EngineUnavailable: 503,
    errors.ModelFailure: 500,
    errors.BundleError: 500,
    errors.ConfigurationError: 500,
}
MODEL_FAILURE_TEXT = "Cannot translate text: the model failed"
INTERNAL_ERROR = {"error": "Internal error", "code": "internal"}

logger = logging.getLogger(__name__)

_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "body_too_large"}


def error_response(status: int, text: str, code: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An error as every endpoint answers it: LibreTranslate's ``error`` and our stable ``code``."""
    return JSONResponse({"error": text, "code": code}, status_code=status, headers=headers)


def install_handlers(app: FastAPI) -> None:
    """Makes the application answer every expected error as JSON.

    Unexpected exceptions are handled by ``middleware.UnexpectedErrors``, inside the middleware that sets headers.
    """
    app.add_exception_handler(errors.DragomanError, _answer_own_error)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(RequestValidationError, _answer_validation_error)


async def _answer_own_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.DragomanError)
    status = STATUS[type(error)]
    if status == 500:
        logger.error("a request failed", exc_info=error)
        is_model = isinstance(error, errors.ModelFailure)
        return error_response(status, MODEL_FAILURE_TEXT if is_model else INTERNAL_ERROR["error"], error.code)
    headers = {}
    if status == 503:
        retry_after_s = error.retry_after_s if isinstance(error, errors.Overloaded) else 1.0
        headers["Retry-After"] = str(max(1, math.ceil(retry_after_s)))
    return error_response(status, str(error), error.code, headers)


async def _answer_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = _HTTP_CODES.get(error.status_code, "http_error")
    return error_response(error.status_code, error.detail, code, dict(error.headers or {}))


async def _answer_validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    places = sorted({".".join(str(part) for part in entry["loc"]) for entry in error.errors()})
    return error_response(422, f"Invalid request: {', '.join(places)}", errors.InvalidRequest.code)
