"""Suggestions: sent by anybody, reviewed by the operator, and then in a translation memory."""

from pathlib import Path

import httpx
import pytest

from app.errors import ConfigurationError
from app.settings import Settings
from tests.support.fakes import FakeEngine, serving

ADMIN_KEY = "a key of sixteen or more"
AS_OPERATOR = {"Authorization": f"Bearer {ADMIN_KEY}"}
SUGGESTION = {"q": "Guten Morgen!", "s": "Top of the morning!", "source": "de", "target": "en"}
PATH = "/admin/suggestions"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, suggestions=True, admin_key=ADMIN_KEY)


async def listed(client: httpx.AsyncClient, **wanted: object) -> list[dict]:
    return (await client.get(PATH, headers=AS_OPERATOR, params=wanted)).json()["suggestions"]


async def make_memory(client: httpx.AsyncClient, source: str = "de", target: str = "en") -> str:
    body = {"name": "Site", "source_lang": source, "target_lang": target}
    return (await client.post("/v3/translation_memories", json=body)).json()["translation_memory_id"]


async def test_a_suggestion_translates_after_the_operator_accepted_it(client):
    assert (await client.get("/frontend/settings")).json()["suggestions"] is True
    for send in ({"json": SUGGESTION}, {"data": SUGGESTION}):
        response = await client.post("/suggest", **send)
        assert (response.status_code, response.json()) == (200, {"success": True})
    [first, second] = await listed(client)
    assert {name: first[name] for name in ("id", "key_id", "text", "translation", "state")} == {
        "id": 1, "key_id": None, "text": SUGGESTION["q"], "translation": SUGGESTION["s"], "state": "pending",
    }  # fmt: skip
    memory = await make_memory(client)
    offered = (await client.get(PATH, headers=AS_OPERATOR)).json()["memories"]
    assert [(each["translation_memory_id"], each["name"]) for each in offered] == [(memory, "Site")]
    decision = {"state": "accepted", "translation_memory_id": memory}
    assert (await client.post(f"{PATH}/1", json=decision, headers=AS_OPERATOR)).status_code == 200
    assert (await client.post(f"{PATH}/1", json=decision, headers=AS_OPERATOR)).status_code == 400
    assert (await client.post(f"{PATH}/2", json={"state": "rejected"}, headers=AS_OPERATOR)).status_code == 200
    assert await listed(client) == []
    assert await listed(client, state="rejected") == [second | {"state": "rejected"}]
    assert await listed(client, state="accepted", after=1) == []
    body = {"q": "Guten Morgen!", "source": "de", "target": "en", "translation_memory_id": memory}
    assert (await client.post("/translate", json=body)).json()["translatedText"] == "Top of the morning!"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"q": ""}, "Invalid request: missing q parameter"),
        ({"s": None}, "Invalid request: missing s parameter"),
        ({"source": None}, "Invalid request: missing source parameter"),
        ({"target": ""}, "Invalid request: missing target parameter"),
        ({"source": "fr"}, "fr is not supported"),
        ({"source": "auto"}, "auto is not supported"),
        ({"s": "x" * 5001}, "Value for 's' not supported; it has more than 5,000 characters."),
        ({"q": ["a"]}, "Value for 'q' not supported; it must be a text that is not empty."),
    ],
)
async def test_what_is_no_suggestion(client, changes, text):
    response = await client.post("/suggest", json=SUGGESTION | changes)
    assert (response.status_code, response.json()["error"]) == (400, text)
    assert await listed(client) == []


async def test_what_cannot_be_decided(client):
    await client.post("/suggest", json=SUGGESTION)
    other = await make_memory(client, "en", "de")
    unknown = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
    for number, decision, status in (
        ("1", {}, 400),
        ("1", {"state": "accepted"}, 400),
        ("1", {"state": "accepted", "translation_memory_id": other}, 400),
        ("1", {"state": "accepted", "translation_memory_id": unknown}, 404),
        ("2", {"state": "rejected"}, 400),
        ("x", {"state": "rejected"}, 400),
        ("1", {"state": "rejected", "memory_id": unknown}, 400),
    ):
        response = await client.post(f"{PATH}/{number}", json=decision, headers=AS_OPERATOR)
        assert response.status_code == status, (number, decision)
    for wanted in ({"state": "x"}, {"status": "accepted"}):
        assert (await client.get(PATH, headers=AS_OPERATOR, params=wanted)).status_code == 400
    assert len(await listed(client)) == 1


@pytest.mark.parametrize("empty", [{}, {"translation_memory_id": ""}, {"translation_memory_id": None}])
async def test_what_is_accepted_needs_a_memory(client, empty):
    await client.post("/suggest", json=SUGGESTION)
    response = await client.post(f"{PATH}/1", json={"state": "accepted", **empty}, headers=AS_OPERATOR)
    told = "Invalid request: missing translation_memory_id parameter"
    assert (response.status_code, response.json()["error"]) == (400, told)
    assert len(await listed(client)) == 1


async def test_only_the_operator_decides(client):
    assert (await client.get(PATH)).status_code == 401
    assert (await client.post(f"{PATH}/1", json={"state": "rejected"})).status_code == 401


async def test_suggestions_are_off_unless_switched_on(tmp_path):
    async with serving(FakeEngine(), Settings(data=tmp_path, admin_key=ADMIN_KEY)) as client:
        assert (await client.get("/frontend/settings")).json()["suggestions"] is False
        for response in (
            await client.post("/suggest", json=SUGGESTION),
            await client.get(PATH, headers=AS_OPERATOR),
        ):
            assert (response.status_code, response.json()["code"]) == (403, "feature_disabled")
    with pytest.raises(ConfigurationError, match="suggestions needs data"):
        Settings.load(suggestions=True)
