"""Log lines as JSON, one object for each line, with the id of the request. They never contain user text.

This module decides what a record holds. An exception appears with its class and stack frames only, because the message
of a foreign exception can quote the user's text. Messages of our own errors are sentences without user text.
"""

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from app.errors import DragomanError

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# What every record carries; anything beyond it was passed as ``extra`` and belongs into the line.
_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object: time, level, logger, message, request id, extras, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """One line without a line break; values that JSON can't express appear as their ``str``."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if (identifier := request_id.get()) is not None:
            line["request_id"] = identifier
        for name, value in vars(record).items():
            if name not in _STANDARD_ATTRIBUTES and not name.startswith("_"):  # libraries such as Ray add private ones
                line[name] = value
        if record.exc_info and record.exc_info[1] is not None:
            line["exception"] = describe_exception(record.exc_info[1])
        return json.dumps(line, default=str)


def describe_exception(error: BaseException) -> list[dict[str, Any]]:
    """The exception and what led to it, outermost first: class and frames; the message only if it is ours."""
    described = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        entry: dict[str, Any] = {"type": type(current).__qualname__, "frames": _frames(current.__traceback__)}
        if isinstance(current, DragomanError):
            entry["message"] = str(current)
        described.append(entry)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return described


def configure_logging(level: str) -> None:
    """Sends every logger's records at or above ``level`` to stderr as JSON. Only the command line calls this."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in ("uvicorn", "uvicorn.error"):
        server_logger = logging.getLogger(name)
        server_logger.handlers.clear()
        server_logger.propagate = True
    # The server's own access log holds query strings, and a query string may hold the text to translate.
    # app.api.middleware writes our access line.
    logging.getLogger("uvicorn.access").disabled = True
    # It quotes the bytes of malformed forms; the client gets a 400 that says what is wrong.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


def _frames(trace: TracebackType | None) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]
