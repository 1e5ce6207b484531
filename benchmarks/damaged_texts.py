"""Counts how many damaged texts the check of well-formed results finds, and how many sound ones it suspects.

    python -m benchmarks.damaged_texts [data/de-en/eval/tatoeba.test.tsv ...]

``damaged_texts.jsonl`` has texts of users that once came back damaged, by kind of fault, with the answers of that time.
So this says what the check finds where nothing else prevents the fault. What is wrong with words alone it can't find.
The files are human translations, in both directions.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from app.text.well_formed import Fault, faults
from benchmarks.figures import json_line
from languages.registry import language_of

DAMAGED = Path(__file__).with_suffix(".jsonl")


class Damaged(NamedTuple):
    """A text, its damaged translation, and the kind of damage."""

    family: str
    source: str
    target: str
    text: str
    answer: str

    @property
    def faults(self) -> list[Fault]:
        """The faults that the check finds."""
        return faults(self.text, self.answer, language_of(self.source), language_of(self.target))


def damaged() -> list[Damaged]:
    """The damaged texts."""
    return [Damaged(**json.loads(line)) for line in DAMAGED.read_text(encoding="utf-8").splitlines()]


def suspected(path: Path) -> tuple[int, int]:
    """How many human translations of a file the check suspects, of how many."""
    german, english = language_of("de"), language_of("en")
    found = total = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        here, there = line.split("\t")[:2]
        total += 2
        found += bool(faults(here, there, german, english)) + bool(faults(there, here, english, german))
    return found, total


def main(
    files: Annotated[list[Path] | None, typer.Argument(help="Sentence pairs: German, tab, English.")] = None,
) -> None:
    """Print the share of damaged texts that are found, by kind, and that of human translations."""
    texts = damaged()
    families: dict[str, list[bool]] = defaultdict(list)
    kinds: Counter[str] = Counter()
    for text in texts:
        families[text.family].append(bool(text.faults))
        kinds.update(text.faults)
    for family, found in families.items():
        typer.echo(f"{family:28} {sum(found):3} of {len(found):3}")
    found = sum(bool(text.faults) for text in texts)
    typer.echo(f"{'all':28} {found:3} of {len(texts):3}, {100 * found / len(texts):.0f} %")
    suspects = {path.name: suspected(path) for path in files or ()}
    for name, (wrong, total) in suspects.items():
        typer.echo(f"{name}: suspects {wrong} of {total} human translations, {100 * wrong / total:.2f} %")
    typer.echo(json_line(benchmark="damaged_texts", found=found, texts=len(texts), kinds=kinds, suspects=suspects))


if __name__ == "__main__":
    typer.run(main)
