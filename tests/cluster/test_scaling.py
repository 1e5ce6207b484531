"""Ray adds a replica while sentences wait; replicas may share bundles."""

import httpx
import pytest

from tests.cluster.conftest import Load, wait_until
from tests.support.cluster import RayCluster

pytestmark = pytest.mark.cluster


def test_a_replica_is_added_while_sentences_wait_and_bundles_may_share_replicas(ray_cluster: RayCluster) -> None:
    name = "dragoman-models:models"
    # A queue that is soon long, so that a few clients are a load.
    settings = {"DRAGOMAN_MAX_QUEUE_TOKENS": "512", "DRAGOMAN_MAX_BATCH_ROWS": "16", "DRAGOMAN_MAX_REPLICAS": "2"}
    with ray_cluster.dragoman("--workers=1", DRAGOMAN_LAZY_LOADING="true", **settings) as server:
        body = {"q": "Ich möchte ein Bier.", "source": "de", "target": "en"}
        assert "beer" in httpx.post(f"{server.url}/translate", json=body, timeout=60).json()["translatedText"]
        assert len(ray_cluster.processes(name)) == 1
        with Load(server.url, text=" ".join(f"Ich möchte {number} Bier." for number in range(200))).running() as load:
            wait_until(lambda: len(ray_cluster.processes(name)) == 2, "a second replica", 120)
        load.assert_answered(within_s=60)
