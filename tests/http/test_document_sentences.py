"""A document is translated for review, and its corrections go into the translated file."""

import asyncio
import io
import json
from typing import Any

import docx
import httpx
import pytest
from lxml import etree

from app.documents import review as reviewing
from app.documents import sentences
from tests.support.fakes import FakeEngine

CATALOG = b'#: a.c:1\nmsgid "Guten Morgen!"\nmsgstr ""\n\n#, c-format\nmsgid "Wo ist der Bahnhof?"\nmsgstr ""\n'


def letter() -> bytes:
    document, file = docx.Document(), io.BytesIO()
    paragraph = document.add_paragraph("Guten Morgen! Wo ist der ")
    paragraph.add_run("Bahnhof").bold = True
    paragraph.add_run("?")
    document.add_paragraph("Ein LOOP.")
    document.save(file)
    return file.getvalue()


async def translated(client: httpx.AsyncClient, name: str, content: bytes, **fields: str) -> tuple[str, dict[str, str]]:
    """The path and the key of a document that is translated."""
    fields = {"source_lang": "DE", "target_lang": "EN", **fields}
    handle = (await client.post("/v2/document", data=fields, files={"file": (name, content)})).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    while (await client.post(path, json=key)).json()["status"] not in ("done", "error"):
        await asyncio.sleep(0.01)
    return path, key


async def reviewed(client: httpx.AsyncClient, name: str, content: bytes) -> dict[str, Any]:
    path, key = await translated(client, name, content, for_review="true")
    answer = await client.post(f"{path}/sentences", json=key)
    assert answer.status_code == 200
    review: dict[str, Any] = answer.json()
    return review


async def correct(client: httpx.AsyncClient, name: str, content: bytes, review: object) -> httpx.Response:
    return await client.post("/correct_file", data={"review": json.dumps(review)}, files={"file": (name, content)})


async def test_a_letter_is_reviewed_and_corrected(client: httpx.AsyncClient) -> None:
    content = letter()
    review = await reviewed(client, "letter.docx", content)
    first, second, third = review["sentences"]
    assert (first["source"], first["translation"], first["confidence"]) == ("Guten Morgen!", "Good morning!", 0.9)
    assert (second["text"], second["block"], second["begin"]) == (0, 0, 14)
    assert (third["text"], third["verdicts"], third["match"]) == (1, ["truncated"], None)
    second["corrected"] = "Where is our station, please?"
    file = await correct(client, "letter.docx", content, {**review, "sentences": [second]})
    assert file.headers["content-disposition"].startswith('attachment; filename="letter_en.docx"')
    [paragraph, other] = docx.Document(io.BytesIO(file.content)).paragraphs
    assert paragraph.text == "Good morning! Where is our station, please?" and "LOOP" in other.text
    assert [run.text for run in paragraph.runs if run.bold] == ["station"]


async def test_without_corrections_it_is_the_translation(client: httpx.AsyncClient) -> None:
    review = await reviewed(client, "a.po", CATALOG)
    path, key = await translated(client, "a.po", CATALOG)
    translation = (await client.post(f"{path}/result", json=key)).content
    assert (await correct(client, "a.po", CATALOG, review)).content == translation


async def test_control_characters_and_line_breaks_are_no_part_of_a_correction(client: httpx.AsyncClient) -> None:
    review = await reviewed(client, "a.po", CATALOG)
    review["sentences"][0]["corrected"] = ' Top\n\n of\x00 the \ud800 "morning"! '
    file = await correct(client, "a.po", CATALOG, review)
    assert 'msgstr "Top of the \\"morning\\"!"' in file.text


UNITS = b"""<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file><body>
<trans-unit id="1"><source>Guten Morgen! Ein LOOP.</source></trans-unit>
<trans-unit id="2"><source>Wo ist der Bahnhof?</source></trans-unit>
<trans-unit id="3"><source>Guten Morgen!</source></trans-unit>
</body></file></xliff>"""


async def test_what_a_reviewer_says_goes_into_the_file(client: httpx.AsyncClient) -> None:
    review = await reviewed(client, "a.xlf", UNITS)
    morning, loop, station, _ = review["sentences"]
    assert loop["verdicts"] == ["truncated"]
    morning["state"], loop["state"] = "approved", "doubtful"
    station |= {"state": "approved", "corrected": "Where's our station?"}
    units = etree.fromstring((await correct(client, "a.xlf", UNITS, review)).content).findall(".//{*}trans-unit")
    targets = [unit.find("{*}target") for unit in units]
    assert [target.get("state") for target in targets] == ["needs-review-translation", "signed-off", "translated"]
    assert [target.get("state-qualifier") for target in targets] == ["leveraged-mt", None, "leveraged-mt"]
    assert [unit.get("approved") for unit in units] == [None, "yes", None]
    assert [unit.findtext("{*}note") for unit in units] == ["confidence 0.90; truncated", None, None]
    assert targets[1].text == "Where's our station?"
    loop["state"] = "approved"
    units = etree.fromstring((await correct(client, "a.xlf", UNITS, review)).content).findall(".//{*}trans-unit")
    assert [unit.get("approved") for unit in units] == ["yes", "yes", None]


async def test_a_message_is_fuzzy_until_nothing_in_it_is_doubtful(client: httpx.AsyncClient) -> None:
    review = await reviewed(client, "a.po", CATALOG)
    morning, station = review["sentences"]
    morning |= {"state": "doubtful", "confidence": None}
    station |= {"match": {"source": "Wo\x00?", "translation": "Where?", "score": 80, "used": True}, "state": "doubtful"}
    file = await correct(client, "a.po", CATALOG, review)
    assert file.text.count("#, fuzzy") == 2
    assert "# Dragoman: doubtful\n" in file.text and "# Dragoman: confidence 0.90\n" in file.text
    morning["state"] = station["state"] = "approved"
    assert "fuzzy" not in (await correct(client, "a.po", CATALOG, review)).text


async def test_the_server_keeps_sentences_only_for_review_and_only_until_the_download(
    client: httpx.AsyncClient,
) -> None:
    path, key = await translated(client, "a.po", CATALOG)
    answer = await client.post(f"{path}/sentences", json=key)
    assert (answer.status_code, answer.json()["detail"]) == (404, "document_not_found")
    path, key = await translated(client, "a.po", CATALOG, for_review="true")
    assert (await client.get(f"{path}/sentences", params=key)).status_code == 200
    assert (await client.get(f"{path}/sentences", params={"document_key": "A" * 64})).status_code == 404
    assert (await client.post(f"{path}/result", json=key)).status_code == 200
    answer = await client.post(f"{path}/sentences", json=key)
    assert (answer.status_code, answer.json()["message"]) == (404, "Document already downloaded")


async def test_a_document_with_too_many_sentences_is_translated_all_the_same(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sentences, "MAX_SENTENCES", 1)
    monkeypatch.setattr(reviewing, "MAX_SENTENCES", 1)
    path, key = await translated(client, "a.po", CATALOG, for_review="true")
    answer = await client.post(f"{path}/sentences", json=key)
    assert (answer.status_code, answer.json()["detail"]) == (404, "document_not_found")
    assert "station" in (await client.post(f"{path}/result", json=key)).text


_JUDGED = {"text": 0, "block": 0, "begin": 0, "translation": "Good", "state": "doubtful"}
WRONG: dict[str, Any] = {
    "no object": [],
    "nothing": {},
    "fewer texts": {"texts": ["Good morning!"]},
    "other texts": {"texts": [1, 2]},
    "a target that is no language": {"target": 'en" onload="'},
    "another place": {"sentences": [{"text": 0, "block": 0, "begin": 3, "translation": "Good", "corrected": "x"}]},
    "a place far away": {"sentences": [{"text": 0, "block": 10**30, "begin": 0, "translation": "", "corrected": "x"}]},
    "no place": {"sentences": [{"text": 0, "block": None, "begin": 0, "translation": "Good", "corrected": "x"}]},
    "another text": {"sentences": [{"text": 9, "block": 0, "begin": 0, "translation": "Good", "corrected": "x"}]},
    "no text": {"sentences": [{"text": 0, "block": 0, "begin": 0, "translation": "Good", "corrected": 5}]},
    "no sentences": {"sentences": [5]},
    "an unknown state": {"sentences": [{**_JUDGED, "state": "good"}]},
    "a state that is a list": {"sentences": [{**_JUDGED, "state": ["approved"]}]},
    "a state of another text": {"sentences": [{**_JUDGED, "text": 9}]},
    "a text that is no number": {"sentences": [{**_JUDGED, "text": [0]}]},
    "an unknown verdict": {"sentences": [{**_JUDGED, "verdicts": ["<b>"]}]},
    "a confidence that is none": {"sentences": [{**_JUDGED, "confidence": 10**400}]},
    "a confidence that is a text": {"sentences": [{**_JUDGED, "confidence": "0.1"}]},
    "a match that is none": {"sentences": [{**_JUDGED, "match": {"used": True, "score": 1e300, "source": ""}}]},
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_review_that_is_none_is_refused(client: httpx.AsyncClient, name: str) -> None:
    review = await reviewed(client, "a.po", CATALOG)
    wrong = {**review, **WRONG[name]} if WRONG[name] else WRONG[name]
    answer = await correct(client, "a.po", CATALOG, wrong)
    assert (answer.status_code, answer.json()["code"]) == (400, "wrong_review")


async def test_tags_that_the_document_lacks_are_refused(client: httpx.AsyncClient) -> None:
    content = letter()
    review = await reviewed(client, "letter.docx", content)
    for text in ("Good <g0>morning!", "<g7>Good</g7>", "</g0>Good<g0>"):
        answer = await correct(client, "letter.docx", content, {**review, "texts": [text, *review["texts"][1:]]})
        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_review")


async def test_what_is_missing_or_another_format_is_refused(client: httpx.AsyncClient, engine: FakeEngine) -> None:
    file = {"file": ("a.po", CATALOG)}
    assert (await client.post("/correct_file", data={"review": "{}"})).json()["code"] == "invalid_request"
    assert "review" in (await client.post("/correct_file", files=file)).json()["error"]
    for text in ("{", "[" * 100_000, '{"texts": 1' + "0" * 5000 + "}"):
        answer = await client.post("/correct_file", data={"review": text}, files=file)
        assert (answer.status_code, answer.json()["code"]) == (400, "wrong_review")
    review = await reviewed(client, "a.po", CATALOG)
    answer = await correct(client, "a.po", CATALOG, {**review, "output": "docx"})
    assert (answer.status_code, answer.json()["code"]) == (400, "document_unsupported")
    calls = len(engine.calls)
    await correct(client, "a.po", CATALOG, review)
    assert len(engine.calls) == calls
