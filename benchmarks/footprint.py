"""The server's footprint: time to start, processor time when idle, memory over thousands of mixed requests.

    python -m benchmarks.footprint artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Started several times, the server is timed from the start of its process until /readyz answers 200, which is after the
model has translated its golden sentences. The last of these servers, with default settings, then sits idle, translates
10,000 mixed requests from 16 clients, and sits idle again. The requests are what clients really send: both directions
and ``auto``, single sentences, paragraphs, lists and HTML, alternatives, greedy and beam search, language detection,
and now and then a mistake, which is answered with 400. Memory is the resident set of the process after each thousand.

The last line is JSON.
"""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.figures import json_line, read_sentences, spread
from benchmarks.load import closed_loop, json_sender
from benchmarks.servers import ClientCpus, Cores, Server, ServerCpus, running_dragoman

STAGE = 1000
EXPECTED = {200, 400}


def mixed_bodies(german: Sequence[str], english: Sequence[str], seed: int) -> Iterator[bytes]:
    """Bodies for /translate, without end, of all the kinds that the module's text names."""
    random = Random(seed)
    for number in count():
        source, target, sentences = (("de", "en", german), ("en", "de", english))[number % 2]
        several = random.sample(sentences, random.randint(2, 6))
        body: dict[str, object] = {"q": several[0], "source": source, "target": target}
        match random.randrange(10):
            case 0:
                body["q"] = " ".join(several)
            case 1:
                body["q"] = several
            case 2:
                body |= {"q": f"<p>{several[0]} <b>{several[1]}</b></p>", "format": "html"}
            case 3:
                body["alternatives"] = 2
            case 4:
                body["beam_size"] = 1
            case 5:
                body["source"] = "auto"
            case 6:
                body["beam_size"] = 99
        yield json.dumps(body).encode()


def serve_mixed(server: Server, bodies: Iterator[bytes], clients: int) -> dict[int, int]:
    """Answer all bodies; returns how often each status came."""
    connect = partial(json_sender, server.url + "/translate", timeout_s=120)
    run = asyncio.run(closed_loop(connect, bodies, clients=clients))
    statuses = [request.answer.status for request in run.requests]
    return {status: statuses.count(status) for status in set(statuses)}


def idle_cpu(server: Server, seconds: float) -> float:
    """Share of a core that the server uses when nobody asks anything."""
    server.wait_until_quiet()
    before = server.cpu_s()
    time.sleep(seconds)
    return (server.cpu_s() - before) / seconds


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files with sentences, German first.")],
    starts: Annotated[int, typer.Option(min=1, help="Starts that are timed.")] = 5,
    idle_seconds: Annotated[float, typer.Option(min=0.1, help="How long idleness is watched.")] = 10.0,
    requests: Annotated[int, typer.Option(min=2 * STAGE, help="Mixed requests; memory is read every 1,000.")] = 10_000,
    clients: Annotated[int, typer.Option(min=1, help="Concurrent clients.")] = 16,
    server_cpus: ServerCpus = "",
    client_cpus: ClientCpus = "",
) -> None:
    """Measure start, idle load and memory of the server."""
    cores = Cores.parse(server_cpus, client_cpus)
    german, english = ([text for text, _ in read_sentences(pairs, seed=0, reverse=swap)] for swap in (False, True))
    bodies = mixed_bodies(german, english, seed=0)
    console = Console(stderr=True)
    ready_s: list[float] = []
    ready_mb: list[float] = []
    memory_mb: dict[int, float] = {}
    statuses: dict[int, int] = {}
    with TemporaryDirectory() as folder:
        for number in track(range(1, starts + 1), "starts", console=console):
            with running_dragoman(path, cores.server, Path(folder) / "log") as server:
                ready_s.append(server.ready_s)
                ready_mb.append(server.rss_bytes() / 1e6)
                if number < starts:
                    continue
                cores.pin_client()
                idle_before = idle_cpu(server, idle_seconds)
                for done in track(range(STAGE, requests + 1, STAGE), "mixed requests", console=console):
                    for status, times in serve_mixed(server, islice(bodies, STAGE), clients).items():
                        statuses[status] = statuses.get(status, 0) + times
                    memory_mb[done] = server.rss_bytes() / 1e6
                idle_after = idle_cpu(server, idle_seconds)
    growth = memory_mb[max(memory_mb)] / memory_mb[STAGE] - 1
    table = Table("", "measured", title=f"Dragoman with {path}")
    table.add_row("ready after, s", spread(ready_s, ".2f"))
    table.add_row("RSS when ready, MB", spread(ready_mb, ".0f"))
    table.add_row("idle, share of a core, before", f"{idle_before:.2%}")
    table.add_row("idle, share of a core, afterwards", f"{idle_after:.2%}")
    for done, value in memory_mb.items():
        table.add_row(f"RSS after {done:,} requests, MB", f"{value:.0f}")
    table.add_row(f"growth from {STAGE:,} to {max(memory_mb):,}", f"{growth:+.1%}")
    table.add_row("answers by status", ", ".join(f"{status}: {times:,}" for status, times in sorted(statuses.items())))
    Console(width=100).print(table)
    print(f"{cores.describe()}; default settings, {clients} clients")
    results = {"ready_s": ready_s, "ready_mb": ready_mb, "idle_cpu": [idle_before, idle_after], "growth": growth}
    print(json_line(benchmark="footprint", cores=vars(cores), memory_mb=memory_mb, statuses=statuses, **results))
    if not statuses.keys() <= EXPECTED:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
