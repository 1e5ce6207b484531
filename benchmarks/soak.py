"""Loads one server for long, with reloads, hang-ups and documents, and looks for what grows.

    python -m benchmarks.soak artifacts/de-en --minutes 30 --plot build/soak.png      (make soak; a day: --minutes 1440)

Clients send one sentence after another. Every few seconds one hangs up in the middle of a long text, one uploads a
document, and every minute the models are reloaded (SIGHUP). The table has a line for each tenth of the time. It fails
if memory rises by more than 1 MB an hour after the first third, descriptors grow by more than two, the 99th percentile
of the last tenth is more than 1.1 times that of the first, or a request gets no 200.
"""

import asyncio
import math
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import linear_regression, quantiles
from tempfile import TemporaryDirectory
from typing import Annotated

import aiohttp
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.servers import Cores, Server, running_dragoman

NO_ANSWER = 0
_TENTHS = 10
_MIB = 2**20
_PAUSE_S = 0.02  # between two requests of a client: a load that the server keeps up with
_LONG = " ".join(f"Das ist Satz {number} eines langen Textes, den niemand zu Ende liest." for number in range(200))


@dataclass
class _Sample:
    second: float
    rss_mib: float
    descriptors: int


@dataclass
class _Found:
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[tuple[float, float]] = field(default_factory=list)
    samples: list[_Sample] = field(default_factory=list)


async def _status(session: aiohttp.ClientSession, url: str, body: dict[str, str]) -> int:
    try:
        async with session.post(url, json=body) as response:
            await response.read()
            return response.status
    except aiohttp.ClientError:
        return NO_ANSWER


async def _load(server: Server, seconds: float, clients: int) -> _Found:
    found, began, numbers = _Found(), time.monotonic(), count()
    url = f"{server.url}/translate"

    def lasts() -> bool:
        return time.monotonic() - began < seconds

    async def short(session: aiohttp.ClientSession) -> None:
        while lasts():
            body = {"q": f"Wo ist der Bahnhof Nummer {next(numbers)}?", "source": "de", "target": "en"}
            sent = time.monotonic()
            found.statuses[await _status(session, url, body)] += 1
            found.latencies.append((sent - began, time.monotonic() - sent))
            await asyncio.sleep(_PAUSE_S)

    async def hang_up(session: aiohttp.ClientSession) -> None:
        body = {"q": _LONG, "source": "de", "target": "en", "stream": True}
        while lasts():
            async with session.post(url, json=body) as response:
                await response.content.readany()
                response.close()
            await asyncio.sleep(3)

    async def upload(session: aiohttp.ClientSession) -> None:
        while lasts():
            form = aiohttp.FormData({"source": "de", "target": "en"})
            form.add_field("file", b"<p>Guten Morgen!</p>" * 20, filename="a.html")
            async with session.post(f"{server.url}/translate_file", data=form) as response:
                await response.read()
            found.statuses[response.status] += 1
            await asyncio.sleep(5)

    async def reload() -> None:
        while lasts():
            await asyncio.sleep(min(60.0, seconds / 5))
            server.process.send_signal(signal.SIGHUP)

    async def watch() -> None:
        while lasts():
            found.samples.append(
                _Sample(time.monotonic() - began, server.own_rss_bytes() / _MIB, server.process.num_fds())
            )
            await asyncio.sleep(seconds / 300)

    async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(short(session))
        for each in (hang_up(session), upload(session), reload(), watch()):
            group.create_task(each)
    return found


def _p99_ms(found: _Found, first_s: float, last_s: float) -> float:
    within = [taken for sent, taken in found.latencies if first_s <= sent < last_s]
    return 1000 * (quantiles(within, n=100)[-1] if len(within) > 1 else max(within, default=math.nan))


def _plot(found: _Found, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(3, 1, sharex=True, figsize=(8, 8))
    minutes = [sample.second / 60 for sample in found.samples]
    axes[0].plot(minutes, [sample.rss_mib for sample in found.samples])
    axes[1].plot(minutes, [sample.descriptors for sample in found.samples])
    axes[2].plot([sent / 60 for sent, _ in found.latencies], [1000 * taken for _, taken in found.latencies], ",")
    for axis, label in zip(axes, ("memory, MiB", "descriptors", "latency, ms"), strict=True):
        axis.set_ylabel(label)
    axes[2].set_yscale("log")
    axes[2].set_xlabel("minutes")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main(
    bundle: Path,
    minutes: Annotated[float, typer.Option(help="How long.")] = 30.0,
    clients: Annotated[int, typer.Option(help="Clients of short requests.")] = 4,
    plot: Annotated[Path | None, typer.Option(help="A picture of memory, descriptors and latencies.")] = None,
) -> None:
    """Load a server for long; fail if something grows."""
    seconds, cores = 60 * minutes, Cores.parse("", "")
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with running_dragoman(bundle, cores.server, log, data=folder) as server:
            found = asyncio.run(_load(server, seconds, clients))
    if plot:
        _plot(found, plot)
    table = Table("minutes", "p99, ms", "memory, MiB", "descriptors")
    parts = [(seconds * part / _TENTHS, seconds * (part + 1) / _TENTHS) for part in range(_TENTHS)]
    for first_s, last_s in parts:
        here = [sample for sample in found.samples if first_s <= sample.second < last_s]
        table.add_row(
            f"{first_s / 60:.1f} to {last_s / 60:.1f}",
            f"{_p99_ms(found, first_s, last_s):.0f}",
            f"{max(sample.rss_mib for sample in here):.0f}",
            str(max(sample.descriptors for sample in here)),
        )
    warm = [sample for sample in found.samples if sample.second > seconds / 3]
    slope, _ = linear_regression([sample.second / 3600 for sample in warm], [sample.rss_mib for sample in warm])
    growth = _p99_ms(found, *parts[-1]) / _p99_ms(found, *parts[0])
    opened = warm[-1].descriptors - warm[0].descriptors
    Console().print(table)
    print(f"memory {slope:+.2f} MiB an hour after a third of the time, descriptors {opened:+d}, p99 times {growth:.2f}")
    print(f"statuses {dict(found.statuses)}")
    raise typer.Exit(slope > 1 or opened > 2 or growth > 1.1 or set(found.statuses) != {200})


if __name__ == "__main__":
    typer.run(main)
