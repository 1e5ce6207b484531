import io
import json
import logging
import sys

import pytest

from app.errors import ModelFailure
from app.logs import JsonFormatter, configure_logging, request_id


@pytest.fixture
def lines():
    """A logger of its own whose lines can be read; calling it gives the parsed lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("test.telemetry")
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    yield logger, lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)


def test_one_object_a_line(lines):
    logger, parsed = lines
    logger.info("two\nlines %s", "ü", extra={"status": 200, "where": object})
    (line,) = parsed()
    assert line["message"] == "two\nlines ü"
    assert (line["level"], line["logger"], line["status"]) == ("info", "test.telemetry", 200)
    assert line["where"] == str(object)
    assert set(line) == {"time", "level", "logger", "message", "status", "where"}


def test_time_is_when_the_record_was_made_in_utc():
    record = logging.makeLogRecord({"created": 0.25, "msg": "x"})
    assert json.loads(JsonFormatter().format(record))["time"] == "1970-01-01T00:00:00.250+00:00"


def test_request_id_is_in_lines_of_the_request_only(lines):
    logger, parsed = lines
    token = request_id.set("abc")
    logger.info("inside")
    request_id.reset(token)
    logger.info("outside")
    assert [line.get("request_id") for line in parsed()] == ["abc", None]


def test_exceptions_show_where_but_not_the_text_they_quote(lines):
    logger, parsed = lines
    try:
        try:
            {}["Geheimer Text"]
        except KeyError as error:
            raise ModelFailure("The decoder gave NaN.") from error
    except ModelFailure:
        logger.exception("failed")
    (line,) = parsed()
    assert [entry["type"] for entry in line["exception"]] == ["ModelFailure", "KeyError"]
    assert line["exception"][0]["message"] == "The decoder gave NaN."
    assert "message" not in line["exception"][1]
    assert "test_exceptions_show_where" in line["exception"][1]["frames"][0]
    assert "Geheim" not in json.dumps([entry.get("message") for entry in line["exception"]])


def test_exceptions_that_cause_each_other_end(lines):
    logger, parsed = lines
    first, second = ValueError(), TypeError()
    first.__cause__, second.__cause__ = second, first
    logger.error("failed", exc_info=first)
    assert [entry["type"] for entry in parsed()[0]["exception"]] == ["ValueError", "TypeError"]


@pytest.fixture
def restored_logging():
    names = (None, "uvicorn", "uvicorn.error", "uvicorn.access", "python_multipart")
    loggers = [logging.getLogger(name) for name in names]
    before = [(one, one.level, one.handlers[:], one.filters[:], one.propagate, one.disabled) for one in loggers]
    for one in loggers[1:]:
        one.setLevel(logging.NOTSET)  # another test's server may have set it
    yield
    for one, level, handlers, filters, propagate, disabled in before:
        one.setLevel(level)
        one.handlers[:], one.filters[:] = handlers, filters
        one.propagate, one.disabled = propagate, disabled


def test_configured_logging_sends_the_servers_lines_but_not_its_access_log(restored_logging, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    configure_logging("info")
    logging.getLogger("uvicorn.access").info('"GET /translate?q=Geheim"')
    logging.getLogger("python_multipart.multipart").warning("below the level of its parent")
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("app.main").debug("too fine")
    logging.getLogger("app.main").info("hello")
    messages = [json.loads(line)["message"] for line in stream.getvalue().splitlines()]
    assert messages == ["Started server process", "hello"]
