"""Dragoman with a fake engine behind Debian's Caddy or nginx, with the files of ``deploy/`` as they are."""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
START_LIMIT_S = 60

# It says when it waits and when its client has gone; a line on its standard input lets it go on.
PROGRAM = """
import asyncio, sys
from app.cli import server
from app.main import create_app
from app.settings import Settings
from tests.support.fakes import FakeEngine

class Told(FakeEngine):
    async def start(self):
        await super().start()
        asyncio.get_running_loop().add_reader(sys.stdin, lambda: (sys.stdin.readline(), self.may_go_on.set()))

    async def _wait(self, event):
        print("waits", flush=True)
        try:
            await event.wait()
        except asyncio.CancelledError:
            print("cancelled", flush=True)
            raise
        event.clear()

settings = Settings(port=0)
server.run(create_app(settings, Told()), settings, announce=lambda url: print(url, flush=True))
"""


class Site:
    """A site that a proxy serves.

    Args:
        port: Of the proxy, at localhost.
        certificate: What clients trust.
        server: Dragoman's process.
    """

    def __init__(self, port: int, certificate: Path, server: subprocess.Popen[str]) -> None:
        self._port, self._server = port, server
        self._trust = ssl.create_default_context(cafile=str(certificate))

    def client(self, address: str = "127.0.0.1") -> httpx.Client:
        """A client with an address of its own, which is one of this machine's."""
        transport = httpx.HTTPTransport(verify=self._trust, local_address=address)
        return httpx.Client(transport=transport, base_url=f"https://localhost:{self._port}", timeout=START_LIMIT_S)

    def says(self) -> str:
        """The next line of Dragoman's output."""
        assert self._server.stdout
        return self._server.stdout.readline().strip()

    def go_on(self) -> None:
        """Lets the sentence with "WAIT" go on."""
        assert self._server.stdin
        self._server.stdin.write("go on\n")
        self._server.stdin.flush()


@contextmanager
def dragoman(**settings: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Dragoman's process, and its address."""
    variables = os.environ | {"PYTHONPATH": str(ROOT)} | {f"DRAGOMAN_{name}": text for name, text in settings.items()}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=variables, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        try:
            assert server.stdout
            yield server, re.sub(r"^http://([^/]+).*", r"\1", server.stdout.readline().strip())
        finally:
            server.terminate()


@contextmanager
def behind(proxy: str, folder: Path, **settings: str) -> Iterator[Site]:
    """A site behind a proxy.

    Args:
        proxy: ``caddy`` or ``nginx``.
        folder: An empty folder for what the proxy writes.
        settings: Dragoman's, without their prefix.
    """
    with dragoman(TRUSTED_PROXIES="127.0.0.1", **settings) as (server, address):
        command, certificate = PROXIES[proxy](folder, address)
        home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        environment = {**os.environ, **home, "UPSTREAM": address}
        with (folder / "log").open("w") as log:
            running = psutil.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield Site(_port_of(running, certificate, folder / "log"), certificate, server)
        finally:
            running.terminate()
            running.wait(timeout=START_LIMIT_S)


def _port_of(running: psutil.Popen, certificate: Path, log: Path) -> int:
    """The port that the proxy listens on, as soon as it has a certificate there; Caddy makes its own a little later."""
    while True:
        assert running.poll() is None, log.read_text()
        listening = [port.laddr.port for port in running.net_connections("tcp") if port.status == psutil.CONN_LISTEN]
        if listening and certificate.exists() and _shakes_hands(max(listening), certificate):
            return max(listening)


def _shakes_hands(port: int, certificate: Path) -> bool:
    try:
        context = ssl.create_default_context(cafile=certificate)
        with socket.create_connection(("127.0.0.1", port)) as plain:
            context.wrap_socket(plain, server_hostname="localhost").close()
    except OSError:  # ssl.SSLError is one
        return False
    return True


def _caddy(folder: Path, address: str) -> tuple[list[str], Path]:
    # Nothing of this machine may change: no port below 1024, no certificate that the system trusts.
    ours = "{\n\tskip_install_trust\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port 0\n\thttps_port PORT\n}\n"
    site = (DEPLOY / "caddy" / "Caddyfile").read_text()
    path = folder / "Caddyfile"
    path.write_text(ours.replace("PORT", str(_free_port())) + site)
    root = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
    return ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"], root


def _nginx(folder: Path, address: str) -> tuple[list[str], Path]:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    site = (DEPLOY / "nginx" / "dragoman.conf").read_text()
    changes = {
        r"server 127\.0\.0\.1:8000;": f"server {address};",
        r"listen 443 ": f"listen 127.0.0.1:{_free_port()} ",
        r"ssl_certificate /.*;": f"ssl_certificate {certificate};",
        r"ssl_certificate_key /.*;": f"ssl_certificate_key {key};",
        r"translate\.example\.org": "localhost",
    }
    for pattern, text in changes.items():
        site, times = re.subn(pattern, text, site)
        assert times == 1, pattern
    paths = " ".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error; events {{}}\n"
        f"http {{ access_log off; {paths}\n{site}\n}}\n"
    )
    return ["nginx", "-c", str(main), "-p", str(folder), "-e", str(folder / "error")], certificate


PROXIES: dict[str, Callable[[Path, str], tuple[list[str], Path]]] = {"caddy": _caddy, "nginx": _nginx}


def is_installed(proxy: str) -> bool:
    """Tells whether the program is on this machine."""
    return shutil.which(proxy) is not None


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
