"""HTTP under load: Dragoman against LibreTranslate with the same weights, in the same run, on the same cores.

    python -m benchmarks.serving artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Both servers run all the time, and each round loads one after the other with the same sentences, one a request: first by
1, 8, 32 and 128 clients that wait for their answers (closed loop), then by Poisson arrivals (open loop) at multiples of
what LibreTranslate completed at best in the closed loop. Both search with a beam of 4 on int8 weights with the same
threads; all other settings are the defaults, save Dragoman's cache of encoded sentences, which is off, since sentences
come up again in later rounds. LibreTranslate's environment is made on the first run; see ``libretranslate.py``.

With ``--against FOLDER``, a Dragoman of another checkout takes LibreTranslate's place, to measure a change.
Make the checkout with ``git worktree add FOLDER COMMIT``; it needs the native library if it has ``kernels``.

The first second of each load does not count; a request that is still unanswered at the end is waited for.
LibreTranslate's web server talks to at most 100 connections at a time: of 128 clients, some wait until others leave.
Latencies of the open loop count from when a request was due. "(no work)" is a server that answers at once: what the
load generator can do at most. "generator" is the share of a core that it used; near 100 % its figures are not the
server's.

The tables show the median over the rounds, with the smallest and the largest; the last line is JSON.
"""

import asyncio
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import sacrebleu
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.engine.models.bundle import Bundle
from benchmarks import libretranslate
from benchmarks.figures import json_line, ratios, read_sentences, spread
from benchmarks.load import Run, closed_loop, json_sender, open_loop, poisson_arrivals
from benchmarks.servers import ROOT, ClientCpus, Cores, Server, ServerCpus, free_port, running, running_dragoman

PEER = "LibreTranslate"
OURS = "Dragoman"
BEFORE = "other checkout"
IDLE = "(no work)"
CLIENTS = [1, 8, 32, 128]
RATES = [0.5, 0.9, 2.0]
ENVIRONMENT = ROOT / ".venv-libretranslate"
MEASURES: dict[str, Callable[[Run], float]] = {
    "requests_per_s": lambda run: run.per_s,
    "p50_ms": lambda run: run.latency_ms(50),
    "p95_ms": lambda run: run.latency_ms(95),
    "p99_ms": lambda run: run.latency_ms(99),
    "errors": lambda run: run.errors,
    "requests": lambda run: len(run.requests),
    "generator_cpu": lambda run: run.generator_cpu,
    "generator_lag_ms": lambda run: run.lag_ms,
}

Results = dict[tuple[str, str], dict[str, list[float]]]
"""(load, server) -> measure -> one value a round."""


def start(
    stack: ExitStack, bundle: Bundle, environment: Path, cores: Cores, folder: Path, against: Path | None
) -> tuple[Server, Server, Server]:
    """Both servers and the one that does nothing; they end with the stack."""
    log = folder / "log"
    ours = stack.enter_context(running_dragoman(bundle.path, cores.server, log, feature_cache_bytes=0))
    if against:
        other = {"name": BEFORE, "checkout": against.resolve(), "feature_cache_bytes": 0}
        peer = running_dragoman(bundle.path, cores.server, log, **other)
    else:
        peer = _libretranslate(bundle, environment, cores, folder, log)
    port = free_port()
    command = [sys.executable, "-m", "benchmarks.null_server", str(port)]
    idle = running(IDLE, command, port=port, cores=cores.server, log=log, variables=os.environ)
    return ours, stack.enter_context(peer), stack.enter_context(idle)


def _libretranslate(
    bundle: Bundle, environment: Path, cores: Cores, folder: Path, log: Path
) -> AbstractContextManager[Server]:
    libretranslate.make_environment(environment)
    libretranslate.write_packages(bundle, environment, folder)
    port = free_port()
    return running(
        PEER,
        libretranslate.command(environment.resolve(), bundle, port),
        port=port,
        cores=cores.server,
        log=log,
        variables=libretranslate.variables(folder, threads=len(cores.server)),
        ready_path="/languages",
        folder=folder,
    )


@dataclass(frozen=True)
class Bench:
    """The common settings of all loads, and their results."""

    bodies: Sequence[bytes]
    seconds: float
    ramp_s: float
    timeout_s: float
    results: Results = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def closed(self, servers: Sequence[Server], clients: int, number: int) -> None:
        """One closed loop on each server, as round ``number``."""
        for server, common in self._in_turn(servers, number):
            run = asyncio.run(closed_loop(bodies=self._stream(number, clients), clients=clients, **common))
            self._record(closed_label(clients), server, run)

    def open(self, servers: Sequence[Server], rate: float, number: int) -> None:
        """One open loop on each server, with the same arrivals."""
        arrivals = poisson_arrivals(rate, self.ramp_s + self.seconds, seed=number)
        for server, common in self._in_turn(servers, number):
            run = asyncio.run(open_loop(bodies=self._stream(number, len(arrivals)), arrivals=arrivals, **common))
            self._record(f"{rate:.1f}/s", server, run)

    def _in_turn(self, servers: Sequence[Server], number: int) -> Iterator[tuple[Server, dict[str, Any]]]:
        """The servers with their arguments; every second round reverses their order, so that none is always first."""
        for server in servers[::-1] if number % 2 else servers:
            connect = partial(json_sender, server.url + "/translate", self.timeout_s)
            yield server, {"connect": connect, "ramp_s": self.ramp_s, "seconds": self.seconds}
            server.wait_until_quiet()

    def _stream(self, number: int, salt: int) -> Iterator[bytes]:
        """The bodies in an endless loop, from another beginning in each load; the same for all servers."""
        start = (997 * number + 101 * salt) % len(self.bodies)
        return islice(cycle(self.bodies), start, None)

    def _record(self, label: str, server: Server, run: Run) -> None:
        for name, measure in MEASURES.items():
            self.results[label, server.name][name].append(measure(run))


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files with sentences, German first.")],
    source: Annotated[str, typer.Option(help="Language translated from; the files' first column is de.")] = "de",
    clients: Annotated[list[int], typer.Option(min=1, help="Closed loop: concurrent clients.")] = CLIENTS,
    rate: Annotated[list[float], typer.Option(help="Open loop: multiples of LibreTranslate's best.")] = RATES,
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of one load, after its ramp.")] = 3.0,
    ramp: Annotated[float, typer.Option(min=0, help="Seconds at the beginning of a load that don't count.")] = 1.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 5,
    warm_up: Annotated[int, typer.Option(min=1, help="Sentences translated before, whose chrF is compared.")] = 50,
    timeout: Annotated[float, typer.Option(help="Seconds after which a request without answer is an error.")] = 60.0,
    server_cpus: ServerCpus = "",
    client_cpus: ClientCpus = "",
    environment: Annotated[Path, typer.Option(help="Folder of LibreTranslate's environment.")] = ENVIRONMENT,
    against: Annotated[Path | None, typer.Option(help="Compare with the Dragoman of this checkout instead.")] = None,
) -> None:
    """Compare requests per second and latencies of Dragoman and LibreTranslate."""
    bundle = Bundle.open(path)
    cores = Cores.parse(server_cpus, client_cpus)
    target = next((pair.target for pair in bundle.manifest.pairs if pair.source == source), None)
    if target is None:
        raise typer.BadParameter(f"{path} does not translate from {source}", param_hint="--source")
    sentences = read_sentences(pairs, seed=0, reverse=source != "de")
    bodies = [json.dumps({"q": text, "source": source, "target": target}).encode() for text, _ in sentences]
    bench = Bench(bodies, seconds, ramp, timeout)
    console = Console(stderr=True)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours, peer, idle = start(stack, bundle, environment, cores, Path(folder), against)
        cores.pin_client()
        # The first ones make LibreTranslate load its model.
        translations = {server.name: list(map(server.translate, bodies[:warm_up])) for server in (ours, peer)}
        for number in track(range(rounds), "closed loop", console=console):
            for count in clients:
                bench.closed([ours, peer, idle] if number == 0 else [ours, peer], count, number)
        best = max(median(bench.results[closed_label(count), peer.name]["requests_per_s"]) for count in clients)
        for number in track(range(rounds), "open loop", console=console):
            for multiple in rate:
                bench.open([ours, peer], multiple * best, number)
        memory = {server.name: server.rss_bytes() / 1e6 for server in (ours, peer)}
    print_tables(bench.results, peer.name)
    print(f"{cores.describe()}; {len(cores.server)} thread(s) each, int8, beam 4, {seconds:g} s a load")
    references = [reference for _, reference in sentences[:warm_up]]
    chrf = {name: sacrebleu.corpus_chrf(texts, [references]).score for name, texts in translations.items()}
    same = sum(a == b for a, b in zip(*translations.values(), strict=True))
    print(
        f"First {len(references)} translations: chrF {OURS} {chrf[OURS]:.1f}, {peer.name} {chrf[peer.name]:.1f}, "
        f"{same} alike; RSS at the end, MB: {OURS} {memory[OURS]:.0f}, {peer.name} {memory[peer.name]:.0f}"
    )
    rows = [{"load": label, "server": name, **values} for (label, name), values in bench.results.items()]
    setup = {"cores": vars(cores), "seconds": seconds, "rounds": rounds, "libretranslate": libretranslate.version()}
    print(json_line(benchmark="serving", **setup, chrf=chrf, rss_mb=memory, results=rows))


def closed_label(clients: int) -> str:
    return f"{clients} client{'s' if clients > 1 else ''}"


def print_tables(results: Results, peer: str) -> None:
    """One row a load and server, then one a load with the ratios of each round."""
    columns = ("load", "server", "requests/s", "p50 ms", "p95 ms", "p99 ms", "errors", "generator")
    table = Table(*columns, title=f"{OURS} and {peer}")
    for (label, name), values in results.items():
        figures = [spread(values["requests_per_s"], ",.1f")]
        figures += [spread(values[measure], ",.0f") for measure in ("p50_ms", "p95_ms", "p99_ms")]
        errors = f"{sum(values['errors']):.0f} of {sum(values['requests']):.0f}"
        table.add_row(label, name, *figures, errors, f"{max(values['generator_cpu']):.0%}")
    compared = Table("load", "requests/s", "p50", "p95", "p99", title=f"{OURS} over {peer}, round by round")
    for label in dict.fromkeys(label for label, _ in results):
        ours, theirs = results[label, OURS], results[label, peer]
        measures = ("requests_per_s", "p50_ms", "p95_ms", "p99_ms")
        compared.add_row(label, *(spread(ratios(ours[name], theirs[name]), ".2f") for name in measures))
    console = Console(width=150)
    console.print(table)
    console.print(compared)


if __name__ == "__main__":
    typer.run(main)
