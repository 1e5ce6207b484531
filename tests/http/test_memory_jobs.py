"""Jobs of translation memories: what the official clients don't show. `test_deepl_client_methods.py` has the rest."""

from contextlib import closing
from pathlib import Path

import anyio
import httpx
import pytest

from app.settings import Settings
from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.support.fakes import FakeEngine, serving

PATH = "/v3/translation_memories"
FILE = {"source_file": {"file_name": "a.tmx", "content_length": 10}}
TMX = b"""<tmx version="1.4"><header srclang="*all*"/><body>
<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="fr"><seg>b</seg></tuv><tuv xml:lang="de"><seg>c</seg></tuv></tu>
</body></tmx>"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path, keys="optional")


async def imported(client: httpx.AsyncClient, **headers: str) -> dict[str, str]:
    """A job whose file was uploaded."""
    job = (await client.post(f"{PATH}/import", json=FILE, headers=headers)).json()
    assert (await client.put(job["upload_url"], content=TMX)).status_code == 200
    return dict(job)


async def test_the_pair_of_a_file_is_the_first_that_is_served(client: httpx.AsyncClient) -> None:
    job = await imported(client)
    [result] = (await client.get(f"{PATH}/jobs/{job['job_id']}")).json()["results"]
    memory = (await client.get(f"{PATH}/{result['translation_memory_id']}")).json()
    assert (memory["name"], memory["source_language"], memory["target_languages"]) == ("a", "en", ["de"])
    again = await client.put(job["upload_url"], content=TMX)
    assert again.status_code == 400 and "there already" in again.json()["message"]


async def test_a_file_that_comes_twice_at_a_time_is_imported_once(client: httpx.AsyncClient) -> None:
    url = (await client.post(f"{PATH}/import", json=FILE)).json()["upload_url"]
    statuses: list[int] = []

    async def upload() -> None:
        statuses.append((await client.put(url, content=TMX)).status_code)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(upload)
    assert sorted(statuses) == [200, 400, 400, 400]
    assert len((await client.get(PATH)).json()["translation_memories"]) == 1


@pytest.mark.parametrize(
    ("limit", "named"),
    [
        ("app.storage.memories.MAX_ENTRIES", "at most 0 entries"),
        ("app.storage.text_room.TextLimits.of_owner", "would exceed 0 bytes"),
    ],
)
async def test_an_import_that_fails_leaves_no_memory(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, limit: str, named: str
) -> None:
    monkeypatch.setattr(limit, 0)
    job = await imported(client)
    [result] = (await client.get(f"{PATH}/jobs/{job['job_id']}")).json()["results"]
    assert result["status"] == "failed" and named in result["error"]["message"]
    assert (await client.get(PATH)).json()["translation_memories"] == []


async def test_a_job_is_its_owners_and_its_file_needs_the_secret(client: httpx.AsyncClient, tmp_path: Path) -> None:
    with closing(Database(tmp_path)) as database:
        key = {"Authorization": f"DeepL-Auth-Key {KeyStore(database).add('test')}"}
    job = await imported(client, **key)
    path = f"{PATH}/jobs/{job['job_id']}"
    assert (await client.get(path)).status_code == 404
    [result] = (await client.get(path, headers=key)).json()["results"]
    assert (await client.post(f"{PATH}/{result['translation_memory_id']}/export")).status_code == 404
    export = await client.post(f"{PATH}/{result['translation_memory_id']}/export", headers=key)
    assert export.status_code == 202
    [ready] = (await client.get(f"{PATH}/jobs/{export.json()['job_id']}", headers=key)).json()["results"]
    assert (await client.get(ready["download_url"])).status_code == 200
    for url in (ready["download_url"][:-1], ready["download_url"].partition("?")[0], job["upload_url"]):
        assert (await client.get(url)).status_code == 404, url
    assert (await client.put(job["upload_url"][:-1], content=TMX)).status_code == 404


async def test_a_job_is_kept_for_an_hour(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    job = await imported(client)
    monkeypatch.setattr("app.storage.memory_jobs.LIFETIME_S", -1)
    assert (await client.get(f"{PATH}/jobs/{job['job_id']}")).status_code == 404


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "file_name"),
        ({"source_file": 7}, "source_file"),
        ({"source_file": {"file_name": "a.tsv", "content_length": 1}}, "file_name"),
        ({"source_file": {"file_name": "a.zip", "content_length": 1}}, "zip"),
        ({"source_file": {"file_name": "a.tmx", "content_length": 0}}, "content_length"),
        ({"source_file": {"file_name": "a.tmx", "content_length": True}}, "content_length"),
        (FILE | {"parameters": {"display_name": 7}}, "name"),
    ],
)
async def test_a_wrong_import_is_refused(client: httpx.AsyncClient, body: dict[str, object], named: str) -> None:
    answer = await client.post(f"{PATH}/import", json=body)
    assert answer.status_code == 400 and named in answer.json()["message"]


async def test_a_file_may_be_too_large(client: httpx.AsyncClient) -> None:
    body = {"source_file": {"file_name": "a.tmx", "content_length": 10**12}}
    assert (await client.post(f"{PATH}/import", json=body)).status_code == 413


async def test_a_server_without_a_database_has_no_jobs() -> None:
    async with serving(FakeEngine()) as client:
        assert (await client.post(f"{PATH}/import", json=FILE)).status_code == 400
        for path in ("", "/file?secret=a"):
            answer = await client.get(f"{PATH}/jobs/def3a26b-3e84-45b3-84ae-0c0aaf3525f7{path}")
            assert answer.status_code == 404
