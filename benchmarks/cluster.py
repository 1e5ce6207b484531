"""The cluster on one machine: what a second replica gains, and what the way to a replica costs.

    python -m benchmarks.cluster artifacts/de-en data/de-en/eval/tatoeba.test.tsv

Three servers run side by side, with one worker for each model: a single process, a cluster with one replica, and one
with two. Each round asks them in turn, first with one client (latency), then with many (throughput). A second replica
can only gain if a second core is free, so the processor time of a request is shown, too: of the server and all its
children. The table shows the median over the rounds, with the smallest and the largest; the last line is JSON.
"""

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.figures import json_line, ratios, read_sentences, spread
from benchmarks.load import closed_loop, json_sender
from benchmarks.servers import Server, running_dragoman

SERVERS: dict[str, dict[str, object]] = {
    "one process": {},
    "1 replica": {"cluster": True, "replicas": 1},
    "2 replicas": {"cluster": True, "replicas": 2},
}
LABELS = {
    "p50_ms": ("one client, p50 ms", ",.1f"),
    "cpu_ms": ("one client, processor ms a request", ",.1f"),
    "per_s": ("many clients, requests/s", ",.1f"),
    "busy_cpu_ms": ("many clients, processor ms a request", ",.1f"),
}


async def one_round(server: Server, bodies: Iterator[bytes], *, clients: int, seconds: float) -> dict[str, float]:
    """Latency with one client, then throughput with many.

    Raises:
        RuntimeError: A request failed.
    """
    connect = partial(json_sender, server.url + "/translate", timeout_s=60)
    figures = {}
    for names, number in ((("p50_ms", "cpu_ms"), 1), (("per_s", "busy_cpu_ms"), clients)):
        began_s = server.cpu_s()
        run = await closed_loop(connect, bodies, clients=number, seconds=seconds)
        if run.errors:
            raise RuntimeError(f"{server.name}: {run.errors} requests failed")
        figures[names[0]] = run.latency_ms(50) if number == 1 else run.per_s
        figures[names[1]] = 1000 * (server.cpu_s() - began_s) / len(run.requests)
    return figures


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first column is translated, as German.")],
    target: Annotated[str, typer.Option(help="Language to translate to.")] = "en",
    clients: Annotated[int, typer.Option(min=1, help="Concurrent clients for the throughput.")] = 32,
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of one load.")] = 5.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 3,
) -> None:
    """Compare a single process with a cluster of one replica and one of two."""
    sentences = read_sentences(pairs, seed=0)
    bodies = cycle(json.dumps({"q": text, "source": "de", "target": target}).encode() for text, _ in sentences)
    results: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in SERVERS}
    cores = sorted(os.sched_getaffinity(0))
    with TemporaryDirectory() as folder, ExitStack() as stack:
        servers = {
            # Sentences come up again, and their features must not be found in the cache.
            name: stack.enter_context(
                running_dragoman(path, cores, Path(folder) / name, workers=1, feature_cache_bytes=0, **settings)
            )
            for name, settings in SERVERS.items()
        }
        for _ in track(range(rounds), "cluster", console=Console(stderr=True)):
            for name, server in servers.items():
                for figure, value in asyncio.run(one_round(server, bodies, clients=clients, seconds=seconds)).items():
                    results[name][figure].append(value)
    table = Table("median (smallest-largest)", *SERVERS, title="A cluster on one machine")
    for figure, (label, spec) in LABELS.items():
        table.add_row(label, *(spread(results[name][figure], spec) for name in SERVERS))
    Console(width=120).print(table)
    gain = ratios(results["2 replicas"]["per_s"], results["1 replica"]["per_s"])
    print(f"2 replicas to 1, requests/s: {spread(gain, '.2f')}; {len(cores)} cores, {clients} clients")
    print(json_line(benchmark="cluster", cores=cores, clients=clients, seconds=seconds, gain=gain, results=results))


if __name__ == "__main__":
    typer.run(main)
