"""The cost of a book for other clients: latency of short requests on an idle server, and beside a long text.

    python -m benchmarks.interactive data/de-en/eval/{tatoeba.test,wmt19,multi30k.test2016}.tsv

A server process of its own is asked, over HTTP, for one sentence after the other; first idle, then while one request
with 500,000 characters of text is under way, then one with 2 MB of HTML. No interactive sentence is asked twice, so
that no cache helps. The last line is JSON.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

from model.data.pairs import read_pairs

BOOK_CHARS = 500_000
PAGE_BYTES = 2_000_000
WARM_UP = 20
SENTENCES_FIRST = 50  # seconds of the long text before the interactive requests begin


@contextmanager
def server(*options: str) -> Iterator[str]:
    """A server process; gives its address."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            announced = next((line for line in process.stdout if "health check" in line), None)
            if announced is None:
                raise typer.BadParameter("the server did not start")
            yield announced.split()[-1].removesuffix("/readyz")
        finally:
            process.terminate()


def book(sentences: Sequence[str]) -> str:
    """Paragraphs of ten sentences."""
    parts, size = [], 0
    for number, sentence in enumerate(cycle(sentences)):
        parts.append(sentence + ("\n\n" if number % 10 == 9 else " "))
        size += len(parts[-1])
        if size >= BOOK_CHARS:
            return "".join(parts)[:BOOK_CHARS]
    raise AssertionError


def page(sentences: Sequence[str]) -> str:
    """A long web page: paragraphs with attributes and inline tags, as many bytes of markup as of text."""
    parts, size = ["<!doctype html><html><body>"], 0
    for number, sentence in enumerate(cycle(sentences)):
        first, _, rest = escape(sentence).partition(" ")
        parts.append(
            f'<div class="row row-{number} card card--wide shadow"><p id="paragraph-{number}" '
            f'style="margin: 0 auto; line-height: 1.5"><b>{first}</b> {rest}</p></div>\n'
        )
        size += len(parts[-1].encode())
        if size >= PAGE_BYTES:
            return "".join([*parts, "</body></html>"])
    raise AssertionError


async def interactive(client: httpx.AsyncClient, texts: Sequence[str]) -> list[float]:
    """Milliseconds of each request, one after the other."""
    spent = []
    for text in texts:
        began = time.perf_counter()
        response = await client.post("/translate", json={"q": text, "source": "de", "target": "en"})
        response.raise_for_status()
        spent.append(1000 * (time.perf_counter() - began))
    return spent


class LongRequest:
    """A long text that is being translated, as a stream."""

    def __init__(self, client: httpx.AsyncClient, text: str, markup: str) -> None:
        self.sentences = 0
        self.seconds: float | None = None
        self.under_way = asyncio.Event()
        self._client = client
        self._body = {"q": text, "source": "de", "target": "en", "format": markup, "stream": True}

    async def run(self) -> None:
        """Translate all of it."""
        began = time.perf_counter()
        async with self._client.stream("POST", "/translate", json=self._body) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if line == "event: error":
                    raise RuntimeError("the long request failed")
                self.sentences += line == "event: sentence"
                if self.sentences >= SENTENCES_FIRST:
                    self.under_way.set()
        self.seconds = time.perf_counter() - began


async def measure(url: str, texts: Sequence[str], long_sentences: Sequence[str], requests: int, complete: bool) -> Any:
    """One row for idle and each kind of long text."""
    # Phases take every third text, so that their sentences are alike.
    phases = [texts[start : WARM_UP + 3 * requests : 3] for start in range(3)]
    rows = []
    async with httpx.AsyncClient(base_url=url, timeout=None) as client:
        await interactive(client, texts[-WARM_UP:])
        rows.append(row("idle", await interactive(client, phases[0])))
        for name, text, markup, own in (
            (f"book, {BOOK_CHARS:,} characters", book(long_sentences), "text", phases[1]),
            (f"page, {PAGE_BYTES:,} bytes", page(long_sentences), "html", phases[2]),
        ):
            long_request = LongRequest(client, text, markup)
            task = asyncio.create_task(long_request.run())
            await asyncio.wait(
                (task, asyncio.create_task(long_request.under_way.wait())), return_when="FIRST_COMPLETED"
            )
            began, before = time.perf_counter(), long_request.sentences
            spent = await interactive(client, own)
            rate = (long_request.sentences - before) / (time.perf_counter() - began)
            if complete:
                await task
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            rows.append(row(name, spent, long_sentences_per_s=rate, long_s=long_request.seconds))
    return rows


def row(name: str, spent: Sequence[float], **others: float | None) -> dict[str, Any]:
    """Median and 95th percentile."""
    return {"load": name, "p50_ms": median(spent), "p95_ms": quantiles(spent, n=20)[-1], **others}


def main(
    pairs: Annotated[Path, typer.Argument(help="Pair file; its first column is asked for, sentence by sentence.")],
    long_pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first column makes up the long texts.")],
    requests: Annotated[int, typer.Option(min=20, help="Interactive requests a phase.")] = 200,
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    complete: Annotated[bool, typer.Option(help="Wait for the whole long texts.")] = False,
) -> None:
    """Compare the latency of interactive requests idle and beside long ones."""
    texts = list(islice((first for first, _ in read_pairs(pairs)), 3 * requests + 2 * WARM_UP))
    long_sentences = [first for path in long_pairs for first, _ in read_pairs(path)]
    with server("--workers", str(workers)) as url:
        rows = asyncio.run(measure(url, texts, long_sentences, requests, complete))
    table = Table("load", "p50 ms", "p95 ms", "p95 over idle", "long text: sentences/s", "seconds")
    for each in rows:
        rate, seconds = each.get("long_sentences_per_s"), each.get("long_s")
        each["ratio"] = each["p95_ms"] / rows[0]["p95_ms"]
        table.add_row(
            each["load"],
            f"{each['p50_ms']:.1f}",
            f"{each['p95_ms']:.1f}",
            f"{each['ratio']:.2f}",
            "" if rate is None else f"{rate:.1f}",
            "" if seconds is None else f"{seconds:.0f}",
        )
    Console(width=110).print(table)
    print(json.dumps({"benchmark": "interactive", "requests": requests, "workers": workers, "results": rows}))


if __name__ == "__main__":
    typer.run(main)
