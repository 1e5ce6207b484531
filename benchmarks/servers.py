"""The servers under test: started on their own cores, measured from outside, and always ended."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer

ROOT = Path(__file__).parents[1]
START_LIMIT_S = 120.0
_QUIET_LIMIT_S = 120.0

ServerCpus = Annotated[
    str, typer.Option(help="Cores of the server, e.g. 0 or 0,1; by default all that the load generator leaves.")
]
ClientCpus = Annotated[
    str, typer.Option(help="Cores of the load generator; by default the last one, which a single core has to share.")
]


@dataclass(frozen=True)
class Cores:
    """The cores of the server and of the load generator."""

    server: tuple[int, ...]
    client: tuple[int, ...]

    @classmethod
    def parse(cls, server: str, client: str) -> "Cores":
        """From the two options; empty ones get the default.

        Raises:
            typer.BadParameter: Not a list of cores that this process may use.
        """
        usable = sorted(os.sched_getaffinity(0))
        chosen_client = _cores(client, usable) or tuple(usable[-1:])
        rest = tuple(core for core in usable if core not in chosen_client)
        return cls(_cores(server, usable) or rest or tuple(usable), chosen_client)

    @property
    def shared(self) -> bool:
        """Generator and server take time from each other, so that the figures flatter neither."""
        return bool(set(self.server) & set(self.client))

    def pin_client(self) -> None:
        """Keep this process on the load generator's cores."""
        os.sched_setaffinity(0, self.client)

    def describe(self) -> str:
        """One sentence for below the table."""
        text = f"Servers on core(s) {_listed(self.server)}, load generator on core(s) {_listed(self.client)}"
        return f"{text}, SHARED: the generator slows the servers down" if self.shared else text


def _cores(text: str, usable: Sequence[int]) -> tuple[int, ...]:
    try:
        cores = tuple(int(part) for part in text.split(",") if part)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of cores such as 0,1") from None
    if not set(cores) <= set(usable):
        raise typer.BadParameter(f"{text} is not among the cores that can be used, {_listed(usable)}")
    return cores


def _listed(cores: Sequence[int]) -> str:
    return ",".join(map(str, cores))


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and its process with all children."""

    name: str
    url: str
    process: psutil.Popen
    ready_s: float

    def translate(self, body: bytes) -> str:
        """Translate one text; ``body`` is the JSON of a request."""
        request = urllib.request.Request(self.url + "/translate", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return str(json.load(response)["translatedText"])

    def rss_bytes(self) -> int:
        """Resident memory, with that of its children."""
        return sum(int(memory.rss) for memory in self._of_each(psutil.Process.memory_info))

    def own_rss_bytes(self) -> int:
        """Resident memory of its first process."""
        return int(self.process.memory_info().rss)

    def cpu_s(self) -> float:
        """Processor time used so far."""
        return sum(float(times.user + times.system) for times in self._of_each(psutil.Process.cpu_times))

    def cpu_s_by_part(self) -> dict[str, float]:
        """Processor time used so far by the parts of a cluster: its ingress, its replicas, and Ray's own processes."""
        times: dict[str, float] = defaultdict(float)
        for process in self._processes():
            title = " ".join(process.cmdline()[:1])
            if title.startswith("ray::ServeReplica"):
                part = "ingress" if title.endswith(":ingress") else "replicas"
            else:
                part = "ingress" if process.pid == self.process.pid and self.name == "Dragoman" else "Ray"
            used = process.cpu_times()
            times[part] += used.user + used.system
        return times

    def _of_each(self, measure: Callable[[psutil.Process], Any]) -> Iterator[Any]:
        """What each process says of itself. A document's reader may end between being found and being asked."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                yield measure(process)

    def wait_until_quiet(self) -> None:
        """Return when the server is idle: some servers still compute answers that nobody waits for.

        Raises:
            RuntimeError: It never becomes idle.
        """
        deadline = time.monotonic() + _QUIET_LIMIT_S
        while time.monotonic() < deadline:
            before = self.cpu_s()
            time.sleep(0.2)
            if self.cpu_s() - before <= 0.02:  # two ticks of the kernel's clock
                return
        raise RuntimeError(f"{self.name} is still busy {_QUIET_LIMIT_S:.0f} s after the last request")

    def _processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running(
    name: str,
    command: Sequence[str],
    *,
    port: int,
    cores: Sequence[int],
    log: Path,
    variables: Mapping[str, str],
    ready_path: str = "/",
    folder: Path = ROOT,
) -> Iterator[Server]:
    """Start a server, wait until ``ready_path`` answers 200, and end it afterwards.

    Raises:
        RuntimeError: It ended by itself or did not get ready; the message has the end of its log.
    """
    began = time.monotonic()
    with log.open("ab") as sink:
        process = psutil.Popen(
            ["taskset", "--cpu-list", _listed(cores), *command],
            env=dict(variables),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        while not answers(url + ready_path):
            if process.poll() is not None or time.monotonic() - began > START_LIMIT_S:
                raise RuntimeError(f"{name} did not start: {log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.01)
        yield Server(name, url, process, time.monotonic() - began)
    finally:
        with suppress(psutil.NoSuchProcess):  # it has ended already
            process.terminate()
        try:
            process.wait(timeout=30)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def running_dragoman(
    bundle: Path,
    cores: Sequence[int],
    log: Path,
    *,
    cluster: bool = False,
    name: str = "Dragoman",
    checkout: Path = ROOT,
    **settings: object,
) -> Iterator[Server]:
    """Our server, with a thread for each core; ``settings`` as in ``app/settings.py``, the others are the defaults.

    With ``cluster``, it starts Ray, with its models in replicas. ``checkout`` has the code, ``name`` is for the tables.
    """
    port = free_port()
    chosen = {"bundle": bundle.resolve(), "port": port, "workers": len(cores), **settings}
    variables = _environment() | {f"DRAGOMAN_{field.upper()}": str(value) for field, value in chosen.items()}
    command = [sys.executable, "-m", "app", "serve", *(["--cluster"] if cluster else [])]
    with running(
        name, command, port=port, cores=cores, log=log, variables=variables, ready_path="/readyz", folder=checkout
    ) as server:
        yield server


@contextmanager
def running_served(
    bundle: Path, cores: Sequence[int], log: Path, *, haproxy: bool, **settings: object
) -> Iterator[Server]:
    """``serve run`` with an ingress, behind Ray's HTTP proxy or HAProxy; the rest is as with ``running_dragoman``."""
    port = free_port()
    application = {"import_path": "app.cluster:build", "args": {"bundle": str(bundle.resolve()), **settings}}
    configuration = log.with_suffix(".json")  # which is YAML, too
    configuration.write_text(json.dumps({"http_options": {"port": port}, "applications": [application]}))
    variables = _environment() | {"RAY_ADDRESS": "local", "RAY_SERVE_ENABLE_HA_PROXY": str(int(haproxy))}
    command = [str(Path(sys.executable).parent / "serve"), "run", str(configuration)]
    with running("serve run", command, port=port, cores=cores, log=log, variables=variables, ready_path="/readyz") as (
        server
    ):
        yield server


def _environment() -> dict[str, str]:
    """The variables of this process, without settings."""
    return {name: value for name, value in os.environ.items() if not name.upper().startswith("DRAGOMAN_")}


def answers(url: str) -> bool:
    """Whether a GET is answered with 200."""
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def free_port() -> int:
    """A TCP port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
