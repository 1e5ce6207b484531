"""Processes are killed in the middle of a document: it is translated all the same, once, and paid once.

A lease ends after 15 seconds, and others look for documents every 5 seconds; the bound on time is for a busy machine.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
from sqlalchemy import Row, select

from app.errors import StorageFailure
from app.storage.database import Database
from app.storage.document_rows import DOCUMENTS
from app.storage.keys import KeyStore
from tests.cluster.conftest import wait_until
from tests.support.cluster import RayCluster
from tests.support.postgresql import PostgreSQL

pytestmark = pytest.mark.cluster

DONE_S = 180.0
LINES = [f"Ich möchte {number} Bier und {number + 1} Brote." for number in range(1000, 2500)]
TEXT = "\n".join(LINES)


class Job:
    """A document under way.

    Args:
        url: The server.
        database: Its database.
    """

    def __init__(self, url: str, database: Database) -> None:
        self._database, self._keys = database, KeyStore(database)
        key = self._keys.add("test")
        self._key = self._keys.find(key)
        self._client = httpx.Client(
            base_url=f"{url}/v2", headers={"Authorization": f"DeepL-Auth-Key {key}"}, timeout=60
        )
        data = {"source_lang": "DE", "target_lang": "EN-GB"}
        handle = self._client.post("/document", data=data, files={"file": ("a.txt", TEXT)}).json()
        self._id, self._secret = handle["document_id"], handle["document_key"]
        wait_until(lambda: self.row().translated > 0, "the document is in the middle")
        assert self.row().status == "translating"

    def row(self) -> Row[Any]:
        """The document's row in the database."""
        with self._database.transaction() as connection:
            return connection.execute(select(DOCUMENTS).where(DOCUMENTS.c.id == self._id)).one()

    def assert_done_once(self, attempts: int) -> None:
        """The document is translated in time, line by line, after this many attempts, and paid and stored once."""

        def ended() -> bool:
            try:
                return self.row().status not in ("queued", "translating")
            except StorageFailure:
                return False

        wait_until(ended, "the document ends", DONE_S)
        row = self.row()
        assert (row.status, row.error, row.attempts) == ("done", None, attempts)
        lines = self._download(200).text.splitlines()
        assert len(lines) == len(LINES)
        self._download(404)
        assert self._key and self._keys.used(self._key) == row.characters == len(TEXT)
        self._client.close()

    def _download(self, status: int) -> httpx.Response:
        """The answer with this status; Ray's proxy may still have a connection to a dead ingress."""
        responses: list[httpx.Response] = []

        def answered() -> bool:
            path = f"/document/{self._id}/result"
            responses.append(self._client.post(path, json={"document_key": self._secret}))
            return responses[-1].status_code != 503

        wait_until(answered, "the file is offered")
        assert responses[-1].status_code == status, responses[-1].text
        return responses[-1]


@pytest.fixture
def start(served: str, served_database: str) -> Iterator[Callable[[], Job]]:
    """Uploads a document, and returns when its translation has begun."""
    with closing(Database(served_database)) as database:
        yield lambda: Job(served, database)


def test_the_ingress_that_translates_a_document_is_killed(ray_cluster: RayCluster, start: Callable[[], Job]) -> None:
    job = start()
    _, process, _ = job.row().worker.split(":")
    assert int(process) in {ingress.pid for ingress in ray_cluster.processes("default:ingress")}
    os.kill(int(process), signal.SIGKILL)
    job.assert_done_once(attempts=2)
    wait_until(lambda: len(ray_cluster.processes("default:ingress")) == 2, "the ingress is back")


def test_all_replicas_are_killed_in_the_middle_of_a_document(ray_cluster: RayCluster, start: Callable[[], Job]) -> None:
    job = start()
    for replica in ray_cluster.processes("default:0-de-en"):
        replica.kill()
    job.assert_done_once(attempts=1)


def test_the_database_is_killed_in_the_middle_of_a_document(
    postgresql_server: PostgreSQL, start: Callable[[], Job]
) -> None:
    job = start()
    postgresql_server.kill()
    postgresql_server.restart()
    job.assert_done_once(attempts=1)
