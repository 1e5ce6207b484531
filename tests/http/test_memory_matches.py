"""Translation with a translation memory, on both contracts, in markup and in streams."""

from pathlib import Path

import httpx
import pytest

from app.errors import Overloaded
from app.settings import Settings

PATH = "/v3/translation_memories"
ENTRIES = {
    "Guten Tag!": "Top of the day!",
    "Es kostet 5 Euro.": "You pay 5 euros.",
    "Ein Satz. Noch einer.": "Two in one.",
    "Klicken Sie hier.": "Click here.",
}
APPLIED, OFFERED = True, False


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


@pytest.fixture
async def memory(client: httpx.AsyncClient) -> str:
    body = {"name": "Site", "source_lang": "de", "target_lang": "en"}
    made = (await client.post(PATH, json=body)).json()["translation_memory_id"]
    for source, target in ENTRIES.items():
        entry = {"source_text": source, "target_text": target}
        assert (await client.post(f"{PATH}/{made}/segments", json=entry)).status_code == 201
    return made


@pytest.fixture
def translate(client: httpx.AsyncClient, memory: str):
    async def translate(text: object, **changes: object) -> tuple[object, list]:
        body = {"q": text, "source": "de", "target": "en", "translation_memory_id": memory} | changes
        response = await client.post("/translate", json=body)
        assert response.status_code == 200, response.text
        answer = response.json()
        found = answer["memory"] if isinstance(text, str) else [match for own in answer["memory"] for match in own]
        return answer["translatedText"], [(each["segment"], each["score"], each["applied"]) for each in found]

    return translate


async def test_the_same_sentences_are_not_translated_again(translate, engine):
    answer = await translate("Guten Tag! Wo ist der Bahnhof?  Guten\u00a0Tag!")
    assert answer[0] == "Top of the day! Where is the station?  Top of the day!"
    assert answer[1] == [("Guten Tag!", 100, APPLIED), ("Guten\u00a0Tag!", 100, APPLIED)]
    assert [" ".join(texts).strip() for texts, *_ in engine.calls] == ["Wo ist der Bahnhof?"]
    engine.calls.clear()
    assert (await translate(["Guten Tag!", "42", " \nGuten Tag! "]))[0] == [
        "Top of the day!", "42", " \nTop of the day! ",
    ]  # fmt: skip
    assert engine.calls == []


async def test_other_numbers_are_put_into_the_match(translate, engine):
    assert await translate("Es kostet 6.917,40 Euro.") == (
        "You pay 6,917.40 euros.", [("Es kostet 6.917,40 Euro.", 99, APPLIED)],
    )  # fmt: skip
    assert engine.calls == []


@pytest.mark.parametrize("text", ["Es kostet 1 Euro.", "Es kostet 5 Euros.", "Klicken Sie dort."])
async def test_what_is_not_certain_is_translated_and_the_match_offered(translate, text):
    translation, [(segment, score, applied)] = await translate(text)
    assert translation.startswith("[en] ") and segment == text
    assert 75 <= score < 100 and applied is OFFERED


async def test_the_threshold(translate):
    assert (await translate("Es kostet 7 Euro.", translation_memory_threshold=100))[1] == []
    assert (await translate("Klicken Sie dort."))[1] != []
    assert (await translate("Klicken Sie dort.", translation_memory_threshold="95"))[1] == []
    assert (await translate("Irgend etwas ganz anderes.", translation_memory_threshold=0))[0].startswith("[en]")


async def test_a_whole_text_may_be_an_entry(translate):
    assert await translate("Ein Satz. Noch einer.") == ("Two in one.", [("Ein Satz. Noch einer.", 100, APPLIED)])
    assert (await translate("Guten Tag! Ein Satz. Noch einer."))[0] == "Top of the day! [en] Ein Satz. [en] Noch einer."


async def test_tags_go_where_the_model_aligns_their_words(translate, monkeypatch):
    html = "<p>Guten Tag!</p><p>Klicken Sie <b>hier</b>.</p>"
    assert await translate(html, format="html") == (
        "<p>Top of the day!</p><p>Click <b>here</b>.</p>",
        [("Guten Tag!", 100, APPLIED), ("Klicken Sie hier.", 100, APPLIED)],
    )

    async def no_links(*_: object) -> tuple[()]:
        return ()

    monkeypatch.setattr("app.translation.memory._links", no_links)
    translation, matches = await translate(html, format="html")
    assert translation.startswith("<p>Top of the day!</p><p>[en] Klicken")
    assert matches[1] == ("Klicken Sie hier.", 100, OFFERED)


async def test_the_links_of_other_matches_are_not_waited_for_after_an_error(client, engine, memory):
    engine.failure = Overloaded("busy")
    for text in ("WAIT hier.", "FAIL hier."):
        entry = {"source_text": text, "target_text": text}
        assert (await client.post(f"{PATH}/{memory}/segments", json=entry)).status_code == 201
    body = {"source": "de", "target": "en", "format": "html", "translation_memory_id": memory}
    response = await client.post("/translate", json=body | {"q": "<p>WAIT <b>hier</b>.</p><p>FAIL <b>hier</b>.</p>"})
    assert (response.status_code, response.json()) == (503, {"error": "busy", "code": "overloaded"})
    assert engine.was_cancelled.is_set()


async def test_a_number_in_markup(translate):
    assert await translate("<p>Es kostet 6.917,40 Euro.</p>", format="html") == (
        "<p>You pay 6,917.40 euros.</p>", [("Es kostet 6.917,40 Euro.", 99, APPLIED)],
    )  # fmt: skip


async def test_a_translation_that_somebody_begins_is_not_replaced(translate):
    translation, matches = await translate("Guten Tag!", prefix="Hello")
    assert translation.startswith("Hello") and matches == [("Guten Tag!", 100, OFFERED)]


async def test_texts_in_other_languages_have_no_matches(client, translate, memory):
    assert await translate(["Guten Tag!", "Where is the station?"], source="auto") == (
        ["Top of the day!", "Where is the station?"], [("Guten Tag!", 100, APPLIED)],
    )  # fmt: skip
    body = {"q": "Hello", "source": "en", "target": "de", "translation_memory_id": memory}
    response = await client.post("/translate", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_memory")


async def test_details_and_streams(client, memory):
    text = {"q": "Wer? Guten Tag! Wer?", "source": "de", "target": "en", "translation_memory_id": memory}
    answer = (await client.post("/translate", json=text | {"details": True})).json()
    places = [(each["source"]["begin"], each["target"]["begin"], each["target"]["text"]) for each in answer["details"]]
    assert places == [(0, 0, "Who?"), (5, 5, "Top of the day!"), (16, 21, "Who?")]
    events = (await client.post("/translate", json=text | {"stream": True})).text
    assert events.count("event: sentence") == 3 and '"score":100' in events


async def test_deepl(client, memory):
    body = {"text": ["Guten Tag!"], "target_lang": "EN-GB", "source_lang": "DE", "translation_memory_id": memory}
    [answer] = (await client.post("/v2/translate", json=body)).json()["translations"]
    match = {"segment": "Guten Tag!", "source": "Guten Tag!", "target": "Top of the day!"}
    assert answer["text"] == "Top of the day!"
    assert answer["memory"] == [{**match, "score": 100, "kind": "exact", "applied": True}]
    for changes, status in (
        ({"translation_memory_threshold": 101}, 400),
        ({"translation_memory_threshold": True}, 400),
        ({"translation_memory_id": "x"}, 400),
        ({"translation_memory_id": "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"}, 404),
        ({"translation_memory_id": None, "translation_memory_threshold": 80}, 400),
    ):
        assert (await client.post("/v2/translate", json=body | changes)).status_code == status, changes


async def test_a_change_counts_from_the_next_request_on(client, translate, memory):
    await translate("Klicken Sie dort.")
    entry = {"source_text": "Klicken Sie dort.", "target_text": "Click there."}
    await client.post(f"{PATH}/{memory}/segments", json=entry)
    assert (await translate("Klicken Sie dort."))[0] == "Click there."
    assert (await translate("Klicken Sie dort!"))[1] == [("Klicken Sie dort!", 94, OFFERED)]


async def test_without_the_library_only_the_same_texts_are_found(client, translate, monkeypatch, memory):
    monkeypatch.setitem(__import__("sys").modules, "rapidfuzz", None)
    body = {"q": "Guten Tag!", "source": "de", "target": "en", "translation_memory_id": memory}
    response = await client.post("/translate", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "extra_missing")
    assert "needs the extra 'memory'" in response.json()["error"]
    assert (await translate("Guten Tag!", translation_memory_threshold=100))[0] == "Top of the day!"
