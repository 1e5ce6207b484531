"""Attacks a server that it starts itself, on loopback, and prints how long other clients waited and its memory.

Exits with 1 if a bar is missed: resident memory, waiting times beside every attack, answers, the end within the time to
drain. Waits of translations are compared with those of the same server at rest: at the beginning, or right before the
attack if they were longer then, as on a machine that others use, too. The bar of ``/livez`` is in milliseconds. Takes
some fifteen minutes; ``--only`` makes some of the attacks.
"""

import json
import math
import multiprocessing
import queue
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Annotated, NamedTuple

import psutil
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.attack.attacks import ATTACKS, SENTENCE
from benchmarks.attack.client import JSON, Attack, Target
from benchmarks.attack.documents import DOCUMENT_ATTACKS
from benchmarks.attack.parameters import (
    ATTACK_LIMIT_S,
    BEFORE_S,
    CALM_LIMIT_S,
    DRAIN_S,
    IDLE_S,
    LIVEZ_EVERY_S,
    MAX_GROWTH_MB,
    MAX_LIVEZ_P99_MS,
    MAX_RSS_MB,
    MAX_SMALL_RATIO,
    SMALL_EVERY_S,
    START_S,
)
from benchmarks.load import percentile
from benchmarks.servers import Server, running_dragoman

_SMALL = json.dumps({"q": "Ich möchte heute Abend ein Bier trinken.", "source": "de", "target": "en"}).encode()


class Sample(NamedTuple):
    """A request of an ordinary client; ``status`` is as in ``Target.request``."""

    kind: str
    began_s: float
    seconds: float
    status: str


class Bystanders:
    """Send small translations and GET /livez at a steady rate, from a process of their own."""

    def __init__(self, port: int) -> None:
        self._samples: multiprocessing.Queue[Sample] = multiprocessing.Queue()
        self._over = multiprocessing.Event()
        self._process = multiprocessing.Process(target=_probe, args=(port, self._samples, self._over), daemon=True)
        self._process.start()
        self._received: list[Sample] = []

    def between(self, began_s: float, ended_s: float) -> list[Sample]:
        """The requests that were due in that time; waits for their answers, up to a limit."""
        later: set[str] = set()
        with suppress(queue.Empty):
            while later != {"livez", "small"}:
                sample = self._samples.get(timeout=ATTACK_LIMIT_S)
                self._received.append(sample)
                if sample.began_s > ended_s:
                    later.add(sample.kind)
        return [sample for sample in self._received if began_s <= sample.began_s <= ended_s]

    def stop(self) -> None:
        """Ends the process."""
        self._over.set()
        self._process.join(60)


def _probe(port: int, samples: "multiprocessing.Queue[Sample]", over: Event) -> None:
    def send(kind: str, every_s: float) -> None:
        due = time.monotonic()
        while not over.is_set():
            target = Target(port, ATTACK_LIMIT_S)
            status, _ = target.request("/livez") if kind == "livez" else target.request("/translate", _SMALL, JSON)
            waited_s = time.monotonic() - due
            samples.put(Sample(kind, due, waited_s, status))
            # One after the other. A request that was due while another waited would have waited, too.
            for place in range(1, 1 + int(waited_s / every_s)):
                samples.put(Sample(kind, due + place * every_s, waited_s - place * every_s, status))
            due = max(due + every_s, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))

    rates = {"livez": LIVEZ_EVERY_S, "small": SMALL_EVERY_S}
    threads = [threading.Thread(target=send, args=rate) for rate in rates.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Row(NamedTuple):
    """The result of an attack."""

    name: str
    outcome: str
    worst_ms: float
    livez_p99_ms: float
    livez_ratio: float
    small_p95_ms: float
    small_ratio: float
    small_failed: int
    rss_mb: float
    readers_mb: float
    missed: list[str]


class Rest(NamedTuple):
    """How long other clients wait while nobody attacks."""

    livez_p99_ms: float
    small_p95_ms: float
    rss_mb: float

    @classmethod
    def of(cls, row: Row) -> "Rest":
        """The figures of some samples."""
        return cls(row.livez_p99_ms, row.small_p95_ms, row.rss_mb)


def main(
    bundle: Annotated[Path, typer.Argument(help="Bundle folder, e.g. artifacts/de-en.")],
    only: Annotated[str, typer.Option(help="Part of the names of the attacks to make; all by default.")] = "",
) -> None:
    """Attacks a server."""
    began = time.monotonic()
    chosen = [attack for attack in ATTACKS if only.lower() in attack.name.lower()]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with running_dragoman(bundle, (0, 1), log, drain_timeout_s=DRAIN_S) as server:
            port = int(server.url.rpartition(":")[2])
            bystanders = Bystanders(port)
            time.sleep(3.0)
            resting = partial(_row, server=server, port=port, bystanders=bystanders, rest=None)
            idle = resting(_nobody(IDLE_S))
            _say(idle)
            rows = [idle]
            for number, attack in enumerate(chosen, 1):
                print(f"[{number}/{len(chosen)}] ", end="", flush=True)
                before = resting(_nobody(BEFORE_S))
                rest = Rest(*(max(pair) for pair in zip(Rest.of(idle), Rest.of(before), strict=True)))
                rows.append(_row(attack, server, port, bystanders, rest))
                _say(rows[-1])
                if server.process.poll() is not None:
                    break
                _wait_until_calm(server)
            bystanders.stop()
            rows.append(_end(server, port))
    _print(rows)
    missed = [f"{row.name}: {', '.join(row.missed)}" for row in rows if row.missed]
    print(
        f"{time.monotonic() - began:.0f} s;",
        "\n".join(["these bars are missed:", *missed]) if missed else "all bars hold",
    )
    sys.exit(bool(missed))


def _nobody(seconds: float) -> Attack:
    def wait(_: Target) -> str:
        time.sleep(seconds)
        return ""

    return Attack("nobody", wait, lambda _: True)


def _row(attack: Attack, server: Server, port: int, bystanders: Bystanders, rest: Rest | None) -> Row:
    target = Target(port, ATTACK_LIMIT_S)
    timer = threading.Timer(ATTACK_LIMIT_S, target.over.set)
    timer.start()
    began = time.monotonic()
    with _peak_memory(server) as peak:
        outcome = attack.run(target)
        time.sleep(2.0)  # what comes after the answer counts, too
    timer.cancel()
    samples = bystanders.between(began, time.monotonic())
    waits = {kind: [1000 * sample.seconds for sample in samples if sample.kind == kind] for kind in ("livez", "small")}
    livez, small = percentile(waits["livez"] or [math.inf], 99), percentile(waits["small"] or [math.inf], 95)
    failed = sum(sample.status != "200" for sample in samples)
    rss_mb, readers_mb = (peak_bytes / 1e6 for peak_bytes in peak)
    missed = []
    if rss_mb > MAX_RSS_MB:
        missed.append(f"memory {rss_mb:.0f} MB")
    rest = rest or Rest(livez, small, rss_mb)
    if attack in DOCUMENT_ATTACKS and rss_mb > rest.rss_mb + MAX_GROWTH_MB:
        missed.append(f"memory {rss_mb - rest.rss_mb:.0f} MB more")
    if livez > MAX_LIVEZ_P99_MS:
        missed.append(f"livez {livez:.0f} ms")
    if small > MAX_SMALL_RATIO * rest.small_p95_ms:
        missed.append(f"small {small / rest.small_p95_ms:.1f} times idle")
    if failed:
        missed.append(f"{failed} of others failed")
    if not attack.is_good(outcome):
        missed.append("outcome")
    if server.process.poll() is not None:
        missed.append("the server ended")
    worst = max((wait for each in waits.values() for wait in each), default=math.nan)
    ratios = livez / rest.livez_p99_ms, small / rest.small_p95_ms
    return Row(attack.name, outcome, worst, livez, ratios[0], small, ratios[1], failed, rss_mb, readers_mb, missed)


@contextmanager
def _peak_memory(server: Server) -> Iterator[list[int]]:
    """The most memory of the server, and of the processes in which it reads documents, in bytes."""
    over, seen = threading.Event(), [0, 0]

    def watch() -> None:
        while not over.wait(0.05):
            with suppress(psutil.NoSuchProcess):  # a reader may end at any moment
                own = server.own_rss_bytes()
                seen[:] = max(seen[0], own), max(seen[1], server.rss_bytes() - own)

    thread = threading.Thread(target=watch)
    thread.start()
    yield seen
    over.set()
    thread.join()


def _wait_until_calm(server: Server) -> None:
    end = time.monotonic() + CALM_LIMIT_S
    while time.monotonic() < end:
        before = server.cpu_s()
        time.sleep(0.5)
        if server.cpu_s() - before < 0.2:  # the bystanders alone take a tenth of a core
            return


def _end(server: Server, port: int) -> Row:
    """SIGTERM while long texts are translated and searches run."""
    target = Target(port, ATTACK_LIMIT_S)
    patterns = [f"regex:(?:[ab]*a[ab]{{{900 - i}}}c)" for i in range(100)]
    calls = [
        *[lambda: target.translate(q="ab" * 500_000, protect=patterns)] * 8,
        *[lambda: target.translate(q=SENTENCE * 2000)] * 4,
    ]
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    time.sleep(3.0)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    try:
        code = server.process.wait(timeout=60)
    except Exception:
        code = None
    seconds = time.monotonic() - began
    missed = [] if code is not None and seconds <= DRAIN_S + START_S else ["end"]
    outcome = f"code {code} after {seconds:.1f} s of {DRAIN_S:.0f} s to drain"
    unknown = math.nan
    return Row("D2 SIGTERM while all is busy", outcome, *(unknown,) * 5, 0, unknown, unknown, missed)


def _say(row: Row) -> None:
    print(
        f"{row.name}: {row.outcome}; livez p99 {row.livez_p99_ms:.0f} ms ({row.livez_ratio:.1f}), "
        f"small p95 {row.small_p95_ms:.0f} ms ({row.small_ratio:.1f}), {row.rss_mb:.0f} MB, "
        f"readers {row.readers_mb:.0f} MB {row.missed or ''}",
        flush=True,
    )


def _print(rows: list[Row]) -> None:
    waits = ("worst wait ms", "livez p99 ms", "/ idle", "small p95 ms", "/ idle")
    table = Table("attack", "outcome", *waits, "others failed", "peak MB", "readers MB", "missed")
    for row in rows:
        figures = (
            f"{row.worst_ms:.0f}",
            f"{row.livez_p99_ms:.0f}",
            f"{row.livez_ratio:.1f}",
            f"{row.small_p95_ms:.0f}",
            f"{row.small_ratio:.1f}",
            str(row.small_failed),
        )
        table.add_row(
            row.name, row.outcome, *figures, f"{row.rss_mb:.0f}", f"{row.readers_mb:.0f}", ", ".join(row.missed)
        )
    Console(width=170).print(table)


if __name__ == "__main__":
    typer.run(main)
