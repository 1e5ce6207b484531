"""DeepLX's request on /translate, as Zotero and browser extensions send it."""

from pathlib import Path

import pytest

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import serving

BEER = {"text": "Ich möchte ein Bier.", "source_lang": "DE", "target_lang": "EN"}


@pytest.mark.parametrize("source", ["DE", "de", "auto", "", None])
async def test_the_answer_is_that_of_deeplx(client, source):
    response = await client.post("/translate", json=BEER | {"source_lang": source})
    body = response.json()
    assert response.status_code == 200
    assert isinstance(body.pop("id"), int)
    assert body == {
        "code": 200,
        "data": "I'd like a beer.",
        "alternatives": None,
        "source_lang": "DE",
        "target_lang": "EN",
        "method": "Free",
    }


async def test_markup(client):
    body = BEER | {"text": "<b>Ich möchte ein Bier.</b>", "tag_handling": "html"}
    assert (await client.post("/translate", json=body)).json()["data"] == "<b>I'd like a beer.</b>"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target_lang": "XX"}, "XX is not supported"),
        ({"source_lang": "XX"}, "XX is not supported"),
        ({"text": ["a"]}, "Invalid request: text parameter must be a string"),
        ({"text": ""}, "Invalid request: missing text parameter"),
        ({"target_lang": None}, "Invalid request: missing target_lang parameter"),
        ({"tag_handling": "xml"}, "Invalid request: tag_handling parameter must be html or absent"),
    ],
)
async def test_errors_are_those_of_deeplx(client, change, message):
    response = await client.post("/translate", json=BEER | change)
    assert (response.status_code, response.json()) == (400, {"code": 400, "message": message})


async def test_libretranslates_names_come_first(client):
    both = BEER | {"q": "Guten Morgen!", "source": "de", "target": "en"}
    assert (await client.post("/translate", json=both)).json() == {"translatedText": "Good morning!"}


async def test_the_key_is_a_token(engine, tmp_path: Path):
    database = Database(tmp_path)
    key = KeyStore(database).add("Zotero")
    database.close()
    async with serving(engine, Settings(data=tmp_path, keys="required")) as client:
        refused = await client.post("/translate", json=BEER)
        assert (refused.status_code, refused.json()["code"]) == (400, 400)
        for offered, status in (("wrong", 403), (key, 200)):
            for how in ({"params": {"token": offered}}, {"headers": {"Authorization": f"Bearer {offered}"}}):
                assert (await client.post("/translate", json=BEER, **how)).status_code == status
