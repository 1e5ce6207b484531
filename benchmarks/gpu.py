"""All that a GPU has to show, in ten minutes: one script with stages, against CTranslate2 with the same weights.

    python -m benchmarks.gpu artifacts/de-en data/de-en/eval/wmt19.tsv --out build/gpu

Every stage has a limit of time, catches its errors, and prints a line of JSON at once; ``results.jsonl`` in the folder
has all lines. ``--provider cpu`` rehearses it without a GPU, with few slots, the same graphs and the same code.

Speeds are target tokens a second, ends of sentences included, medians over the rounds with smallest and largest.
CTranslate2 gets a warm-up and its own largest batch. A stream is more sentences than slots: as some end, others join.
"""

import asyncio
import json
import platform
import signal
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import ctranslate2
import onnxruntime
import typer

from app.engine.decoding.batch_decoder import decode
from app.engine.decoding.search import Hypothesis, Search, default_max_length
from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.device import DeviceModel
from app.engine.onnx.device_graphs import DeviceGraphs, Source
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from app.engine.scheduling.policy import Batch
from app.engine.single_model import Engine
from app.settings import Settings
from benchmarks.ctranslate2_model import convert, open_model, piece_names
from benchmarks.engine import TestSet

_BEAMS = (1, 4)
Found = dict[str, Any]


@dataclass(frozen=True)
class Bench:
    """What the stages share.

    Attributes:
        path: Folder of the bundle.
        bundle: The bundle.
        test_set: Sentences, shortest first.
        provider: Where ours runs.
        slots: B.
        rounds: Rounds, after one that warms up.
        out: Folder for the profile.
    """

    path: Path
    bundle: Bundle
    test_set: TestSet
    provider: Literal["cpu", "cuda"]
    slots: int
    rounds: int
    out: Path

    def model(self, slots: int | None = None, *, is_captured: bool | None = None) -> DeviceModel:
        """The device's model."""
        ids = self.bundle.manifest.ids
        graphs = DeviceGraphs(
            self.bundle.graphs("float16-cuda"), pad_id=ids.pad, provider=self.provider, is_captured=is_captured
        )
        precision: Literal["float16", "float32"] = "float16" if self.provider == "cuda" else "float32"
        simple = OnnxModel(**self.bundle.graphs(precision), pad_id=ids.pad, provider=self.provider, threads=1)
        return DeviceModel(graphs, simple, eos_id=ids.eos, sentences=slots or self.slots)

    def translate(
        self, batch: Batch[Source], sources: Sequence[list[int]], beam: int, steps: int = 8
    ) -> list[list[Hypothesis]]:
        """All sentences, as many at a time as the batch has slots."""
        ids, options = self.bundle.manifest.ids, SearchOptions(beam_size=beam)
        searches = [
            Search(
                start_id=ids.decoder_start,
                eos_id=ids.eos,
                max_length=default_max_length(len(source)),
                options=options,
            )
            for source in sources
        ]
        batch.join(searches, [Source(tuple(source)) for source in sources])
        while batch.live_rows:
            batch.step(steps)
        return [search.hypotheses() for search in searches]


def versions(bench: Bench) -> Found:
    """Stage 0: what runs here."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.sm", "--format=csv,noheader"]
    card = subprocess.run(command, capture_output=True, text=True).stdout.strip() if bench.provider == "cuda" else ""
    return {
        "card": card or platform.processor(),
        "onnxruntime": onnxruntime.__version__,
        "providers": onnxruntime.get_available_providers(),
        "ctranslate2": ctranslate2.__version__,
        "sentences": len(bench.test_set.sources),
    }


def nodes(bench: Bench) -> Found:
    """Stage 1: which provider runs each node; any on the CPU would forbid CUDA graphs."""
    found: Found = {}
    for role, path in bench.bundle.graphs("float16-cuda").items():
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = str(bench.out / f"{role}.optimised.onnx")
        options.log_severity_level = 0 if bench.provider == "cuda" else 3
        name = {"cuda": "CUDAExecutionProvider", "cpu": "CPUExecutionProvider"}[bench.provider]
        session = onnxruntime.InferenceSession(str(path), options, providers=[name])
        found[role] = {"providers": session.get_providers(), "inputs": len(session.get_inputs())}
    return found


def parity(bench: Bench) -> Found:
    """Stage 2: tokens against those of float32 on the CPU."""
    ids, sources = bench.bundle.manifest.ids, bench.test_set.sources
    exact = OnnxModel(**bench.bundle.graphs("float32"), pad_id=ids.pad, provider="cpu", threads=4)
    batch, found = bench.model().new_batch(), {}
    for beam in _BEAMS:
        options = SearchOptions(beam_size=beam)
        wanted = decode(exact, sources, start_id=ids.decoder_start, eos_id=ids.eos, options=options)
        made = bench.translate(batch, sources, beam)
        pairs = [(one[0], two[0]) for one, two in zip(made, wanted, strict=True)]
        equal = [(one, two) for one, two in pairs if one.tokens == two.tokens]
        found[f"beam {beam}"] = {
            "equal": len(equal),
            "of": len(pairs),
            "largest_difference": max((abs(a.log_probability - b.log_probability) for a, b in equal), default=None),
            "first_differing": next((index for index, (a, b) in enumerate(pairs) if a.tokens != b.tokens), None),
        }
    return found


def steps(bench: Bench, *, is_captured: bool) -> Found:
    """Stages 3 and 4: speed by the steps between two looks and by the slots, launched one by one or as CUDA graphs."""
    found: Found = {}
    for slots in sorted({max(1, bench.slots // 4), bench.slots}):
        began = time.perf_counter()
        batch = bench.model(slots, is_captured=is_captured).new_batch()
        found[f"{slots} slots, seconds to make"] = round(time.perf_counter() - began, 2)
        for beam in _BEAMS:
            for most in (2, 4, 8):
                found[f"beam {beam}, {slots} slots, {most} steps"] = ours(
                    bench, batch, bench.test_set.sources, beam, most
                )
    return found


def ours(bench: Bench, batch: Batch[Source], sources: Sequence[list[int]], beam: int, most: int = 8) -> list[float]:
    """Tokens a second of each round."""
    return speeds(
        lambda: sum(len(each[0].tokens) + 1 for each in bench.translate(batch, sources, beam, most)), bench.rounds
    )


def speeds(tokens: Callable[[], int], rounds: int) -> list[float]:
    """Tokens a second of each round, after one to warm up: median, smallest, largest."""
    tokens()
    measured = []
    for _ in range(rounds):
        began = time.perf_counter()
        made = tokens()
        measured.append(made / (time.perf_counter() - began))
    return [round(value) for value in (median(measured), min(measured), max(measured))]


def ratio(bench: Bench) -> Found:
    """Stage 6: one batch of all slots, and a stream of eight times as many, beside CTranslate2's best batch size."""
    found: Found = {}
    few = bench.test_set.sources[: bench.slots]
    many = (list(bench.test_set.sources) * 8)[: 8 * bench.slots]
    batch = bench.model().new_batch()
    pieces = piece_names(bench.bundle)[0]
    with TemporaryDirectory() as folder:
        convert(bench.bundle, Path(folder) / "model")
        compute = "float16" if bench.provider == "cuda" else "float32"
        peer = open_model(Path(folder) / "model", compute_type=compute, threads=1, device=bench.provider)
        for beam in _BEAMS:
            for name, sources in (("batch", few), ("stream", many)):
                given = [[pieces[index] for index in source] for source in sources]
                others = {
                    size: speeds(partial(peer_tokens, peer, given, beam, size), bench.rounds)
                    for size in (128, 256, 512, 1024)
                }
                mine = ours(bench, batch, sources, beam)
                best = max(others.values())
                found[f"beam {beam}, {name} of {len(sources)}"] = {
                    "tokens_per_s": mine,
                    "peer_tokens_per_s": others,
                    "ratio": round(mine[0] / best[0], 2),
                }
    return found


def peer_tokens(peer: ctranslate2.Translator, given: list[list[str]], beam: int, size: int) -> int:
    """CTranslate2's target tokens for all sentences, ends included."""
    made = peer.translate_batch(given, beam_size=beam, max_batch_size=size)
    return sum(len(each.hypotheses[0]) + 1 for each in made)


def engine_load(bench: Bench) -> Found:
    """Stage 7: the engine with its scheduler, under 1, 32 and 256 callers: latency and sentences a second."""
    settings: dict[str, Any] = {"bundle": bench.path, "provider": bench.provider, "gpu_rows": bench.slots}
    pair = bench.bundle.manifest.pairs[0]
    tokenizer = Tokenizer(*bench.bundle.tokenizer_files)
    prefix = 1 if pair.tag else 0
    texts = [tokenizer.decode(source[prefix:-1]) for source in bench.test_set.sources]

    async def measure() -> Found:
        engine = Engine.from_settings(Settings.load(**settings, feature_cache_bytes=0))
        await engine.start()
        found: Found = {}
        try:
            for callers in (1, 32, 256):
                todo = iter(texts * 4 if callers > 1 else texts[:50])
                waits: list[float] = []

                async def caller(todo: Iterator[str] = todo, waits: list[float] = waits) -> None:
                    for text in todo:
                        began = time.perf_counter()
                        await engine.translate(
                            [text], source=pair.source, target=pair.target, options=SearchOptions(), splitting="off"
                        )
                        waits.append(1000 * (time.perf_counter() - began))

                began = time.perf_counter()
                await asyncio.gather(*(caller() for _ in range(callers)))
                taken = time.perf_counter() - began
                waits.sort()
                found[f"{callers} callers"] = {
                    "sentences_per_s": round(len(waits) / taken, 1),
                    "p50_ms": round(waits[len(waits) // 2], 1),
                    "p99_ms": round(waits[int(0.99 * (len(waits) - 1))], 1),
                }
        finally:
            await engine.stop()
        return found

    return asyncio.run(measure())


def invariance(bench: Bench) -> Found:
    """Stage 8: each sentence alone, and among others."""
    batch, found = bench.model().new_batch(), {}
    sources = bench.test_set.sources[:500]
    for beam in _BEAMS:
        among = bench.translate(batch, sources, beam)
        alone = [bench.translate(batch, [source], beam)[0] for source in sources]
        differs = sum(one[0].tokens != two[0].tokens for one, two in zip(among, alone, strict=True))
        scores = sum(one[0].score != two[0].score for one, two in zip(among, alone, strict=True))
        found[f"beam {beam}"] = {"tokens_differ": differs, "scores_differ": scores, "of": len(sources)}
    return found


STAGES: dict[str, tuple[int, Callable[[Bench], Found]]] = {
    "0 versions": (20, versions),
    "1 nodes": (40, nodes),
    "2 parity": (90, parity),
    "3 launched": (90, lambda bench: steps(bench, is_captured=False)),
    "4 captured": (90, lambda bench: steps(bench, is_captured=bench.provider == "cuda")),
    "6 CTranslate2": (150, ratio),
    "7 engine": (60, engine_load),
    "8 invariance": (60, invariance),
}
"""Limit in seconds, and what to do. Stage 5 is this script with other environment variables, such as
``ORT_ENABLE_CUDNN_FLASH_ATTENTION=0``, and ``--stages 4``."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the body after so many seconds."""

    def ring(*_: object) -> None:
        raise TimeoutError(f"stopped after {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle with float16-cuda graphs.")],
    pairs: Annotated[Path, typer.Argument(help="Pair file; its first column is translated.")],
    out: Annotated[Path, typer.Option(help="Folder for results.jsonl and the graphs as they ran.")] = Path("build/gpu"),
    provider: Annotated[Literal["cpu", "cuda"], typer.Option(help="cpu rehearses.")] = "cuda",
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of the file.")] = 512,
    slots: Annotated[int, typer.Option(min=1, help="Sentences decoded together.")] = 256,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 5,
    stages: Annotated[str, typer.Option(help="Numbers of the stages to run.")] = "012346789",
    patience: Annotated[float, typer.Option(min=0.01, help="Factor of all limits of time.")] = 1.0,
) -> None:
    """Measure the graphs that keep their state on a GPU."""
    out.mkdir(parents=True, exist_ok=True)
    bundle = Bundle.open(path).models[0]
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    test_set = TestSet.read(pairs, bundle, tokenizer, sentences, unsorted=False)
    bench = Bench(path, bundle, test_set, provider, slots, rounds, out)
    with (out / "results.jsonl").open("a", encoding="utf-8") as file:
        for name, (limit, stage) in STAGES.items():
            if name[0] not in stages:
                continue
            began = time.perf_counter()
            try:
                with limited(max(1, round(patience * limit))):
                    found = stage(bench)
            except Exception as error:  # the next stages have their own chance
                found = {"error": repr(error), "trace": traceback.format_exc(limit=-3)}
            line = json.dumps({"stage": name, "seconds": round(time.perf_counter() - began, 1), **found})
            print(line, flush=True)
            file.write(line + "\n")
            file.flush()


if __name__ == "__main__":
    typer.run(main)
