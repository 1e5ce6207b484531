"""Keys, quotas and rates on both contracts, with the official clients as well."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.error import HTTPError

import deepl
import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

from app.api.access import Access
from app.errors import ModelFailure, Overloaded
from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import build, serving
from tests.support.threads import Server

pytestmark = pytest.mark.usefixtures("still_clock")

TEXT = {"q": "Guten Morgen!", "source": "de", "target": "en"}
JSON = {"Content-Type": "application/json"}
DEEPL_TEXT = {"text": ["Guten Morgen!"], "source_lang": "DE", "target_lang": "EN-US"}


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(data=tmp_path, keys="required")


async def answer(client: httpx.AsyncClient, path: str, body: dict, **headers: str) -> tuple[int, dict]:
    response = await client.post(path, json=body, headers=headers)
    return response.status_code, response.json()


async def test_libretranslate_wants_a_key_in_the_body_or_the_header(client, store):
    key = store.add("test")
    text = "Please contact the server operator to get an API key"
    assert await answer(client, "/translate", TEXT) == (400, {"error": text, "code": "key_required"})
    for wrong in ("wrong", 7, ["x"]):
        refusal = (403, {"error": "Invalid API key", "code": "invalid_key"})
        assert await answer(client, "/translate", TEXT | {"api_key": wrong}) == refusal
        assert await answer(client, "/detect", {"q": "Hallo", "api_key": wrong}) == refusal
    body = json.dumps(TEXT | {"api_key": "\ud800"})
    half = await client.post("/translate", content=body, headers=JSON)
    assert (half.status_code, half.json()["code"]) == (403, "invalid_key")
    assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 200
    assert (await answer(client, "/translate", TEXT, Authorization=f"Bearer {key}"))[0] == 200
    assert (await client.post("/translate", data=TEXT | {"api_key": key})).status_code == 200
    shown = (await client.get("/frontend/settings")).json()
    assert (shown["apiKeys"], shown["keyRequired"]) == (True, True)
    assert (await client.get("/languages")).status_code == 200


async def test_deepl_wants_a_key_in_the_header(client, store):
    key = store.add("test")
    for headers in ({}, {"Authorization": "DeepL-Auth-Key wrong"}, {"Authorization": f"Bearer {key}"}):
        for path in ("/v2/translate", "/v2/usage", "/v2/languages"):
            assert (await client.post(path, json=DEEPL_TEXT, headers=headers)).status_code == 403
    assert (await answer(client, "/v2/translate", DEEPL_TEXT, Authorization=f"DeepL-Auth-Key {key}"))[0] == 200


async def test_a_quota_ends_a_month_and_failures_cost_nothing(client, store, engine):
    key = store.add("test", monthly_characters=20)
    headers = {"Authorization": f"DeepL-Auth-Key {key}"}
    engine.error = ModelFailure("secret")
    assert (await answer(client, "/v2/translate", DEEPL_TEXT, **headers))[0] == 400
    engine.error = None
    assert (await answer(client, "/v2/translate", DEEPL_TEXT, **headers))[0] == 200
    status, usage = await answer(client, "/v2/usage", {}, **headers)
    begin, end = (datetime.fromisoformat(usage.pop(name)) for name in ("start_time", "end_time"))
    assert begin <= datetime.now(UTC) < end and begin.day == end.day == 1 and 28 <= (end - begin).days <= 31
    counts = {"character_count": 13, "character_limit": 20}
    assert (status, usage) == (200, counts | {f"api_key_{name}": value for name, value in counts.items()})
    text = "Quota for this billing period has been exceeded."
    assert await answer(client, "/v2/translate", DEEPL_TEXT, **headers) == (
        456,
        {"message": text, "detail": "quota_exceeded"},
    )
    assert await answer(client, "/translate", TEXT | {"api_key": key}) == (
        403,
        {"error": text, "code": "quota_exceeded"},
    )
    stream = await client.post("/translate", json=TEXT | {"api_key": key, "stream": True})
    assert stream.status_code == 403
    assert len(engine.calls) == 2  # the one that failed, and the one that was within the quota


async def test_requests_are_limited_by_key(client, store):
    key = store.add("test", requests_per_minute=1)
    assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 200
    response = await client.post("/translate", json=TEXT | {"api_key": key})
    assert (response.status_code, response.json()) == (
        429,
        {"error": "Slowdown: 1 per 1 minute", "code": "rate_limited"},
    )
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert (await answer(client, "/v2/translate", DEEPL_TEXT, Authorization=f"DeepL-Auth-Key {key}"))[0] == 429


async def test_a_key_may_use_only_its_features(client, store):
    key = store.add("test", features=["detect"])
    assert (await answer(client, "/detect", {"q": "Hallo", "api_key": key}))[0] == 200
    assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 403


async def test_glossaries_and_memories_need_the_feature_of_translations(client, store):
    detecting, translating = store.add("a", features=["detect"]), store.add("b", requests_per_minute=1)
    glossary = {"name": "Company", "source_lang": "de", "target_lang": "en", "entries": "a\tb", "entries_format": "tsv"}
    bodies = {
        "/v2/glossaries": glossary,
        "/v3/glossaries": {"name": "Company", "dictionaries": [glossary]},
        "/v3/translation_memories": {"name": "Site", "source_lang": "de", "target_lang": "en"},
    }
    for path, body in bodies.items():
        headers = {"Authorization": f"DeepL-Auth-Key {detecting}"}
        refusal = {"message": "This API key may not use the feature translate.", "detail": "feature_disabled"}
        assert await answer(client, path, body, **headers) == (403, refusal)
        listed = await client.get(path, headers=headers)
        assert (listed.status_code, listed.json()) == (403, refusal)
        headers = {"Authorization": f"DeepL-Auth-Key {translating}"}  # these requests don't count as translations
        assert (await answer(client, path, body, **headers))[0] == 201
        assert (await client.get(path, headers=headers)).status_code == 200
    headers = {"Authorization": f"DeepL-Auth-Key {detecting}"}
    assert (await client.get("/v2/glossary-language-pairs", headers=headers)).status_code == 200


async def test_a_key_that_is_removed_is_refused_at_once(client, store):
    key = store.add("test")
    assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 200
    store.remove(1)
    assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 403


async def test_a_key_that_is_removed_meanwhile_hides_no_error(client, store, engine):
    key = store.add("test")
    engine.failure = Overloaded("busy")
    asking = asyncio.create_task(answer(client, "/translate", TEXT | {"q": "WAIT FAIL", "api_key": key}))
    await engine.was_asked.wait()
    store.remove(1)
    engine.may_go_on.set()
    assert await asking == (503, {"error": "busy", "code": "overloaded"})


@pytest.mark.parametrize("is_stream", [False, True])
async def test_who_leaves_while_a_thread_counts_pays_nothing(tmp_path, store, is_stream, monkeypatch):
    key = store.find(store.add("test"))
    with closing(Database(tmp_path)) as database:
        access = Access(Settings(data=tmp_path, keys="required"), database)
        counting, may_count, spend = threading.Event(), threading.Event(), access.store.spend

        def spend_late(*arguments) -> None:
            counting.set()
            assert may_count.wait(120)
            spend(*arguments)

        monkeypatch.setattr(access.store, "spend", spend_late)

        async def pay() -> None:
            if is_stream:
                async with access.spending_on(key, 5) as bill:
                    assert bill.unused == 5
            else:
                async with access.spending(key, 5):
                    raise AssertionError

        paying = asyncio.create_task(pay())
        await asyncio.to_thread(counting.wait, 30)
        paying.cancel()
        await asyncio.sleep(0)
        may_count.set()
        await asyncio.gather(paying, return_exceptions=True)
        assert paying.cancelled() and await access.used(key) == 0


async def test_optional_keys_and_a_limit_for_those_without(tmp_path, engine, store):
    key = store.add("test")
    async with serving(engine, Settings(data=tmp_path, keys="optional", requests_per_minute=2)) as client:
        statuses = [(await answer(client, "/translate", TEXT))[0] for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await answer(client, "/translate", TEXT | {"api_key": key}))[0] == 200
        assert (await answer(client, "/translate", TEXT | {"api_key": "wrong"}))[0] == 403


async def test_an_address_is_that_of_a_network_in_ipv6(engine):
    app = build(engine, Settings(requests_per_minute=1))
    statuses = []
    async with app.router.lifespan_context(app):
        for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", "192.0.2.1", "192.0.2.2"):
            transport = httpx.ASGITransport(app, client=(address, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                statuses.append((await answer(client, "/translate", TEXT))[0])
    assert statuses == [200, 429, 200, 200, 200]


async def test_a_stream_that_ends_early_costs_what_was_translated(client, store, engine):
    key = store.add("test")
    text = {"q": "Guten Morgen! FAIL", "source": "de", "target": "en", "stream": True, "api_key": key}
    status = (await client.post("/translate", json=text)).status_code
    [(record, used)] = store.list()
    assert status == 200 and used == len("Guten Morgen!")
    fails_at_once = text | {"q": "FAIL"}
    assert (await client.post("/translate", json=fails_at_once)).status_code == 500
    assert store.used(record) == used
    whole = text | {"q": "Guten Morgen! Wer? 5"}
    await client.post("/translate", json=whole)
    assert store.used(record) == used + len(whole["q"])


async def test_addresses_are_believed_from_trusted_proxies_only(engine):
    app = build(engine, Settings(requests_per_minute=1, trusted_proxies=("10.0.0.0/8",)))
    statuses = []
    async with app.router.lifespan_context(app):
        for proxy, chain in (
            ("10.1.2.3", "192.0.2.1"),
            ("10.1.2.3", "192.0.2.2"),
            ("10.1.2.3", "192.0.2.1"),
            ("10.1.2.3", "192.0.2.3, 192.0.2.1"),  # the client wrote the first: only what the proxy added counts
            ("198.51.100.1", "192.0.2.4"),  # no proxy of ours
            ("198.51.100.1", "192.0.2.5"),
        ):
            transport = httpx.ASGITransport(app, client=(proxy, 1234))
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                statuses.append((await answer(client, "/translate", TEXT, **{"X-Forwarded-For": chain}))[0])
    assert statuses == [200, 200, 429, 429, 200, 429]


async def test_an_hour_has_its_limit(engine):
    async with serving(engine, Settings(requests_per_hour=1)) as client:
        await client.post("/translate", json=TEXT)
        response = await client.post("/translate", json=TEXT)
    assert response.json()["error"] == "Slowdown: 1 per 1 hour" and 0 < int(response.headers["Retry-After"]) <= 3600


async def test_a_limit_needs_no_folder_and_no_keys(engine):
    async with serving(engine, Settings(requests_per_minute=1)) as client:
        statuses = [(await answer(client, "/translate", TEXT | {"api_key": "any"}))[0] for _ in range(2)]
    assert statuses == [200, 429]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """A server that requires keys."""
    server = Server(Settings(data=folder, keys="required"))
    yield server.url.removesuffix("/")
    server.stop()


def test_the_official_deepl_client(url: str, folder: Path) -> None:
    key = KeyStore(Database(folder)).add("deepl", monthly_characters=20)
    with closing(deepl.DeepLClient(key, server_url=url)) as client:
        assert "beer" in client.translate_text("Ich möchte ein Bier.", target_lang="EN-US").text.lower()
        usage = client.get_usage()
        assert (usage.character.count, usage.character.limit) == (20, 20)
        with pytest.raises(deepl.QuotaExceededException):
            client.translate_text("Hallo", target_lang="EN-US")
    with closing(deepl.DeepLClient("unknown", server_url=url)) as client, pytest.raises(deepl.AuthorizationException):
        client.translate_text("Hallo", target_lang="EN-US")


def test_the_usual_libretranslate_client(url: str, folder: Path) -> None:
    key = KeyStore(Database(folder)).add("libre")
    assert "beer" in LibreTranslateAPI(f"{url}/", key).translate("Ich möchte ein Bier.", "de", "en").lower()
    for wrong, status in (("", 400), ("unknown", 403)):
        with pytest.raises(HTTPError) as refused:
            LibreTranslateAPI(f"{url}/", wrong).translate("Hallo", "de", "en")
        with refused.value:  # it holds the connection
            assert refused.value.code == status
