"""/detect, /languages, /frontend/settings and the operators' endpoints."""

import pytest

from app.settings import Settings
from tests.support.fakes import FakeEngine, serving


@pytest.mark.parametrize("send", [{"json": {"q": "Wo ist der Bahnhof?"}}, {"data": {"q": "Wo ist der Bahnhof?"}}])
async def test_detect_answers_best_first(client, send):
    response = await client.post("/detect", **send)
    assert response.status_code == 200
    assert response.json()[0]["language"] == "de"
    confidences = [found["confidence"] for found in response.json()]
    assert confidences == sorted(confidences, reverse=True)
    assert 1 <= len(confidences) <= 3
    assert all(0 <= confidence <= 100 for confidence in confidences)


async def test_detect_merges_a_list_into_one_answer(client):
    one = await client.post("/detect", json={"q": ["Wo ist", "der Bahnhof?"]})
    assert one.json() == (await client.post("/detect", json={"q": "Wo ist\nder Bahnhof?"})).json()


async def test_detect_names_a_language_that_is_not_served(client):
    response = await client.post("/detect", json={"q": "Это хороший день сегодня."})
    assert response.json() == [{"confidence": 0.0, "language": "en", "unsupported": "ru"}]


@pytest.mark.parametrize("text", ["42", "🙂", " "])
async def test_detect_undetectable(client, text):
    response = await client.post("/detect", json={"q": text})
    assert (response.status_code, response.json()) == (200, [{"confidence": 0.0, "language": "en"}])


@pytest.mark.parametrize("body", [{}, {"q": ""}, {"q": []}, {"q": None}])
async def test_detect_without_text(client, body):
    response = await client.post("/detect", json=body)
    assert response.status_code == 400
    assert response.json() == {"error": "Invalid request: missing q parameter", "code": "invalid_request"}


async def test_detect_keeps_the_text_limit(engine):
    async with serving(engine, Settings(max_text_chars=4)) as client:
        response = await client.post("/detect", json={"q": "fünf5"})
    assert response.json()["error"] == "Invalid request: request (5) exceeds text limit (4)"


async def test_languages_are_among_their_own_targets(client):
    response = await client.get("/languages")
    assert response.json() == [
        {"code": "de", "name": "German", "targets": ["de", "en"]},
        {"code": "en", "name": "English", "targets": ["de", "en"]},
    ]


@pytest.mark.parametrize("code", ["zh-hans", "zh-Hans", "zh", "ZH-CN"])
async def test_a_language_has_all_the_codes_that_clients_know_it_by(code):
    engine = FakeEngine(frozenset({("en", "zh-hans"), ("en", "zh-hant"), ("en", "pt-br")}))
    async with serving(engine) as client:
        languages = (await client.get("/languages")).json()
        assert [language["code"] for language in languages] == ["en", "pt-BR", "zh-Hans", "zh-Hant"]
        assert languages[0]["targets"] == ["en", "pt-BR", "zh-Hans", "zh-Hant"]
        assert languages[3]["name"] == "Chinese (traditional)"
        body = {"q": "Hello.", "source": "en", "target": code}
        assert (await client.post("/translate", json=body)).json() == {"translatedText": "[zh-hans] Hello."}
        body = {"text": ["Hello."], "source_lang": "EN", "target_lang": code}
        assert (await client.post("/v2/translate", json=body)).json()["translations"][0]["text"] == "[zh-hans] Hello."
        for alias, target in (("zt", "zh-hant"), ("pb", "pt-br")):
            await client.post("/translate", json={"q": "Hello.", "source": "en", "target": alias})
            assert engine.calls[-1] == (["Hello."], "en", target)


async def test_a_base_url_may_end_in_a_slash(client):
    assert (await client.get("//languages")).status_code == 200


async def test_languages_with_a_form_body_as_libretranslatepy_sends_it(client):
    response = await client.request("GET", "/languages", data={"api_key": "x"})
    assert response.status_code == 200


async def test_languages_of_one_direction():
    async with serving(FakeEngine(frozenset({("fi", "xyz")}))) as client:
        response = await client.get("/languages")
    assert response.json() == [
        {"code": "fi", "name": "Finnish", "targets": ["fi", "xyz"]},
        {"code": "xyz", "name": "xyz", "targets": ["xyz"]},
    ]


async def test_frontend_settings(engine):
    async with serving(engine, Settings(max_text_chars=5000)) as client:
        answer = (await client.get("/frontend/settings")).json()
    assert answer["charLimit"] == 5000
    assert answer["language"]["source"] == {"code": "auto", "name": "Auto Detect"}
    assert answer["language"]["target"] == {"code": "en", "name": "English"}


async def test_the_operator_fills_the_foot_of_the_page(engine):
    links = {"imprint_url": "https://example.org/imprint", "privacy_url": "/privacy"}
    async with serving(engine, Settings(operator_name="A library", **links)) as client:
        answer = (await client.get("/frontend/settings")).json()
    assert answer["operator"] == {"name": "A library", "imprint": "https://example.org/imprint", "privacy": "/privacy"}
    assert answer["formality"] == ["de"]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "example.org", "data:text/html,x", "https:// x"])
def test_an_address_at_the_foot_of_the_page_is_one(address):
    with pytest.raises(ValueError, match="imprint_url"):
        Settings(imprint_url=address)


@pytest.mark.parametrize("path", ["/health", "/livez", "/readyz"])
async def test_healthy(client, path):
    response = await client.get(path)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("state", ["starting", "stopping", "failed"])
async def test_not_ready_says_why_and_is_still_alive(client, engine, state):
    engine.state = state
    response = await client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["code"] == "engine_unavailable"
    assert response.json()["error"].endswith(".")
    assert int(response.headers["Retry-After"]) >= 1
    assert (await client.get("/livez")).status_code == 200
    assert (await client.get("/health")).status_code == 200


async def test_info(client):
    answer = (await client.get("/info")).json()
    assert answer["state"] == "ready"
    assert answer["models"][0]["name"] == "fake"
    assert answer["limits"]["texts"] == Settings().max_texts


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/translate"), ("GET", "/detect"), ("POST", "/languages"), ("POST", "/health"), ("POST", "/spec")],
)
async def test_wrong_method(client, method, path):
    response = await client.request(method, path)
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert response.headers["Allow"]


@pytest.mark.parametrize(("path", "status"), [("/health", 200), ("/", 200), ("/nothing", 404), ("/translate", 405)])
async def test_head_is_answered_as_get(client, path, status):
    head, get = await client.head(path), await client.get(path)
    assert (head.status_code, head.headers["Content-Length"]) == (status, get.headers["Content-Length"])


async def test_unknown_path(client):
    response = await client.get("/nothing/here")
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


async def test_everything_works_under_a_prefix(engine):
    async with serving(engine, Settings(root_path="/mt")) as client:
        for path in ("/health", "/", "/docs", "/docs/assets/swagger-ui.css"):
            for prefix in ("/mt", ""):  # a proxy in front may have taken it off
                assert (await client.get(prefix + path)).status_code == 200, prefix + path
        assert (await client.get("/docs/")).status_code == 200
        body = {"q": "Guten Morgen!", "source": "de", "target": "en"}
        assert (await client.post("/mt/translate", json=body)).json() == {"translatedText": "Good morning!"}
        assert (await client.get("/mt/spec")).json()["servers"] == [{"url": "/mt"}]


async def test_a_slash_at_the_end_changes_nothing_and_repeats_no_header(client):
    response = await client.get("/languages/", headers={"Host": "evil.example"})
    assert response.status_code == 200 and "location" not in response.headers


async def test_it_is_not_ready_while_work_on_texts_does_not_begin(client, monkeypatch):
    monkeypatch.setattr("app.fairness.pool.WorkPool.is_stuck", True)
    response = await client.get("/readyz")
    assert (response.status_code, response.json()["code"]) == (503, "engine_unavailable")


async def test_inspect_refuses_what_it_does_not_read(client):
    body = {"q": "Guten Morgen!", "source": "de", "target": "en", "beam_size": 2, "api_key": "any"}
    assert (await client.post("/inspect", json=body)).status_code == 200
    response = await client.post("/inspect", json=body | {"glossary": {"Morgen": "dawn"}})
    assert response.status_code == 400
    assert response.json()["error"].startswith("Invalid request: unknown parameter glossary; known parameters: api_key")
