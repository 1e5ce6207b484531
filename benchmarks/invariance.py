"""Counts translations that depend on the other sentences of their batch.

    python -m benchmarks.invariance artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

Sentences go through the whole engine, scheduler included: first each alone, the engine idle around it; then in random
orders, 64 at a time. Those 64 are in all stages of their translations: as sentences end, others join, in groups of
random size, which the encoder takes as padded batches. Every pass has a new engine, so that no cache answers for it.

A sentence differs if in any of the orders its text is not what it is alone. The largest change of a score tells whether
anything at all reached the numbers. "rows" is the mean number of rows decoded together, the proof of company. The last
line is JSON.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from app.engine.interface import OpenHop, TranslationCall
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from app.translation.drafting import Drafting
from app.translation.sentence import TextTranslation
from benchmarks.figures import json_line, read_sentences

PRECISIONS = ("float32", "int8")
BEAMS = (1, 4)


@dataclass(frozen=True)
class Pass:
    """All translations of one pass, in the order of the sentences, and their mean company."""

    translations: list[TextTranslation]
    rows: float


class Translator:
    """Runs passes over the same sentences with one precision and beam size."""

    def __init__(self, path: Path, precision: str, beam: int, target: str, workers: int) -> None:
        self._settings = {"bundle": path, "precision": precision, "beam_size": beam, "workers": workers}
        self._options = SearchOptions(beam_size=beam)
        self._target = target

    async def run(self, texts: Sequence[str], groups: Sequence[Sequence[int]], together: int) -> Pass:
        """Translate the groups of places in ``texts``, each as soon as it fits into ``together`` sentences."""
        rows = together * self._options.beam_size
        settings = Settings.load(**self._settings, max_batch_rows=rows, alternatives_limit=0, feature_cache_bytes=0)
        engine = Engine.from_settings(settings)
        await engine.start()
        before = engine.statistics()
        translations: dict[int, TextTranslation] = {}
        room = asyncio.Semaphore(together)

        async def translate(place: int) -> None:
            call = TranslationCall(texts=[texts[place]], source="de", target=self._target, options=self._options)
            [translations[place]], _ = await Drafting([OpenHop(engine, "de", self._target)], call).translate()
            room.release()

        try:
            async with asyncio.TaskGroup() as tasks:
                for group in groups:
                    for _ in group:
                        await room.acquire()
                    for place in group:
                        tasks.create_task(translate(place))
        finally:
            after = engine.statistics()
            await engine.stop()
        steps = after["steps"] - before["steps"]
        mean_rows = (after["rows_stepped"] - before["rows_stepped"]) / steps
        return Pass([translations[place] for place in range(len(texts))], mean_rows)


def random_groups(count: int, largest: int, random: Random) -> list[list[int]]:
    """The numbers below ``count`` in a random order, cut into groups of 1 to ``largest``."""
    order = random.sample(range(count), count)
    groups = []
    while order:
        size = random.randint(1, largest)
        groups.append(order[:size])
        order = order[size:]
    return groups


def compare(alone: Pass, among: Sequence[Pass]) -> dict[str, Any]:
    """What changed between translations made alone and translations made in batches."""
    pairs = [list(zip(alone.translations, other.translations, strict=True)) for other in among]
    differing = [{place for place, (one, two) in enumerate(order) if one.text != two.text} for order in pairs]
    return {
        "differing": len(set().union(*differing)),
        "differing_by_order": [len(places) for places in differing],
        "largest_score_change": max(abs(score(one) - score(two)) for order in pairs for one, two in order),
        "rows_alone": alone.rows,
        "rows_among": [other.rows for other in among],
    }


def score(translation: TextTranslation) -> float:
    return sum(sentence.score for sentence in translation.sentences)


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first column is translated, as German.")],
    sentences: Annotated[int, typer.Option(min=1, help="Sentences, in equal parts from each file.")] = 1000,
    orders: Annotated[int, typer.Option(min=1, help="Random orders.")] = 3,
    together: Annotated[int, typer.Option(min=2, help="Sentences translated at a time.")] = 64,
    target: Annotated[str, typer.Option(help="Language to translate to.")] = "en",
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the orders.")] = 0,
) -> None:
    """Count the sentences whose translation changes with their neighbours."""
    share = -(-sentences // len(pairs))
    texts = list(dict.fromkeys(text for file in pairs for text, _ in read_sentences([file], seed=0)[:share]))[
        :sentences
    ]
    results = []
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("passes", total=len(PRECISIONS) * len(BEAMS) * (orders + 1))
        for precision in PRECISIONS:
            for beam in BEAMS:
                translator = Translator(path, precision, beam, target, workers)
                alone = asyncio.run(translator.run(texts, [[place] for place in range(len(texts))], together=1))
                progress.advance(task)
                among = []
                random = Random(seed)
                for _ in range(orders):
                    groups = random_groups(len(texts), max(1, together // 4), random)
                    among.append(asyncio.run(translator.run(texts, groups, together)))
                    progress.advance(task)
                results.append({"precision": precision, "beam": beam, **compare(alone, among)})
    columns = ("precision", "beam", "differing", "of", "by order", "largest score change", "rows alone", "rows among")
    table = Table(*columns, title=f"{path}: each sentence alone, and among up to {together - 1} strangers")
    for row in results:
        table.add_row(
            str(row["precision"]),
            str(row["beam"]),
            str(row["differing"]),
            str(len(texts)),
            " ".join(map(str, row["differing_by_order"])),
            f"{row['largest_score_change']:.2g}",
            f"{row['rows_alone']:.1f}",
            " ".join(f"{rows:.0f}" for rows in row["rows_among"]),
        )
    Console(width=120).print(table)
    setup = {"sentences": len(texts), "orders": orders, "together": together, "workers": workers}
    print(json_line(benchmark="invariance", **setup, results=results))


if __name__ == "__main__":
    typer.run(main)
