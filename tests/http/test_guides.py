"""The requests of programs that the guides name, as their sources build them, and what these sources read of answers.

WeblateOrg/weblate `weblate/machinery` (libretranslate.py, deepl.py), mastodon/mastodon `app/lib/translation_service`,
lokalise/i18n-ally `src/translators/engines`, wp-plugins/loco-translate `src/api/DeepL.php`, home-assistant/core
`homeassistant/components/rest_command`, windingwind/zotero-pdf-translate `src/modules/services`,
v1r0x/integration_libretranslate for Nextcloud with jefs42/libretranslate.
"""

from datetime import datetime
from pathlib import Path

import httpx
import pytest

from app.settings import Settings

KEY = {"Authorization": "DeepL-Auth-Key any-key"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


async def test_weblate_with_libretranslates_contract(client: httpx.AsyncClient) -> None:
    assert {language["code"] for language in (await client.get("/languages")).json()} == {"de", "en"}
    texts = ["Guten Morgen!", "Wo ist der Bahnhof?"]
    body = {"api_key": "", "q": texts, "source": "de", "target": "en"}
    answer = (await client.post("/translate", json=body)).json()
    assert answer["translatedText"] == ["Good morning!", "Where is the station?"]


async def test_weblate_with_deepls_contract(client: httpx.AsyncClient) -> None:
    pairs = {}
    for side in ("source", "target"):
        answer = (await client.get("/v2/languages", params={"type": side}, headers=KEY)).json()
        pairs[side] = {each["language"].upper(): each.get("supports_formality") for each in answer}
    assert pairs["source"].keys() >= {"DE", "EN"} and pairs["target"]["DE"]  # so there are DE@FORMAL and DE@INFORMAL
    body = {
        "text": ['Guten <x id="6"></x> Morgen!', "Guten Morgen!"],
        "source_lang": "DE",
        "target_lang": "EN",
        "formality": "default",
        "tag_handling": "xml",
        "ignore_tags": ["x"],
        "context": "A shop",
        "model_type": "prefer_quality_optimized",
    }
    first, second = (await client.post("/v2/translate", json=body, headers=KEY)).json()["translations"]
    assert first["text"].count('<x id="6"></x>') == 1 and second["text"] == "Good morning!"
    formal = {**body, "text": ["How are you?"], "source_lang": "EN", "target_lang": "DE", "formality": "more"}
    assert (await client.post("/v2/translate", json=formal, headers=KEY)).status_code == 200


async def test_weblates_glossaries(client: httpx.AsyncClient) -> None:
    supported = (await client.get("/v2/glossary-language-pairs", headers=KEY)).json()["supported_languages"]
    assert ("DE", "EN") in {(each["source_lang"].upper(), each["target_lang"].upper()) for each in supported}
    entries = {"entries": "Hund\thound", "entries_format": "tsv"}
    body = {"name": "weblate:1:DE:EN:abc", "source_lang": "DE", "target_lang": "EN", **entries}
    assert (await client.post("/v2/glossaries", json=body, headers=KEY)).status_code == 201
    [listed] = (await client.get("/v2/glossaries", headers=KEY)).json()["glossaries"]
    assert listed["name"] == body["name"] and datetime.fromisoformat(listed["creation_time"])
    options = {"source_lang": "DE", "target_lang": "EN", "glossary_id": listed["glossary_id"]}
    answer = await client.post("/v2/translate", json={"text": ["Der Hund"], **options}, headers=KEY)
    assert answer.json()["translations"][0]["terms"][0]["target"] == "hound"
    for status in (204, 404):
        assert (await client.delete(f"/v2/glossaries/{listed['glossary_id']}", headers=KEY)).status_code == status


@pytest.mark.parametrize("source", ["de", "auto"])
async def test_mastodon(client: httpx.AsyncClient, source: str) -> None:
    languages = (await client.get("/languages", headers={"Content-Type": "application/json"})).json()
    targets = {
        language["code"]: [code for code in language["targets"] if code != language["code"]] for language in languages
    }
    assert targets == {"de": ["en"], "en": ["de"]}
    body = {"q": ["<p>Guten Morgen!</p>", ""], "source": source, "target": "en", "format": "html", "api_key": None}
    answer = (await client.post("/translate", json=body)).json()
    assert answer["translatedText"] == ["<p>Good morning!</p>", ""]
    if source == "auto":
        assert answer["detectedLanguage"][0]["language"] == "de"


@pytest.mark.parametrize("key", [{}, {"api_key": "any-key"}])
async def test_zotero_with_libretranslate(client: httpx.AsyncClient, key: dict[str, str]) -> None:
    body = {"q": "Guten Morgen!", "source": "de", "target": "en", "format": "text", **key}
    answer = (await client.post("/translate", json=body)).json()
    assert answer["translatedText"] == "Good morning!" and not answer.get("error")


async def test_zotero_with_a_deeplx_of_ones_own(client: httpx.AsyncClient) -> None:
    body = {"text": "Guten Morgen!", "source_lang": "DE", "target_lang": "EN"}
    headers = {"Content-Type": "application/json; charset=utf-8"}
    assert (await client.post("/translate", json=body, headers=headers)).json()["data"] == "Good morning!"


async def test_nextcloud(client: httpx.AsyncClient) -> None:
    await client.post("/")  # the library tries the address; what it answers doesn't matter
    assert (await client.get("/frontend/settings")).status_code == 200
    languages = (await client.request("GET", "/languages")).json()
    assert all(language["code"] and language["name"] for language in languages)
    found = (await client.post("/detect", params={"q": "Ich möchte ein Bier.", "api_key": ""}, files={})).json()
    assert found[0]["language"] == "de"
    form = {"q": "Guten Morgen!", "format": "html", "source": "de", "target": "en", "api_key": ""}
    answer = await client.post("/translate", files={name: (None, value) for name, value in form.items()})
    assert answer.json()["translatedText"] == "Good morning!"


async def test_i18n_ally_for_i18next(client: httpx.AsyncClient) -> None:
    body = {"q": "Guten Morgen, {{name}}! $t(key)", "source": "de", "target": "en"}
    answer = (await client.post("/translate", json=body)).json()
    assert answer["translatedText"].count("{{name}}") == answer["translatedText"].count("$t(key)") == 1


async def test_a_file_of_i18next(client: httpx.AsyncClient) -> None:
    source = (
        '{\n  "item_one": "Guten Morgen!",\n  "item_other": "Wer?",\n  "name": "{{name}}",\n  "image": "logo.svg"\n}\n'
    )
    form = {"source": "de", "target": "en"}
    answer = await client.post("/translate_file", data=form, files={"file": ("common.json", source.encode())})
    translated = (await client.get(answer.json()["translatedFileUrl"])).text
    assert translated == source.replace("Guten Morgen!", "Good morning!").replace("Wer?", "Who?")


async def test_loco_translate_for_wordpress(client: httpx.AsyncClient) -> None:
    usage = await client.get("/v2/usage", headers=KEY)
    assert usage.json()["character_limit"]
    fields = "source_lang=EN&target_lang=DE&formality=prefer_more&preserve_formatting=1&context="
    body = f"{fields}&text=Where+is+the+station%3F&text=%25s+is+open"
    headers = {**KEY, "Content-Type": "application/x-www-form-urlencoded"}
    answer = await client.post("/v2/translate", content=body, headers=headers)
    assert answer.headers["Content-Type"][:16] == "application/json", "the plugin compares so many characters"
    first, second = answer.json()["translations"]
    assert first["text"] == "Wo ist der Bahnhof?"
    assert second["text"].count("%s") == 1


async def test_home_assistants_rest_command(client: httpx.AsyncClient) -> None:
    payload = b'{"q":"Guten Morgen!","source":"auto","target":"en"}'
    answer = await client.post("/translate", content=payload, headers={"Content-Type": "application/json"})
    assert answer.headers["Content-Type"] == "application/json", "the integration reads it as JSON by this"
    assert answer.json()["translatedText"] == "Good morning!"
