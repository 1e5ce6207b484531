"""DeepL's clients give up after ten seconds without a byte: long answers begin before they are known."""

import asyncio
import json

import pytest

from app.errors import DeadlineExceeded
from app.settings import Settings
from tests.support.fakes import FakeEngine, build


async def answers(engine, text, *, after_s=0.001, version="1.1", path="/v2/translate"):
    """What the application sends; the engine goes on once a line break has come, or at once if none is to come."""
    app = build(engine, Settings(deepl_heartbeat_s=after_s))
    body = json.dumps({"text": [text], "source_lang": "DE", "target_lang": "EN"}).encode()
    sent, gone = [], asyncio.Event()

    async def receive():
        nonlocal body
        if body is None:
            await gone.wait()
            return {"type": "http.disconnect"}
        message, body = {"type": "http.request", "body": body, "more_body": False}, None
        return message

    async def send(message):
        sent.append(message)
        if message.get("body") == b"\n":
            engine.may_go_on.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": version,
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }
    async with app.router.lifespan_context(app):
        if version == "1.0" or not after_s:
            engine.may_go_on.set()
        await app(scope, receive, send)
    return sent[0], b"".join(message.get("body", b"") for message in sent[1:])


async def test_an_answer_that_takes_long_begins_with_white_space():
    start, body = await answers(FakeEngine(), "WAIT Hallo.")
    assert (start["status"], body[:1]) == (200, b"\n")
    assert (b"content-type", b"application/json") in start["headers"]
    assert json.loads(body)["translations"][0]["text"] == "[en] WAIT Hallo."


async def test_an_answer_that_is_there_soon_is_as_ever():
    start, body = await answers(FakeEngine(), "Hallo.", after_s=60)
    assert body[:1] == b"{" and any(name == b"server-timing" for name, _ in start["headers"])


@pytest.mark.parametrize(("after_s", "version"), [(0, "1.1"), (0.001, "1.0")])
async def test_it_can_be_turned_off_and_is_off_for_old_clients(after_s, version):
    start, body = await answers(FakeEngine(), "WAIT Hallo.", after_s=after_s, version=version)
    assert start["status"] == 200 and body[:1] == b"{"


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (DeadlineExceeded("Too late."), {"message": "Too late.", "detail": "deadline_exceeded"}),
        (RuntimeError("secret"), {"message": "Internal error", "detail": "internal"}),
    ],
)
async def test_an_error_comes_as_json_under_the_status_that_was_sent(failure, expected):
    engine = FakeEngine()
    engine.failure = failure
    start, body = await answers(engine, "WAIT FAIL Hallo.")
    assert start["status"] == 200
    assert body.startswith(b"\n") and json.loads(body) == expected
