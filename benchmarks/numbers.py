"""Counts numbers, amounts, dates and the like that come out right: in the target's notation, or unchanged.

    python -m benchmarks.numbers artifacts/de-en

Generated sentences of both languages (benchmarks.numbers_cases) go through POST /translate of the whole application
(int8, beam 4), and, for "by the model", through the model alone. A case is right if the translation has one of the
accepted spellings of every value and no other digit. The spellings are Babel's, independent of the service.
The last line is JSON, with up to ten failures of each kind.
"""

from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from app.engine.single_model import Engine
from app.main import create_app
from app.settings import Settings
from benchmarks.figures import json_line
from benchmarks.numbers_cases import KINDS, Case, is_right, make_cases
from benchmarks.translating import by_model, by_service, translate

BAR = 99.5
_SHOWN = 10


def count(cases: list[Case], found: dict[str, list[str]], direction: str) -> list[dict[str, Any]]:
    """A row for each kind, and one for all."""
    rows = []
    for kind in (*KINDS, "all"):
        own = [index for index, case in enumerate(cases) if kind in (case.kind, "all")]
        wrong = {
            by: [index for index in own if not is_right(cases[index], texts[index])] for by, texts in found.items()
        }
        right = {by: round(100 - 100 * len(indices) / len(own), 2) for by, indices in wrong.items()}
        failures = [(cases[index].text, found["service"][index]) for index in wrong["service"][:_SHOWN]]
        rows.append({"kind": kind, "direction": direction, "cases": len(own), "right": right, "failures": failures})
    return rows


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    sentences: Annotated[int, typer.Option(min=40, help="Sentences, half of each language.")] = 2000,
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the sentences.")] = 0,
    failures: Annotated[bool, typer.Option("--failures", help="Print the failures, too.")] = False,
) -> None:
    """Count the numbers that come out right."""
    settings = Settings.load(bundle=path, workers=workers)
    results: list[dict[str, Any]] = []
    for source, target in (("de", "en"), ("en", "de")):
        cases = make_cases(source, target, sentences // 2, Random(seed))
        engine = Engine.from_settings(settings)
        with TestClient(create_app(settings, engine)) as client:
            texts = [case.text for case in cases]
            found = {
                "service": translate(texts, partial(by_service, client, source, target)),
                "model": translate(texts, partial(by_model, client, engine, source, target)),
            }
        results += count(cases, found, f"{source}-{target}")
    table = Table("kind", "direction", "cases", "right %", "by the model %", title=f"{path}: numbers")
    for row in results:
        right = row["right"]
        table.add_row(
            row["kind"], row["direction"], str(row["cases"]), f"{right['service']:.1f}", f"{right['model']:.1f}"
        )
        for text, translation in row["failures"] if failures and row["kind"] != "all" else ():
            print(f"{row['kind']}, {row['direction']}: {text!r} -> {translation!r}")
    Console(width=120).print(table)
    everything = [row for row in results if row["kind"] == "all"]
    total = sum(row["right"]["service"] * row["cases"] for row in everything) / sum(row["cases"] for row in everything)
    print(f"right: {total:.2f} % of {sentences} sentences; the bar is {BAR} %")
    print(json_line(benchmark="numbers", seed=seed, right=round(total, 2), results=results))


if __name__ == "__main__":
    typer.run(main)
