"""A Ray cluster of processes on this machine, and Dragoman in it. Only tests marked ``cluster`` import this."""

import os
import re
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
START_S = 240.0  # on a busy machine
_COMPLAINTS = 20


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


NODE = """
import sys
from contextlib import suppress
import ray
from ray import serve

folder, http_port, metrics_port = sys.argv[1:]
context = ray.init(
    "local",
    num_cpus=8,
    include_dashboard=False,
    _temp_dir=folder,
    _metrics_export_port=int(metrics_port),
)
# After 60 s, which a busy machine's proxy may need: a server's readiness waits for it, too.
with suppress(TimeoutError):
    serve.start(http_options={"host": "127.0.0.1", "port": int(http_port)})
print(context.address_info["address"], flush=True)
sys.stdin.read()
"""


class Server(NamedTuple):
    url: str
    process: subprocess.Popen[bytes]


class RayCluster:
    """A node of Ray, with cores on paper for several servers.

    Args:
        folder: An empty folder with a short path: Ray's sockets are in it.
        variables: More environment variables of all its processes.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self.folder, self.http_port, self.metrics_port = folder, free_port(), free_port()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("DRAGOMAN_")} | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests/stubs", ROOT))),
            # Not even if other programs have filled the memory: the files that they read count as well.
            "RAY_memory_monitor_refresh_ms": "0",
            "RAY_metrics_report_interval_ms": "1000",
            # Ray's processes would have a thirtieth of what others get on a busy machine.
            "RAY_worker_niceness": "0",
            # Eight processes, most of which nobody asks for anything.
            "RAY_prestart_worker_first_driver": "false",
            # On a busy machine, processes take long to start.
            "RAY_raylet_start_wait_time_s": "120",
            "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",
            "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH": "app.cluster.proxy.middlewares",
            **variables,
        }
        command = [sys.executable, "-c", NODE, str(folder), str(self.http_port), str(self.metrics_port)]
        with (folder / "node.log").open("wb") as log:
            self.node = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
            )
        assert self.node.stdout
        self.environment["RAY_ADDRESS"] = self.node.stdout.readline().decode().strip()
        if not self.environment["RAY_ADDRESS"]:
            self.stop()
            raise AssertionError((folder / "node.log").read_text())

    def _spawn(self, name: str, command: list[object], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(list(map(str, command)), cwd=ROOT, env=environment, stdout=log, stderr=log)

    @contextmanager
    def served(self, *arguments: str, name: str = "default", prefix: str = "/") -> Iterator[str]:
        """Runs ``serve run app.cluster:build`` with these arguments; gives the URL of Ray's proxy.

        Args:
            arguments: Settings.
            name: The application's.
            prefix: Of its paths behind the proxy.
        """
        options = ["--name", name, "--route-prefix", prefix]
        command = [BIN / "serve", "run", *options, "app.cluster:build", *arguments]
        server = self._spawn(name, command, self.environment)
        url = f"http://127.0.0.1:{self.http_port}{prefix.rstrip('/')}"
        try:
            wait_until_ready(url, server, self.folder / f"{name}.log")
            yield url
        finally:
            server.kill()
            server.wait()

    @contextmanager
    def dragoman(self, *arguments: str, **variables: str) -> Iterator["Server"]:
        """Runs ``dragoman serve --cluster`` with these arguments and environment variables."""
        port = free_port()
        command = [BIN / "dragoman", "serve", "--cluster", f"--port={port}", *arguments]
        process = self._spawn("dragoman", command, self.environment | variables)
        server = Server(f"http://127.0.0.1:{port}", process)
        try:
            wait_until_ready(*server, self.folder / "dragoman.log")
            yield server
        finally:
            end(process)

    def processes(self, deployment: str) -> list[psutil.Process]:
        """The processes of a deployment, oldest first.

        Args:
            deployment: Its name behind the application's.
        """
        found = []
        for process in psutil.Process(self.node.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                title = " ".join(process.cmdline()[:1])
                if title.startswith(f"ray::ServeReplica:{deployment}"):
                    found.append(process)
        return sorted(found, key=lambda process: process.create_time())

    def metrics(self, name: str) -> dict[str, float]:
        """The values of a metric by replica, as Ray's exporter has them."""
        return {sample.labels["replica"]: sample.value for sample in self._samples(name)}

    def labels(self, name: str) -> set[str]:
        """The labels that all samples of a metric have."""
        return set.intersection(*(set(sample.labels) for sample in self._samples(name)))

    def _samples(self, name: str) -> list[Sample]:
        text = httpx.get(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=60).text
        # Ray's own metrics take a third of a second to parse, and tests ask again and again.
        families = text_string_to_metric_families("".join(line for line in text.splitlines(True) if name in line))
        return [sample for family in families for sample in family.samples if sample.name == name]

    def complaints(self) -> str:
        """The last warnings and errors of Ray's own processes."""
        logs = (self.folder / "session_latest/logs").glob("*[rt].out")  # gcs_server.out, raylet.out, …
        lines = [line for log in logs for line in log.read_text().splitlines() if re.match(r"\S+ \S+ [WEC] ", line)]
        return "\n".join(lines[-_COMPLAINTS:])

    def stop(self) -> None:
        """Ends the node and everything on it."""
        processes = [*psutil.Process(self.node.pid).children(recursive=True), psutil.Process(self.node.pid)]
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        for pipe in (self.node.stdin, self.node.stdout):
            assert pipe
            pipe.close()
        self.node.wait()


def wait_until_ready(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end_s = time.monotonic() + START_S
    while True:
        assert server.poll() is None, log.read_text()
        assert time.monotonic() < end_s, log.read_text()
        try:
            if httpx.get(f"{url}/readyz", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)


def end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
