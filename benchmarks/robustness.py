"""What translations keep, and whether any goes wrong: digits, placeholders, letter case, names, loops, silence.

    python -m benchmarks.robustness artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Both directions go through the service's engine (int8, beam 4), once as shipped, with a second attempt at what is
visibly wrong, and once without. A case counts as kept if (see ``benchmarks.invariants``)

* digits: the groups of digits are the same, whatever separates thousands and decimals; a number up to twelve may be a
  word on one side. "real": sentences of the files whose reference keeps this rule. "made": a new number in place of
  a spelled one.
* placeholders: one to three of the characters that the model was taught to carry over; each is there exactly once.
* single words, of the dictionary; odd inputs: random letters, repetitions, signs, scripts, emoji. Nothing comes three
  times in a row unless something does in the source, nothing is far too long, broken or empty.
* capitals, final punctuation: of the whole text. names, addresses, emoji, scripts: each is there, as it was.

Loops, broken characters and empty translations are counted in all rows. The last line is JSON, with up to ten failures
of each row.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app.engine.engine import Engine
from app.engine.translation import SearchOptions
from app.settings import Settings
from benchmarks.figures import json_line
from benchmarks.invariants import is_broken, loops
from benchmarks.robustness_cases import Case, make_cases, read_material

BARS = {"digits, real": 99.0, "digits, made": 99.0, "placeholders": 99.0, "single words": 100.0, "odd inputs": 100.0}
WRONG = {"loops": loops, "broken": is_broken, "empty": lambda _, translation: not translation.strip()}
_CHUNK = 64
_SHOWN = 10


async def translate(
    path: Path, cases: Sequence[Case], languages: tuple[str, str], workers: int, progress: Progress
) -> dict[bool, list[str]]:
    """Translations of all cases, with (True) and without a second attempt."""
    engine = Engine.from_settings(Settings.load(bundle=path, workers=workers))
    await engine.start()
    found: dict[bool, list[str]] = {True: [], False: []}
    # Sorted by length, so that batches hold little padding.
    order = sorted(range(len(cases)), key=lambda place: len(cases[place].text))
    try:
        for second_attempt, translations in found.items():
            task = progress.add_task(f"{'-'.join(languages)}, second attempt: {second_attempt}", total=len(cases))
            by_place: dict[int, str] = {}
            for start in range(0, len(order), _CHUNK):
                places = order[start : start + _CHUNK]
                answers, _ = await engine.translate(
                    [cases[place].text for place in places],
                    source=languages[0],
                    target=languages[1],
                    options=SearchOptions(beam_size=4, second_attempt=second_attempt),
                )
                by_place |= {place: answer.text for place, answer in zip(places, answers, strict=True)}
                progress.advance(task, len(places))
            translations += (by_place[place] for place in range(len(cases)))
    finally:
        await engine.stop()
    return found


def count(cases: Sequence[Case], found: dict[bool, list[str]], direction: str) -> list[dict[str, Any]]:
    """A row for each check."""
    rows = []
    for check in dict.fromkeys(case.check for case in cases):
        places = [place for place, case in enumerate(cases) if case.check == check]
        failures = {
            attempt: [place for place in places if not cases[place].keeps(cases[place].text, translations[place])]
            for attempt, translations in found.items()
        }
        kept = {attempt: round(100 - 100 * len(failed) / len(places), 2) for attempt, failed in failures.items()}
        rows.append(
            {
                "check": check,
                "direction": direction,
                "cases": len(places),
                "kept": kept[True],
                "kept_first": kept[False],
                "bar": BARS.get(check),
                **{
                    name: sum(is_so(cases[place].text, found[True][place]) for place in places)
                    for name, is_so in WRONG.items()
                },
                "failures": [(cases[place].text, found[True][place]) for place in failures[True][:_SHOWN]],
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
    every: Annotated[int, typer.Option(min=1, help="Take only one case in so many.")] = 1,
    failures: Annotated[bool, typer.Option("--failures", help="Print the failures, too.")] = False,
) -> None:
    """Count what translations keep."""
    placeholders = Engine.from_settings(Settings.load(bundle=path, workers=workers)).placeholders("de", "en")
    results: list[dict[str, Any]] = []
    with Progress(console=Console(stderr=True)) as progress:
        for source, target in (("de", "en"), ("en", "de")):
            cases = make_cases(read_material(pairs, words, source, seed), (source, target), placeholders, seed)[::every]
            found = asyncio.run(translate(path, cases, (source, target), workers, progress))
            results += count(cases, found, f"{source}-{target}")
    columns = ("check", "direction", "cases", "kept %", "bar", "at first %", *WRONG)
    table = Table(*columns, title=f"{path}: what is kept")
    for row in sorted(
        results, key=lambda row: list(dict.fromkeys(each["check"] for each in results)).index(row["check"])
    ):
        bar = "" if row["bar"] is None else f"{row['bar']:g}"
        figures = f"{row['kept']:.1f}", bar, f"{row['kept_first']:.1f}", *(str(row[name]) for name in WRONG)
        table.add_row(row["check"], row["direction"], str(row["cases"]), *figures)
        for source, translation in row["failures"] if failures else ():
            print(f"{row['check']}, {row['direction']}: {source!r} -> {translation!r}")
    Console(width=120).print(table)
    print(json_line(benchmark="robustness", seed=seed, results=results))


if __name__ == "__main__":
    typer.run(main)
