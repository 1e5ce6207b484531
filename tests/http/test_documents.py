"""Documents on both contracts, with a fake engine."""

import io
import re

import anyio
import docx
import httpx
import pytest

from app.settings import Settings
from tests.support.fakes import serving

pytestmark = pytest.mark.anyio
TEXT = b"Guten Morgen!\nWo ist der Bahnhof?\n"
TRANSLATED = b"Good morning!\nWhere is the station?\n"
UPLOAD = {"source_lang": "DE", "target_lang": "EN-GB"}


async def upload(client: httpx.AsyncClient, name: str = "a.txt", content: bytes = TEXT, **fields: str) -> dict:
    response = await client.post("/v2/document", data=UPLOAD | fields, files={"file": (name, content)})
    assert response.status_code == 200, response.text
    return response.json()


async def finished(client: httpx.AsyncClient, handle: dict) -> dict:
    with anyio.fail_after(20):
        while True:
            path = f"/v2/document/{handle['document_id']}"
            status = (await client.post(path, json={"document_key": handle["document_key"]})).json()
            if status["status"] not in ("queued", "translating"):
                return status
            await anyio.sleep(0.01)


async def result(client: httpx.AsyncClient, handle: dict) -> httpx.Response:
    key = {"document_key": handle["document_key"]}
    return await client.post(f"/v2/document/{handle['document_id']}/result", json=key)


@pytest.mark.parametrize("is_kept", [False, True])
async def test_a_document_is_translated_and_had_once(is_kept, engine, tmp_path):
    async with serving(engine, Settings(data=tmp_path if is_kept else None)) as client:
        await translate_once(client)


async def translate_once(client: httpx.AsyncClient) -> None:
    handle = await upload(client)
    assert re.fullmatch("[0-9A-F]{32}", handle["document_id"])
    assert re.fullmatch("[0-9A-F]{64}", handle["document_key"])
    status = await finished(client, handle)
    assert status == {
        "document_id": handle["document_id"],
        "status": "done",
        "seconds_remaining": 0,
        "billed_characters": len(TEXT),
    }
    response = await result(client, handle)
    assert (response.content, response.headers["Content-Type"]) == (TRANSLATED, "text/plain; charset=utf-8")
    assert 'filename="a.txt"' in response.headers["Content-Disposition"]
    again = await result(client, handle)
    assert (again.status_code, again.json()["message"]) == (404, "Document already downloaded")


async def test_libretranslate_answers_with_an_address(client):
    document = docx.Document()
    document.add_paragraph("Ich möchte ").add_run("ein Bier").bold = True
    file = io.BytesIO()
    document.save(file)
    response = await client.post(
        "/translate_file",
        data={"source": "auto", "target": "en"},
        files={"file": ("Mein Brief.docx", file.getvalue())},
    )
    link = response.json()["translatedFileUrl"]
    assert re.fullmatch(r"http://test/download_file/[0-9a-f-]{36}\.Mein%20Brief_en\.docx", link)
    for _ in range(2):
        answer = await client.get(link)
        assert answer.status_code == 200
        assert "Mein%20Brief_en.docx" in answer.headers["Content-Disposition"]
        [paragraph] = docx.Document(io.BytesIO(answer.content)).paragraphs
        assert [(run.text, run.bold) for run in paragraph.runs] == [("[en] Ich möchte ", None), ("ein Bier", True)]


async def test_documents_can_be_switched_off(engine):
    async with serving(engine, Settings(documents=False)) as client:
        shown = (await client.get("/frontend/settings")).json()
        assert (shown["filesTranslation"], shown["supportedFilesFormat"]) == (False, [])
        text = "Files translation are disabled on this server."
        response = await client.post("/translate_file")
        assert (response.status_code, response.json()) == (403, {"error": text, "code": "feature_disabled"})
        response = await client.get("/download_file/a.txt")
        assert (response.status_code, response.json()["error"]) == (400, text)
        for path in ("", f"/{'0' * 32}", f"/{'0' * 32}/result"):
            response = await client.post(f"/v2/document{path}")
            assert (response.status_code, response.json()["message"]) == (
                400,
                "Documents are not available on this server.",
            )
