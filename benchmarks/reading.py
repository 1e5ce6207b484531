"""Translates the 200 sentences of ``docs/reading.tsv`` again, and counts the verdicts on their translations.

    python -m benchmarks.reading artifacts/de-en

A verdict belongs to one translation, so a changed translation needs a new one. ``--write`` puts the new translations
into the file, with ``unread`` for a verdict, to be replaced by ``right`` or ``wrong``.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings

READING = Path("docs/reading.tsv")


class Read(NamedTuple):
    """A line of the file."""

    domain: str
    direction: str
    source: str
    translation: str
    verdict: str


def read_again(lines: Sequence[Read], bundle: Path) -> list[Read]:
    """The lines with a bundle's translations; ``unread`` where they changed."""
    with TestClient(create_app(Settings.load(bundle=bundle))) as client:

        def again(line: Read) -> Read:
            source, target = line.direction.split("-")
            answer = client.post("/translate", json={"q": line.source, "source": source, "target": target})
            text = answer.raise_for_status().json()["translatedText"]
            return line if text == line.translation else line._replace(translation=text, verdict="unread")

        return [again(line) for line in lines]


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle for both directions.")],
    write: Annotated[bool, typer.Option("--write", help="Put changed translations into the file.")] = False,
) -> None:
    """Translate the sentences again, print what changed, and count the verdicts."""
    head, *rows = READING.read_text(encoding="utf-8").splitlines()
    before = [Read(*row.split("\t")) for row in rows]
    after = read_again(before, path)
    for number, (old, new) in enumerate(zip(before, after, strict=True), start=2):
        if old != new:
            typer.echo(
                f"{number} {new.direction}: {new.source}\n  {old.verdict}: {old.translation}\n  {new.translation}"
            )
    counted = (*after, *(line._replace(domain="all") for line in after))
    counts = Counter((line.domain, line.direction, line.verdict) for line in counted)
    table = Table("domain", "direction", "right", "wrong", "unread")
    for domain, direction in dict.fromkeys((domain, direction) for domain, direction, _ in counts):
        verdicts = (counts[domain, direction, verdict] for verdict in ("right", "wrong", "unread"))
        table.add_row(domain, direction, *map(str, verdicts))
    Console().print(table)
    if write:
        READING.write_text("\n".join([head, *("\t".join(line) for line in after)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
