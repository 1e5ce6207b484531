"""/metrics: read with Prometheus's own parser."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from app import errors
from app.api.metrics import MAX_TAGS
from app.engine.metric_names import COUNTERS, GAUGES
from app.engine.registry import Registry
from app.settings import Settings
from tests.support.bundles import SHIPPED
from tests.support.fakes import FakeEngine, serving

BODY = {"q": "Guten Morgen!", "source": "auto", "target": "en"}


async def read(client):
    """Sample values by name and labels."""
    response = await client.get("/metrics")
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def requests_to(found, endpoint):
    name = "dragoman_http_request_duration_seconds_count"
    return {dict(labels)["status"]: value for (each, labels), value in found.items()
            if each == name and dict(labels)["endpoint"] == endpoint}  # fmt: skip


async def test_requests_are_counted_by_route_and_status(client):
    for body in (BODY, BODY, {}):
        await client.post("/translate", json=body)
    await client.get("/translate")
    await client.get("/download_file/secret.txt")
    for path in ("/nobody/is/here", "/nor/here", "/v2/nothing"):
        await client.get(path)
    found = await read(client)
    assert requests_to(found, "/translate") == {"200": 2, "400": 1, "405": 1}
    assert requests_to(found, "/download_file/{filename}") == {"400": 1}
    assert requests_to(found, "unknown") == {"404": 3}
    assert found["dragoman_http_requests_in_flight", ()] == 1, "this one"


async def test_routes_are_known_under_a_prefix_too(engine):
    async with serving(engine, Settings(root_path="/mt")) as client:
        await client.get("/mt/health")
        assert requests_to(await read(client), "/health") == {"200": 1}


async def test_unexpected_errors_and_preflights_are_counted(client, engine):
    engine.error = RuntimeError("secret")
    await client.post("/translate", json=BODY)
    await client.options("/translate")
    found = await read(client)
    assert requests_to(found, "/translate") == {"500": 1}
    assert requests_to(found, "unknown") == {"204": 1}


async def test_characters_are_counted_by_pair_and_times_are_summed(client, engine):
    await client.post("/translate", json=BODY | {"q": ["Guten Morgen!", "Where is the station?"]})
    await client.post("/v2/translate", json={"text": "Wo ist der Bahnhof?", "source_lang": "DE", "target_lang": "EN"})
    engine.error = errors.ModelFailure("broken")
    await client.post("/translate", json=BODY)
    found = await read(client)
    pair = (("pair", "de-en"),)
    assert found["dragoman_source_characters_total", pair] == len("Guten Morgen!") + len("Wo ist der Bahnhof?")
    assert found["dragoman_target_characters_total", pair] == len("Good morning!") + len("Where is the station?")
    assert found["dragoman_source_characters_total", (("pair", "en-en"),)] == len("Where is the station?")
    for phase, seconds in (("queue", 0.001), ("encode", 0.002), ("decode", 0.0035)):
        assert found[f"dragoman_{phase}_duration_seconds_count", ()] == 2
        total = found[f"dragoman_{phase}_duration_seconds_sum", ()]
        assert total >= 2 * seconds if phase == "queue" else total == pytest.approx(2 * seconds)  # and the way there


async def test_the_engines_statistics_are_read_as_they_are_now(client, engine):
    statistics = {"queued_tokens": 3.0, "finished": 7.0, "something_new": 1.5}
    engine.statistics = lambda: statistics
    assert (await read(client))["dragoman_engine_queued_tokens", ()] == 3
    statistics["queued_tokens"] = 5.0
    found = await read(client)
    assert found["dragoman_engine_queued_tokens", ()] == 5
    assert found["dragoman_engine_finished_total", ()] == 7
    assert found["dragoman_engine_something_new", ()] == 1.5


async def test_every_statistic_of_the_real_engine_is_described():
    engine = Registry.from_settings(Settings(bundle=SHIPPED))
    assert set(engine.statistics()) == {*GAUGES, *COUNTERS}
    await engine.start()
    try:
        assert set(engine.statistics()) == {*GAUGES, *COUNTERS}
    finally:
        await engine.stop()


async def test_applications_count_for_themselves(client):
    await client.post("/translate", json=BODY)
    async with serving(FakeEngine()) as other:
        assert requests_to(await read(other), "/translate") == {}


async def test_nothing_of_a_user_becomes_a_label(client):
    headers = {"Authorization": "DeepL-Auth-Key Geheimnis", "X-Forwarded-For": "192.0.2.7"}
    await client.post("/translate", json=BODY | {"q": "Geheimnis", "api_key": "Geheimnis"}, headers=headers)
    await client.get("/v2/glossaries/Geheimnis", headers=headers)
    text = (await client.get("/metrics")).text
    assert "Geheimnis" not in text
    assert "192.0.2.7" not in text
    assert set(re.findall(r'[{,](\w+)="', text)) <= {"endpoint", "status", "pair", "outcome", "tier", "le"}


async def test_reporting_tags_are_counted_and_bounded(client):
    for tag in ("shop", "shop", "x" * 65, *(f"t{number}" for number in range(MAX_TAGS + 5))):
        body = {"text": ["Guten Morgen!"], "target_lang": "EN"}
        answer = await client.post("/v2/translate", json=body, headers={"X-DeepL-Reporting-Tag": tag})
        assert answer.status_code == 200
    await client.post("/v2/translate", json=body)
    name = "dragoman_tagged_characters_total"
    found = {labels[0][1]: value for (each, labels), value in (await read(client)).items() if each == name}
    assert (found["shop"], found["t0"]) == (26, 13)
    assert len(found) == MAX_TAGS and found["other"] == 13 * (1 + 7)
