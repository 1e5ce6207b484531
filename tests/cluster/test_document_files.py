"""Documents whose files are in S3-compatible storage: any server takes them in, translates them and delivers them."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import httpx
import pytest

from app.storage.database import Database
from app.storage.documents import DocumentStore
from tests.cluster.conftest import wait_until
from tests.support.cluster import BIN, ROOT, end, free_port, wait_until_ready
from tests.support.s3 import S3Server

pytestmark = pytest.mark.cluster

TEXT = "\n".join(f"Ich möchte {number} Bier und {number + 1} Brote." for number in range(1000, 2000))
UPLOAD = {"source_lang": "DE", "target_lang": "EN-GB"}


@pytest.fixture
def started(postgresql: str, s3: S3Server, tmp_path: Path) -> Callable[[], AbstractContextManager[httpx.Client]]:
    """Starts a server of its own that shares the database and the files; ends it as an operator does."""

    @contextmanager
    def start() -> Iterator[httpx.Client]:
        settings = {"DRAGOMAN_DATABASE": postgresql, "DRAGOMAN_DOCUMENT_FILES": "s3://bucket/documents", **s3.variables}
        port, log = free_port(), tmp_path / "log"
        url = f"http://127.0.0.1:{port}"
        with log.open("ab") as sink:
            command = [BIN / "dragoman", "serve", f"--port={port}", "--workers=1"]
            server = subprocess.Popen(command, cwd=ROOT, env=os.environ | settings, stdout=sink, stderr=sink)
        try:
            wait_until_ready(url, server, log)
            with httpx.Client(base_url=f"{url}/v2", timeout=60) as client:
                yield client
        finally:
            end(server)

    return start


def test_one_server_takes_in_another_translates_a_third_delivers(
    started: Callable[[], AbstractContextManager[httpx.Client]], postgresql: str, s3: S3Server
) -> None:
    with started() as first:
        handle = first.post("/document", data=UPLOAD, files={"file": ("a.txt", TEXT)}).json()
        assert s3.objects("documents") == [TEXT.encode()]
    path, key = f"/document/{handle['document_id']}", {"document_key": handle["document_key"]}
    with closing(Database(postgresql)) as database:
        store = DocumentStore(database, max_documents=9, max_bytes=1, lifetime_s=60)
        assert store.find(handle["document_id"], handle["document_key"]).status == "queued"
    with started() as second:
        wait_until(lambda: second.post(path, json=key).json()["status"] == "done", "the document is translated")
        # The original is deleted once the database has the outcome, so a moment later.
        wait_until(lambda: len(s3.objects("documents")) == 1, "the original is deleted")
        [translation] = s3.objects("documents")
    with started() as third:
        s3.kill()
        for answer in (
            third.post("/document", data=UPLOAD, files={"file": ("b.txt", TEXT)}),
            third.post(f"{path}/result", json=key),
        ):
            assert answer.status_code == 503 and answer.headers["Retry-After"]
            assert answer.json()["message"] == "The storage of documents can't be used now."
        assert third.get("/languages").status_code == 200
        s3.start()
        assert third.post(f"{path}/result", json=key).content == translation
        assert len(translation.decode().splitlines()) == len(TEXT.splitlines())
        assert third.post(f"{path}/result", json=key).status_code == 404
    assert s3.objects("documents") == []
