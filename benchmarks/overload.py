"""Overload: offer a server five times its peak load.

    python -m benchmarks.overload artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Each round measures the peak throughput with a closed loop of clients, then sends Poisson arrivals at five times that
rate (open loop), and shows: the share of the peak that was still completed, how fast the others were refused, whether
every refusal is a 503 with Retry-After, how many requests got no answer, and the server's resident memory.

The queue is bounded by ``--queue-tokens`` instead of the default, which holds minutes of work, so that it fills up
within the load. Latencies count from when a request was due. The table shows the median over the rounds, with the
smallest and the largest; the last line is JSON.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.figures import json_line, read_sentences, spread
from benchmarks.load import Run, closed_loop, json_sender, open_loop, poisson_arrivals
from benchmarks.servers import ClientCpus, Cores, Server, ServerCpus, answers, running_dragoman

SHED = 503
LABELS = {
    "peak_per_s": ("peak, requests/s", ",.1f"),
    "offered_per_s": ("offered, requests/s", ",.1f"),
    "completed_per_s": ("completed, requests/s", ",.1f"),
    "share_of_peak": ("completed, share of the peak", ".1%"),
    "completed_p50_ms": ("completed, p50 ms", ",.0f"),
    "completed_p99_ms": ("completed, p99 ms", ",.0f"),
    "shed_per_s": ("refused with 503, requests/s", ",.1f"),
    "shed_p50_ms": ("refused, p50 ms", ",.1f"),
    "shed_p99_ms": ("refused, p99 ms", ",.1f"),
    "shed_slowest_ms": ("refused, slowest, ms", ",.1f"),
    "without_retry_after": ("refused without Retry-After", ",.0f"),
    "other_statuses": ("answered with another status", ",.0f"),
    "unanswered": ("without an answer", ",.0f"),
    "longest_wait_s": ("last answer after the last request, s", ".1f"),
    "generator_cpu": ("load generator, share of a core", ".0%"),
    "generator_lag_ms": ("load generator, p99 late by ms", ",.1f"),
    "rss_before_mb": ("RSS before, MB", ",.0f"),
    "rss_highest_mb": ("RSS under load, highest, MB", ",.0f"),
}


@asynccontextmanager
async def watched_memory(server: Server) -> AsyncIterator[list[int]]:
    """Samples of the server's resident memory, in bytes, while the context lasts."""
    samples = [server.rss_bytes()]

    async def sample() -> None:
        while True:
            await asyncio.sleep(0.1)
            samples.append(server.rss_bytes())

    task = asyncio.create_task(sample())
    try:
        yield samples
    finally:
        task.cancel()


async def one_round(
    server: Server, bodies: Iterator[bytes], *, clients: int, factor: float, ramp_s: float, seconds: float, seed: int
) -> dict[str, float]:
    """Peak first, then overload."""
    connect = partial(json_sender, server.url + "/translate", timeout_s=60)
    peak = await closed_loop(connect, bodies, clients=clients, ramp_s=ramp_s, seconds=seconds)
    arrivals = poisson_arrivals(factor * peak.per_s, ramp_s + seconds, seed)
    async with watched_memory(server) as memory:
        run = await open_loop(connect, bodies, arrivals=arrivals, ramp_s=ramp_s, seconds=seconds)
    return {
        "peak_per_s": peak.per_s,
        "offered_per_s": len(arrivals) / (ramp_s + seconds),
        **outcome(run, peak.per_s),
        "rss_before_mb": memory[0] / 1e6,
        "rss_highest_mb": max(memory) / 1e6,
    }


def outcome(run: Run, peak_per_s: float) -> dict[str, float]:
    """The outcomes of the requests of an overload."""
    shed, unanswered = run.answered(SHED), run.answered(0)
    return {
        "completed_per_s": run.per_s,
        "share_of_peak": run.per_s / peak_per_s,
        "completed_p50_ms": run.latency_ms(50),
        "completed_p99_ms": run.latency_ms(99),
        "shed_per_s": len(shed) / (run.end_s - run.begin_s),
        "shed_p50_ms": run.latency_ms(50, SHED),
        "shed_p99_ms": run.latency_ms(99, SHED),
        "shed_slowest_ms": run.latency_ms(100, SHED),
        "without_retry_after": sum(not request.answer.retry_after for request in shed),
        "other_statuses": run.errors - len(shed) - len(unanswered),
        "unanswered": len(unanswered),
        "longest_wait_s": max(request.done_s for request in run.requests) - run.end_s,
        "generator_cpu": run.generator_cpu,
        "generator_lag_ms": run.lag_ms,
    }


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first column is translated, as German.")],
    target: Annotated[str, typer.Option(help="Language to translate to.")] = "en",
    factor: Annotated[float, typer.Option(min=1, help="Load offered, as a multiple of the peak throughput.")] = 5.0,
    clients: Annotated[int, typer.Option(min=1, help="Concurrent clients when the peak is measured.")] = 64,
    seconds: Annotated[float, typer.Option(min=0.1, help="Length of one load, after its ramp.")] = 10.0,
    ramp: Annotated[float, typer.Option(min=0, help="Seconds at the beginning of a load that don't count.")] = 2.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 3,
    queue_tokens: Annotated[int, typer.Option(min=8192, help="DRAGOMAN_MAX_QUEUE_TOKENS of the server.")] = 8192,
    server_cpus: ServerCpus = "",
    client_cpus: ClientCpus = "",
) -> None:
    """Offer the server several times its peak load, and show what it completes and how it refuses requests."""
    cores = Cores.parse(server_cpus, client_cpus)
    sentences = read_sentences(pairs, seed=0)
    stream = cycle(json.dumps({"q": text, "source": "de", "target": target}).encode() for text, _ in sentences)
    results: dict[str, list[float]] = defaultdict(list)
    # Sentences are repeated, and the encoder cache must not help.
    settings = {"max_queue_tokens": queue_tokens, "feature_cache_bytes": 0}
    with (
        TemporaryDirectory() as folder,
        running_dragoman(path, cores.server, Path(folder) / "log", **settings) as server,
    ):
        cores.pin_client()
        for number in track(range(rounds), "overload", console=Console(stderr=True)):
            load = one_round(server, stream, clients=clients, factor=factor, ramp_s=ramp, seconds=seconds, seed=number)
            for name, value in asyncio.run(load).items():
                results[name].append(value)
            server.wait_until_quiet()
        ready = answers(server.url + "/readyz")
    table = Table("", "median (smallest-largest)", title=f"Dragoman under {factor:g} times its peak load")
    for name, (label, spec) in LABELS.items():
        table.add_row(label, spread(results[name], spec))
    Console(width=100).print(table)
    print(f"{cores.describe()}; queue of {queue_tokens} tokens; {'ready' if ready else 'NOT READY'} afterwards")
    setup = {"cores": vars(cores), "factor": factor, "seconds": seconds, "queue_tokens": queue_tokens}
    print(json_line(benchmark="overload", **setup, ready_afterwards=ready, results=results))


if __name__ == "__main__":
    typer.run(main)
