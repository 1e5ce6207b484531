"""What to do with several cores: one decoder with threads inside its operators, or several decoders with one each.

    python -m benchmarks.threads artifacts/de-en data/de-en/eval/tatoeba.test.tsv

Both arrangements share one set of sessions among their decoders and translate the same batches, in turns. The last line
is JSON.
"""

import platform
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.engine.models.bundle import Bundle, Precision
from app.engine.models.tokenizer import Tokenizer
from benchmarks.engine import TestSet, dragoman
from benchmarks.figures import json_line, spread


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
    """Compare tokens per second of three: one thread, threads inside operators, and several decoders."""
    bundle = Bundle.open(path)
    sources = TestSet.read(pairs, bundle, Tokenizer(*bundle.tokenizer_files), sentences, unsorted=False).sources
    single, inside = dragoman(bundle, precision, 1, None), dragoman(bundle, precision, threads, None)
    results = []
    with ThreadPoolExecutor(threads) as pool:
        arrangements: dict[str, tuple[Callable[..., list[list[int]]], Callable]] = {
            "one thread": (single, map),
            "threads inside": (inside, map),
            "several decoders": (single, pool.map),
        }
        for beam in map(int, beams.split(",")):
            for batch in map(int, batches.split(",")):
                chunks = [sources[start : start + batch] for start in range(0, len(sources), batch)]
                speeds: dict[str, list[float]] = {name: [] for name in arrangements}
                for _ in range(rounds + 1):
                    for name, (translate, mapping) in arrangements.items():
                        began = time.perf_counter()
                        found = list(mapping(translate, chunks, repeat(beam)))
                        seconds = time.perf_counter() - began
                        speeds[name].append(sum(len(one) + 1 for part in found for one in part) / seconds)
                results.append({"beam": beam, "batch": batch, **{name: each[1:] for name, each in speeds.items()}})
    table = Table("beam", "batch", *arrangements, title=f"{path}, {precision}, tokens/s, {threads} threads")
    for row in results:
        table.add_row(str(row["beam"]), str(row["batch"]), *(spread(row[name], ",.0f") for name in arrangements))
    Console(width=120).print(table)
    print(f"{platform.machine()}, {len(sources)} sentences of {pairs.name}, sorted by length")
    print(json_line(benchmark="threads", threads=threads, precision=precision, results=results))


if __name__ == "__main__":
    typer.run(main)
