"""The operator's keys over HTTP."""

import json

import httpx
import pytest

from app.settings import Settings
from tests.support.fakes import FakeEngine, serving

ADMIN_KEY = "a key of sixteen or more"
AS_OPERATOR = {"Authorization": f"Bearer {ADMIN_KEY}"}
TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data=tmp_path, keys="required", admin_key=ADMIN_KEY)


async def keys_of(client: httpx.AsyncClient) -> list[dict]:
    return (await client.get("/admin/keys", headers=AS_OPERATOR)).json()["keys"]


async def test_a_key_is_made_used_listed_and_removed(client):
    body = {"name": "website", "monthly_characters": 1000, "features": ["translate"]}
    made = (await client.post("/admin/keys", json=body, headers=AS_OPERATOR)).json()["key"]
    assert (await client.post("/translate", json=TEXT | {"api_key": made})).status_code == 200
    [listed] = await keys_of(client)
    assert listed.pop("created_at").endswith("+00:00")
    assert listed == {
        "id": 1,
        "name": "website",
        "hint": made[-4:],
        "monthly_characters": 1000,
        "features": ["translate"],
        "priority": "normal",
        "used": 13,
    }
    assert (await client.delete("/admin/keys/1", headers=AS_OPERATOR)).status_code == 200
    assert (await client.post("/translate", json=TEXT | {"api_key": made})).status_code == 403
    assert await keys_of(client) == []


LIMIT = "it must be a whole number from 1 to 1000000000."
FEATURES = "The features of a key must be among translate, detect."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "Invalid request: missing name parameter"),
        ({"name": ""}, "Invalid request: missing name parameter"),
        ({"name": 7}, "Invalid request: name parameter must be a string"),
        ({"name": "x" * 101}, "Invalid request: name parameter is longer than 100 characters"),
        ({"monthly_characters": 0}, f"monthly_characters is 0; {LIMIT}"),
        ({"monthly_characters": "many"}, f"monthly_characters is not a number; {LIMIT}"),
        ({"monthly_characters": ""}, f"monthly_characters is not a number; {LIMIT}"),
        ({"requests_per_minute": True}, f"requests_per_minute is true; {LIMIT}"),
        ({"features": ["fly"]}, FEATURES),
        ({"features": 7}, "Invalid request: features parameter must be a list of strings"),
        ({"features": []}, FEATURES),
        ({"features": ""}, FEATURES),
        ({"priority": "first"}, "Invalid request: priority parameter must be one of interactive, normal, bulk"),
        ({"characters": 5}, "Invalid request: unknown parameter characters; known parameters: "),
        ({"Features": ["detect"]}, "Invalid request: unknown parameter Features; known parameters: "),
    ],
)
async def test_a_key_that_makes_no_sense_is_refused(client, body, text):
    body = body if not body or "name" in body else {"name": "x", **body}
    response = await client.post("/admin/keys", json=body, headers=AS_OPERATOR)
    assert response.status_code == 400 and response.json()["error"].startswith(text)
    assert await keys_of(client) == []


async def test_a_parameter_that_nobody_knows_is_named(client):
    for name, shown in (("allow", "allow"), ("\ud800" + "y" * 99, "?" + "y" * 49)):
        body = json.dumps({"name": "x", name: ["detect"]})
        headers = {**AS_OPERATOR, "Content-Type": "application/json"}
        response = await client.post("/admin/keys", content=body, headers=headers)
        known = "name, monthly_characters, requests_per_minute, features, priority"
        text = f"Invalid request: unknown parameter {shown}; known parameters: {known}"
        assert (response.status_code, response.json()) == (400, {"error": text, "code": "invalid_request"})


@pytest.mark.parametrize("number", ["2", "x", "²", "9" * 30, "-1"])
async def test_a_key_that_is_not_there_is_not_removed(client, number):
    response = await client.delete(f"/admin/keys/{number}", headers=AS_OPERATOR)
    assert response.status_code == 400


async def test_only_the_operator_sees_keys(client):
    made = (await client.post("/admin/keys", json={"name": "x"}, headers=AS_OPERATOR)).json()["key"]
    for headers in ({}, {"Authorization": f"Bearer {made}"}):
        for method, path in (("GET", "/admin/keys"), ("POST", "/admin/keys"), ("DELETE", "/admin/keys/1")):
            assert (await client.request(method, path, headers=headers)).status_code == 401


async def test_without_keys_there_is_nothing_to_manage():
    async with serving(FakeEngine(), Settings(admin_key=ADMIN_KEY, requests_per_minute=60)) as client:
        response = await client.get("/admin/keys", headers=AS_OPERATOR)
        assert (response.status_code, response.json()["code"]) == (403, "feature_disabled")
        assert (await client.get("/admin/status", headers=AS_OPERATOR)).json()["keys"] == "off"
