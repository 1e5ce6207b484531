"""The files of deploy/ in the proxies that they are for: streams, uploads, a URL prefix, and who the client is."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.proxies import PROXIES, Site, behind, is_installed

A_MINUTE = 20  # requests of an address


@pytest.fixture(scope="module", params=PROXIES)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    if not is_installed(request.param) and not os.environ.get("PROXIES_REQUIRED"):  # as .ci/run sets it
        pytest.skip(f"{request.param} is not installed")
    settings = {"ROOT_PATH": "/mt", "DEEPL_HEARTBEAT_S": "0.1", "REQUESTS_PER_MINUTE": str(A_MINUTE)}
    with behind(request.param, tmp_path_factory.mktemp(request.param), **settings) as site:
        yield site


def wanted(text: str, **more: object) -> dict[str, object]:
    return {"q": text, "source": "de", "target": "en", **more}


@pytest.mark.parametrize("prefix", ["", "/mt"])
def test_the_page_and_the_contracts_are_served_under_the_prefix(site: Site, prefix: str) -> None:
    with site.client() as client:
        assert "<html" in client.get(f"{prefix}/").text
        answer = client.post(f"{prefix}/translate", json=wanted("Guten Morgen!"))
    assert answer.json()["translatedText"] == "Good morning!"


@pytest.mark.parametrize(
    "path",
    [
        "/metrics",
        "/mt/metrics",
        "//metrics",
        "/mt//admin",
        "/metrics/",
        "/Info",
        "/%69nfo",
        "/admin/keys",
        "/mt/admin/",
    ],
)
def test_what_is_for_the_operator_stays_inside(site: Site, path: str) -> None:
    with site.client() as client:
        response = client.get(f"{client.base_url}".rstrip("/") + path)
    assert response.status_code == 404 and "dragoman" not in response.text.lower()


def test_a_stream_is_handed_on_as_it_comes(site: Site) -> None:
    request = wanted("Guten Morgen! WAIT ist hier.", stream=True)
    with site.client() as client, client.stream("POST", "/translate", json=request) as answer:
        lines = (line for line in answer.iter_lines() if line.startswith("data:"))
        assert "Good morning!" in next(lines)
        assert site.says() == "waits"
        site.go_on()
        assert "WAIT" in json.loads(next(lines).removeprefix("data:"))["target"]["text"]


def test_white_space_keeps_the_clients_of_deepl_waiting(site: Site) -> None:
    request = {"text": ["WAIT ist hier."], "target_lang": "EN-GB"}
    with site.client() as client, client.stream("POST", "/v2/translate", json=request) as answer:
        chunks = answer.iter_raw()
        assert not next(chunks).strip()
        assert site.says() == "waits"
        site.go_on()
        assert "WAIT" in json.loads(b"".join(chunks))["translations"][0]["text"]


def test_the_work_of_a_client_that_leaves_ends(site: Site) -> None:
    with (
        site.client() as client,
        client.stream("POST", "/translate", json=wanted("Wer? WAIT ist hier.", stream=True)) as answer,
    ):
        assert next(answer.iter_lines())
        assert site.says() == "waits"
    assert site.says() == "cancelled"


def test_long_documents_pass_and_dragoman_says_what_is_too_long(site: Site) -> None:
    form = {"source": "de", "target": "en"}
    with site.client() as client:
        files = {"file": ("a.txt", b"Guten Morgen!\n" * 4_000)}
        assert client.post("/translate_file", data=form, files=files).status_code == 200
        refused = client.post(
            "/translate", content=b" " * (32 * 2**20 + 1), headers={"Content-Type": "application/json"}
        )
    assert refused.status_code == 413 and refused.json()["code"]


def test_each_client_counts_for_itself_whatever_it_claims(site: Site) -> None:
    with site.client("127.0.0.2") as greedy, site.client("127.0.0.3") as other:
        statuses = [
            greedy.post(
                "/detect",
                json={"q": "Guten Morgen!"},
                headers={"X-Forwarded-For": f"10.0.0.{number}", "X-Real-IP": "::1"},
            ).status_code
            for number in range(A_MINUTE + 1)
        ]
        assert statuses == [200] * A_MINUTE + [429]
        assert other.post("/detect", json={"q": "Guten Morgen!"}).status_code == 200


def test_the_proxies_that_are_tested_are_those_with_files() -> None:
    deploy = Path(__file__).parents[2] / "deploy"
    assert set(PROXIES) == {folder.name for folder in deploy.iterdir()} & {"caddy", "nginx", "haproxy", "apache"}
