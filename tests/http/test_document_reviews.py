"""`review_below` and the report of a document, with both contracts."""

import asyncio
import csv
import io

import httpx
import pytest

from tests.support.fakes import FakeEngine

CATALOG = b'msgid "Guten Morgen!"\nmsgstr ""\n\nmsgid "Ein LOOP."\nmsgstr ""\n'


async def test_translate_file_names_its_report(client: httpx.AsyncClient) -> None:
    fields = {"source": "de", "target": "en", "review_below": "0.5"}
    answer = (await client.post("/translate_file", data=fields, files={"file": ("a.po", CATALOG)})).json()
    assert answer["review"] == {"sentences": 2, "doubtful": 1}
    file = await client.get(answer["translatedFileUrl"])
    assert "# Dragoman: truncated\n#, fuzzy\nmsgid" in file.text and file.text.count("fuzzy") == 1
    page = await client.get(answer["reportUrl"])
    assert page.headers["content-type"].startswith("text/html") and "Ein LOOP." in page.text
    assert page.headers["content-disposition"].startswith("attachment")
    table = await client.get(answer["reportUrl"].replace(".html", ".csv"))
    [row] = csv.DictReader(io.StringIO(table.text))
    assert (row["kind"], row["text"], row["note"]) == ("sentence", "2", "truncated")


async def test_without_the_parameter_there_is_a_report_too(client: httpx.AsyncClient) -> None:
    fields = {"source": "de", "target": "en"}
    answer = (await client.post("/translate_file", data=fields, files={"file": ("a.po", CATALOG)})).json()
    assert "review" not in answer and "reportUrl" not in answer
    file = await client.get(answer["translatedFileUrl"])
    assert "fuzzy" not in file.text
    number = answer["translatedFileUrl"].rpartition("/")[2].partition(".")[0]
    assert "Ein LOOP." in (await client.get(f"/report_file/{number}.html")).text


async def test_deepls_documents_have_a_report(client: httpx.AsyncClient) -> None:
    fields = {"source_lang": "DE", "target_lang": "EN", "review_below": "1"}
    handle = (await client.post("/v2/document", data=fields, files={"file": ("a.po", CATALOG)})).json()
    path, key = f"/v2/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    while (status := (await client.post(path, json=key)).json())["status"] != "done":
        await asyncio.sleep(0.01)
    assert status["review"] == {"sentences": 2, "doubtful": 2}
    assert (await client.post(f"{path}/result", json=key)).status_code == 200
    table = await client.post(f"{path}/report", json={**key, "format": "csv"})
    assert len(list(csv.DictReader(io.StringIO(table.text)))) == 2
    assert "Ein LOOP." in (await client.get(f"{path}/report", params=key)).text
    assert (await client.get(f"{path}/report", params={**key, "format": "pdf"})).status_code == 400
    assert (await client.get(f"{path}/report", params={"document_key": "A" * 64})).status_code == 404


@pytest.mark.parametrize("value", ["2", "-0.1", "nan", "high", "inf"])
async def test_a_threshold_is_a_number_from_0_to_1(client: httpx.AsyncClient, engine: FakeEngine, value: str) -> None:
    fields = {"source": "de", "target": "en", "review_below": value}
    answer = await client.post("/translate_file", data=fields, files={"file": ("a.po", CATALOG)})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "review_below" in answer.json()["error"] and not engine.calls


@pytest.mark.parametrize("name", ["a.html", "0b3c0dcd-6d5e-4a0c-9d5e-5a1d3b6f2a10.pdf", "..%2Fa"])
async def test_other_names_of_reports_are_refused(client: httpx.AsyncClient, name: str) -> None:
    assert (await client.get(f"/report_file/{name}")).status_code in (400, 404)
