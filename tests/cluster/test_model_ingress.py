"""Ingresses with the models inside: the same answers, without replicas."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import httpx
import pytest

from tests.cluster.conftest import Load, wait_until
from tests.support.cluster import RayCluster

pytestmark = pytest.mark.cluster

NAME = "models"
BODY = {"q": "Guten Morgen! Ich möchte ein Bier.", "source": "de", "target": "en"}


@pytest.fixture(scope="module")
def url(ray_cluster: RayCluster) -> Iterator[str]:
    settings = ("models_in_ingress=true", "replicas=2", "workers=1", "root_path=/models")
    with ray_cluster.served(*settings, name=NAME, prefix="/models") as url:
        yield url


def test_it_answers_as_a_cluster_with_replicas(url: str, served: str, ray_cluster: RayCluster) -> None:
    answer = httpx.post(f"{url}/translate", json=BODY, timeout=60)
    assert answer.json() == httpx.post(f"{served}/translate", json=BODY, timeout=60).json()
    with httpx.stream("POST", f"{url}/translate", json=BODY | {"stream": True}, timeout=60) as response:
        assert [line for line in response.iter_lines() if line.startswith("event: s")] == ["event: sentence"] * 2
    assert len(ray_cluster.processes(f"{NAME}:ingress")) == 2
    assert not ray_cluster.processes(f"{NAME}:0-de-en")


def test_the_other_one_goes_on_when_one_is_killed(url: str, ray_cluster: RayCluster) -> None:
    with Load(url).running() as load:
        load.wait_for(5)
        killed = ray_cluster.processes(f"{NAME}:ingress")[0]
        os.kill(killed.pid, signal.SIGKILL)
        load.wait_for(20)
        wait_until(lambda: len(ray_cluster.processes(f"{NAME}:ingress")) == 2, "another one is started")
        load.wait_for(20)
    load.assert_answered(within_s=30)


def test_the_command_says_what_it_needs() -> None:
    command = [sys.executable, "-m", "app", "serve", "--cluster"]
    environment = os.environ | {"DRAGOMAN_MODELS_IN_INGRESS": "true"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "models_in_ingress needs `serve run`" in done.stderr
