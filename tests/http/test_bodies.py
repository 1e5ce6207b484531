"""The ways to send parameters, and what is refused while reading them."""

import asyncio
import json

import pytest

from app.api.request_body import MAX_FORM_FIELDS
from app.settings import Settings
from tests.support.fakes import serving

BEER = {"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}
BEER_IN_ENGLISH = {"translatedText": "I'd like a beer."}
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/ld+json",
        "application/vnd.api+json;v=1",
    ],
)
async def test_json_types(client, content_type):
    response = await client.post("/translate", content=json.dumps(BEER), headers={"Content-Type": content_type})
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_json_may_start_with_a_byte_order_mark(client):
    content = b"\xef\xbb\xbf" + json.dumps(BEER).encode()
    response = await client.post("/translate", content=content, headers={"Content-Type": "application/json"})
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_urlencoded_form(client):
    response = await client.post("/translate", data=BEER | {"alternatives": "0", "api_key": ""})
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_a_form_may_hold_utf_8_as_it_is(client):
    content = "&".join(f"{name}={value}" for name, value in BEER.items()).encode()  # as curl -d sends it
    response = await client.post("/translate", content=content, headers={"Content-Type": FORM})
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_multipart_form_whose_file_parts_are_skipped(client):
    parts = {name: (None, value) for name, value in BEER.items()} | {"document": ("a.txt", b"x" * 2_000_000)}
    response = await client.post("/translate", files=parts)
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_query_parameters(client):
    response = await client.post("/translate", params=BEER)
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_query_and_form_are_merged_and_the_query_wins(client, engine):
    response = await client.post("/translate?target=en&source=de", data={"q": BEER["q"], "target": "zz"})
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


async def test_query_is_ignored_beside_json(client):
    response = await client.post("/translate?target=en", json={"q": "x", "source": "de"})
    assert (response.status_code, response.json()["error"]) == (400, "Invalid request: missing target parameter")


async def test_several_texts_of_a_form_are_a_list(client, engine):
    form = "q=Hund&q=Katze%0D%0AMaus&source=de&source=zz&target=en"
    response = await client.post("/translate", content=form, headers={"Content-Type": FORM})
    assert response.json() == {"translatedText": ["[en] Hund", "[en] Katze\n[en] Maus"]}
    assert engine.calls == [(["Hund", "Katze\nMaus"], "de", "en")], "of any other parameter the first counts"
    several = await client.post("/translate?q=Hund", data={"q": ["Katze", "Maus"], "source": "de", "target": "en"})
    assert several.json() == {"translatedText": ["[en] Hund", "[en] Katze", "[en] Maus"]}


async def test_a_form_may_hold_as_many_texts_as_a_list(client, engine):
    texts = [str(number) for number in range(1000)]
    response = await client.post("/v2/translate", data={"text": texts, "target_lang": "EN", "source_lang": "DE"})
    assert [each["text"] for each in response.json()["translations"]] == texts
    response = await client.post("/translate", content=b"&" * MAX_FORM_FIELDS, headers={"Content-Type": FORM})
    assert response.json()["error"] == "Invalid request: more than 10,000 form fields"


async def test_a_large_body_is_parsed_beside_other_requests(client, engine):
    text = "ü" * 50_000
    large = [client.post("/translate", **body) for body in ({"json": BEER | {"q": text}}, {"data": BEER | {"q": text}})]
    *answers, small = await asyncio.gather(*large, client.post("/translate", json=BEER))
    # The text is cut into pieces, and the engine marks each.
    assert [answer.json()["translatedText"].replace("[en] ", "") for answer in answers] == [text] * 2
    assert small.json() == BEER_IN_ENGLISH


async def test_form_options_are_read_as_numbers(client, engine):
    response = await client.post("/translate", data=BEER | {"beam_size": "2", "length_penalty": "0.25"})
    assert response.status_code == 200
    assert (engine.options[0].beam_size, engine.options[0].length_penalty) == (2, 0.25)


async def test_line_breaks_are_normalised_in_forms_only(client, engine):
    text = "eins\r\nzwei\rdrei\n"
    await client.post("/translate", data=BEER | {"q": text})
    await client.post("/translate", params=BEER | {"q": text})
    await client.post("/translate", json=BEER | {"q": text})
    assert [texts for texts, _, _ in engine.calls] == [["eins\nzwei\ndrei"], ["eins\nzwei\ndrei"], [text]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"q": "x",}',
        b"{'q': 'x'}",
        b'{"q": NaN}',
        b'{"q": -Infinity}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"beam_size": ' + b"9" * 10_000 + b"}",
        "{}".encode("utf-16"),
    ],
)
async def test_what_is_not_json(client, content):
    response = await client.post("/translate", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["error"] in ("Invalid JSON format", "Invalid request: the body is not valid UTF-8")


@pytest.mark.parametrize("path", ["/translate", "/v2/translate"])
@pytest.mark.parametrize("content", [b"null", b"[1, 2]", b'"q"', b"42"])
async def test_json_that_is_no_object(client, path, content):
    response = await client.post(path, content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert "Invalid JSON format: it must be an object" in response.json().values()


@pytest.mark.parametrize("count", [1_001, 100_000])
async def test_a_list_of_too_many_texts(client, count):
    response = await client.post("/translate", json=BEER | {"q": ["a"] * count})
    assert (response.status_code, response.json()["code"]) == (400, "text_too_long")


@pytest.mark.parametrize(
    ("content_type", "content"),
    [
        ("application/json", b'{"q": "\xff"}'),
        (FORM, b"q=\xff&source=de&target=en"),
        (FORM, b"q=%FF&source=de&target=en"),
        (FORM, b"q=%ED%A0%80&source=de&target=en"),
        (FORM, b"&".join([b"a=b"] * (MAX_FORM_FIELDS + 1))),
        ("multipart/form-data", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"hello"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="q"\r\n\r\n\xff\r\n--x--\r\n',
        ),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n' * (MAX_FORM_FIELDS + 1) + b"--x--\r\n",
        ),
    ],
)
async def test_malformed_bodies(client, content_type, content):
    response = await client.post("/translate", content=content, headers={"Content-Type": content_type})
    assert response.status_code == 400
    assert response.json()["error"].startswith("Invalid request: ")
    assert response.json()["code"] == "invalid_request"


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", "", "nonsense/;;;=="])
async def test_other_types_leave_the_query(client, content_type):
    headers = {"Content-Type": content_type}
    response = await client.post("/translate", params=BEER, content=b"\x00\xff", headers=headers)
    assert (response.status_code, response.json()) == (200, BEER_IN_ENGLISH)


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.parametrize("path", ["/translate", "/detect"])
async def test_body_over_its_limit(engine, announced, path):
    async def chunks():
        for _ in range(3):
            yield b"x" * 1000

    settings = Settings(max_text_chars=2000, max_body_bytes=2000)
    async with serving(engine, settings) as client:
        response = await client.post(path, content=b"x" * 3000 if announced else chunks())
    assert response.status_code == 413
    assert response.json() == {"error": "The request body exceeds the limit of 2000 bytes.", "code": "body_too_large"}
