"""Documents on both contracts, with a fake engine."""

import asyncio
import gc
import io
import re
import threading

import anyio
import docx
import httpx
import pytest
from python_multipart.multipart import FormParser

from app.api.request_body import FilePart
from app.errors import EngineUnavailable, ModelFailure, Overloaded, StorageFailure
from app.settings import Settings
from app.storage.database import Database
from app.storage.documents import DocumentStore
from app.storage.keys import KeyStore
from tests.support.fakes import FakeEngine, serving

TEXT = b"Guten Morgen!\nWo ist der Bahnhof?\n"
TRANSLATED = b"Good morning!\nWhere is the station?\n"
UPLOAD = {"source_lang": "DE", "target_lang": "EN-GB"}
PATIENCE_S = 120  # an upper bound for what should happen at once, on a machine with much else to do


async def upload(client: httpx.AsyncClient, name: str = "a.txt", content: bytes = TEXT, **fields: str) -> dict:
    response = await client.post("/v2/document", data=UPLOAD | fields, files={"file": (name, content)})
    assert response.status_code == 200, response.text
    return response.json()


async def finished(client: httpx.AsyncClient, handle: dict) -> dict:
    with anyio.fail_after(PATIENCE_S):
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


async def test_an_upload_is_free_when_it_is_over(client):
    """Not only when Python looks for cycles among all objects, which a busy server does every ten minutes."""
    gc.disable()
    try:
        fields = {"source": "de", "target": "en"}
        sent = client.post("/translate_file", data=fields, files={"file": ("a.txt", b"Guten Morgen!")})
        assert (await asyncio.create_task(sent)).status_code == 200
        assert not [each for each in gc.get_objects() if type(each) in (FilePart, FormParser)]
    finally:
        gc.enable()


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


async def test_a_restart_in_the_middle(tmp_path):
    first, second = FakeEngine(), FakeEngine()
    second.may_go_on.set()
    text = b"Guten Morgen!\nWAIT\n"
    async with serving(first, Settings(data=tmp_path)) as client:
        handle = await upload(client, content=text)
        await first.was_asked.wait()
    assert first.was_cancelled.is_set()
    async with serving(second, Settings(data=tmp_path)) as client:
        assert (await finished(client, handle))["status"] == "done"
        assert (await result(client, handle)).content == b"Good morning!\n[en] WAIT\n"


async def test_two_processes_share_the_work_and_the_files(tmp_path):
    engines = [FakeEngine(), FakeEngine()]
    for engine in engines:
        engine.may_go_on.set()
    async with (
        serving(engines[0], Settings(data=tmp_path)) as one,
        serving(engines[1], Settings(data=tmp_path)) as other,
    ):
        handles = [await upload(one, content=f"WAIT {number}".encode()) for number in range(6)]
        for number, handle in enumerate(handles):
            assert (await finished(other, handle))["status"] == "done"
            assert (await result(other, handle)).content == f"[en] WAIT {number}".encode()
        assert [(await result(one, handle)).status_code for handle in handles] == [404] * 6
    translated = [{text for texts, _, _ in engine.calls for text in texts} for engine in engines]
    assert sum(map(len, translated)) == 6  # each by one process, with as many attempts as it needs


async def test_a_document_shows_how_far_it_is_and_waits_for_its_turn(client, engine):
    handle = await upload(client, content=b"Guten Morgen! WAIT")
    await engine.was_asked.wait()
    key = {"document_key": handle["document_key"]}
    path = f"/v2/document/{handle['document_id']}"
    for response in (await client.get(path, params=key), await client.post(path, data=key)):
        assert response.json()["status"] == "translating"
    response = await result(client, handle)
    assert (response.status_code, response.json()["message"]) == (503, "Document translation is not done")
    engine.may_go_on.set()
    assert (await finished(client, handle))["status"] == "done"


async def test_a_client_leaves_a_worker_to_others(engine, tmp_path):
    key = KeyStore(Database(tmp_path)).add("shop")
    async with serving(engine, Settings(data=tmp_path, keys="optional")) as client:
        for _ in range(3):
            await upload(client, content=b"WAIT")
        client.headers["Authorization"] = f"DeepL-Auth-Key {key}"
        assert (await finished(client, await upload(client)))["status"] == "done"
        assert sum("WAIT" in str(call) for call in engine.calls) <= 2


async def test_what_is_wrong_in_a_file_is_told_with_both_contracts(client):
    handle = await upload(client, "a.docx", b"no archive")
    status = await finished(client, handle)
    assert (status["status"], status["detail"]) == ("error", "document_damaged")
    assert status["error_message"].startswith("The file is damaged")
    assert (await result(client, handle)).status_code == 404
    response = await client.post(
        "/translate_file", data={"source": "de", "target": "en"}, files={"file": ("a.docx", b"no archive")}
    )
    assert (response.status_code, response.json()["code"]) == (400, "document_damaged")


@pytest.mark.parametrize(
    ("fields", "name", "content", "status", "text"),
    [
        ({}, "a.exe", b"x", 400, "Invalid file: the format exe is not translated"),
        ({}, "a.docm", b"x", 400, "Invalid file: the format docm is not translated"),
        ({}, "a", b"x", 400, "Invalid file: its name has no extension; use txt, "),
        ({}, "a.txt", b"", 400, "Invalid file data. A multipart form needs a file"),
        ({}, "a.txt", b"x" * 2000, 413, "The document exceeds the limit of 1024 bytes."),
        ({"target_lang": "XX"}, "a.txt", b"x", 400, "Value for 'target_lang' not supported; use one of DE, EN."),
        ({"target_lang": "DE"}, "a.txt", b"x", 400, "Source and target language are equal."),
        ({"formality": "more"}, "a.txt", b"x", 400, "Target language 'en' doesn't support formality."),
        ({"output_format": "pdf"}, "a.txt", b"x", 400, "A translated txt file can be: txt."),
        ({"filename": "b.zip"}, "a.txt", b"x", 400, "Invalid file: the format zip is not translated"),
    ],
)
async def test_uploads_that_are_refused(engine, fields, name, content, status, text):
    async with serving(engine, Settings(max_document_bytes=1024)) as client:
        response = await client.post("/v2/document", data=UPLOAD | fields, files={"file": (name, content)})
    assert response.status_code == status
    assert response.json()["message"].startswith(text)


async def test_libretranslates_refusals(client):
    good = {"source": "de", "target": "en"}
    file = {"file": ("a.txt", TEXT)}
    for data, files, text in (
        (good, None, "Invalid request: missing file parameter"),
        ({"source": "de"}, file, "Invalid request: missing target parameter"),
        (good, {"file": ("a.txt", b"")}, "Invalid request: empty file"),
        (good | {"target": "xx"}, file, "xx is not supported"),
    ):
        response = await client.post("/translate_file", data=data, files=files)
        assert (response.status_code, response.json()["error"]) == (400, text)
    for name in ("a.txt", "../../etc/passwd", f"{'0' * 36}.a.txt"):
        assert (await client.get(f"/download_file/{name}")).status_code in (400, 404)
    number = "0b3c0dcd-6d5e-4a0c-9d5e-5a1d3b6f2a10"
    assert (await client.get(f"/download_file/{number}.a.txt")).status_code == 404


async def test_names_of_files_do_no_harm(client):
    handle = await upload(client, filename='..\\../a"b\n<ü>.txt')
    await finished(client, handle)
    header = (await result(client, handle)).headers["Content-Disposition"]
    assert header == "attachment; filename=\"a_b____.txt\"; filename*=UTF-8''a_b__%C3%BC_.txt"


async def test_a_document_in_the_target_language_is_refused(client):
    handle = await upload(client, source_lang="", content=b"Wo ist der Bahnhof, bitte?", target_lang="DE")
    assert (await finished(client, handle))["error_message"] == "Source and target language are equal."


async def test_more_documents_than_there_may_be(engine):
    async with serving(engine, Settings(max_documents=1)) as client:
        await upload(client, content=b"WAIT")
        response = await client.post("/v2/document", data=UPLOAD, files={"file": ("a.txt", TEXT)})
        assert (response.status_code, response.json()["detail"]) == (503, "overloaded")
        assert "Retry-After" in response.headers


async def test_documents_that_were_downloaded_leave_room_for_others(engine):
    async with serving(engine, Settings(max_documents=1)) as client:
        for _ in range(3):
            response = await client.post(
                "/translate_file", data={"source": "de", "target": "en"}, files={"file": ("a.txt", TEXT)}
            )
            link = response.json()["translatedFileUrl"]
            assert [(await client.get(link)).content for _ in range(2)] == [TRANSLATED] * 2


async def test_a_busy_engine_is_asked_again(client, engine, monkeypatch):
    monkeypatch.setattr("app.documents.translation._RETRY_S", 0.01)
    engine.error = Overloaded("busy")
    handle = await upload(client)
    await engine.was_asked.wait()
    engine.error = None
    assert (await finished(client, handle))["status"] == "done"


async def test_a_document_waits_for_an_engine_that_is_away(client, engine, monkeypatch):
    monkeypatch.setattr("app.documents.jobs.AGAIN_S", 0.01)
    monkeypatch.setattr("app.documents.jobs._POLL_S", 0.01)
    engine.error = EngineUnavailable("No replica of the model answers.")
    handle = await upload(client)
    with anyio.fail_after(PATIENCE_S):
        while len(engine.calls) < 5:
            await anyio.sleep(0.01)
    engine.error = None
    assert (await finished(client, handle))["status"] == "done"
    assert (await result(client, handle)).content == TRANSLATED


async def test_a_translation_waits_for_a_database_that_is_away(client, engine, monkeypatch):
    monkeypatch.setattr("app.documents.jobs._REPORT_S", 0.01)
    finish, tried = DocumentStore.finish, []

    def away(self: DocumentStore, *arguments: object) -> None:
        tried.append(arguments)
        if len(tried) < 3:
            raise StorageFailure("The database can't be used now.")
        finish(self, *arguments)

    monkeypatch.setattr(DocumentStore, "finish", away)
    handle = await upload(client)
    assert (await finished(client, handle))["status"] == "done"
    assert (len(tried), len(engine.calls)) == (3, 1)


async def test_documents_go_on_after_an_error_that_nobody_foresaw(client, engine, monkeypatch, caplog):
    monkeypatch.setattr("app.documents.jobs._POLL_S", 0.01)
    left, both_failed = {"claim": 2, "fail": 2}, threading.Event()

    def broken(name: str) -> None:
        working = getattr(DocumentStore, name)

        def method(self: DocumentStore, *arguments: object) -> object:
            left[name] -= 1
            if left["fail"] == 0:
                both_failed.set()
            if left[name] >= 0:
                raise ZeroDivisionError(f"in {name}")
            return working(self, *arguments)

        monkeypatch.setattr(DocumentStore, name, method)

    broken("claim")
    broken("fail")
    for _ in range(2):
        await upload(client, content=b"FAIL")
    assert await asyncio.to_thread(both_failed.wait, PATIENCE_S)
    assert (await finished(client, await upload(client)))["status"] == "done"
    assert [caplog.text.count(f"ZeroDivisionError: in {name}") for name in left] == [2, 2]


async def test_a_client_that_goes_takes_its_document_along(engine, tmp_path):
    async with serving(engine, Settings(data=tmp_path)) as client:
        with anyio.move_on_after(PATIENCE_S) as scope:
            async with anyio.create_task_group() as tasks:

                async def ask() -> None:
                    await client.post(
                        "/translate_file", data={"source": "de", "target": "en"}, files={"file": ("a.txt", b"WAIT")}
                    )

                tasks.start_soon(ask)
                await engine.was_asked.wait()
                tasks.cancel_scope.cancel()
            await engine.was_cancelled.wait()
        assert not scope.cancelled_caught


async def test_a_document_costs_its_characters_once_and_nothing_if_it_fails(tmp_path):
    database = Database(tmp_path)
    store = KeyStore(database)
    key = store.add("shop", monthly_characters=50)
    headers = {"Authorization": f"DeepL-Auth-Key {key}"}
    settings = Settings(data=tmp_path, keys="required")

    async def used(client: httpx.AsyncClient) -> int:
        return (await client.get("/v2/usage")).json()["character_count"]

    first, second = FakeEngine(), FakeEngine()
    second.may_go_on.set()
    async with serving(first, settings) as client:
        assert (await client.post("/v2/document")).status_code == 403
        client.headers.update(headers)
        handle = await upload(client, content=b"Hallo WAIT")
        await first.was_asked.wait()
        assert await used(client) == 10
    async with serving(second, settings) as client:
        client.headers.update(headers)
        assert (await finished(client, handle))["billed_characters"] == 10
        assert await used(client) == 10
        assert (await finished(client, await upload(client, content=b"Hallo FAIL")))["status"] == "error"
        with anyio.fail_after(PATIENCE_S):
            while await used(client) != 10:
                await anyio.sleep(0.01)
        status = await finished(client, await upload(client, content=b"Hallo Welt! " * 10))
        assert (status["status"], status["detail"]) == ("error", "quota_exceeded")
        assert (await finished(client, await upload(client, content=b"x" * 40)))["status"] == "done"
        response = await client.post("/v2/document", data=UPLOAD, files={"file": ("a.txt", TEXT)})
        assert response.status_code == 456
    database.close()


@pytest.mark.parametrize("mark", ["", "\ufeff"])
async def test_a_glossary_comes_with_a_document(client, engine, mark):
    handle = await upload(client, content=b"Der Vorstand tagt.", glossary=mark + '{"Vorstand": "board"}')
    assert (await finished(client, handle))["status"] == "done"
    [[term]] = engine.terms[-1]  # of the second attempt, as the first lacks the term
    assert (term.source, term.target) == ("Vorstand", "board")
    for wrong, code in (("nothing", "invalid_glossary"), ('{"a": 1}', "invalid_glossary")):
        response = await client.post("/v2/document", data=UPLOAD | {"glossary": wrong}, files={"file": ("a.txt", TEXT)})
        assert (response.status_code, response.json()["detail"]) == (400, code)
    response = await client.post("/v2/document", data=UPLOAD | {"glossary_id": "x"}, files={"file": ("a.txt", TEXT)})
    assert response.status_code == 400


async def test_an_error_of_the_server_is_told_without_details(client, engine):
    for failure in (ModelFailure("secret"), ZeroDivisionError("secret")):
        engine.failure = failure
        handle = await upload(client, content=b"FAIL")
        status = await finished(client, handle)
        assert status["error_message"] == "The server could not translate the document."


async def test_documents_have_a_deadline(engine):
    # Long enough for a slow machine to start a reader and to begin the translation, which never ends.
    async with serving(engine, Settings(request_timeout_s=0.5)) as client:
        status = await finished(client, await upload(client, content=b"WAIT"))
    assert status["detail"] == "deadline_exceeded"
    assert engine.was_cancelled.is_set()
