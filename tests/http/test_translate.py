"""POST /translate: the contract's answers."""

import json
import re

import httpx
import pytest

from app.api.libretranslate.requests import parse_translation
from app.settings import Settings
from tests.support.fakes import FRENCH_MARK, serving

BEER = {"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}


async def post(client: httpx.AsyncClient, body: object) -> tuple[int, dict]:
    # httpx refuses to write what a client can well send (NaN, lone surrogates), so the JSON is made here.
    content = json.dumps(body).encode()
    response = await client.post("/translate", content=content, headers={"Content-Type": "application/json"})
    return response.status_code, response.json()


async def test_string_gives_string(client, engine):
    response = await client.post("/translate", json=BEER)
    assert response.status_code == 200
    assert response.json() == {"translatedText": "I'd like a beer."}
    assert engine.calls == [(["Ich möchte ein Bier."], "de", "en")]


async def test_server_timing_is_in_milliseconds(client):
    response = await client.post("/translate", json=BEER)
    assert re.fullmatch(r"queue;dur=[0-9.]+, encode;dur=2\.0, decode;dur=3\.5", response.headers["Server-Timing"])


async def test_list_gives_list_in_order(client):
    body = {"q": ["Guten Morgen!", "", "xx yy", "Ich möchte ein Bier."], "source": "de", "target": "en"}
    assert await post(client, body) == (
        200,
        {"translatedText": ["Good morning!", "", "[en] xx yy", "I'd like a beer."]},
    )


async def test_list_of_one_stays_a_list(client):
    assert await post(client, BEER | {"q": ["Guten Morgen!"], "alternatives": 1}) == (
        200,
        {"translatedText": ["Good morning!"], "alternatives": [["Good morning to you!"]]},
    )


@pytest.mark.parametrize("value", [0, None, "", -3, "0", "-1"])
async def test_no_alternatives_unless_asked_for(client, engine, value):
    status, answer = await post(client, BEER | {"alternatives": value})
    assert (status, answer) == (200, {"translatedText": "I'd like a beer."})
    assert engine.options[0].n_best == 1


@pytest.mark.parametrize(("value", "beams", "others"), [(1, 4, 1), ("2", 4, 2), (2.0, 4, 2), (7, 8, 2), (15, 16, 2)])
async def test_alternatives_widen_the_beam(client, engine, value, beams, others):
    status, answer = await post(client, BEER | {"q": "Guten Morgen!", "alternatives": value})
    assert status == 200
    assert answer == {"translatedText": "Good morning!", "alternatives": ["Good morning to you!", "Morning!"][:others]}
    assert engine.options[0].beam_size == beams
    assert engine.options[0].n_best == int(value) + 1


async def test_beam_of_requests_that_choose_none_is_a_setting(engine):
    async with serving(engine, Settings(beam_size=2)) as client:
        await client.post("/translate", json=BEER)
        await client.post("/translate", json=BEER | {"alternatives": 1})
    assert [options.beam_size for options in engine.options] == [2, 4]
    async with serving(engine, Settings(beam_size=8)) as client:
        await client.post("/translate", json=BEER | {"alternatives": 1})
    assert engine.options[-1].beam_size == 8


async def test_search_options_reach_the_engine(client, engine):
    wanted = {
        "beam_size": 2, "beam_threshold": 4.5, "length_penalty": 1.5, "min_length": 3, "max_length": 50,
        "no_repeat_ngram": 3, "repetition_penalty": 1.5,
    }  # fmt: skip
    assert (await post(client, BEER | wanted))[0] == 200
    assert {name: getattr(engine.options[0], name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("wanted", "deadline_s"), [({}, 5.0), ({"deadline_ms": 1500}, 1.5), ({"deadline_ms": 60_000}, 5.0)]
)
def test_deadline_is_at_most_the_servers(wanted, deadline_s):
    parsed = parse_translation(BEER | wanted, settings=Settings(request_timeout_s=5), pairs=frozenset({("de", "en")}))
    assert parsed.deadline_s == deadline_s


async def test_unknown_fields_are_ignored(client):
    assert (await post(client, BEER | {"api_key": None, "secret": "x", "colour": {"a": 1}}))[0] == 200


@pytest.mark.parametrize("text", ["🙂", " ", "\n\t", "12 + 2", "…!", "\r\n 42 \r\n"])
async def test_text_without_letters_comes_back_unchanged(client, engine, text):
    assert await post(client, BEER | {"q": text}) == (200, {"translatedText": text})
    assert await post(client, BEER | {"q": text, "source": "auto", "target": "de"}) == (
        200,
        {"translatedText": text, "detectedLanguage": {"confidence": 0.0, "language": "en"}},
    )
    assert engine.calls == []


@pytest.mark.parametrize("code", ["de", "DE"])
async def test_same_source_and_target_is_identity(client, engine, code):
    body = {"q": "Ich  möchte\tein Bier.\r\n", "source": code, "target": "de", "alternatives": 1}
    assert await post(client, body) == (200, {"translatedText": body["q"], "alternatives": []})
    assert engine.calls == []


async def test_codes_are_lowered(client, engine):
    assert (await post(client, BEER | {"source": "De", "target": "EN"}))[0] == 200
    assert engine.calls[0][1:] == ("de", "en")


async def test_auto_detects_every_item_on_its_own(client, engine):
    texts = ["Wo ist der Bahnhof, bitte?", "Where is the station, please?", "123"]
    status, answer = await post(client, {"q": texts, "source": "auto", "target": "en"})
    assert status == 200
    assert answer["translatedText"] == ["[en] Wo ist der Bahnhof, bitte?", "Where is the station, please?", "123"]
    assert [found["language"] for found in answer["detectedLanguage"]] == ["de", "en", "en"]
    assert all(0 <= found["confidence"] <= 100 for found in answer["detectedLanguage"])
    assert {call[1:] for call in engine.calls} == {("de", "en")} and engine.calls[0][0] == [texts[0]]


@pytest.mark.one_process
async def test_auto_with_several_source_languages(engine):
    engine.pairs = frozenset({("de", "fr"), ("en", "fr")})
    texts = ["Where is the station, please?", "Wo ist der Bahnhof, bitte?", "How do I get there?"]
    async with serving(engine) as client:
        answer = (await client.post("/translate", json={"q": texts, "source": "auto", "target": "fr"})).json()
    # French has a space before a question mark.
    assert answer["translatedText"] == [f"[fr] {text.replace('?', FRENCH_MARK)}" for text in texts]
    first = [index for index, quota in enumerate(engine.quotas) if not quota.is_retry]
    assert [engine.calls[index] for index in first] == [([texts[0], texts[2]], "en", "fr"), ([texts[1]], "de", "fr")]
    # One request to the queue: it is refused as a whole or not at all.
    assert engine.quotas[first[0]] is engine.quotas[first[1]]


async def test_what_has_no_language_needs_no_model(engine):
    engine.pairs = frozenset({("de", "fr"), ("de", "en")})
    texts = ["Wo ist der Bahnhof, bitte?", "👍"]
    async with serving(engine) as client:
        response = await client.post("/translate", json={"q": texts, "source": "auto", "target": "fr"})
    assert response.json()["translatedText"] == [f"[fr] {texts[0].replace('?', FRENCH_MARK)}", texts[1]]


async def test_html_keeps_its_tags(client):
    body = {"q": "<p>Guten Morgen!</p>\n<hr>", "source": "de", "target": "en", "format": "html", "alternatives": 2}
    assert await post(client, body) == (200, {"translatedText": "<p>Good morning!</p>\n<hr>", "alternatives": []})


async def test_attributes_of_html_are_translated_if_asked_for(client):
    q = '<p title="Guten Morgen!">Wo ist der Bahnhof?</p>'
    body = {"q": q, "source": "de", "target": "en", "format": "html"}
    _, answer = await post(client, body)
    assert answer["translatedText"] == '<p title="Guten Morgen!">Where is the station?</p>'
    _, answer = await post(client, body | {"translate_attributes": True})
    assert answer["translatedText"] == '<p title="Good morning!">Where is the station?</p>'


@pytest.mark.parametrize("value", ["text", "", None])
async def test_text_is_the_default_format(client, value):
    assert await post(client, BEER | {"q": "x &amp; y", "format": value}) == (
        200,
        {"translatedText": "[en] x &amp; y"},
    )


# One row of the contract's table each: what is sent over a good request, and the text of the answer.
INVALID = [
    ({"q": ""}, "Invalid request: missing q parameter"),
    ({"q": []}, "Invalid request: missing q parameter"),
    ({"q": None, "source": ""}, "Invalid request: missing q parameter"),
    ({"source": "", "target": ""}, "Invalid request: missing source parameter"),
    ({"target": None, "alternatives": "x"}, "Invalid request: missing target parameter"),
    ({"alternatives": "x", "source": "zz"}, "Invalid request: alternatives parameter is not a number"),
    ({"alternatives": 1.5}, "Invalid request: alternatives parameter is not a number"),
    ({"alternatives": [1]}, "Invalid request: alternatives parameter is not a number"),
    ({"alternatives": True}, "Invalid request: alternatives parameter is not a number"),
    ({"alternatives": 16, "q": ["x"] * 9}, "Invalid request: alternatives parameter must be <= 15, and >= 0; it is 16"),
    ({"alternatives": 10**300}, f"Invalid request: alternatives parameter must be <= 15, and >= 0; it is {10**39}…"),
    ({"q": ["x" * 99] * 9, "source": "zz"}, "Invalid request: request (9) exceeds text limit (8)"),
    ({"q": "x" * 41, "source": "zz"}, "Invalid request: request (41) exceeds text limit (40)"),
    ({"q": ["x", "é" * 41]}, "Invalid request: request (41) exceeds text limit (40)"),
    ({"source": "zz", "target": "yy", "format": "pdf"}, "zz is not supported"),
    ({"target": "yy", "format": "pdf"}, "yy is not supported"),
    ({"target": "auto"}, "auto is not supported"),
    ({"format": "xyz", "source": "es", "target": "de"}, "xyz format is not supported"),
    ({"source": "es", "target": "de", "beam_size": 0}, "German (de) is not available as a target language from Spanish (es)"),  # noqa: E501
    ({"beam_size": 17}, "beam_size is 17; it must be a whole number from 1 to 16."),
    ({"beam_size": "many"}, "beam_size is not a number; it must be a whole number from 1 to 16."),
    ({"beam_size": 2.5}, "beam_size is 2.5; it must be a whole number from 1 to 16."),
    ({"beam_size": False}, "beam_size is false; it must be a whole number from 1 to 16."),
    ({"beam_size": 2, "alternatives": 2}, "beam_size is 2; it must be greater than alternatives, which is 2."),
    ({"beam_threshold": 100.5}, "beam_threshold is 100.5; it must be a number from 0 to 100."),
    ({"length_penalty": -0.1}, "length_penalty is -0.1; it must be a number from 0 to 3."),
    ({"length_penalty": 10**400}, "length_penalty is too large; it must be a number from 0 to 3."),
    ({"max_length": 0}, "max_length is 0; it must be a whole number from 1 to 512."),
    ({"min_length": 9, "max_length": 8}, "min_length is 9; it must not exceed max_length, which is 8."),
    ({"no_repeat_ngram": 11}, "no_repeat_ngram is 11; it must be a whole number from 0 to 10."),
    ({"repetition_penalty": [1]}, "repetition_penalty is not a number; it must be a number from 1 to 5."),
    ({"deadline_ms": 0}, "deadline_ms is 0; it must be a whole number from 1 to 86400000."),
    ({"deadline_ms": "soon"}, "deadline_ms is not a number; it must be a whole number from 1 to 86400000."),
    ({"q": 42}, "Invalid request: q parameter must be a string or a list of strings"),
    ({"q": {"a": "b"}}, "Invalid request: q parameter must be a string or a list of strings"),
    ({"q": ["a", None]}, "Invalid request: q parameter must be a string or a list of strings"),
    ({"q": "a\0b"}, "Invalid request: q parameter holds a NUL character"),
    ({"q": ["a", "\ud800"]}, "Invalid request: q parameter holds an unpaired surrogate"),
    ({"source": "\udfff"}, "Invalid request: source parameter holds an unpaired surrogate"),
    ({"source": ["de"]}, "Invalid request: source parameter must be a string"),
    ({"target": 1}, "Invalid request: target parameter must be a string"),
    ({"format": 1}, "Invalid request: format parameter must be a string"),
    ({"translate_attributes": 2}, "Invalid request: translate_attributes parameter must be true or false"),
    ({"translate_attributes": True}, "Invalid request: translate_attributes parameter needs the format html"),
    ({"source": "z" * 5000}, "z" * 40 + "… is not supported"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "text"), INVALID)
async def test_first_failing_check_gives_the_contracts_text(engine, changes, text):
    engine.pairs = frozenset({("de", "en"), ("en", "de"), ("es", "en")})
    async with serving(engine, Settings(max_texts=8, max_text_chars=40)) as client:
        status, answer = await post(client, BEER | changes)
    assert (status, answer["error"]) == (400, text)
    assert engine.calls == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"q": ""}, "invalid_request"),
        ({"source": "zz"}, "unsupported_pair"),
        ({"beam_size": 0}, "option_out_of_range"),
        ({"q": "x" * (Settings().max_text_chars + 1)}, "text_too_long"),
    ],
)
async def test_invalid_requests_have_codes(client, changes, code):
    status, answer = await post(client, BEER | changes)
    assert (status, answer["code"]) == (400, code)


async def test_detected_language_without_a_model_for_the_target(engine):
    engine.pairs = frozenset({("de", "en"), ("en", "fr")})
    async with serving(engine) as client:
        body = {"q": "Wo ist der Bahnhof, bitte?", "source": "auto", "target": "fr"}
        response = await client.post("/translate", json=body)
    assert response.status_code == 400
    assert response.json() == {
        "error": "French (fr) is not available as a target language from German (de)",
        "code": "unsupported_pair",
    }


async def test_a_text_in_a_language_that_is_not_served_is_refused(client):
    answer = await client.post(
        "/translate", json={"q": "<p>Esto es una prueba larga</p>", "source": "auto", "target": "en", "format": "html"}
    )
    assert answer.status_code == 400
    assert answer.json()["code"] == "unsupported_pair" and "Spanish (es)" in answer.json()["error"]


FRENCH = "Ceci est une phrase en français."


@pytest.mark.parametrize("format_", ["text", "html"])
async def test_such_a_text_in_a_list_comes_back_with_the_reason(client, format_):
    texts = ["Guten Morgen!", FRENCH, "Wo ist der Bahnhof?"]
    answer = await client.post("/translate", json={"q": texts, "source": "auto", "target": "en", "format": format_})
    assert answer.status_code == 200
    body = answer.json()
    assert body["translatedText"] == ["Good morning!", FRENCH, "Where is the station?"]
    assert [each["language"] for each in body["detectedLanguage"]] == ["de", "fr", "de"]
    first, reason, last = body["errors"]
    assert (first, reason["code"], last) == (None, "unsupported_pair", None)
    assert reason["error"].startswith("The text seems to be in French (fr), which is not supported")
    served = await client.post("/translate", json={"q": texts[:1], "source": "auto", "target": "en"})
    assert "errors" not in served.json()


async def test_a_text_without_a_model_for_the_target_in_a_list(engine):
    engine.pairs = frozenset({("de", "en"), ("en", "fr")})
    async with serving(engine) as client:
        texts = ["Wo ist der Bahnhof, bitte?", "Where is the station, please?", "12"]
        body = (await client.post("/translate", json={"q": texts, "source": "auto", "target": "fr"})).json()
    assert body["translatedText"] == [texts[0], f"[fr] {texts[1].replace('?', FRENCH_MARK)}", "12"]
    assert [each and each["code"] for each in body["errors"]] == ["unsupported_pair", None, None]


async def test_deepls_contract_names_the_index(client):
    body = {"text": ["Guten Morgen!", FRENCH], "target_lang": "EN"}
    answer = await client.post("/v2/translate", json=body)
    assert (answer.status_code, answer.json()["detail"]) == (400, "unsupported_pair")
    assert answer.json()["message"].startswith("At index 1: The text seems to be in French (fr)")


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Es kostet 6.917.892,40 Euro.", "en", "[en] Es kostet 6,917,892.40 Euro."),
        ("Es kostet 1.234,56 € am 25.07.1982.", "en-GB", "[en] Es kostet €1,234.56 am 25/07/1982."),
        ("1.234,56 €", "en", "€1,234.56"),
        ("Hallo 5,5km weit", "EN-us", "[en] Hallo 5.5km weit"),
    ],
)
async def test_numbers_are_written_for_the_target(client, text, target, expected):
    answer = await post(client, {"q": text, "source": "de", "target": target})
    assert answer == (200, {"translatedText": expected})


async def test_numbers_in_markup_and_beside_protected_text(client):
    body = {
        "q": "<td>1.000,5</td><p>Es <b>kostet</b> 1.234,5&nbsp;kg &amp; v1.2, 5,5km</p>",
        "source": "de",
        "target": "en",
    }
    answer = await post(client, body | {"format": "html"})
    expected = "<td>1,000.5</td><p>[en] Es <b>kostet</b> 1,234.5\u00a0kg &amp; v1.2, 5.5km</p>"
    assert answer[1] == {"translatedText": expected}
    answer = await post(client, BEER | {"q": "Sie hat 1.234,5 kg und 2,5 t.", "protect": ["1.234,5"]})
    assert answer[1]["translatedText"] == "[en] Sie hat 1.234,5 kg und 2.5 t."


@pytest.mark.parametrize(
    ("source", "target"),
    [("de-AT", "en-AU"), ("de_LI", "en_GB"), ("DE-LU", "en-CA"), ("de", "en-001"), ("auto", "EN-us")],
)
async def test_regions_fall_back_to_their_language(client, source, target):
    body = {"q": "Guten Morgen!", "source": source, "target": target}
    assert (await client.post("/translate", json=body)).json()["translatedText"] == "Good morning!"
    deepl = {"text": ["Guten Morgen!"], "target_lang": target} | ({} if source == "auto" else {"source_lang": source})
    [translation] = (await client.post("/v2/translate", json=deepl)).json()["translations"]
    assert (translation["detected_source_language"], translation["text"]) == ("DE", "Good morning!")


@pytest.mark.parametrize("target", ["de-CH", "de_ch", "de-LI"])
async def test_switzerland_writes_no_sharp_s(client, target):
    for text, tags in (("The street is big.", "{}"), ("<p>The street is big.</p>", "<p>{}</p>")):
        body = {"q": text, "source": "en", "target": target, "format": "html" if "<" in text else "text"}
        answer = (await client.post("/translate", json=body)).json()["translatedText"]
        assert answer == tags.format("Die Strasse ist gross.")
    assert "ß" in (await client.post("/translate", json=body | {"target": "de-DE"})).json()["translatedText"]
