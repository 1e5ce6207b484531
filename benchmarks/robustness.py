"""Counts what translations keep (digits, placeholders, letter case, names) and what goes wrong (loops, silence).

    python -m benchmarks.robustness artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Both directions (int8, beam 4) go through POST /translate of the whole application, and, for "by the model", through the
model alone: nothing is protected, and there is no second attempt at what is visibly wrong. A case counts as kept if
(see ``benchmarks.invariants``)

* digits: the groups of digits are the same, whatever separates thousands and decimals; a number up to twelve and a
  month may be a word on one side, and "10 Uhr" may be "10:00". "real": sentences of the files whose reference keeps
  this rule. "made": a new number in place of a spelled one.
* placeholders: one to three of the characters that the model was taught to carry over; each is there exactly once.
* single words, of the dictionary; odd inputs: random letters, repetitions, signs, scripts, emoji. Nothing comes three
  times in a row unless something does in the source, nothing is far too long, broken or empty.
* capitals, final punctuation: of the whole text. names, addresses, emoji, scripts: each is there, as it was.

Loops, broken characters and empty translations are counted in all rows. The last line is JSON, with up to ten failures
of each row.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from fastapi.testclient import TestClient
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app.engine.models.bundle import Bundle
from app.engine.single_model import Engine
from app.main import create_app
from app.settings import Settings
from benchmarks.figures import json_line
from benchmarks.invariants import is_broken, loops
from benchmarks.robustness_cases import Case, make_cases, read_material
from benchmarks.translating import by_model, by_service, translate

BARS = {"digits, real": 99.0, "digits, made": 99.0, "placeholders": 99.0, "single words": 100.0, "odd inputs": 100.0}
WRONG = {"loops": loops, "broken": is_broken, "empty": lambda _, translation: not translation.strip()}
_SHOWN = 10


def translations_of(
    path: Path, cases: Sequence[Case], languages: tuple[str, str], workers: int, progress: Progress
) -> dict[str, list[str]]:
    """Translations of all cases, by the service and by the model alone."""
    settings = Settings.load(bundle=path, workers=workers)
    engine = Engine.from_settings(settings)
    found: dict[str, list[str]] = {}
    with TestClient(create_app(settings, engine)) as client:
        ways = {
            "service": partial(by_service, client, *languages, beam_size=4),
            "model": partial(by_model, client, engine, *languages),
        }
        for name, way in ways.items():
            task = progress.add_task(f"{'-'.join(languages)}, {name}", total=len(cases))
            found[name] = translate([case.text for case in cases], way, partial(progress.advance, task))
    return found


def count(cases: Sequence[Case], found: dict[str, list[str]], direction: str) -> list[dict[str, Any]]:
    """A row for each check."""
    rows = []
    for check in dict.fromkeys(case.check for case in cases):
        places = [place for place, case in enumerate(cases) if case.check == check]
        failures = {
            by: [place for place in places if not cases[place].keeps(cases[place].text, translations[place])]
            for by, translations in found.items()
        }
        kept = {by: round(100 - 100 * len(failed) / len(places), 2) for by, failed in failures.items()}
        rows.append(
            {
                "check": check,
                "direction": direction,
                "cases": len(places),
                "kept": kept["service"],
                "kept_by_model": kept["model"],
                "bar": BARS.get(check),
                **{
                    name: sum(is_so(cases[place].text, found["service"][place]) for place in places)
                    for name, is_so in WRONG.items()
                },
                "failures": [(cases[place].text, found["service"][place]) for place in failures["service"][:_SHOWN]],
            }
        )
    return rows


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files of German and English sentences.")],
    words: Annotated[Path, typer.Option(help="Pair file of German and English words.")] = Path(
        "data/de-en/train/ding-words.tsv.xz"
    ),
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the cases.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Take only every Nth case.")] = 1,
    failures: Annotated[bool, typer.Option("--failures", help="Print the failures, too.")] = False,
) -> None:
    """Count what translations keep."""
    placeholders = Bundle.open(path).manifest.placeholders
    results: list[dict[str, Any]] = []
    with Progress(console=Console(stderr=True)) as progress:
        for source, target in (("de", "en"), ("en", "de")):
            cases = make_cases(read_material(pairs, words, source, seed), (source, target), placeholders, seed)[::every]
            found = translations_of(path, cases, (source, target), workers, progress)
            results += count(cases, found, f"{source}-{target}")
    columns = ("check", "direction", "cases", "kept %", "bar", "by the model %", *WRONG)
    table = Table(*columns, title=f"{path}: what is kept")
    for row in sorted(
        results, key=lambda row: list(dict.fromkeys(each["check"] for each in results)).index(row["check"])
    ):
        bar = "" if row["bar"] is None else f"{row['bar']:g}"
        figures = f"{row['kept']:.1f}", bar, f"{row['kept_by_model']:.1f}", *(str(row[name]) for name in WRONG)
        table.add_row(row["check"], row["direction"], str(row["cases"]), *figures)
        for source, translation in row["failures"] if failures else ():
            print(f"{row['check']}, {row['direction']}: {source!r} -> {translation!r}")
    Console(width=120).print(table)
    print(json_line(benchmark="robustness", seed=seed, results=results))


if __name__ == "__main__":
    typer.run(main)
