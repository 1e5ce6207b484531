"""Request ids, CORS headers, the access line, and clients that go away."""

import asyncio
import json
import logging
import re

import pytest

from app.logs import request_id
from app.settings import Settings
from tests.support.fakes import build, serving

BODY = {"q": "Guten Morgen!", "source": "de", "target": "en"}
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Expose-Headers": (
        "Authorization, Retry-After, Server-Timing, X-Request-ID, X-Dragoman-Pivot, X-Dragoman-Warnings"
    ),
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Max-Age": "1728000",
}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/languages", 200),
        ("POST", "/translate", 400),
        ("GET", "/translate", 405),
        ("GET", "/nothing", 404),
        ("GET", "/", 200),
        ("OPTIONS", "/translate", 204),
        ("OPTIONS", "/nothing", 204),
    ],
)
async def test_cors_headers_are_on_every_response(client, method, path, status):
    response = await client.request(method, path, headers={"Origin": "https://example.org"})
    assert response.status_code == status
    assert {name: response.headers.get(name) for name in CORS} == CORS
    assert response.headers["X-Request-ID"]
    assert "Access-Control-Allow-Credentials" not in response.headers, "a browser refuses them beside *"


@pytest.mark.parametrize("prefix", ["", "/prefix"])
async def test_a_preflight_allows_the_methods_of_the_path(engine, prefix):
    methods: dict[str, set[str]] = {}
    for path, operations in build(engine).openapi()["paths"].items():
        methods[path] = {name.upper() for name in operations} | {"GET", "POST"}
    assert {"PUT", "PATCH", "DELETE"} <= set().union(*methods.values())
    async with serving(engine, Settings(root_path=prefix)) as client:
        for path, expected in methods.items():
            answer = await client.options(prefix + path, headers={"Origin": "https://example.org"})
            assert set(answer.headers["Access-Control-Allow-Methods"].split(", ")) == expected, path


@pytest.mark.parametrize("prefix", ["", "/prefix"])
async def test_a_refused_method_is_told_which_the_path_has(engine, prefix):
    operations = {path: {name.upper() for name in own} for path, own in build(engine).openapi()["paths"].items()}
    async with serving(engine, Settings(root_path=prefix)) as client:
        for path, methods in operations.items():
            answer = await client.request("TRACE", prefix + path)
            expected = methods | ({"HEAD"} if "GET" in methods else set())
            assert (answer.status_code, set(answer.headers["Allow"].split(", "))) == (405, expected), path


async def test_only_listed_origins_if_there_is_a_list(engine):
    settings = Settings(cors_origins=("https://a.example", "https://b.example"))
    async with serving(engine, settings) as client:
        listed = await client.get("/languages", headers={"Origin": "https://b.example"})
        other = await client.get("/languages", headers={"Origin": "https://c.example"})
        none = await client.get("/languages")
    assert listed.headers["Access-Control-Allow-Origin"] == "https://b.example"
    assert listed.headers["Vary"] == "Origin"
    assert listed.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Access-Control-Allow-Origin" not in other.headers
    assert "Access-Control-Allow-Origin" not in none.headers


@pytest.mark.parametrize("identifier", ["abc-1_2.3:4", "x" * 128])
async def test_request_id_is_echoed(client, identifier):
    response = await client.get("/health", headers={"X-Request-ID": identifier})
    assert response.headers["X-Request-ID"] == identifier


@pytest.mark.parametrize("identifier", ["", "a b", "x" * 129, "ü".encode(), '{"a":1}'])
async def test_unusable_request_id_is_replaced(client, identifier):
    first = await client.get("/health", headers={"X-Request-ID": identifier})
    second = await client.get("/health", headers={"X-Request-ID": identifier})
    assert re.fullmatch("[0-9a-f]{32}", first.headers["X-Request-ID"])
    assert first.headers["X-Request-ID"] != second.headers["X-Request-ID"]


async def test_access_line_has_no_text_and_knows_the_request(client, caplog):
    identifiers = []
    caplog.handler.addFilter(lambda record: identifiers.append(request_id.get()) or True)
    with caplog.at_level(logging.INFO, logger="app"):
        await client.post("/translate", params=BODY | {"q": "Geheimnis"}, headers={"X-Request-ID": "id-1"})
    (line,) = [record for record in caplog.records if record.getMessage() == "request"]
    assert (line.method, line.endpoint, line.status) == ("POST", "/translate", 200)
    assert line.duration_ms >= 0
    await client.get("/translate/de/en/Mein%20Geheimnis")
    assert "Geheimnis" not in caplog.text + str([vars(record) for record in caplog.records])
    assert identifiers[0] == "id-1"
    assert request_id.get() is None


async def test_a_client_that_disconnects_cancels_its_translation(engine, caplog):
    """Through the whole application, middleware included, as a server would call it."""
    engine.hangs = True
    app = build(engine)
    messages = iter([{"type": "http.request", "body": json.dumps(BODY).encode(), "more_body": False}])
    sent = []

    async def receive():
        if (message := next(messages, None)) is not None:
            return message
        await engine.was_asked.wait()  # the client leaves while the engine works
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    with caplog.at_level(logging.INFO, logger="app"):
        async with asyncio.timeout(5):
            await app(post_scope(), receive, send)
    assert engine.was_cancelled.is_set()
    assert [record.status for record in caplog.records if record.getMessage() == "request"] == [499]
    assert sent[0]["status"] == 499


async def test_a_client_that_leaves_before_its_body_is_complete(engine):
    app = build(engine)
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    sent = []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    await app(post_scope(), receive, send)
    assert sent[0]["status"] == 499
    assert engine.calls == []


async def test_a_request_that_the_end_of_the_server_cancels_is_answered(engine):
    """What uvicorn does with requests that outlive the time to drain."""
    engine.hangs = True
    app = build(engine)
    body = json.dumps({"text": ["Guten Morgen!"], "source_lang": "DE", "target_lang": "EN"}).encode()
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])
    sent = []

    async def receive():
        return next(messages, None) or await asyncio.Future()

    async def send(message):
        sent.append(message)

    request = asyncio.create_task(app(post_scope() | {"path": "/v2/translate"}, receive, send))
    await engine.was_asked.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    assert sent[0]["status"] == 503
    assert headers["retry-after"] and headers["x-trace-id"] and headers["access-control-allow-origin"] == "*"
    assert json.loads(sent[1]["body"]) == {"message": "The server is shutting down.", "detail": "engine_unavailable"}


async def test_a_failure_after_the_answer_began_closes_the_connection(engine):
    app = build(engine)

    async def half_an_answer(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("too late")

    app.mount("/half", half_an_answer)
    sent = []

    async def send(message):
        sent.append(message)

    with pytest.raises(RuntimeError, match="too late"):
        await app(post_scope() | {"path": "/half/x", "raw_path": b"/half/x"}, None, send)
    assert [message["type"] for message in sent] == ["http.response.start"]


async def test_many_clients_at_once_get_their_own_answers(client):
    texts = [f"Wort {number}" for number in range(50)]
    responses = await asyncio.gather(*(client.post("/translate", json=BODY | {"q": text}) for text in texts))
    assert [response.json()["translatedText"] for response in responses] == [f"[en] {text}" for text in texts]
    assert len({response.headers["X-Request-ID"] for response in responses}) == 50


def post_scope() -> dict:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/translate",
        "raw_path": b"/translate",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), (b"host", b"test")],
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
    }
