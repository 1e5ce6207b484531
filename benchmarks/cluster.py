"""The cluster on one machine: what a second replica gains, and what the way to a replica costs.

    python -m benchmarks.cluster artifacts/de-en data/de-en/eval/tatoeba.test.tsv

Servers with one worker for each model, one after the other in each round: a single process; clusters with one replica
and with two on all cores; a cluster with one replica that has a single core for all its processes; and ``serve run``
with one replica, behind Ray's HTTP proxy and behind HAProxy; and, behind HAProxy, with the models in one ingress, in
two, and in one that has a single core for all its processes. Each meets first one client (latency), then many
(throughput). Of two replicas on two cores, the ingress takes a part, so the processor time of a request is shown, too:
of the ingress, the replicas, and Ray's own processes; beside it that of the load generator. ``--sentences`` puts
several sentences into a request, which the way costs once. The table shows the median over the rounds, with the
smallest and the largest; the last line is JSON.
"""

import asyncio
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
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
from benchmarks.servers import Server, running_dragoman, running_served

_ON_ONE_CORE = " on 1 core"
ONE_CORE = "1 replica" + _ON_ONE_CORE
_MODEL_INGRESS = partial(running_served, haproxy=True, models_in_ingress=True)
SERVERS: dict[str, Callable[..., AbstractContextManager[Server]]] = {
    "one process": running_dragoman,
    "1 replica": partial(running_dragoman, cluster=True, replicas=1),
    "2 replicas": partial(running_dragoman, cluster=True, replicas=2),
    ONE_CORE: partial(running_dragoman, cluster=True, replicas=1),
    "Ray's proxy": partial(running_served, haproxy=False, replicas=1),
    "HAProxy": partial(running_served, haproxy=True, replicas=1),
    "1 model ingress": partial(_MODEL_INGRESS, replicas=1),
    "2 model ingresses": partial(_MODEL_INGRESS, replicas=2),
    "1 model ingress" + _ON_ONE_CORE: partial(_MODEL_INGRESS, replicas=1),
}
_COMPARED = [
    (two, one + where)
    for two, one in (("2 replicas", "1 replica"), ("2 model ingresses", "1 model ingress"))
    for where in ("", _ON_ONE_CORE)
]
_WARM_UP_S = 1.0
PARTS = ("ingress", "replicas", "Ray")
_SHOWN = (*PARTS, "generator")
LABELS = {
    "p50_ms": "one client: p50 ms",
    "cpu_ms": "processor ms a request",
    **{f"{part}_cpu_ms": f"  of {part}" for part in _SHOWN},
    "per_s": "many clients: requests/s",
    "busy_cpu_ms": "processor ms a request",
    **{f"{part}_busy_cpu_ms": f"  of {part}" for part in _SHOWN},
}


async def one_round(server: Server, bodies: Iterator[bytes], *, clients: int, seconds: float) -> dict[str, float]:
    """Latency with one client, then throughput with many.

    Raises:
        RuntimeError: A request failed.
    """
    connect = partial(json_sender, server.url + "/translate", timeout_s=60)
    await closed_loop(connect, bodies, clients=clients, seconds=_WARM_UP_S)
    figures = {}
    for name, cpu, number in (("p50_ms", "cpu_ms", 1), ("per_s", "busy_cpu_ms", clients)):
        began = server.cpu_s_by_part()
        run = await closed_loop(connect, bodies, clients=number, seconds=seconds)
        if run.errors:
            raise RuntimeError(f"{server.name}: {run.errors} requests failed")
        figures[name] = run.latency_ms(50) if number == 1 else run.per_s
        used = {part: 1000 * (s - began[part]) / len(run.requests) for part, s in server.cpu_s_by_part().items()}
        figures[cpu] = sum(used.values())
        figures |= {f"{part}_{cpu}": used.get(part, 0.0) for part in PARTS}
        figures[f"generator_{cpu}"] = 1000 * run.generator_cpu * seconds / len(run.requests)
    return figures


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first column is translated, as German.")],
    target: Annotated[str, typer.Option(help="Language to translate to.")] = "en",
    clients: Annotated[int, typer.Option(min=1, help="Concurrent clients for the throughput.")] = 32,
    sentences: Annotated[int, typer.Option(min=1, help="Sentences in a request.")] = 1,
    servers: Annotated[str, typer.Option(help="Servers to measure, separated by commas.")] = ",".join(SERVERS),
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of one load.")] = 5.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 3,
) -> None:
    """Compare a single process with clusters."""
    texts = [text for text, _ in read_sentences(pairs, seed=0)]
    requests = [" ".join(texts[place : place + sentences]) for place in range(0, len(texts), sentences)]
    bodies = cycle([json.dumps({"q": text, "source": "de", "target": target}).encode() for text in requests])
    results: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in servers.split(",")}
    cores = sorted(os.sched_getaffinity(0))
    with TemporaryDirectory() as folder:
        for _ in track(range(rounds), "cluster", console=Console(stderr=True)):
            for name in results:
                own, log = cores[:1] if name.endswith(_ON_ONE_CORE) else cores, Path(folder) / "log"
                # Sentences are repeated, and the encoder cache must not help.
                with SERVERS[name](path, own, log, workers=1, feature_cache_bytes=0) as server:
                    figures = asyncio.run(one_round(server, bodies, clients=clients, seconds=seconds))
                for figure, value in figures.items():
                    results[name][figure].append(value)
    table = Table("median (smallest-largest)", *results, title="A cluster on one machine")
    for figure, label in LABELS.items():
        table.add_row(label, *(spread(results[name][figure], ",.1f") for name in results))
    Console(width=160).print(table)
    found = {name: figures["per_s"] for name, figures in results.items()}
    gains = {f"{two} to {one}": ratios(found[two], found[one]) for two, one in _COMPARED if {two, one} <= found.keys()}
    for name, gain in gains.items():
        print(f"{name}, requests/s: {spread(gain, '.2f')}")
    hop = []
    if {"1 replica", "one process"} <= results.keys():
        far, near = results["1 replica"]["p50_ms"], results["one process"]["p50_ms"]
        hop = [ours - own for ours, own in zip(far, near, strict=True)]
        print(f"the way to a replica, p50 ms: {spread(hop, '.1f')}")
    print(f"{len(cores)} cores, {clients} clients, {sentences} sentences in a request")
    print(json_line(benchmark="cluster", cores=cores, clients=clients, sentences=sentences, seconds=seconds,
                    gains=gains, hop_ms=hop, results=results))  # fmt: skip


if __name__ == "__main__":
    typer.run(main)
