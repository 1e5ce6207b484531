"""The cache of results that servers share: hits and latency on sentences that repeat as words do.

    valkey-server --port 6379 --save "" &
    python -m benchmarks.result_cache artifacts/de-en data/de-en/eval/tatoeba.test.tsv --valkey valkey://127.0.0.1:6379

Two servers, which are two engines here, answer one request of one sentence after the other, in turn. The sentence of
rank r is drawn with a probability proportional to 1/r (Zipf), as queries to search engines and strings of programs
are. The same requests go to an engine without the cache; the last line is JSON.
"""

import asyncio
import random
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated

import typer

from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from benchmarks.figures import json_line, read_sentences


async def run(engines: list[Engine], sentences: list[str]) -> tuple[list[str], list[float]]:
    """The translations, and the milliseconds that each took."""
    found, times_ms = [], []
    for number, sentence in enumerate(sentences):
        began = time.perf_counter()
        engine = engines[number % len(engines)]
        [translation] = await engine.translate([sentence], source="de", target="en", options=SearchOptions())
        times_ms.append(1000 * (time.perf_counter() - began))
        found.append(translation)
    return found, times_ms


async def compare(bundle: Path, valkey: str, requests: list[str]) -> dict[str, float]:
    """Figures with the cache and without.

    Raises:
        RuntimeError: A translation differs.
    """
    shared = Settings(bundle=bundle, workers=1, valkey=valkey, result_cache_s=3600)
    caching = [Engine.from_settings(shared) for _ in range(2)]
    alone = Engine.from_settings(Settings(bundle=bundle, workers=1))
    for engine in (*caching, alone):
        await engine.start()
    try:
        (first, with_ms), (second, without_ms) = await run(caching, requests), await run([alone], requests)
        counts = [engine.statistics() for engine in caching]
    finally:
        for engine in (*caching, alone):
            await engine.stop()
    if first != second:
        raise RuntimeError("a translation differs")
    hits, misses = (sum(count[f"result_cache_{name}"] for count in counts) for name in ("hits", "misses"))
    return {
        "requests": len(requests),
        "hit_ratio": round(hits / (hits + misses), 3),
        "mean_ms": round(sum(with_ms) / len(with_ms), 2),
        "p50_ms": round(median(with_ms), 2),
        "p95_ms": round(quantiles(with_ms, n=20)[-1], 2),
        "mean_ms_without": round(sum(without_ms) / len(without_ms), 2),
        "p50_ms_without": round(median(without_ms), 2),
        "p95_ms_without": round(quantiles(without_ms, n=20)[-1], 2),
    }


def main(
    bundle: Path, pairs: Path, valkey: Annotated[str, typer.Option()], requests: Annotated[int, typer.Option()] = 2000
) -> None:
    """Compares an empty cache that fills with none."""
    sentences = [source for source, _ in read_sentences([pairs], seed=1)]
    chosen = random.Random(1).choices(sentences, [1 / rank for rank in range(1, len(sentences) + 1)], k=requests)
    print(json_line(benchmark="result_cache", **asyncio.run(compare(bundle, valkey, chosen))))


if __name__ == "__main__":
    typer.run(main)
