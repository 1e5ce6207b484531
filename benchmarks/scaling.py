"""How the cost of a token grows: with the length of the source, the length of the target, and the rows decoded.

    python -m benchmarks.scaling artifacts/de-en

Sources are random pieces, since only their number matters, and targets are forced to a length by forbidding their end.
One of the three sizes grows while the others stay at ``--source``, ``--target`` and ``--rows``; search is greedy, so
that a row is a sentence. "encode" is the encoder's time by source token, "decode" the time of all decoder steps by
target token, search included; growth is the decode cost over that of the first size. Each round measures every size
once. The table shows the median over the rounds, with the smallest and the largest, and so does the plot; the last line
is JSON.
"""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.engine.decoding.batch_decoder import BatchDecoder
from app.engine.decoding.search import Search
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision
from app.engine.onnx.opening import OpenModel, open_model
from app.engine.options import MAX_LENGTH_TOKENS, SearchOptions
from benchmarks.figures import json_line, ratios, spread
from benchmarks.servers import ROOT

AXES = {
    "source length": (5, 10, 20, 40, 80, 120),
    "target length": (10, 30, 100, 200, 300, MAX_LENGTH_TOKENS),
    "live rows": (1, 2, 4, 8, 16, 32, 64, 128, 256),
}


class Size(NamedTuple):
    """Source tokens, target tokens, and sentences translated together."""

    source: int
    target: int
    rows: int


class Cost(NamedTuple):
    """Microseconds for a token."""

    encode: float
    decode: float


def sizes(axis: str, base: Size) -> list[Size]:
    """The sizes of one axis, the others as in ``base``."""
    field = Size._fields[list(AXES).index(axis)]
    return [base._replace(**{field: value}) for value in AXES[axis]]


def measure(bundle: Bundle, model: OpenModel, size: Size, random: np.random.Generator) -> Cost:
    """Translate once."""
    ids = bundle.manifest.ids
    pieces = random.integers(ids.eos + 1, bundle.manifest.shape.vocabulary, (size.rows, size.source - 1))
    sources = [[*row, ids.eos] for row in pieces.tolist()]
    options = SearchOptions(beam_size=1, min_length=size.target, max_length=size.target)
    searches = [
        Search(start_id=ids.decoder_start, eos_id=ids.eos, max_length=size.target, options=options) for _ in sources
    ]
    began = time.perf_counter()
    features = model.encode(sources)
    encoded = time.perf_counter()
    batch = BatchDecoder(model)
    batch.join(searches, features)
    while batch.searches:
        batch.step()
    ended = time.perf_counter()
    return Cost(
        1e6 * (encoded - began) / (size.source * size.rows), 1e6 * (ended - encoded) / (size.target * size.rows)
    )


def summary(axis: str, value: int, costs: Mapping[tuple[str, int], Sequence[Cost]]) -> dict[str, Any]:
    """The figures of one size, one value a round each."""
    decode_us = [cost.decode for cost in costs[axis, value]]
    first_us = [cost.decode for cost in costs[axis, AXES[axis][0]]]
    return {
        "axis": axis,
        "size": value,
        "encode_us": [cost.encode for cost in costs[axis, value]],
        "decode_us": decode_us,
        "decode_growth": ratios(decode_us, first_us),
    }


def print_table(results: Sequence[dict[str, Any]], title: str) -> None:
    table = Table("", "tokens or rows", "encode, us/token", "decode, us/token", "growth", title=title)
    for row in results:
        figures = (row["encode_us"], ",.1f"), (row["decode_us"], ",.1f"), (row["decode_growth"], ".2f")
        table.add_row(row["axis"], str(row["size"]), *(spread(values, spec) for values, spec in figures))
    Console(width=110).print(table)


def plot(results: Sequence[dict[str, Any]], out: Path) -> None:
    """One panel an axis: decode and encode cost, with the range over the rounds."""
    figure = Figure(figsize=(13, 4), layout="constrained")
    panels = figure.subplots(1, len(AXES))
    for panel, axis in zip(panels, AXES, strict=True):
        rows = [row for row in results if row["axis"] == axis]
        for name in Cost._fields:
            costs = [row[f"{name}_us"] for row in rows]
            at = [row["size"] for row in rows]
            [line] = panel.plot(at, [median(values) for values in costs], marker="o", label=f"{name}, per token")
            panel.fill_between(at, [min(c) for c in costs], [max(c) for c in costs], color=line.get_color(), alpha=0.2)
        panel.set(xlabel=axis, ylabel="microseconds")
        panel.grid(alpha=0.3)
        if axis == "live rows":
            panel.set(xscale="log", yscale="log")
        else:
            panel.set_ylim(bottom=0)
    panels[0].legend()
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=120)


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    precision: Annotated[Precision, typer.Option(help="Graphs to measure.")] = "int8-native",
    source: Annotated[int, typer.Option(min=2, help="Source tokens where they don't vary.")] = 20,
    target: Annotated[int, typer.Option(min=1, max=MAX_LENGTH_TOKENS, help="Target tokens, likewise.")] = 30,
    rows: Annotated[int, typer.Option(min=1, help="Rows, likewise.")] = 8,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 5,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the engine.")] = 1,
    out: Annotated[Path, typer.Option(help="The plot, a PNG file.")] = ROOT / "build" / "scaling.png",
) -> None:
    """Measure the cost of a token against source length, target length and live rows."""
    bundle = Bundle.open(path)
    model = open_model(bundle, precision, threads=threads)
    base = Size(source, target, rows)
    costs: dict[tuple[str, int], list[Cost]] = defaultdict(list)
    for number in track(range(rounds + 1), "rounds", console=Console(stderr=True)):
        random = np.random.default_rng(number)
        for axis in AXES:
            for value, size in zip(AXES[axis], sizes(axis, base), strict=True):
                cost = measure(bundle, model, size, random)
                if number:
                    costs[axis, value].append(cost)
    results = [summary(axis, value, costs) for axis, value in costs]
    print_table(results, title=f"{path}, {precision}, {threads} thread(s); otherwise {base}")
    plot(results, out)
    print(f"plotted to {out}")
    setup = {"precision": precision, "threads": threads, "base": base._asdict()}
    print(json_line(benchmark="scaling", **setup, results=results))


if __name__ == "__main__":
    typer.run(main)
