"""Processes are killed under load: every request is answered or refused, nothing hangs, and the process comes back.

The bounds on time are for a busy machine: alone, a replica is back after 5 seconds.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import httpx
import pytest

from app.storage.database import Database
from app.storage.keys import KeyStore
from tests.cluster.conftest import Load, wait_until
from tests.support.cluster import RayCluster
from tests.support.postgresql import PostgreSQL

pytestmark = pytest.mark.cluster

ANSWER_S = 30.0
BACK_S = 120.0


@pytest.mark.parametrize("server", ["served", "dragoman"])
@pytest.mark.parametrize("killed", [1, 2])
def test_replicas_are_killed(request: pytest.FixtureRequest, ray_cluster: RayCluster, server: str, killed: int) -> None:
    url = request.getfixturevalue(server)
    name = "default:0-de-en" if server == "served" else "dragoman-0-de-en:0-de-en"
    wait_until(lambda: len(ray_cluster.processes(name)) == 2, "both replicas run", BACK_S)
    with Load(url).running() as load:
        load.wait_for(10)
        for replica in ray_cluster.processes(name)[:killed]:
            replica.kill()
        load.wait_for(10)
        wait_until(lambda: len(ray_cluster.processes(name)) == 2, "the replicas are back", BACK_S)
        load.wait_for(10)
    load.assert_answered(within_s=ANSWER_S)


def test_an_ingress_is_killed(served: str, ray_cluster: RayCluster) -> None:
    with Load(served).running() as load:
        load.wait_for(10)
        ray_cluster.processes("default:ingress")[0].kill()
        load.wait_for(10)
        wait_until(lambda: len(ray_cluster.processes("default:ingress")) == 2, "the ingress is back", BACK_S)
        load.wait_for(10)
    load.assert_answered(within_s=ANSWER_S)


def test_the_database_is_killed(ray_cluster: RayCluster, postgresql_server: PostgreSQL, postgresql: str) -> None:
    with closing(Database(postgresql)) as database:
        key = KeyStore(database).add("test")
    with (
        ray_cluster.dragoman(DRAGOMAN_DATABASE=postgresql, DRAGOMAN_KEYS="required") as server,
        Load(server.url, Authorization=f"Bearer {key}").running() as load,
    ):
        load.wait_for(10)
        postgresql_server.kill()
        load.wait_for(10, status=503)
        postgresql_server.restart()
        load.wait_for(10)
    load.assert_answered(within_s=ANSWER_S)


def test_a_server_that_ends_finishes_what_it_has_accepted(ray_cluster: RayCluster) -> None:
    with ray_cluster.dragoman() as server, ThreadPoolExecutor() as threads:
        text = " ".join(f"Ich möchte {number} Bier." for number in range(300))
        body = {"q": text, "source": "de", "target": "en"}
        answer = threads.submit(httpx.post, f"{server.url}/translate", json=body, timeout=60)
        # The request for the metrics counts, too.
        wait_until(lambda: "in_flight 2.0" in httpx.get(f"{server.url}/metrics").text, "the request is accepted")
        server.process.terminate()
        assert answer.result().status_code == 200
        assert server.process.wait(30) == 0
