"""The files of deploy/ and docker-compose.yml: what they open, whom they trust, and that their programs accept them."""

import ipaddress
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.server import _KEEP_ALIVE_S
from app.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
OURS = ("dragoman", "cuda", "shared")
UNIT = DEPLOY / "systemd" / "dragoman.service"
# The paths that only the operator needs, as each proxy's file writes them.
PRIVATE = r"(^|/)(metrics|info|admin)(/|$)"


def test_only_this_machine_reaches_what_compose_opens() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", [])]
    assert len(ports) == 5
    assert all(re.match(r"\$\{(TLS_)?BIND:-127\.0\.0\.1\}:", port) for port in ports)


@pytest.mark.parametrize("name", OURS)
def test_the_services_of_compose_trust_the_proxy_and_keep_their_data(name: str) -> None:
    service = COMPOSE["services"][name]
    proxy = COMPOSE["services"]["caddy"]["networks"]["default"]["ipv4_address"]
    [network] = COMPOSE["networks"]["default"]["ipam"]["config"]
    assert ipaddress.ip_address(proxy) in ipaddress.ip_network(network["subnet"])
    values = {key.removeprefix("DRAGOMAN_").lower(): value for key, value in service["environment"].items()}
    settings = Settings.load(**values)
    assert settings.trusted_proxies == (proxy,)
    assert f"data:{settings.data}" in service["volumes"] and "data" in COMPOSE["volumes"]
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert f"-m 700 {settings.data}" in (ROOT / "Dockerfile").read_text()
    assert (settings.database is not None) == (name == "shared")


def test_a_profile_starts_all_that_it_needs() -> None:
    services = COMPOSE["services"]
    for name, service in services.items():
        needed = service.get("depends_on", {})
        assert all(services[other]["profiles"] == services[name]["profiles"] for other in needed)
        assert all("healthcheck" in services[other] for other in needed)


@pytest.mark.parametrize("path", ["caddy/Caddyfile", "nginx/dragoman.conf", "traefik/dragoman.yaml"])
def test_every_proxy_keeps_the_same_paths_inside(path: str) -> None:
    assert PRIVATE in (DEPLOY / path).read_text()


def test_traefik_hands_streams_on_at_once() -> None:
    routes = yaml.safe_load((DEPLOY / "traefik" / "dragoman.yaml").read_text())["http"]
    [router], [service] = routes["routers"].values(), routes["services"].items()
    assert router["service"] == service[0] and "middlewares" not in router
    assert service[1]["loadBalancer"]["responseForwarding"]["flushInterval"] == "10ms"


def test_dragoman_keeps_idle_connections_longer_than_nginx() -> None:
    assert _KEEP_ALIVE_S > 60  # keepalive_timeout of an upstream: a request must not meet a connection that closes


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze, of Debian's package systemd")
def test_systemd_accepts_the_unit_and_finds_little_exposed(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("ExecStart=/opt/dragoman/bin/dragoman", "ExecStart=/bin/true"))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert verified.returncode == 0 and str(unit) not in verified.stderr, verified.stderr
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", unit]
    judged = subprocess.run(command, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout


def test_the_unit_waits_for_the_end() -> None:
    [timeout] = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.MULTILINE)
    assert int(timeout) > Settings.load().drain_timeout_s
