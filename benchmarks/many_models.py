"""Many models on one server: start, cold requests, memory, and random pairs while models come and go.

    python -m benchmarks.many_models MODELS --minutes 4

MODELS is a folder with a bundle out of English and one into English, such as ``dragoman import`` makes. They are copied
under the codes of other languages. So all pairs of a kind (out of English, into English, through English) must give the
same translations, and a wrong one is found out. One server with default settings is timed; a second one with memory for
few models translates random pairs for 16 clients. A refusal (503) is sent again after ``Retry-After``, as clients do.

The last line is JSON.
"""

import asyncio
import hashlib
import json
import shutil
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import aiohttp
import typer
from rich.console import Console
from rich.table import Table

from app.engine.models.discovery import find_bundles
from app.engine.models.manifest import Manifest, write_manifest
from benchmarks.figures import json_line
from benchmarks.load import percentile
from benchmarks.servers import Cores, Server, ServerCpus, running_dragoman

# Without French, whose typography (a space before "?") changes the same translation.
CODES = (
    "ar az bg bn ca cs da de el es et fa fi he hi hr hu id is it ja ko lt lv nl pl ro ru sk sl sq sr sv ta te th tr "
    "uk vi ms nb mt ka hy gu kn ml mk be ga"
).split()
SENTENCES = (
    "The train to the coast leaves at nine.",
    "Please bring an umbrella, because it may rain in the afternoon.",
    "She has lived in the old house by the river for many years.",
    "Where can I buy a ticket?",
    "The committee will meet again on Thursday to discuss the budget.",
    "Our garden is small, but the apples are very good.",
)
WARMED = 10
PIVOT = "en"


@dataclass
class Load:
    """What happened while random pairs were translated."""

    latencies_ms: list[float] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)
    refused: int = 0
    wrong: Counter[str] = field(default_factory=Counter)  # by pair
    lost: Counter[str] = field(default_factory=Counter)


def copy_bundles(models: Path, codes: list[str], out: Path) -> None:
    """Copy the folder's bundle out of English and the one into English under each of the codes.

    Raises:
        typer.BadParameter: One of the two is missing.
    """
    for is_source in (True, False):
        for path in find_bundles([models]):
            manifest = Manifest.read(path)
            [pair, *others] = manifest.pairs
            if not others and (pair.source if is_source else pair.target) == PIVOT:
                break
        else:
            raise typer.BadParameter(f"{models} lacks a bundle {'out of' if is_source else 'into'} English")
        for code in codes:
            source, target = (PIVOT, code) if is_source else (code, PIVOT)
            copy = out / f"{source}-{target}"
            shutil.copytree(path, copy)
            golden = json.loads((copy / "golden.json").read_text())
            for each in golden:
                each |= {"source_language": source, "target_language": target}
            (copy / "golden.json").write_text(json.dumps(golden, ensure_ascii=False))
            digest = hashlib.sha256((copy / "golden.json").read_bytes()).hexdigest()
            changes = {"pairs": (pair.model_copy(update={"source": source, "target": target}),), "name": copy.name}
            write_manifest(
                copy, manifest.model_copy(update=changes | {"files": manifest.files | {"golden.json": digest}})
            )


def get(server: Server, path: str) -> Any:
    """The JSON at a path."""
    with urllib.request.urlopen(server.url + path, timeout=60) as response:
        return json.load(response)


def translate(server: Server, text: str, source: str, target: str) -> str:
    """Translate one text."""
    return server.translate(json.dumps({"q": text, "source": source, "target": target}).encode())


def measure_cold(server: Server, codes: list[str]) -> dict[str, float]:
    """Times of the first requests, in milliseconds, and the memory of a model, in megabytes."""
    found = {"ready, s": server.ready_s, "memory when ready, MB": server.rss_bytes() / 1e6}

    def timed(name: str, *arguments: str) -> None:
        began = time.monotonic()
        translate(server, SENTENCES[0], *arguments)
        found[name] = 1000 * (time.monotonic() - began)

    began = time.monotonic()
    get(server, "/languages")
    found["/languages, ms"] = 1000 * (time.monotonic() - began)
    timed("first request of all, ms", PIVOT, codes[0])
    timed("cold pair, ms", PIVOT, codes[1])
    timed("cold pair through English, ms", codes[2], codes[3])
    timed("the same pair again, ms", codes[2], codes[3])
    before = server.rss_bytes()
    for code in codes[4 : 4 + WARMED]:
        translate(server, SENTENCES[0], PIVOT, code)
    found["memory of a model, MB"] = (server.rss_bytes() - before) / 1e6 / WARMED
    found["estimate for a model, MB"] = max(model["bytes"] for model in get(server, "/info")["models"]) / 1e6
    return found


def expected_answers(server: Server, code: str) -> dict[str, dict[str, str]]:
    """Texts and translations of the pairs out of English and into English."""
    out = {text: translate(server, text, PIVOT, code) for text in SENTENCES}
    return {"out": out, "back": {text: translate(server, text, code, PIVOT) for text in out.values()}}


async def load(server: Server, codes: list[str], minutes: float, clients: int) -> Load:
    """Translate random pairs; every answer is compared with that of the first pair of its kind."""
    found, random, end = Load(), Random(0), time.monotonic() + 60 * minutes
    answers: dict[tuple[str, str], str] = {}

    async def client(session: aiohttp.ClientSession, texts: dict[str, list[str]]) -> None:
        while time.monotonic() < end:
            source, target = random.sample([PIVOT, *codes], 2)
            kind = "out" if source == PIVOT else "back" if target == PIVOT else "through"
            text = random.choice(texts["out" if kind == "out" else "back"])
            began = time.monotonic()
            translated = await _translated(session, {"q": text, "source": source, "target": target}, found)
            found.latencies_ms.append(1000 * (time.monotonic() - began))
            if translated is not None:
                found.wrong[f"{source}-{target}"] += answers.setdefault((kind, text), translated) != translated

    async def watch() -> None:
        while True:
            found.rss_mb.append(server.rss_bytes() / 1e6)
            await asyncio.sleep(0.5)

    known = await asyncio.to_thread(expected_answers, server, codes[0])
    answers |= {(kind, text): answer for kind in ("out", "back") for text, answer in known[kind].items()}
    texts = {kind: list(known[kind]) for kind in known}
    timeout = aiohttp.ClientTimeout(total=120)
    async with aiohttp.ClientSession(server.url, timeout=timeout, connector=aiohttp.TCPConnector(limit=0)) as session:
        watching = asyncio.create_task(watch())
        await asyncio.gather(*(client(session, texts) for _ in range(clients)))
        watching.cancel()
    return found


async def _translated(session: aiohttp.ClientSession, body: dict[str, str], found: Load) -> str | None:
    """The translation, after as many refusals as it takes; None if it is lost."""
    for _ in range(20):
        try:
            async with session.post("/translate", json=body) as response:
                if response.status == 200:
                    return str((await response.json())["translatedText"])
                if response.status != 503:
                    found.lost[str(response.status)] += 1
                    return None
                found.refused += 1
                wait_s = float(response.headers["Retry-After"])
        except (aiohttp.ClientError, TimeoutError) as error:
            found.lost[type(error).__name__] += 1
            return None
        await asyncio.sleep(wait_s)
    found.lost["refused 20 times"] += 1
    return None


def summary(found: Load, budget_mb: float, ready_mb: float, statistics: dict[str, float]) -> dict[str, float | str]:
    """The rows about the load."""
    quarters = [found.rss_mb[n * len(found.rss_mb) // 4 : (n + 1) * len(found.rss_mb) // 4] for n in range(4)]
    return {
        "translated": len(found.latencies_ms) - found.lost.total(),
        "lost": found.lost.total(),
        "wrong": found.wrong.total(),
        "refused and sent again": found.refused,
        "latency, median, ms": percentile(found.latencies_ms, 50),
        "latency, 99th percentile, ms": percentile(found.latencies_ms, 99),
        "models loaded": statistics["loads"],
        "models unloaded": statistics["evictions"],
        "budget for models, MB": budget_mb,
        "memory above that when ready, peak, MB": max(found.rss_mb) - ready_mb,
        "memory, highest of each quarter, MB": ", ".join(f"{max(quarter):.0f}" for quarter in quarters if quarter),
    }


def main(
    models: Annotated[Path, typer.Argument(help="Folder with a bundle out of English and one into English.")],
    languages: Annotated[int, typer.Option(min=4 + WARMED, max=len(CODES), help="Languages beside English.")] = 30,
    resident: Annotated[int, typer.Option(min=2, help="Models that the memory is for, under load.")] = 12,
    minutes: Annotated[float, typer.Option(min=0.1, help="How long random pairs are translated.")] = 4.0,
    clients: Annotated[int, typer.Option(min=1, help="Concurrent clients.")] = 16,
    server_cpus: ServerCpus = "",
) -> None:
    """Serve copies of two bundles under many codes; print times, memory, and what got lost."""
    cores, codes = Cores.parse(server_cpus, ""), CODES[:languages]
    with TemporaryDirectory() as name:
        folder = Path(name)
        copy_bundles(models, codes, folder / "models")
        with running_dragoman(folder / "models", cores.server, folder / "log") as server:
            rows: dict[str, float | str] = dict(measure_cold(server, codes))
            size = max(model["bytes"] for model in get(server, "/info")["models"])
        budget = resident * size
        with running_dragoman(folder / "models", cores.server, folder / "log", max_models_bytes=budget) as server:
            ready_mb = server.rss_bytes() / 1e6
            found = asyncio.run(load(server, codes, minutes, clients))
            rows |= summary(found, budget / 1e6, ready_mb, _counts(server))
    table = Table("", "measured", title=f"{2 * languages} models, {clients} clients for {minutes:g} minutes")
    for what, value in rows.items():
        table.add_row(what, value if isinstance(value, str) else f"{value:,.0f}" if value >= 20 else f"{value:.3g}")
    Console(width=100).print(table)
    print(f"{cores.describe()}; lost: {dict(found.lost)}; wrong: {dict(+found.wrong)}")
    print(json_line(benchmark="many_models", **rows))
    if found.lost or +found.wrong:
        raise typer.Exit(1)


def _counts(server: Server) -> dict[str, float]:
    """Models loaded and unloaded so far, by the metrics."""
    with urllib.request.urlopen(server.url + "/metrics", timeout=60) as response:
        lines = response.read().decode().splitlines()
    totals = {"loads": "model_loads_total", "evictions": "model_evictions_total"}
    return {
        name: sum(float(line.rpartition(" ")[2]) for line in lines if metric in line and not line.startswith("#"))
        for name, metric in totals.items()
    }


if __name__ == "__main__":
    typer.run(main)
