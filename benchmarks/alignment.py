"""Does the alignment head know where a copied word came from?

    python -m benchmarks.alignment artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

A number, a capitalised word or an address is a copy if source, reference and translation each have it exactly once. In
the translation it must be aligned with the same word of the source. The links are the ones by which the service places
tags and protected spans (int8, beam 4). A word counts as aligned with the word to which most of its characters are
linked. Addresses are added, since the sentences have none. The last line is JSON.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.table import Table

from app.engine.interface import OpenHop, TranslationCall
from app.engine.options import SearchOptions
from app.engine.single_model import Engine
from app.settings import Settings
from app.text.inline.target_tokens import Link
from app.translation.drafting import Drafting
from app.translation.sentence import TextTranslation
from benchmarks.figures import json_line, read_sentences
from benchmarks.protection import put_in
from benchmarks.robustness_cases import ADDRESSES, URLS

BAR = 95.0
_NUMBER = re.compile(r"(?<!\S)\d+(?:[.,:]\d+)*(?=[\s.,;!?)]|$)")
_NAME = re.compile(r"(?<![\w.-])[A-ZÄÖÜ][\w]{2,}(?![\w-])")
_CHUNK = 64


class Sample(NamedTuple):
    """A text, and the words that its translation should copy, with their kinds."""

    text: str
    words: dict[str, str]


def samples(pairs: Sequence[tuple[str, str]], seed: int) -> list[Sample]:
    """All pairs that have words in common, and 200 with an address in them."""
    random = Random(seed)
    found = [Sample(source, common_words(source, reference)) for source, reference in pairs]
    addresses = [*URLS, *ADDRESSES]
    put = (put_in(source, random, lambda random: (random.choice(addresses), ""), most=1) for source, _ in pairs)
    with_address = [Sample(case.text, {span: "address" for _, span in case.spans}) for case in put if case.spans]
    return [*(sample for sample in found if sample.words), *with_address[:200]]


def common_words(source: str, reference: str) -> dict[str, str]:
    """Numbers and capitalised words that both texts have exactly once, with their kind."""
    kinds = {"number": _NUMBER, "name": _NAME}
    return {
        word: kind
        for kind, pattern in kinds.items()
        for word in sorted(set(pattern.findall(source)) & set(pattern.findall(reference)))
        if source.count(word) == 1 == reference.count(word)
    }


def is_aligned(word: str, source: str, translation: str, links: Sequence[Link]) -> bool:
    """Most characters of the word in the translation are linked to the word in the source."""
    begin, target_begin = source.index(word), translation.index(word)
    end, target_end = begin + len(word), target_begin + len(word)
    votes: Counter[bool] = Counter()
    for link in links:
        shared = min(link.target_end, target_end) - max(link.target_begin, target_begin)
        if shared > 0:
            votes[begin < link.source_end and link.source_begin < end] += shared
    return votes[True] > votes[False]


def count(chosen: Sequence[Sample], translations: Sequence[TextTranslation]) -> dict[str, tuple[int, int]]:
    """For each kind, how many words were copied, and how many of them are aligned with themselves."""
    copied: Counter[str] = Counter()
    aligned: Counter[str] = Counter()
    for sample, translation in zip(chosen, translations, strict=True):
        for word, kind in sample.words.items():
            if translation.text.count(word) == 1:
                copied[kind] += 1
                aligned[kind] += is_aligned(word, sample.text, translation.text, translation.alignment)
    return {kind: (copied[kind], aligned[kind]) for kind in sorted(copied)}


async def translate(path: Path, texts: Sequence[str], source: str, target: str, workers: int) -> list[TextTranslation]:
    engine = Engine.from_settings(Settings.load(bundle=path, workers=workers))
    await engine.start()
    options = SearchOptions(beam_size=4, alignment=True)
    try:
        found: list[TextTranslation] = []
        for start in range(0, len(texts), _CHUNK):
            part = texts[start : start + _CHUNK]
            call = TranslationCall(texts=part, source=source, target=target, options=options)
            found += (await Drafting([OpenHop(engine, source, target)], call).translate())[0]
        return found
    finally:
        await engine.stop()


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files of German and English sentences.")],
    limit: Annotated[int, typer.Option(min=1, help="Sentences in each direction.")] = 2000,
    workers: Annotated[int, typer.Option(min=1, help="Workers of the engine.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the order, and of the addresses.")] = 0,
) -> None:
    """Count the copied words that are aligned with their originals."""
    table = Table("direction", "words", "copied", "aligned with themselves %", title=f"{path}: bar {BAR:g} %")
    results = []
    for source, target in (("de", "en"), ("en", "de")):
        chosen = samples(read_sentences(pairs, seed=seed, reverse=source == "en"), seed)[-limit:]
        translations = asyncio.run(translate(path, [sample.text for sample in chosen], source, target, workers))
        counts = count(chosen, translations)
        counts["all"] = (sum(copied for copied, _ in counts.values()), sum(aligned for _, aligned in counts.values()))
        for kind, (copied, aligned) in counts.items():
            share = 100 * aligned / max(1, copied)
            table.add_row(f"{source}-{target}", kind, str(copied), f"{share:.1f}")
            results.append({"direction": f"{source}-{target}", "kind": kind, "copied": copied, "aligned": share})
    Console(width=100).print(table)
    print(json_line(benchmark="alignment", seed=seed, bar=BAR, results=results))


if __name__ == "__main__":
    typer.run(main)
