"""How priorities share one engine, and whom it refuses first.

    python -m benchmarks.priorities artifacts/de-en data/de-en/eval/tatoeba.test.tsv

Each priority has as many clients, which translate one sentence after another, without HTTP, so that all of them wait
for the model. The first table shows what each priority gets: its share should be that of its weight. In the second
part, more clients than the queue has room for come; it shows which requests are refused.
"""

import asyncio
import time
from collections import Counter
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from app.engine.interface import TranslationCall
from app.engine.options import SearchOptions
from app.engine.registry import Registry
from app.errors import Overloaded
from app.priority import Priority, priority
from app.settings import Settings
from benchmarks.figures import read_sentences

_WORDS = 10  # sentences of one length, so that sentences and tokens have the same shares
_RETRY_S = 0.1
_ANSWERED, _REFUSED = "answered", "refused"


async def _load(
    engine: Registry, sentences: list[str], clients: int, seconds: float
) -> dict[Priority, tuple[Counter[str], list[float]]]:
    """What became of the sentences of each priority, and their latencies in seconds."""
    found: dict[Priority, tuple[Counter[str], list[float]]] = {each: (Counter(), []) for each in Priority}
    texts = cycle(enumerate(sentences))
    # Before that, the clients come, all at once.
    starts_s, ends_s = time.monotonic() + seconds / 3, time.monotonic() + seconds

    async def send(each: Priority) -> None:
        priority.set(each)
        while (sent_s := time.monotonic()) < ends_s:
            number, text = next(texts)
            call = TranslationCall(
                texts=[f"{text} {number}"], source="de", target="en", options=SearchOptions(beam_size=4)
            )
            try:
                engine.reject_if_overloaded()
                async with engine.route("de", "en") as [hop]:
                    async for _ in hop.stream(call):
                        pass
                result = _ANSWERED
            except Overloaded:
                result = _REFUSED
            if starts_s < (now := time.monotonic()) < ends_s:
                found[each][0][result] += 1
                if result == _ANSWERED:
                    found[each][1].append(now - sent_s)
            if result == _REFUSED:
                await asyncio.sleep(_RETRY_S)

    async with asyncio.TaskGroup() as group:
        for each in Priority:
            for _ in range(clients):
                group.create_task(send(each))
    return found


async def _measure(title: str, settings: Settings, sentences: list[str], clients: int, seconds: float) -> Table:
    engine = Registry.from_settings(settings)
    await engine.start()
    found = await _load(engine, sentences, clients, seconds)
    await engine.stop()
    total = sum(results[_ANSWERED] for results, _ in found.values())
    weights = sum(each.weight for each in Priority)
    table = Table("priority", "weight", "sentences", "share", "p50, s", "refused", title=title)
    for each, (results, latencies) in found.items():
        table.add_row(
            each.value,
            f"{each.weight / weights:.1%}",
            str(results[_ANSWERED]),
            f"{results[_ANSWERED] / max(1, total):.1%}",
            f"{median(latencies):.2f}" if latencies else "-",
            f"{results[_REFUSED] / max(1, results.total()):.0%}",
        )
    return table


def main(
    bundle: Path,
    pairs: Annotated[Path, typer.Argument(help="German sentences in the first column.")],
    seconds: Annotated[float, typer.Option(help="Duration of each part.")] = 20.0,
    clients: Annotated[int, typer.Option(help="Clients of each priority.")] = 100,
) -> None:
    """Measure the shares of the priorities, and the refusals."""
    sentences = [text for text, _ in read_sentences([pairs], seed=0) if len(text.split()) == _WORDS]
    for title, room in (("All wait", 50_000), ("Overload", 2_000)):
        settings = Settings(bundle=(bundle,), workers=1, max_queue_tokens=room)
        Console().print(asyncio.run(_measure(title, settings, sentences, clients, seconds)))


if __name__ == "__main__":
    typer.run(main)
