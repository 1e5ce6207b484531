"""A cluster treats requests as a single process does: streams, time limits, cancellation, drain."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import httpx
import pytest

from tests.cluster.conftest import wait_until
from tests.support.cluster import RayCluster
from tests.support.collector import Collector

pytestmark = pytest.mark.cluster

BOOK = " ".join(f"Ich möchte {number} Bier und {number + 1} Brote." for number in range(3000))


def body(text: str, **more: object) -> dict[str, object]:
    return {"q": text, "source": "de", "target": "en", **more}


@pytest.fixture(params=["served", "dragoman"])
def client(request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=request.getfixturevalue(request.param), timeout=60) as client:
        yield client


def test_sentences_come_one_by_one_and_make_the_text(client: httpx.Client) -> None:
    text = "Guten Morgen! Ich möchte ein Bier.\n\nWo ist der Bahnhof?"
    events = []
    with client.stream("POST", "/translate", json=body(text, stream=True)) as response:
        lines = list(response.iter_lines())
    for name, data in pairwise(lines):
        if name.startswith("event: "):
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    whole = client.post("/translate", json=body(text)).json()["translatedText"]
    assert [name for name, _ in events if name != "token"] == ["sentence"] * 3 + ["translation"]
    assert events[-1][1]["translatedText"] == whole
    assert "\n\n" in whole


def test_a_time_limit_ends_a_book(client: httpx.Client, ray_cluster: RayCluster) -> None:
    def end_after(limit_ms: int, within_s: float) -> None:
        with a_replica_stops_working(ray_cluster, within_s):
            response = client.post("/translate", json=body(BOOK, deadline_ms=limit_ms))
            assert response.status_code == 504

    try:
        end_after(2_000, within_s=30)
    except AssertionError:  # a busy machine had given nothing to a replica by then
        end_after(8_000, within_s=120)


def test_a_client_that_leaves_frees_the_replica(client: httpx.Client, ray_cluster: RayCluster) -> None:
    text = BOOK.replace("Bier", "Tee")  # so that no sentence is in a cache
    with (
        a_replica_stops_working(ray_cluster),
        client.stream("POST", "/translate", json=body(text, stream=True)) as response,
    ):
        assert "event: sentence" in response.iter_lines()  # reads on until there is one


@contextmanager
def a_replica_stops_working(ray_cluster: RayCluster, within_s: float = 120) -> Iterator[None]:
    """Waits at the end until one of the replicas has counted sentences that nobody waits for."""
    name = "ray_dragoman_engine_cancelled_total"
    before = ray_cluster.metrics(name)
    yield
    # Not the sum: Ray forgets what an ended replica had counted, two minutes later.
    wait_until(
        lambda: any(value > before.get(replica, 0) for replica, value in ray_cluster.metrics(name).items()),
        "a replica stops working",
        within_s,
    )


def test_errors_of_the_engine_keep_their_codes(client: httpx.Client) -> None:
    response = client.post("/translate", json=body("Hallo", target="xx"))
    assert (response.status_code, response.json()["code"]) == (400, "unsupported_pair")
    models = client.get("/info").json()["models"]
    assert models[0]["loaded"] and models[0]["providers"]


def test_a_trace_goes_through_ingress_and_replica(client: httpx.Client, collector: Collector) -> None:
    trace, caller = secrets.token_hex(16), secrets.token_hex(8)
    headers = {"traceparent": f"00-{trace}-{caller}-01", "X-Request-ID": "id-1"}
    client.post("/translate", json=body(f"Ich möchte {secrets.randbelow(10**6)} Bier."), headers=headers)
    names = {"POST /translate", "prepare", "call", "replica", "queue", "encode", "decode", "render"}
    wait_until(lambda: collector.trace(trace).keys() >= names, "the trace is complete")
    spans = {name: span for name, span in collector.trace(trace).items() if name in names}
    parents = {name: span.parent_span_id.hex() for name, span in spans.items()}
    ids = {name: span.span_id.hex() for name, span in spans.items()}
    assert parents.pop("POST /translate") == caller
    assert parents.pop("replica") == ids["call"]
    assert parents == {
        **dict.fromkeys(["prepare", "call", "render"], ids["POST /translate"]),
        **dict.fromkeys(["queue", "encode", "decode"], ids["replica"]),
    }
    requests = {value.value.string_value for span in spans.values() for value in span.attributes
                if value.key == "dragoman.request_id"}  # fmt: skip
    assert requests == {"id-1"}


def test_metrics_of_the_cluster_name_the_replicas(client: httpx.Client, ray_cluster: RayCluster) -> None:
    client.post("/translate", json=body("Wo ist der Bahnhof?"))
    name = "ray_dragoman_engine_finished_total"
    wait_until(lambda: any(ray_cluster.metrics(name).values()), "the replicas publish")
    assert {"deployment", "replica", "application"} <= ray_cluster.labels(name)
