"""Every error class has a status, and every failure is JSON that tells no more than it should."""

import inspect
import json
import logging

import pytest
from fastapi import FastAPI

from app import errors
from app.api.error_responses import STATUS, install_handlers
from app.api.middleware.url import NormalizedRequest
from app.main import CONTRACTS
from app.settings import Settings
from tests.support.fakes import build, client_of, serving

BODY = {"q": "Geheimer Text", "source": "de", "target": "en"}
OWN_ERRORS = [
    value for _, value in inspect.getmembers(errors, inspect.isclass) if issubclass(value, errors.DragomanError)
]


async def test_every_error_class_has_a_status_of_its_own():
    assert set(STATUS) == set(OWN_ERRORS)
    # What is switched off has one code, and the status that the clients of each contract understand.
    codes = [error.code for error in OWN_ERRORS if error.code != errors.FeatureDisabled.code]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("kind", OWN_ERRORS)
async def test_each_error_class_is_answered_with_its_status_and_code(client, engine, kind):
    engine.error = kind("What went wrong.")
    response = await client.post("/translate", json=BODY)
    assert response.status_code == STATUS[kind]
    assert response.json()["code"] == kind.code
    shows_its_text = response.status_code != 500
    assert ("What went wrong." in response.text) == shows_its_text


@pytest.mark.parametrize(("hint_s", "header"), [(0.0, "1"), (0.2, "1"), (1.2, "2"), (30, "30")])
async def test_overload_says_when_to_come_back(client, engine, hint_s, header):
    engine.error = errors.Overloaded("The queue is full.", retry_after_s=hint_s)
    response = await client.post("/translate", json=BODY)
    assert response.status_code == 503
    assert response.headers["Retry-After"] == header


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        ("/translate", BODY, {"error": "busy", "code": "overloaded"}),
        ("/v2/translate", {"text": ["Hallo"], "target_lang": "EN"}, {"message": "busy", "detail": "overloaded"}),
    ],
)
async def test_a_full_queue_turns_translations_away_unread(client, engine, caplog, path, body, answer):
    caplog.set_level(logging.INFO)
    engine.full = True
    for content in (json.dumps(body), "{"):
        response = await client.post(path, content=content, headers={"X-Request-ID": "abc", "Origin": "https://a.de"})
        assert (response.status_code, response.json()) == (503, answer)
        assert response.headers["Retry-After"] == "1"
        assert response.headers["X-Request-ID"] == "abc"
        assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert [record.levelname for record in caplog.records if record.name.startswith("app")] == ["WARNING"]
    assert (await client.get("/languages")).status_code == 200
    metrics = (await client.get("/metrics")).text
    assert f'dragoman_http_request_duration_seconds_count{{endpoint="{path}",status="503"}} 2.0' in metrics
    engine.full = False
    assert (await client.post("/translate", json=BODY)).status_code == 200


@pytest.mark.parametrize("origins", [("*",), ("https://a.de",)])
async def test_the_server_refuses_as_the_application_does(engine, origins):
    app = build(engine, Settings(root_path="/prefix", cors_origins=origins))
    headers = {"X-Request-ID": "abc", "Origin": "https://a.de"}
    given = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "headers": given, "query_string": b""}
    async with app.router.lifespan_context(app), client_of(app) as client:
        for full in (False, True):
            engine.full = full
            for method, path in (
                ("POST", "//v2/translate"),
                ("POST", "/prefix/translate/"),
                ("POST", "/detect"),
                ("GET", "/"),
            ):
                refusal = app.state.refuse({**scope, "method": method, "path": path})
                assert bool(refusal) == (full and "translate" in path)
                if refusal:
                    answer = await client.post(f"http://test{path}", json=BODY, headers=headers)
                    assert (answer.status_code, answer.content) == (refusal.status, refusal.body)
                    names = {name: value for name, value in refusal.headers if name != b"x-trace-id"}
                    assert names.items() <= dict(answer.headers.raw).items()


async def test_model_failure_has_the_contracts_text_and_is_logged(client, engine, caplog):
    engine.error = errors.ModelFailure("decoder.onnx gave NaN at step 3")
    response = await client.post("/translate", json=BODY)
    assert response.json() == {"error": "Cannot translate text: the model failed", "code": "model_failure"}
    assert [record.exc_info[1] for record in caplog.records if record.levelno == logging.ERROR] == [engine.error]


async def test_unexpected_error_tells_nothing_and_keeps_the_headers(client, engine, caplog):
    engine.error = RuntimeError("secret at 0x1234")
    response = await client.post("/translate", json=BODY, headers={"X-Request-ID": "abc"})
    assert response.status_code == 500
    assert response.json() == {"error": "Internal error", "code": "internal"}
    assert response.headers["X-Request-ID"] == "abc"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    messages = [record.getMessage() for record in caplog.records if record.name.startswith("app")]
    assert "an unexpected error" in messages
    assert not any("Geheim" in message for message in messages)


async def test_a_hanging_engine_ends_with_the_deadline(client, engine):
    engine.hangs = True
    response = await client.post("/translate", json=BODY | {"deadline_ms": 100})
    assert (response.status_code, response.json()["code"]) == (504, "deadline_exceeded")
    assert engine.was_cancelled.is_set()


async def test_framework_validation_is_json_too():
    app = FastAPI()
    install_handlers(app)
    app.add_middleware(NormalizedRequest, prefix="", contracts=CONTRACTS)

    @app.get("/number")
    async def number(wanted: int) -> int:
        return wanted

    async with client_of(app) as client:
        response = await client.get("/number?wanted=secret")
    assert response.status_code == 422
    assert response.json() == {"error": "Invalid request: query.wanted", "code": "invalid_request"}


async def test_a_failed_start_ends_the_lifespan_with_the_engines_error(engine):
    engine.error = errors.BundleError("encoder.onnx: the hash differs from the manifest's.")
    app = build(engine)
    with pytest.raises(errors.BundleError, match="hash differs"):
        async with app.router.lifespan_context(app):
            pytest.fail("the application must not serve")


async def test_the_engine_is_stopped_at_the_end(engine):
    async with serving(engine):
        assert engine.state == "ready"
    assert engine.state == "stopping"
