"""Azure Translator's contract, version 3: requests of its documentation and of its official Python client."""

import asyncio
import re

import pytest
from azure.ai.translation.text import TextTranslationClient
from azure.ai.translation.text.models import TextType
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import HttpResponseError

from app.api.contract import chosen_prefix
from app.main import CONTRACTS
from app.settings import Settings
from tests.support.fakes import FakeEngine, serving

VERSION = {"api-version": "3.0"}
GERMAN = [{"Text": "Wo ist der Bahnhof?"}]


async def translate(client, body, **query):
    return await client.post("/translate", params=VERSION | query, json=body)


async def test_a_text_is_translated(client):
    answer = await translate(client, GERMAN, **{"from": "de", "to": "en"})
    assert answer.status_code == 200
    assert answer.json() == [{"translations": [{"text": "Where is the station?", "to": "en"}]}]


async def test_the_language_is_detected_and_there_may_be_several_targets(client):
    answer = await translate(client, [*GERMAN, {"Text": "Where is the station?"}], to=["en", "de"])
    first, second = answer.json()
    assert first["detectedLanguage"]["language"] == "de"
    assert 0 < first["detectedLanguage"]["score"] <= 1
    assert [each["to"] for each in first["translations"]] == ["en", "de"]
    assert [each["text"] for each in first["translations"]] == ["Where is the station?", "Wo ist der Bahnhof?"]
    assert [each["text"] for each in second["translations"]] == ["Where is the station?", "Wo ist der Bahnhof?"]


async def test_alignment_names_first_and_last_characters_of_words(client):
    answer = await translate(client, GERMAN, **{"from": "de", "to": "en", "includeAlignment": "true"})
    [translation] = answer.json()[0]["translations"]
    source, target = GERMAN[0]["Text"], translation["text"]
    pairs = [tuple(map(int, re.split("[:-]", pair))) for pair in translation["alignment"]["proj"].split()]
    assert [(source[a : b + 1], target[c : d + 1]) for a, b, c, d in pairs] == [
        ("Wo", "Where"),
        ("ist", "is"),
        ("der", "the"),
        ("Bahnhof", "station"),
        ("?", "?"),
    ]


async def test_lengths_of_sentences_add_up_in_utf_16(client):
    text = "😀 Guten Morgen! Wer? Hallo. "
    answer = await translate(client, [{"Text": text}], **{"from": "de", "to": "en", "includeSentenceLength": "true"})
    [translation] = answer.json()[0]["translations"]
    lengths = translation["sentLen"]
    assert sum(lengths["srcSentLen"]) == len(text.encode("utf-16-le")) // 2
    assert sum(lengths["transSentLen"]) == len(translation["text"].encode("utf-16-le")) // 2
    assert len(lengths["srcSentLen"]) == len(lengths["transSentLen"]) == 3


@pytest.mark.parametrize("text_type", ["html", TextType.HTML.value])
async def test_html_keeps_its_tags(client, text_type):
    answer = await translate(
        client, [{"Text": "<b>Guten Morgen!</b>"}], **{"from": "de", "to": "en", "textType": text_type}
    )
    assert answer.json()[0]["translations"][0]["text"] == "<b>Good morning!</b>"


async def test_languages_and_detection(client):
    languages = (await client.get("/languages", params=VERSION)).json()
    assert languages["translation"]["de"] == {"name": "German", "nativeName": "Deutsch", "dir": "ltr"}
    assert (await client.get("/languages", params=VERSION | {"scope": "dictionary"})).json() == {"dictionary": {}}
    [found] = (await client.post("/detect", params=VERSION, json=GERMAN)).json()
    assert found["language"] == "de"
    assert found["isTranslationSupported"] is True
    assert found["isTransliterationSupported"] is False


@pytest.mark.parametrize(
    ("query", "body", "number"),
    [
        ({"to": "en"}, [], 400000),
        ({"to": "en"}, {"Text": "Hallo"}, 400000),
        ({"to": "en"}, ["Hallo"], 400000),
        ({"to": "en"}, [{"Text": 5}], 400000),
        ({"to": "en"}, [{"Text": "<mstrans:dictionary translation='a'>b</mstrans:dictionary>"}], 400000),
        ({}, GERMAN, 400000),
        ({"to": "xx"}, GERMAN, 400036),
        ({"to": "en", "from": "xx"}, GERMAN, 400036),
        ({"to": "en", "api-version": "4"}, GERMAN, 400000),
        ({"to": "en", "textType": "markdown"}, GERMAN, 400000),
        ({"to": "en", "includeAlignment": "maybe"}, GERMAN, 400000),
        ({"to": "en", "category": "my-model"}, GERMAN, 400000),
        ({"to": "en", "profanityAction": "Deleted"}, GERMAN, 400000),
        ({"to": "en", "textType": "html", "includeSentenceLength": "true"}, GERMAN, 400000),
        ({"to": "en"}, [{"Text": "a"}] * 1_001, 400077),
        ({"to": "en", "from": "de", "includeAlignment": "true"}, [{"Text": "a " * 250_001}], 400077),
        ({"to": "en,de", "from": "de", "includeSentenceLength": "true"}, [{"Text": "a " * 125_001}], 400077),
    ],
)
async def test_refusals_have_a_number(client, query, body, number):
    answer = await translate(client, body, **query)
    assert answer.status_code == number // 1000
    assert set(answer.json()["error"]) == {"code", "message"}
    assert answer.json()["error"]["code"] == number


async def test_a_body_that_is_no_json_is_refused(client):
    joined = b'[{"Text": "a"}], "texts": [{"Text": "b"}]'
    halves = [b'[{"Text": "%s"}]' % code for code in (rb"\ud800", rb"\u0000")]
    for body in (b"[", b"", b'[{"Text": "a"}], "x": [1]', joined, *halves, b"\xff", b"[" * 100_000):
        answer = await client.post("/translate", params=VERSION | {"to": "en"}, content=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, 400000)


async def test_a_long_body_is_read_in_pieces(client):
    long = [{"Text": f"Satz {number}. " + "x" * 300} for number in range(400)]
    answer = await translate(client, long, **{"from": "de", "to": "de"})
    assert [each["translations"][0]["text"] for each in answer.json()] == [each["Text"] for each in long]


async def test_a_trace_id_comes_back(client):
    headers = {"X-ClientTraceId": "7e8f"}
    answer = await client.post("/translate", params=VERSION | {"to": "en"}, json=GERMAN, headers=headers)
    assert answer.headers["X-ClientTraceId"] == "7e8f"
    assert answer.headers["X-RequestId"]


async def test_what_azure_has_and_this_server_not_is_not_found_in_its_shape(client):
    answer = await client.post("/dictionary/lookup", params=VERSION, json=GERMAN)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, 404000)


async def test_a_prefix_and_a_full_queue():
    engine = FakeEngine()
    async with serving(engine, Settings(root_path="/mt")) as client:
        for path in ("/mt/translate", "/translate", "/mt/azure/translate"):
            answer = await client.post(path, params=VERSION | {"to": "en"}, json=GERMAN)
            assert answer.json()[0]["translations"][0]["text"] == "Where is the station?", path
        engine.full = True
        answer = await client.post("/translate", params=VERSION | {"to": "en"}, json=GERMAN)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, 503000)


class TakesTime(FakeEngine):
    """Its translations take longer than half of the time that the test's requests have."""

    async def stream(self, call):
        await asyncio.sleep(0.06)
        async for event in super().stream(call):
            yield event


async def test_all_languages_together_have_the_time_of_a_request():
    async with serving(TakesTime(), Settings(request_timeout_s=0.1)) as client:
        answer = await client.post("/translate", params=VERSION | {"to": "en,en", "from": "de"}, json=GERMAN)
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, 504000)


def test_the_query_chooses():
    assert chosen_prefix("/translate", b"to=en&api-version=3.0", CONTRACTS) == "/azure"
    assert chosen_prefix("/translate", b"q=api-version", CONTRACTS) == ""
    assert chosen_prefix("/translate", b"", CONTRACTS) == ""


async def test_the_query_chooses_no_path_that_azure_does_not_have():
    for path in ("/azure/translate", "/v2/translate", "/frontend/settings", "/livez", "/"):
        assert chosen_prefix(path, b"api-version=3.0", CONTRACTS) == ""
    async with serving(FakeEngine()) as client:
        for path in ("/livez", "/frontend/settings"):
            assert (await client.get(path, params=VERSION)).status_code == 200, path
        answer = await client.post("/v2/translate", params=VERSION, json={})
        assert "message" in answer.json()


def test_the_official_client(url):
    with TextTranslationClient(endpoint=url, credential=AzureKeyCredential("any")) as client:
        [answer] = client.translate(
            body=["Wo ist der Bahnhof?"], to_language=["en"], include_alignment=True, include_sentence_length=True
        )
        assert answer.detected_language.language == "de"
        [translation] = answer.translations
        assert translation.to == "en"
        assert translation.alignment.proj
        assert sum(translation.sent_len.src_sent_len) == len("Wo ist der Bahnhof?")
        assert client.get_supported_languages(scope="translation").translation["de"].name == "German"
        with pytest.raises(HttpResponseError) as refusal:
            client.translate(body=["Hallo"], to_language=["xx"])
        assert refusal.value.error.code == "400036" or refusal.value.error.code == 400036
