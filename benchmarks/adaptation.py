r"""Measures what translations learn from a translation memory that adapts.

    python -m benchmarks.adaptation artifacts/de-en --domain shop=data/de-en/train/interface-shops.tsv.xz \
        --elsewhere data/de-en/eval/wmt19.tsv

Of each domain's pairs (German, a tab, English), 200 are translated, and up to ``--size`` others are the memory. None of
these has the text of one that is translated. The memory's matches don't count: only the very same text would be one.
"Elsewhere" is the first 500 pairs of other text, translated with the same memory. Times are the processor's, of the
whole server in this process, for a sentence; the first time, the states of the examples are computed, too. The last
line is JSON.
"""

import random
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import sacrebleu
import typer
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from app.main import create_app
from app.settings import Settings
from benchmarks.figures import json_line
from model.data.pairs import read_pairs

TRANSLATED, ELSEWHERE, SEED = 200, 500, 1
_LONGEST = 60  # words
_AT_ONCE = 50  # texts of a request
_PATH = "/v3/translation_memories"
_COLUMNS = ("domain", "to", "entries", "BLEU", "adapted", "elsewhere", "adapted", "changed", "ms", "first", "again")

Pairs = list[tuple[str, str]]


def _split(pairs: Pairs, size: int) -> tuple[Pairs, Pairs]:
    """The pairs that are translated, and the memory's."""
    some = [pair for pair in dict.fromkeys(pairs) if 1 < len(pair[0].split()) <= _LONGEST]
    random.Random(SEED).shuffle(some)
    tested = some[:TRANSLATED]
    texts = {source for source, _ in tested}
    return tested, [pair for pair in some[TRANSLATED:] if pair[0] not in texts][:size]


def _translate(client: TestClient, pairs: Pairs, source: str, target: str, **memory: object) -> tuple[list[str], float]:
    """Translations, and milliseconds of the processor for one."""
    began, found = time.process_time(), list[str]()
    for begin in range(0, len(pairs), _AT_ONCE):
        texts = [text for text, _ in pairs[begin : begin + _AT_ONCE]]
        body = {"q": texts, "source": source, "target": target, **memory}
        found += client.post("/translate", json=body).raise_for_status().json()["translatedText"]
    return found, 1000 * (time.process_time() - began) / len(pairs)


def _bleu(translations: list[str], pairs: Pairs) -> float:
    return float(sacrebleu.corpus_bleu(translations, [[reference for _, reference in pairs]]).score)


def _measure(client: TestClient, domain: str, pairs: Pairs, elsewhere: Pairs, size: int, to: str) -> dict[str, Any]:
    source, target = ("en", "de") if to == "de" else ("de", "en")
    if to == "de":
        pairs, elsewhere = ([(b, a) for a, b in some] for some in (pairs, elsewhere))
    tested, kept = _split(pairs, size)
    made = client.post(_PATH, json={"name": domain, "source_lang": source, "target_lang": target, "adapt": True})
    memory = made.raise_for_status().json()["translation_memory_id"]
    lines = "".join(f"{' '.join(a.split())}\t{' '.join(b.split())}\n" for a, b in kept)
    added = client.post(f"{_PATH}/{memory}/file", files={"file": ("memory.tsv", lines.encode())}).raise_for_status()
    wanted = {"translation_memory_id": memory, "translation_memory_threshold": 100}
    plain, plain_ms = _translate(client, tested, source, target)
    adapted, first_ms = _translate(client, tested, source, target, **wanted)
    _, again_ms = _translate(client, tested, source, target, **wanted)
    other, _ = _translate(client, elsewhere, source, target)
    other_adapted, _ = _translate(client, elsewhere, source, target, **wanted)
    changed = sum(a != b for a, b in zip(other, other_adapted, strict=True))
    values = (
        domain,
        to,
        added.json()["memory"]["segment_count"],
        _bleu(plain, tested),
        _bleu(adapted, tested),
        _bleu(other, elsewhere),
        _bleu(other_adapted, elsewhere),
        f"{changed} of {len(elsewhere)}",
        plain_ms,
        first_ms,
        again_ms,
    )
    client.delete(f"{_PATH}/{memory}")
    names = ("domain", "to", "entries", "bleu", "bleu_adapted", "elsewhere", "elsewhere_adapted", "changed")
    return dict(zip((*names, "ms", "ms_first", "ms_again"), values, strict=True))


def main(
    bundle: Annotated[Path, typer.Argument(help="The bundle.")],
    domain: Annotated[list[str], typer.Option(help="NAME=FILE[,FILE...] of pairs; may be repeated.")],
    elsewhere: Annotated[Path, typer.Option(help="Pairs of other text.")],
    size: Annotated[int, typer.Option(help="Maximum number of the memory's entries.")] = 5_000,
) -> None:
    """Measure what translations learn from a translation memory that adapts."""
    table = Table(*_COLUMNS)
    other = [(pair[0], pair[1]) for pair in read_pairs(elsewhere)][:ELSEWHERE]
    with tempfile.TemporaryDirectory() as data:
        app = create_app(Settings(bundle=(bundle,), data=Path(data), workers=1, threads=1))
        found = []
        with TestClient(app) as client:
            for each in domain:
                name, _, files = each.partition("=")
                pairs = [(pair[0], pair[1]) for file in files.split(",") for pair in read_pairs(Path(file))]
                for to in ("en", "de"):
                    found.append(_measure(client, name, pairs, other, size, to))
                    shown = (f"{value:.1f}" if isinstance(value, float) else str(value) for value in found[-1].values())
                    table.add_row(*shown)
    Console(width=160).print(table)
    print(json_line(rows=found))


if __name__ == "__main__":
    typer.run(main)
