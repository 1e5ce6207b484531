"""Counts what a second tier changes: the share of sentences, the verdicts before and after, and what is damaged.

    python -m benchmarks.second_tier artifacts/de-en data/de-en/eval/wmt19.tsv

The second tier is a fake: it answers with the human translation of the file, or, as often as ``--hostile`` says, in one
of the ways of ``tests.support.chat_server.hostile``, among them hanging, HTML, megabytes, other numbers and languages.
So the table says what the checks let through, and nothing about the quality of a real model. An answer counts as
damaged if it is neither the first tier's nor the human translation, but for what the rules of the target language
correct in both: quotation marks, spaces and capitals.

With ``--address``, a real model takes the fake's place. Then "refused" counts answers that the checks didn't let
through, and chrF is that of the sentences that the second tier made, before and after.
"""

import asyncio
import random
import re
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table
from sacrebleu import sentence_chrf

from app.main import create_app
from app.settings import Settings
from app.translation.second_tier import circuit
from benchmarks.figures import json_line
from tests.support.chat_server import chatting, completion, hostile

_CHUNK = 50
_OUTCOME = re.compile(r'^dragoman_second_tier_sentences_total\{outcome="(\w+)"\} (\S+)', re.MULTILINE)


def run(
    bundle: Annotated[Path, typer.Argument(help="A bundle with both directions.")],
    pairs: Annotated[Path, typer.Argument(help="Sentences and their human translations, parted by a tab.")],
    number: Annotated[int, typer.Option(help="Sentences in each direction.")] = 500,
    share: Annotated[float, typer.Option("--hostile", help="Share of hostile answers.")] = 0.5,
    below: Annotated[float, typer.Option(help="Confidence below which a sentence is sent.")] = 0.5,
    address: Annotated[str | None, typer.Option(help="Address of a real model, e.g. http://127.0.0.1:8080/v1.")] = None,
) -> None:
    """Prints a row for each direction."""
    rows = [line.split("\t") for line in pairs.read_text("utf-8").splitlines()][:number]
    if address:
        _print_real(rows, bundle, address, below)
        return
    table = Table("direction", "sentences", "sent", "second tier", "verdicts before", "after", "damaged")
    found = []
    for source, target, here, there in (("de", "en", 0, 1), ("en", "de", 1, 0)):
        known = {row[here]: row[there] for row in rows}
        result = asyncio.run(_compare(bundle, known, (source, target), share, below))
        found.append(result)
        total = result["sentences"]
        shares = [f"{100 * result[name] / total:.1f} %" for name in ("sent", "second", "before", "after")]
        table.add_row(f"{source} to {target}", str(total), *shares, str(result["damaged"]))
    Console().print(table)
    print(json_line(rows=found))


def _print_real(rows: list[list[str]], bundle: Path, address: str, below: float) -> None:
    table = Table("direction", "sent", "used", "refused", "failed", "verdicts before", "after", "chrF before", "after")
    for source, target, here, there in (("de", "en", 0, 1), ("en", "de", 1, 0)):
        known = {row[here]: row[there] for row in rows}
        settings = Settings.load(bundle=bundle)
        tiered = Settings.load(bundle=bundle, second_tier=address, second_tier_below=below, second_tier_timeout_s=60)
        before, _ = asyncio.run(_translate(settings, list(known), (source, target)))
        after, outcomes = asyncio.run(_translate(tiered, list(known), (source, target)))
        scores = [
            [sentence_chrf(each["text"], [known[text]]).score for each in (first, now)]
            for text, first, now in zip(known, before, after, strict=True)
            if now["second"]
        ]
        means = [f"{mean(column):.1f}" for column in zip(*scores, strict=True)] or ["", ""]
        verdicts = [str(sum(each["verdicts"] for each in found)) for found in (before, after)]
        counts = [str(outcomes[name]) for name in ("used", "refused", "failed")]
        table.add_row(f"{source} to {target}", str(sum(outcomes.values())), *counts, *verdicts, *means)
    Console().print(table)


async def _compare(
    bundle: Path, known: dict[str, str], languages: tuple[str, str], share: float, below: float
) -> dict[str, Any]:
    choices = random.Random(0)
    ways = hostile(lambda sentence: known.get(sentence, sentence))

    def answer(sentence: str) -> bytes | None:
        if choices.random() < share:
            return choices.choice(ways)[1](sentence)
        return completion(known.get(sentence, sentence))

    circuit.PAUSE_S = 0.0  # the breaker would keep most of the hostile answers away
    async with chatting(answer) as chat:
        settings = Settings.load(bundle=bundle)
        tiered = Settings.load(
            bundle=bundle,
            second_tier=chat.url,
            second_tier_below=below,
            second_tier_timeout_s=2,
            second_tier_at_once=16,
        )
        before, _ = await _translate(settings, list(known), languages)
        after, _ = await _translate(tiered, list(known), languages)
    damaged = [
        sentence
        for sentence, first, now in zip(known, before, after, strict=True)
        if _plain(now["text"]) not in (_plain(first["text"]), _plain(known[sentence]))
        and not (first["sentences"] > 1 and now["second"])  # a part may be of either tier
    ]
    return {
        "direction": "-".join(languages),
        "sentences": sum(each["sentences"] for each in after),
        "sent": len(chat.bodies),
        "second": sum(each["second"] for each in after),
        "before": sum(each["verdicts"] for each in before),
        "after": sum(each["verdicts"] for each in after),
        "damaged": len(damaged),
        "examples": damaged[:5],
    }


async def _translate(
    settings: Settings, texts: list[str], languages: tuple[str, str]
) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Translates texts; returns what became of each, and what became of the sentences at the second tier."""
    app = create_app(settings)
    source, target = languages
    found: list[dict[str, Any]] = []
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://x") as client:
        for begin in range(0, len(texts), _CHUNK):
            body = {"q": texts[begin : begin + _CHUNK], "source": source, "target": target, "details": True}
            answer = (await client.post("/translate", json=body, timeout=None)).raise_for_status().json()
            for text, sentences in zip(answer["translatedText"], answer["details"], strict=True):
                found.append(
                    {
                        "text": text,
                        "sentences": len(sentences),
                        "second": sum(sentence["tier"] == 2 for sentence in sentences),
                        "verdicts": sum(bool(sentence["verdicts"]) for sentence in sentences),
                    }
                )
        metrics = (await client.get("/metrics")).text
    return found, Counter({name: int(float(number)) for name, number in _OUTCOME.findall(metrics)})


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


if __name__ == "__main__":
    typer.run(run)
