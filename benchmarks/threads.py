"""Compares ways to use several cores: threads inside the operators of one decoder, or one thread for each decoder.

    python -m benchmarks.threads artifacts/de-en data/de-en/eval/tatoeba.test.tsv

Every decoder translates the same batches. Several decoders share one set of sessions, as the server's workers do.
Several processes share nothing, so they show what the machine allows: cores share a cache, and two virtual cores may
be threads of one core. The last line is JSON.
"""

import platform
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision
from app.engine.models.tokenizer import Tokenizer
from benchmarks.engine import TestSet, dragoman
from benchmarks.figures import json_line, spread

Batches = list[list[list[int]]]
_translate: Callable[..., list[list[int]]]  # of this process, see _open


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[Path, typer.Argument(help="Pair file; its first column is translated.")],
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of the file.")] = 256,
    batches: Annotated[str, typer.Option(help="Sentences translated together.")] = "1,8,32",
    beams: Annotated[str, typer.Option(help="Beam sizes.")] = "1,4",
    precision: Annotated[Precision, typer.Option(help="Graphs to measure.")] = "int8-native",
    threads: Annotated[int, typer.Option(min=2, help="Threads of either arrangement.")] = 2,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 3,
) -> None:
    """Compare tokens per second of one thread, threads inside operators, several decoders and several processes."""
    bundle = Bundle.open(path)
    sources = TestSet.read(pairs, bundle, Tokenizer(*bundle.tokenizer_files), sentences, unsorted=False).sources
    _open(path, precision, 1)
    results: list[dict[str, Any]] = []
    processes = partial(ProcessPoolExecutor, mp_context=get_context("spawn"), initializer=_open)
    with (
        ThreadPoolExecutor(threads) as decoders,
        processes(1, initargs=(path, precision, threads)) as inside,
        processes(threads, initargs=(path, precision, 1)) as separate,
    ):
        arrangements: dict[str, tuple[Executor, int]] = {
            "one thread": (decoders, 1),
            "threads inside": (inside, 1),
            "several decoders": (decoders, threads),
            "several processes": (separate, threads),
        }
        for beam in map(int, beams.split(",")):
            for batch in map(int, batches.split(",")):
                chunks = [sources[start : start + batch] for start in range(0, len(sources), batch)]
                speeds: dict[str, list[float]] = {name: [] for name in arrangements}
                for _ in range(rounds + 1):
                    for name, (pool, copies) in arrangements.items():
                        began = time.perf_counter()
                        tokens = sum(pool.map(_tokens, repeat(chunks, copies), repeat(beam)))
                        speeds[name].append(tokens / (time.perf_counter() - began))
                results.append({"beam": beam, "batch": batch, **{name: each[1:] for name, each in speeds.items()}})
    table = Table("beam", "batch", *arrangements, title=f"{path}, {precision}, tokens/s, {threads} threads")
    for row in results:
        table.add_row(str(row["beam"]), str(row["batch"]), *(spread(row[name], ",.0f") for name in arrangements))
    Console(width=120).print(table)
    print(f"{platform.machine()}, {len(sources)} sentences of {pairs.name}, sorted by length")
    print(json_line(benchmark="threads", threads=threads, precision=precision, results=results))


def _open(path: Path, precision: Precision, threads: int) -> None:
    """Open the model that this process translates with."""
    global _translate
    _translate = dragoman(Bundle.open(path), precision, threads, None)


def _tokens(chunks: Batches, beam: int) -> int:
    """Translate all chunks; returns the number of target tokens."""
    return sum(len(found) + 1 for chunk in chunks for found in _translate(chunk, beam))


if __name__ == "__main__":
    typer.run(main)
