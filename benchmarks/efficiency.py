"""The terms of WMT's efficiency task in one table: speed on one core and on all, size, latency, words for a dollar.

    python -m benchmarks.efficiency artifacts/de-en data/de-en/eval/wmt19.tsv --firefox FOLDER \
        --bergamot PYTHON --libretranslate .venv-libretranslate

Every system translates the same English sentences, from text to text: into German with the shipped model, into
Portuguese with the model of Firefox's kind in FOLDER, which has no references here. ``--bergamot`` is a Python that has
the wheel of Firefox's own engine, see ``firefox.py``. Without an option, the table lacks its systems.

A process, or a server with one worker, has one core to itself; "all cores" is one on each, at the same time. A speed
is source words divided by processor time, summed over the cores, so it leaves out the time that other programs take.
Latency is the processor time of a sentence alone. Servers get as many texts a request as engines get in a batch; their
figures have HTTP in them, and all that a server does beside translating. Systems take turns; the table shows medians.
"""

import json
import os
import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import onnx
import sacrebleu
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.engine.models.bundle import Bundle
from benchmarks import libretranslate
from benchmarks.ctranslate2_model import convert
from benchmarks.figures import json_line
from benchmarks.firefox import Peer, Timed
from benchmarks.servers import Server, free_port, running, running_dragoman
from export.choices import Choices
from export.importing import import_bundle
from model.data.pairs import read_pairs

Translate = Callable[[list[str], int], Timed]
"""Sentences and how many are translated together -> processor seconds, and the translations."""

_BERGAMOT_PEER = str(Path(__file__).with_name("bergamot_peer.py"))


@dataclass
class System:
    """What is measured.

    Attributes:
        copies: One a core.
        files: What it reads from a disk for English into its other language.
        has_references: Whether its translations can be scored.
        one: Words a second on one core, for each round; ``every``: on all cores.
        latency: Milliseconds of a sentence alone, for each round.
    """

    name: str
    copies: Sequence[Translate]
    files: Iterable[Path]
    has_references: bool = True
    one: list[float] = field(default_factory=list)
    every: list[float] = field(default_factory=list)
    latency: list[float] = field(default_factory=list)
    chrf: float | None = None

    def measure(self, texts: list[str], references: list[str], batch: int) -> None:
        """One round."""
        words = sum(len(text.split()) for text in texts)
        seconds, found = self.copies[0](texts, batch)
        self.one.append(words / seconds)
        with ThreadPoolExecutor(len(self.copies)) as pool:
            runs = pool.map(lambda translate: translate(texts, batch), self.copies)
            self.every.append(sum(words / seconds for seconds, _ in runs))
        seconds, _ = self.copies[0](texts, 1)
        self.latency.append(1000 * seconds / len(texts))
        self.chrf = sacrebleu.corpus_chrf(found, [references]).score if self.has_references else None

    @property
    def size_mb(self) -> float:
        """Megabytes on a disk."""
        return sum(path.stat().st_size for path in self.files) / 1e6


def processes(cores: Sequence[int], command: Sequence[str], folder: Path) -> list[Translate]:
    """A process for each core and each run; ``command`` is as in ``firefox.Peer``."""
    return [Peer(["taskset", "--cpu-list", str(core), *command], folder).timed for core in cores]


def served(server: Server) -> Translate:
    """A server with LibreTranslate's contract; its processor time is that of all its processes, to 10 ms."""

    def timed(texts: list[str], batch: int) -> Timed:
        began, found = server.cpu_s(), []
        for first in range(0, len(texts), batch):
            body = json.dumps({"q": texts[first : first + batch], "source": "en", "target": "de"}).encode()
            request = urllib.request.Request(server.url + "/translate", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=300) as response:
                found += json.load(response)["translatedText"]
        return server.cpu_s() - began, found

    return timed


def files_of(bundle: Bundle) -> set[Path]:
    """What an engine with native operators reads for a bundle of one model: graphs, weights, tokenizers."""
    graphs = bundle.graphs("int8-native")
    tensors = [
        tensor
        for role in ("encoder", "decoder")
        for tensor in onnx.load(graphs[role], load_external_data=False).graph.initializer
    ]
    names = {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}
    tokenizers = (path for path in bundle.tokenizer_files if path)
    return {*graphs.values(), *tokenizers, *(bundle.path / name for name in names)}


def with_shipped_weights(bundle: Bundle, cores: Sequence[int], folder: Path) -> Iterator[System]:
    """Engines with the weights of a bundle, with a beam of 4 and greedily."""
    model = bundle.model_of("en", "de")
    convert(model, folder, quantization="int8")
    for beam in (4, 1):
        for name, engine, files in (
            ("Dragoman", "dragoman", files_of(model)),
            ("CTranslate2, same weights", str(folder), {*folder.iterdir(), *model.tokenizer_files[:1]}),
        ):
            command = [sys.executable, "-m", "benchmarks.efficiency_peer", engine, str(beam)]
            yield System(f"{name}, beam {beam}", processes(cores, command, bundle.path), files)


def of_firefox(published: Path, bergamot: str | None, cores: Sequence[int], folder: Path) -> Iterator[System]:
    """Engines with a model of Firefox's kind, which search greedily, with its shortlist."""
    bundle = import_bundle(str(published), folder, choices=Choices(), report=lambda line: None)
    command = [sys.executable, "-m", "benchmarks.efficiency_peer", "dragoman", "1"]
    yield System("Dragoman, Firefox's model", processes(cores, command, folder), files_of(bundle), False)
    if bergamot:
        files = [path for kind in ("model*.bin", "lex*.bin", "*.spm") for path in published.glob(kind)]
        yield System("bergamot, same files", processes(cores, [bergamot, _BERGAMOT_PEER], published), files, False)


def servers(stack: ExitStack, bundle: Bundle, peer: Path, cores: Sequence[int], folder: Path) -> Iterator[System]:
    """Dragoman and LibreTranslate with the same weights and a beam of 4, a server of either on each core."""
    log = folder / "log"
    ours = [stack.enter_context(running_dragoman(bundle.path, [core], log, feature_cache_bytes=0)) for core in cores]
    model = bundle.model_of("en", "de")
    [pair] = model.manifest.pairs
    files = files_of(model) | {bundle.path / name for name in (pair.lexicon, pair.labels) if name}
    yield System("Dragoman's server, beam 4", [served(one) for one in ours], files)
    libretranslate.make_environment(peer)
    libretranslate.write_packages(bundle, peer, folder)
    theirs = []
    for core in cores:
        port = free_port()
        command = libretranslate.command(peer.resolve(), bundle, port)
        setup = {"variables": libretranslate.variables(folder, threads=1), "ready_path": "/languages", "folder": folder}
        theirs.append(
            stack.enter_context(running("LibreTranslate", command, port=port, cores=[core], log=log, **setup))
        )
    package = folder / "packages" / "en_de"
    files = {path for path in package.rglob("*") if path.is_file()}
    name = f"LibreTranslate {libretranslate.version()}, same weights, beam 4"
    yield System(name, [served(one) for one in theirs], files)


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle, English to German.")],
    pairs: Annotated[Path, typer.Argument(help="Pair file, German first.")],
    firefox: Annotated[Path | None, typer.Option(help="A model from English as Mozilla publishes it.")] = None,
    bergamot: Annotated[str | None, typer.Option(help="A Python 3.10 that has the wheel bergamot.")] = None,
    peer: Annotated[Path | None, typer.Option("--libretranslate", help="LibreTranslate's environment.")] = None,
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of the file.")] = 128,
    batch: Annotated[int, typer.Option(min=1, help="Sentences translated together.")] = 32,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds.")] = 2,
    price: Annotated[float, typer.Option(help="Dollars an hour of the machine.")] = 0.10264,
    machine: Annotated[str, typer.Option(help="Which machine that is.")] = "AWS c7a.large, us-east-1, on demand",
) -> None:
    """Print one table."""
    bundle, cores = Bundle.open(path), sorted(os.sched_getaffinity(0))
    chosen = sorted(list(read_pairs(pairs))[:sentences], key=lambda pair: len(pair[1]))
    texts, references = [english for _, english in chosen], [german for german, _ in chosen]
    with TemporaryDirectory() as scratch, ExitStack() as stack:
        folder = Path(scratch)
        systems = list(with_shipped_weights(bundle, cores, folder / "ctranslate2"))
        systems += of_firefox(firefox, bergamot, cores, folder / "firefox") if firefox else []
        systems += servers(stack, bundle, peer, cores, folder) if peer else []
        sizes = [system.size_mb for system in systems]
        for _ in track(range(rounds), console=Console(stderr=True)):
            for system in systems:
                system.measure(texts, references, batch)
    columns = ("system", "words/s, one core", f"{len(cores)} cores", "ms a sentence", "MB", "words a dollar", "chrF")
    table = Table(*columns, title=f"{len(texts)} sentences of {pairs.name}, {batch} together")
    for system, size in zip(systems, sizes, strict=True):
        one, every, latency = map(median, (system.one, system.every, system.latency))
        millions = f"{every * 3600 / price / 1e6:,.0f} million"
        chrf = "" if system.chrf is None else f"{system.chrf:.1f}"
        table.add_row(system.name, f"{one:,.0f}", f"{every:,.0f}", f"{latency:.1f}", f"{size:.1f}", millions, chrf)
    Console(width=130).print(table)
    print(f"{price} dollars an hour: {machine}; check the price")
    results = [
        {"system": system.name, "one_core": system.one, "all_cores": system.every, "ms": system.latency, "mb": size}
        for system, size in zip(systems, sizes, strict=True)
    ]
    print(json_line(benchmark="efficiency", price=price, machine=machine, results=results))


if __name__ == "__main__":
    typer.run(main)
