"""Translation memories over HTTP, of several owners."""

from contextlib import closing
from pathlib import Path

import httpx
import pytest

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import FakeEngine, serving

PATH = "/v3/translation_memories"
SITE = {"name": "Site", "source_lang": "DE", "target_lang": "EN-GB"}
UNKNOWN = "def3a26b-3e84-45b3-84ae-0c0aaf3525f7"
TMX = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de-DE"/><body>
<tu><tuv xml:lang="de-DE"><seg>Klicken Sie <bpt i="1">&lt;b></bpt>hier<ept i="1">&lt;/b></ept>!</seg></tuv>
    <tuv xml:lang="en-US"><seg>Click here!</seg></tuv>
    <tuv xml:lang="en"><seg>Click <hi>here</hi>, please!</seg></tuv></tu>
<tu><tuv lang="DE"><seg>Ende</seg></tuv><tuv lang="EN"><seg>End</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>Allein</seg></tuv></tu>
</body></tmx>"""

ENTITY = b'<!DOCTYPE tmx [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path)


async def make(client: httpx.AsyncClient, *entries: tuple[str, str], **changes: object) -> str:
    """The path of a new memory."""
    response = await client.post(PATH, json=SITE | changes)
    assert response.status_code == 201, response.text
    path = f"{PATH}/{response.json()['translation_memory_id']}"
    for source, target in entries:
        await client.post(f"{path}/segments", json={"source_text": source, "target_text": target})
    return path


async def pairs(client: httpx.AsyncClient, path: str, **wanted: object) -> list[tuple[str, str]]:
    segments = (await client.get(f"{path}/segments", params=wanted)).json()["segments"]
    return [(each["source_text"], each["targets"][0]["target_text"]) for each in segments]


async def test_a_memory_is_made_renamed_listed_and_deleted(client):
    path = await make(client)
    made = (await client.get(path)).json()
    assert {name: value for name, value in made.items() if not name.endswith(("time", "id"))} == {
        "name": "Site", "source_language": "de", "target_languages": ["en"], "segment_count": 0, "adapt": False,
    }  # fmt: skip
    assert (await client.get(PATH)).json() == {"translation_memories": [made], "total_count": 1}
    assert (await client.get(PATH, params={"page": 1})).json() == {"translation_memories": [], "total_count": 1}
    assert (await client.patch(path, json={"name": "Page"})).json()["name"] == "Page"
    assert (await client.delete(path)).status_code == 204
    for response in (await client.get(path), await client.delete(path), await client.get(f"{path}/segments")):
        assert (response.status_code, response.json()["detail"]) == (404, "memory_not_found")


async def test_entries_are_added_found_changed_and_removed(client):
    path = await make(client, ("Guten Tag!", "Good day!"), ("Über uns", "About us"))
    response = await client.post(f"{path}/segments", json={"source_text": " Guten  Tag! ", "target_text": "Hello!"})
    assert (response.status_code, response.json()["origin"]) == (201, "edit")
    assert await pairs(client, path) == [("Guten  Tag!", "Hello!"), ("Über uns", "About us")]
    assert await pairs(client, path, filter_text="über") == [("Über uns", "About us")]
    assert await pairs(client, path, filter_text="über", filter_case_sensitive=True) == []
    first = (await client.get(f"{path}/segments", params={"page_size": 1})).json()
    assert (len(first["segments"]), first["segment_count"]) == (1, 2)
    rest = (await client.get(f"{path}/segments", params={"page_cursor": first["next_page_cursor"]})).json()
    assert len(rest["segments"]) == 1 and "next_page_cursor" not in rest
    entry = f"{path}/segments/{first['segments'][0]['source_segment_id']}"
    assert (await client.patch(entry, json={"target_text": "Hi!"})).json()["targets"][0]["target_text"] == "Hi!"
    response = await client.patch(entry, json={"source_text": "Über uns"})
    assert (response.status_code, response.json()["detail"]) == (400, "invalid_memory")
    assert (await client.patch(entry, json={})).status_code == 400
    assert (await client.delete(entry)).status_code == 204
    for response in (await client.delete(entry), await client.patch(entry, json={"target_text": "x"})):
        assert (response.status_code, response.json()["detail"]) == (404, "memory_not_found")
    assert await pairs(client, path) == [("Über uns", "About us")]


async def test_files_go_in_and_come_out(client):
    path = await make(client, ("Ende", "Finish"))
    answer = (await client.post(f"{path}/file", files={"file": ("site.TMX", TMX)})).json()
    assert (answer["added"], answer["replaced"], answer["skipped"], answer["memory"]["segment_count"]) == (1, 1, 1, 2)
    kept = [("Ende", "End"), ("Klicken Sie hier!", "Click here, please!")]
    assert await pairs(client, path) == kept
    for form in ("tmx", "tsv"):
        await client.post(f"{path}/segments", json={"source_text": "a\n<b> & c", "target_text": "A\tB"})
        file = await client.get(f"{path}/file", params={"format": form})
        assert f'filename="Site.{form}"' in file.headers["Content-Disposition"]
        other = await make(client)
        assert (await client.post(f"{other}/file", files={"file": (f"x.{form}", file.content)})).status_code == 200
        last = ("a\n<b> & c", "A\tB") if form == "tmx" else ("a <b> & c", "A B")
        assert await pairs(client, other) == [*kept, last]


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("a.docx", b"x", "invalid_memory"),
        ("a", b"x", "invalid_memory"),
        ("a.tsv", b"no columns\n", "invalid_memory"),
        ("a.tsv", b"\xff\xfe\x00", "document_damaged"),
        ("a.tmx", b"", "invalid_request"),
        ("a.tmx", b"<tmx><body/></tmx>", "invalid_memory"),
        ("a.tmx", b"<!-- only --><tu/>", "invalid_memory"),
        ("a.tmx", b"<tmx><body><tu>", "document_damaged"),
        ("a.tmx", ENTITY + TMX[TMX.index(b"<tmx") :], "document_damaged"),
        ("a.tmx", b"<tmx>" + b"<a>" * 100_000, "document_damaged"),
    ],
)  # fmt: skip
async def test_files_that_are_no_memory(client, name, content, detail):
    path = await make(client)
    response = await client.post(f"{path}/file", files={"file": (name, content)})
    assert (response.status_code, response.json()["detail"]) == (400, detail)
    assert await pairs(client, path) == []


async def test_a_file_over_the_limit_is_refused(tmp_path, engine):
    async with serving(engine, Settings(data=tmp_path, max_body_bytes=2000, max_text_chars=1000)) as client:
        path = await make(client)
        response = await client.post(f"{path}/file", files={"file": ("a.tsv", b"a\tb\n" * 1000)})
        assert (response.status_code, response.json()["detail"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"name": ""}, "invalid_request"),
        ({"name": "x" * 2000}, "invalid_request"),
        ({"target_lang": "TLH"}, "unsupported_pair"),
        ({"target_lang": "DE"}, "unsupported_pair"),
        ({"source_lang": None}, "invalid_request"),
    ],
)
async def test_what_cannot_be_a_memory(client, changes, detail):
    response = await client.post(PATH, json=SITE | changes)
    assert (response.status_code, response.json()["detail"]) == (400, detail)


@pytest.mark.parametrize("text", ["", " \n", None, 7, "x" * 5001, "a\u0000b", ["x"]])
async def test_what_cannot_be_an_entry(client, text):
    path = await make(client)
    for body in ({"source_text": text, "target_text": "ok"}, {"source_text": "ok", "target_text": text}):
        assert (await client.post(f"{path}/segments", json=body)).status_code == 400
    assert await pairs(client, path) == []


@pytest.mark.parametrize(
    "wanted", [{"page_size": 0}, {"page_size": 101}, {"page_cursor": "x"}, {"filter_text": "a"}, {"page_size": "²"}]
)
async def test_pages_that_do_not_exist(client, wanted):
    path = await make(client)
    assert (await client.get(f"{path}/segments", params=wanted)).status_code == 400


async def test_ids_that_are_none_and_ids_of_nothing(client):
    path = await make(client)
    for method, rest in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/segments"), ("GET", "/file")):
        response = await client.request(method, f"{PATH}/{UNKNOWN}{rest}", params={"name": "x"})
        assert (response.status_code, response.json()["detail"]) == (404, "memory_not_found"), (method, rest)
        assert (await client.request(method, f"{PATH}/x{rest}", params={"name": "x"})).status_code == 400
    for entry_id in ("0", "x", "9" * 30, "-1", "²"):
        assert (await client.delete(f"{path}/segments/{entry_id}")).status_code == 404


async def test_each_key_has_memories_of_its_own(tmp_path, engine):
    with closing(Database(tmp_path)) as database:
        keys = [KeyStore(database).add(name) for name in ("one", "two")]
    first, second = ({"Authorization": f"DeepL-Auth-Key {key}"} for key in keys)
    async with serving(engine, Settings(data=tmp_path, keys="required")) as client:
        assert (await client.get(PATH)).status_code == 403
        made = (await client.post(PATH, json=SITE, headers=first)).json()
        assert len((await client.get(PATH, headers=first)).json()["translation_memories"]) == 1
        assert (await client.get(PATH, headers=second)).json()["translation_memories"] == []
        for method, rest in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/segments"),
            ("GET", "/file"),
            ("POST", "/segments"),
        ):
            body = {"source_text": "a", "target_text": "b"}
            path = f"{PATH}/{made['translation_memory_id']}{rest}"
            response = await client.request(method, path, headers=second, params=body)
            assert response.status_code == 404, (method, rest)


async def test_a_server_without_a_database_has_none():
    async with serving(FakeEngine()) as client:
        assert (await client.get(PATH)).json() == {"translation_memories": [], "total_count": 0}
        for response in (await client.post(PATH, json=SITE), await client.get(f"{PATH}/{UNKNOWN}")):
            assert response.json()["detail"] == "feature_disabled" and response.status_code in (400, 404)


async def test_settings_tell_that_there_are_memories(client):
    assert (await client.get("/frontend/settings")).json()["capabilities"]["memories"] is True
    assert (await client.get("/v3/languages", params={"resource": "translation_memory"})).json()


async def test_a_missing_library_is_named(client, monkeypatch):
    monkeypatch.setattr("app.documents.memory_files.find_spec", lambda _: None)
    path = await make(client)
    response = await client.get(f"{path}/file")
    assert (response.status_code, response.json()["detail"]) == (400, "extra_missing")
    assert "needs the extra 'memory'" in response.json()["message"]
    assert (await client.get(f"{path}/file", params={"format": "tsv"})).status_code == 200
