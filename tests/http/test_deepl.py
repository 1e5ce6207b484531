"""The DeepL contract: what is passed on, what is answered, what is refused and how."""

import json
import logging
import re

import pytest

from app import errors
from app.api.deepl.requests import parse_translation
from app.settings import Settings
from app.text.markup.extraction import Rules
from tests.support.fakes import FakeEngine, serving

UNKNOWN = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"


BEER = {"text": ["Ich möchte ein Bier."], "source_lang": "DE", "target_lang": "EN-GB"}
BEER_IN_ENGLISH = {"translations": [{"detected_source_language": "DE", "text": "I'd like a beer."}]}
PAIRS = frozenset({("de", "en"), ("en", "de")})


def parse(**changes):
    request, _ = parse_translation(BEER | changes, settings=Settings(), pairs=PAIRS)
    return request


@pytest.mark.parametrize(
    "request_body",
    [
        {"json": BEER},
        {"json": BEER | {"text": BEER["text"][0]}},
        {"json": BEER | {"source_lang": "de", "target_lang": "en-us"}},
        {"json": BEER | {"target_lang": "EN"}},
        {"data": BEER},
        {"data": BEER, "headers": {"Authorization": "DeepL-Auth-Key any:fx"}},
        {"files": {"text": (None, BEER["text"][0]), "target_lang": (None, "EN"), "source_lang": (None, "DE")}},
        {"params": BEER},
    ],
)
async def test_ways_to_send_a_request(client, request_body):
    response = await client.post("/v2/translate", **request_body)
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)
    assert re.fullmatch(r"queue;dur=[0-9.]+, encode;dur=2\.0, decode;dur=3\.5", response.headers["Server-Timing"])


async def test_warnings_count_the_verdicts(client):
    response = await client.post("/v2/translate", json=BEER | {"text": ["LOOP eins. LOOP zwei.", "<b>Gut</b>"]})
    assert response.headers["X-Dragoman-Warnings"] == "truncated=2"
    assert "X-Dragoman-Warnings" not in (await client.post("/v2/translate", json=BEER)).headers


async def test_texts_of_a_form_keep_their_order_and_an_empty_source_is_detected(client, engine):
    form = {"text": ["Wo ist der Bahnhof?", "", "Where is the station?"], "source_lang": "", "target_lang": "DE"}
    response = await client.post("/v2/translate", data=form)
    assert response.json()["translations"] == [
        {"detected_source_language": "DE", "text": "Wo ist der Bahnhof?"},
        {"detected_source_language": "EN", "text": ""},
        {"detected_source_language": "EN", "text": "Wo ist der Bahnhof?"},
    ]
    assert engine.calls == [(["Where is the station?"], "en", "de")]


async def test_line_breaks_and_blanks_come_through_forms(client, engine):
    await client.post("/v2/translate", data=BEER | {"text": " eins\r\nzwei\n"})
    assert engine.calls == [([" eins\r\nzwei\n"], "de", "en")]


@pytest.mark.parametrize("yes", [True, 1, "1", "true"])
async def test_billed_characters_are_code_points(client, yes):
    body = BEER | {"text": ["Grüße 🙂", ""], "show_billed_characters": yes}
    response = await client.post("/v2/translate", json=body)
    assert [each["billed_characters"] for each in response.json()["translations"]] == [7, 0]


@pytest.mark.parametrize(
    ("model_type", "default_beam_size", "used", "beam_size"),
    [
        ("latency_optimized", 4, "latency_optimized", 1),
        ("quality_optimized", 1, "quality_optimized", 4),
        ("prefer_quality_optimized", 8, "quality_optimized", 8),
        (None, 2, None, 2),
    ],
)
async def test_model_type_chooses_the_search(engine, model_type, default_beam_size, used, beam_size):
    async with serving(engine, Settings(beam_size=default_beam_size)) as client:
        response = await client.post("/v2/translate", json=BEER | {"model_type": model_type})
    assert response.json()["translations"][0].get("model_type_used") == used
    assert engine.options[0].beam_size == beam_size


@pytest.mark.parametrize(
    ("changes", "splitting"),
    [
        ({}, "sentences"),
        ({"split_sentences": "0"}, "off"),
        ({"split_sentences": 0}, "off"),
        ({"split_sentences": "1"}, "sentences"),
        ({"split_sentences": "nonewlines"}, "no_newlines"),
        ({"tag_handling": "html"}, "no_newlines"),
        ({"tag_handling": "xml"}, "sentences"),
        ({"tag_handling": "html", "split_sentences": "1"}, "sentences"),
    ],
)
async def test_splitting(changes, splitting):
    assert parse(**changes).splitting == splitting


@pytest.mark.parametrize(
    ("split_sentences", "texts"),
    [("1", ["Guten Morgen", "Wo ist der Bahnhof"]), ("nonewlines", ["Guten Morgen Wo ist der Bahnhof"])],
)
async def test_line_breaks_of_html_split_where_it_is_asked_for(client, engine, split_sentences, texts):
    html = {"text": ["<p>Guten Morgen\n<i>Wo ist</i> der Bahnhof</p>"], "tag_handling": "html"}
    response = await client.post("/v2/translate", json=BEER | html | {"split_sentences": split_sentences})
    assert [text for asked, _, _ in engine.calls for text in asked] == texts
    assert ("\n" in response.json()["translations"][0]["text"]) == (split_sentences == "1")


@pytest.mark.parametrize(
    ("target", "text"),
    [("EN-GB", "My favourite colour."), ("EN-US", "My favorite color."), ("EN", "My favorite color.")],
)
async def test_english_is_spelled_as_in_its_region(client, target, text):
    response = await client.post("/v2/translate", json={"text": ["Meine Lieblingsfarbe."], "target_lang": target})
    assert response.json()["translations"][0]["text"] == text
    html = {"text": ["<p>Meine <b>Lieblingsfarbe</b>.</p>"], "target_lang": target, "tag_handling": "html"}
    answer = (await client.post("/v2/translate", json=html)).json()["translations"][0]["text"]
    assert re.sub("<[^>]*>", "", answer) == text


async def test_a_register_is_steered(client):
    body = {"text": ["How are you?"], "source_lang": "EN", "target_lang": "DE"}
    for formality, text in (
        ("more", "Wie geht es Ihnen?"),
        ("less", "Wie geht es dir?"),
        ("default", "Wie geht es dir?"),
    ):
        response = await client.post("/v2/translate", json={**body, "formality": formality})
        assert response.json()["translations"][0]["text"] == text


@pytest.mark.parametrize("text", [[""], ["", ""], ["", "Guten Morgen!"]])
async def test_empty_texts_keep_their_places(client, text):
    answer = (await client.post("/v2/translate", json=BEER | {"text": text})).json()
    assert [bool(each["text"]) for each in answer["translations"]] == [bool(each) for each in text]


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({}, None),
        ({"ignore_tags": ["x"]}, None),
        ({"tag_handling": "html"}, Rules(syntax="html")),
        ({"tag_handling": "xml"}, Rules(syntax="xml")),
        ({"tag_handling": "xml", "outline_detection": False}, Rules(syntax="xml", outline_detection=False)),
        ({"tag_handling": "xml", "outline_detection": "0"}, Rules(syntax="xml", outline_detection=False)),
        (
            {"tag_handling": "xml", "ignore_tags": ["x", "Y"], "splitting_tags": "p, q", "non_splitting_tags": ["a,b"]},
            Rules(
                syntax="xml",
                ignore_tags=frozenset({"x", "Y"}),
                splitting_tags=frozenset({"p", "q"}),
                non_splitting_tags=frozenset({"a", "b"}),
            ),
        ),
        ({"tag_handling": "html", "ignore_tags": ["X", ""]}, Rules(syntax="html", ignore_tags=frozenset({"x"}))),
    ],
)
async def test_tag_handling(changes, rules):
    assert parse(**changes).markup == rules


async def test_tags_stay_and_the_version_is_answered(client):
    body = BEER | {"text": ["<p>Guten Morgen!</p>"], "tag_handling": "html", "tag_handling_version": "v1"}
    response = await client.post("/v2/translate", json=body)
    assert response.json()["translations"] == [
        {"detected_source_language": "DE", "text": "<p>Good morning!</p>", "tag_handling_version": "v1"}
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"context": "In der Kneipe."},
        {"preserve_formatting": True},
        {"enable_beta_languages": True},
        {"formality": "prefer_more"},
        {"formality": "default"},
        {"glossary_id": "", "custom_instructions": None},
        {"unknown": [1, 2]},
    ],
)
async def test_without_effect(client, changes):
    response = await client.post("/v2/translate", json=BEER | changes)
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": None}, "Parameter 'text' not specified"),
        ({"text": []}, "Parameter 'text' not specified"),
        ({"text": ["a", 1]}, "Invalid request: text parameter must be a string or a list of strings"),
        ({"text": ["\ud800"]}, "Invalid request: text parameter holds an unpaired surrogate"),
        ({"target_lang": ""}, "Parameter 'target_lang' not specified"),
        ({"target_lang": "TLH"}, "Value for 'target_lang' not supported; use one of DE, EN."),
        ({"source_lang": "XX"}, "Value for 'source_lang' not supported; use one of DE, EN."),
        ({"formality": "more"}, "Target language 'en' doesn't support formality."),
        ({"formality": "less", "target_lang": "en"}, "Target language 'en' doesn't support formality."),
        ({"formality": "very"}, r"Value for 'formality' not supported; use one of default, more, .*\."),
        ({"split_sentences": "2"}, r"Value for 'split_sentences' not supported; use one of 0, 1, nonewlines\."),
        ({"split_sentences": True}, r"Value for 'split_sentences' not supported; .*"),
        ({"preserve_formatting": "maybe"}, "Value for 'preserve_formatting' not supported; use true or false."),
        ({"show_billed_characters": 2}, "Value for 'show_billed_characters' not supported; use true or false."),
        ({"model_type": "fast"}, "Value for 'model_type' not supported; .*"),
        ({"tag_handling": "markdown"}, "Value for 'tag_handling' not supported; use one of xml, html."),
        ({"tag_handling_version": "v3"}, "Value for 'tag_handling_version' not supported; use one of v1, v2."),
        ({"ignore_tags": [1]}, "Invalid request: ignore_tags parameter must be a list of strings"),
        ({"glossary_id": UNKNOWN, "source_lang": "DE"}, "Glossaries are not available .*; leave out 'glossary_id'."),
        ({"glossary_ids": [UNKNOWN] * 2, "source_lang": "DE"}, "Glossaries are not available .*"),
        ({"glossary_ids": ["x"], "source_lang": "DE"}, "Value for 'glossary_ids' not supported; it is not a UUID."),
        ({"glossary_ids": [UNKNOWN] * 6}, "Value for 'glossary_ids' not supported; 'glossary_ids' takes up to 5."),
        ({"glossary_id": UNKNOWN, "glossary_ids": [UNKNOWN]}, "Use either 'glossary_id' or 'glossary_ids'."),
        ({"style_id": "x"}, "Style rules are not available .*"),
        ({"translation_memory_id": "x"}, "Value for 'translation_memory_id' not supported; it is not a UUID."),
        (
            {"translation_memory_id": UNKNOWN},
            "Translation memories are not available .*; leave out 'translation_memory_id'.",
        ),
        (
            {"translation_memory_threshold": 75},
            "Parameter 'translation_memory_threshold' needs 'translation_memory_id'.",
        ),
        ({"custom_instructions": ["Be brief."]}, "Custom instructions are not available .*"),
    ],
)
async def test_refusals_name_the_parameter(client, engine, changes, message):
    content = json.dumps(BEER | changes)
    response = await client.post("/v2/translate", content=content, headers={"Content-Type": "application/json"})
    assert (response.status_code, set(response.json())) == (400, {"message", "detail"})
    assert re.fullmatch(message, response.json()["message"])
    assert engine.calls == []


async def test_a_pair_without_a_model():
    async with serving(FakeEngine(frozenset({("de", "en")}))) as client:
        response = await client.post("/v2/translate", json=BEER | {"source_lang": "EN", "target_lang": "DE"})
    assert response.status_code == 400
    assert response.json()["message"] == "Value for 'target_lang' not supported with source_lang 'EN'."


async def test_more_than_128_kib_are_refused(client):
    fits = "a" * (128 * 1024 - len("target_lang=DE&text="))
    for text, status in ((fits, 200), (fits + "a", 413)):
        assert (await client.post("/v2/translate", data={"target_lang": "DE", "text": text})).status_code == status


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (errors.Overloaded("The server is busy."), 503, "The server is busy."),
        (errors.DeadlineExceeded("Too late."), 504, "Too late."),
        (errors.ModelFailure("secret"), 400, "Cannot translate text: the model failed"),
        pytest.param(RuntimeError("secret"), 500, "Internal error", marks=pytest.mark.one_process),
    ],
)
async def test_failures_have_the_contracts_shape(client, engine, error, status, message):
    engine.error = error
    response = await client.post("/v2/translate", json=BEER)
    assert (response.status_code, response.json()["message"]) == (status, message)
    assert isinstance(response.json()["detail"], str)
    assert re.fullmatch("[0-9A-F]{32}", response.headers["X-Trace-ID"])
    assert ("Retry-After" in response.headers) == (status == 503)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v2/translate", 400),
        ("GET", "/v2/translate", 405),
        ("GET", "/v2/nothing", 404),
        ("GET", "/v3/languages", 400),
        ("GET", "/v2/usage", 200),
    ],
)
@pytest.mark.parametrize("prefix", ["", "/mt"])
async def test_every_response_has_a_trace_and_errors_have_the_shape(engine, method, path, status, prefix):
    async with serving(engine, Settings(root_path=prefix)) as client:
        responses = [await client.request(method, prefix + path) for _ in range(2)]
        other = await client.get(f"{prefix}/health")
    assert {response.status_code for response in responses} == {status}
    assert len({response.headers["X-Trace-ID"] for response in responses}) == 2
    assert re.fullmatch("[0-9A-F]{32}", responses[0].headers["X-Trace-ID"])
    assert status == 200 or set(responses[0].json()) == {"message", "detail"}
    assert "X-Trace-ID" not in other.headers


async def test_the_log_names_the_trace(client, caplog):
    with caplog.at_level(logging.INFO, logger="app"):
        response = await client.get("/v2/usage", headers={"X-Request-ID": "mine"})
    (line,) = [record for record in caplog.records if record.getMessage() == "request"]
    assert line.trace_id == response.headers["X-Trace-ID"]
    assert response.headers["X-Request-ID"] == "mine"


@pytest.mark.parametrize(
    "request_arguments",
    [
        {"method": "GET", "params": {"type": "target"}},
        {"method": "GET", "data": {"type": "target"}},
        {"method": "GET", "params": {"type": "target"}, "headers": {"Content-Type": "application/json"}},
        {"method": "POST", "data": {"type": "target"}},
        {"method": "POST", "json": {"type": "target"}},
    ],
)
async def test_target_languages(client, request_arguments):
    response = await client.request(url="/v2/languages", **request_arguments)
    assert response.json() == [
        {"language": "DE", "name": "German", "supports_formality": True},
        {"language": "EN-GB", "name": "English (British)", "supports_formality": False},
        {"language": "EN-US", "name": "English (American)", "supports_formality": False},
    ]


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_source_languages_are_the_default(client, method):
    response = await client.request(method, "/v2/languages")
    assert response.json() == [{"language": "DE", "name": "German"}, {"language": "EN", "name": "English"}]


async def test_languages_of_one_direction():
    async with serving(FakeEngine(frozenset({("fi", "pt")}))) as client:
        sources = (await client.get("/v2/languages")).json()
        targets = (await client.get("/v2/languages?type=target")).json()
        languages = (await client.get("/v3/languages?resource=translate_text")).json()
    assert [each["language"] for each in sources] == ["FI"]
    assert [each["language"] for each in targets] == ["PT-BR", "PT-PT"]
    assert [(each["lang"], each["usable_as_source"], each["usable_as_target"]) for each in languages] == [
        ("fi", True, False),
        ("pt", False, True),
        ("pt-BR", False, True),
        ("pt-PT", False, True),
    ]


async def test_a_model_of_one_region_is_asked_by_its_name():
    async with serving(FakeEngine(frozenset({("de", "pt-br")}))) as client:
        response = await client.post("/v2/translate", json={"text": ["Hallo"], "target_lang": "PT-BR"})
    assert response.json()["translations"][0]["text"] == "[pt-br] Hallo"


@pytest.mark.parametrize("path", ["/v2/languages?type=both", "/v3/languages", "/v3/languages?resource=x"])
async def test_languages_of_what(client, path):
    response = await client.get(path)
    assert response.status_code == 400
    assert re.search("'(type|resource)'", response.json()["message"])


async def test_every_resource_can_be_asked_for_and_the_missing_ones_have_no_languages(client):
    resources = (await client.get("/v3/languages/resources")).json()
    found = {
        each["name"]: (await client.get("/v3/languages", params={"resource": each["name"]})).json()
        for each in resources
    }
    assert [name for name, languages in found.items() if languages] == ["translate_text", "translate_document"]
    features = {feature["name"] for each in resources for feature in each["features"]}
    assert features == {name for language in found["translate_text"] for name in language["features"]}


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_usage_counts_what_was_translated_by_either_contract(client, engine, method):
    await client.post("/v2/translate", json=BEER | {"text": ["Bier", "🙂"]})
    await client.post("/translate", json={"q": "Beer", "source": "en", "target": "de"})
    engine.error = errors.Overloaded("The server is busy.")
    await client.post("/v2/translate", json=BEER)
    response = await client.request(method, "/v2/usage")
    assert response.json() == {"character_count": 9, "character_limit": 1_000_000_000_000}


async def test_a_text_in_a_language_that_is_not_served_is_refused(client):
    body = {"text": ["C'est une très belle journée"], "target_lang": "EN"}
    response = await client.post("/v2/translate", json=body)
    assert response.status_code == 400
    assert response.json()["detail"] == "unsupported_pair" and "French (fr)" in response.json()["message"]
    response = await client.post("/v2/translate", json=body | {"source_lang": "DE"})
    assert response.status_code == 200
