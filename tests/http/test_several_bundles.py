"""Several bundles behind the HTTP edge: pivots said in the answer, reloading by request, languages that follow."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from app.engine.registry import Registry
from app.settings import Settings
from tests.support.bundles import open_fake, write_bundle
from tests.support.fakes import FRENCH_MARK, FakeEngine, build, client_of, serving

KEY = "a key of the operator's"
BEARER = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for pairs in (("de-en", "en-de"), ("es-en",), ("en-fr",)):
        write_bundle(tmp_path / pairs[0], *pairs)
    return tmp_path


@pytest.fixture
async def pool(models: Path) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(bundle=(models,), admin_key=KEY)
    async with serving(Registry(settings, open_fake), settings) as client:
        yield client


async def translate(client: httpx.AsyncClient, text: object, source: str, target: str, **others: object):
    response = await client.post("/translate", json={"q": text, "source": source, "target": target, **others})
    assert response.status_code == 200, response.text
    return response


# --- pivots ----------------------------------------------------------------------------------------------------------


async def test_a_pivot_is_said_in_header_and_body(pool):
    response = await translate(pool, "Hola.", "es", "fr")
    assert response.json() == {"translatedText": "[fr] [en] Hola.", "pivot": "en"}
    assert response.headers["X-Dragoman-Pivot"] == "en"


async def test_a_pair_with_a_model_of_its_own_is_answered_as_ever(pool):
    response = await translate(pool, "Hola.", "es", "en")
    assert response.json() == {"translatedText": "[en] Hola."}
    assert "X-Dragoman-Pivot" not in response.headers


async def test_in_a_list_each_text_says_for_itself(pool):
    texts = ["Wo ist der Bahnhof?", "Where is the station?", "42"]
    response = await translate(pool, texts, "auto", "fr")
    assert response.json()["pivot"] == ["en", None, None]
    assert response.json()["translatedText"][1:] == [f"[fr] Where is the station{FRENCH_MARK}", "42"]
    assert response.headers["X-Dragoman-Pivot"] == "en"


async def test_a_stream_says_it_at_the_end(pool):
    response = await translate(pool, "Hola. Adiós.", "es", "fr", stream=True, beam_size=1)
    names = [line.partition(" ")[2] for line in response.text.splitlines() if line.startswith("event:")]
    assert names == ["sentence", "sentence", "translation"]
    last = json.loads(response.text.split("data: ")[-1])
    assert (last["translatedText"], last["pivot"]) == ("[fr] [en] Hola. [fr] [en] Adiós.", "en")


async def test_deepl_says_it_in_the_header_and_answers_as_its_clients_expect(pool):
    body = {"text": ["Hola."], "source_lang": "ES", "target_lang": "FR"}
    response = await pool.post("/v2/translate", json=body)
    assert response.json() == {"translations": [{"detected_source_language": "ES", "text": "[fr] [en] Hola."}]}
    assert response.headers["X-Dragoman-Pivot"] == "en"


async def test_markup_and_protected_spans_go_through_both_models(pool):
    html = '<p>Hola <b>Juan</b>, tengo <code>x = 1</code> y {name}.</p><p class="a">Adiós.</p>'
    body = (await translate(pool, html, "es", "fr", format="html", protect="{name}", details=True)).json()
    translated = body["translatedText"]
    for part in ("<b>", "</b>", "<code>x = 1</code>", "{name}", '<p class="a">', "</p>"):
        assert translated.count(part) == html.count(part), part
    assert (body["pivot"], body["protectedLost"]) == ("en", [])
    assert [sentence["block"] for sentence in body["details"]] == [0, 1]
    assert all(sentence["alignment"] for sentence in body["details"])


# --- what is served --------------------------------------------------------------------------------------------------


async def test_languages_are_those_of_all_bundles_and_ways(pool):
    found = {each["code"]: each["targets"] for each in (await pool.get("/languages")).json()}
    assert found == {"de": ["de", "en", "fr"], "en": ["de", "en", "fr"], "es": ["de", "en", "es", "fr"], "fr": ["fr"]}
    sources = (await pool.get("/v2/languages")).json()
    targets = (await pool.get("/v2/languages", params={"type": "target"})).json()
    assert [each["language"] for each in sources] == ["DE", "EN", "ES"]
    assert [each["language"] for each in targets] == ["DE", "EN-GB", "EN-US", "FR"]
    usable = {
        each["lang"]: each["usable_as_source"]
        for each in (await pool.get("/v3/languages", params={"resource": "translate_text"})).json()
    }
    assert (usable["es"], usable["fr"]) == (True, False)


async def test_info_and_metrics_know_every_model(pool):
    info = (await pool.get("/info")).json()
    assert {model["name"]: model["loaded"] for model in info["models"]} == {"de-en": True, "en-fr": True, "es-en": True}
    assert info["pivot"]["pairs"] == ["de-fr", "es-de", "es-fr"]
    metrics = (await pool.get("/metrics")).text
    assert "dragoman_engine_models_loaded 3.0" in metrics
    assert "dragoman_engine_model_loads_total 3.0" in metrics


# --- reload ----------------------------------------------------------------------------------------------------------


async def test_a_reload_changes_what_is_served_and_detected(pool, models):
    dutch = "Waar is het station? Ik zou graag een biertje willen."
    body = (await pool.post("/detect", json={"q": dutch})).json()
    assert "nl" not in {found["language"] for found in body}
    write_bundle(models / "nl-en", "nl-en")
    shutil.rmtree(models / "en-fr")
    response = await pool.post("/admin/reload", headers=BEARER)
    assert response.status_code == 200
    assert response.json() == {
        "added": [str(models / "nl-en")],
        "replaced": [],
        "removed": [str(models / "en-fr")],
        "unchanged": [str(models / "de-en"), str(models / "es-en")],
        "failed": {},
    }
    assert (await pool.post("/detect", json={"q": dutch})).json()[0]["language"] == "nl"
    assert (await translate(pool, dutch, "auto", "de")).json()["pivot"] == "en"
    assert [each["code"] for each in (await pool.get("/languages")).json()] == ["de", "en", "es", "nl"]
    gone = await pool.post("/translate", json={"q": "Hello.", "source": "en", "target": "fr"})
    assert (gone.status_code, gone.json()["error"]) == (400, "fr is not supported")


async def test_a_broken_bundle_is_named_in_the_answer(pool, models):
    (models / "nl-en").mkdir()
    (models / "nl-en" / "manifest.json").write_text("{}")
    answer = (await pool.post("/admin/reload", headers=BEARER)).json()
    assert list(answer["failed"]) == [str(models / "nl-en")]
    assert "manifest.json" in answer["failed"][str(models / "nl-en")]


@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer wröng".encode()}, {"Authorization": f"Basic {KEY}"}],
)
async def test_a_reload_needs_the_key(pool, caplog, headers):
    response = await pool.post("/admin/reload", headers=headers)
    assert (response.status_code, response.json()["code"]) == (401, "unauthorized")
    assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_a_key_may_have_any_characters(models):
    settings = Settings(bundle=(models,), admin_key="schlüssel-1234567890")
    async with serving(Registry(settings, open_fake), settings) as client:
        for header, status in ((b"Bearer schl\xc3\xbcssel-1234567890", 200), (b"Bearer schl\xfcssel-1234567890", 401)):
            response = await client.post("/admin/reload", headers={"Authorization": header})
            assert response.status_code == status


async def test_the_key_is_never_logged(models, caplog):
    caplog.set_level("DEBUG")
    settings = Settings(bundle=(models,), admin_key=KEY)
    async with serving(Registry(settings, open_fake), settings) as client:
        await client.post("/admin/reload", headers=BEARER)
        await client.post("/admin/reload", headers={"Authorization": f"Bearer {KEY}x"})
    assert KEY not in caplog.text + repr(settings) + str(settings) + repr([vars(each) for each in caplog.records])


async def test_without_a_key_in_the_settings_there_is_no_reload_by_request(client):
    response = await client.post("/admin/reload", headers=BEARER)
    assert (response.status_code, response.json()["code"]) == (403, "feature_disabled")


async def test_the_detector_follows_reloads_that_overlap():
    engine = FakeEngine()
    app = build(engine)
    service = app.state.service
    async with app.router.lifespan_context(app), client_of(app):
        engine.next_pairs = frozenset({("es", "en")})
        first = asyncio.create_task(service.reload())
        await asyncio.sleep(0)
        engine.next_pairs = frozenset({("fr", "en")})
        await asyncio.gather(first, service.reload())
        assert service.translator.detector.languages == ("en", "fr")
