"""Counts the capitalised words that are translated when they stand alone, the names that stay, and labels.

    python -m benchmarks.lone_words artifacts/de-en data/de-en/train/labels-chromium.tsv.xz

The words are those of model/text/short.tsv.xz, the names those of ``benchmarks/names.txt``. Both go through
POST /translate (int8, beam 4) with all attempts, and with the first only, without ``app.translation.lone_words``.
The labels come from the held-out files, whose pairs no model was trained on, and from the files that you name. "Alone"
is the model without the bundle's list.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer
from rich.console import Console
from rich.table import Table
from starlette.testclient import TestClient

from app.engine.models.labels import Labels
from app.main import create_app
from app.settings import Settings
from benchmarks.translating import by_service, translate
from model.data.pairs import read_pairs

WORDS = Path("model/text/short.tsv.xz")
NAMES = Path("benchmarks/names.txt")
LABELS = [Path("model/text/held-out/labels.tsv.xz"), Path("model/text/held-out/labels-2.tsv.xz")]


def read_words(direction: str) -> dict[str, set[str]]:
    """Each capitalised word that has a capitalised word for a translation, with these."""
    found: dict[str, set[str]] = defaultdict(set)
    for word, translation in _read_pairs(WORDS, direction):
        if all(text.isalpha() and text[0].isupper() for text in (word, translation)):
            found[word].add(translation)
    return dict(found)


def _no_attempt(*_: Any) -> Iterator[Any]:
    """A rule that asks nothing and has no result."""
    return iter(())


def _read_pairs(path: Path, direction: str) -> Iterator[tuple[str, str]]:
    """Source and target of each German and English pair."""
    for german, english in read_pairs(path):
        yield (german, english) if direction == "de-en" else (english, german)


def _alike(found: Mapping[str, str], listed: Mapping[str, set[str]]) -> int:
    """How many are as listed, but for capitals."""
    return sum(found[label].casefold() in map(str.casefold, each) for label, each in listed.items())


def main(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle for both directions.")],
    more: Annotated[list[Path] | None, typer.Argument(help="Pair files with other labels.")] = None,
) -> None:
    """Translate the words, names and labels, and print what became of them."""
    table = Table("direction", "attempts", "words", "as in the list", "unchanged", "names", "changed")
    labels = Table("direction", "labels", "number", "alone, but for capitals", "as in the list", "but for capitals")
    changed = []
    with TestClient(create_app(Settings.load(bundle=bundle))) as client:

        def translated(texts: list[str], direction: str) -> dict[str, str]:
            found = translate(texts, partial(by_service, client, *direction.split("-")))
            return dict(zip(texts, found, strict=True))

        names = NAMES.read_text(encoding="utf-8").split()
        for direction in ("de-en", "en-de"):
            words = read_words(direction)
            with patch("app.translation.retries.word_again", _no_attempt):
                first = translated(list(words), direction), translated(names, direction)
            second = translated(list(words), direction), translated(names, direction)
            for label, (found, of_names) in (("first", first), ("all", second)):
                right = sum(text in words[word] for word, text in found.items())
                same = sum(text == word and text not in words[word] for word, text in found.items())
                lost = sum(name != text for name, text in of_names.items())
                row = (right, same, len(names), lost)
                table.add_row(direction, label, str(len(words)), *map(str, row))
            changed += [f"{name} -> {second[1][name]}" for name in names if second[1][name] != first[1][name]]
            for path in [*LABELS, *(more or ())]:
                listed: dict[str, set[str]] = defaultdict(set)
                for label, translation in _read_pairs(path, direction):
                    listed[label].add(translation)
                found = translated(list(listed), direction)
                with patch.object(Labels, "find", lambda *_: ""):
                    alone = translated(list(listed), direction)
                right = sum(found[label] in translations for label, translations in listed.items())
                row = (len(listed), _alike(alone, listed), right, _alike(found, listed))
                labels.add_row(direction, path.name.split(".")[0], *map(str, row))
    Console().print(table)
    Console().print(labels)
    typer.echo("names that the second attempts changed: " + ", ".join(changed))


if __name__ == "__main__":
    typer.run(main)
