"""All that a GPU has to show, in ten minutes: one script with stages, against CTranslate2 with the same weights.

    python -m benchmarks.gpu artifacts/de-en data/de-en/eval/wmt19.tsv --out build/gpu
    python -m benchmarks.gpu artifacts/de-en model/text/everyday-2.tsv.xz --provider cpu --sentences 6 --slots 4
        --rounds 1 --patience 5      (a rehearsal, in one line)

Every stage has a limit of time, catches its errors, and prints a line of JSON at once; ``results.jsonl`` in the folder
has all lines, and the profiles of stage 1 lie beside it: some 3 MB. ``--provider cpu`` rehearses it without a GPU, with
few slots, the same graphs and the same code. ``--help`` prints the plan.

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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import ctranslate2
import numpy as np
import onnx
import onnxruntime
import typer

from app.engine.decoding.batch_decoder import BatchDecoder
from app.engine.decoding.search import Hypothesis
from app.engine.models.bundle import Bundle
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.device_graphs import BEAM, SOURCE_POSITIONS, TYPES, Source
from app.engine.onnx.device_lexicon import ROWS
from app.engine.onnx.model import OnnxModel
from app.engine.options import SearchOptions
from app.engine.scheduling.policy import Batch
from app.engine.single_model import Engine
from app.settings import Settings
from benchmarks.ctranslate2_model import convert, open_model, piece_names
from benchmarks.engine import TestSet
from benchmarks.gpu_bench import Bench, rare_words_of, text_of
from export.device_kernels import kernels

_BEAMS = (1, 4)
Found = dict[str, Any]


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
    """Stage 1: ONNX Runtime's profile of three runs: nodes by provider; any on the CPU would forbid CUDA graphs."""
    found: Found = {}
    name = {"cuda": "CUDAExecutionProvider", "cpu": "CPUExecutionProvider"}[bench.provider]
    for role, path in bench.bundle.graphs("float16-cuda").items():
        options = onnxruntime.SessionOptions()
        options.enable_profiling, options.profile_file_prefix = True, str(bench.out / role)
        options.log_severity_level = 3  # here inputs and outputs are not the same memory, of which each step would warn
        session = onnxruntime.InferenceSession(str(path), options, providers=[name])
        sizes = {"B": bench.slots, "b": bench.slots, "R": bench.slots * (BEAM if role == "beam" else 1), "D": 256}
        sizes |= {"S": SOURCE_POSITIONS, "s": SOURCE_POSITIONS, "P": 64, "T": bench.slots * ROWS}
        given = {
            each.name: np.full(
                [sizes.get(axis, axis) for axis in each.shape], each.name.endswith("lengths"), TYPES[each.type]
            )
            for each in session.get_inputs()
        }
        for _ in range(3):
            session.run(None, given)
        events = json.loads(Path(session.end_profiling()).read_text(encoding="utf-8"))
        events = [each for each in events if each.get("cat") == "Node" and each["name"].endswith("_kernel_time")]
        took: Counter[str] = Counter()
        for each in events:
            took[each["args"]["op_name"]] += each["dur"]
        found[role] = {
            "kernels_of_graph": kernels(onnx.load(path, load_external_data=False).graph).total(),
            "nodes_of_a_run": {key: n // 3 for key, n in Counter(e["args"]["provider"] for e in events).items()},
            "not_on_it": sorted({each["args"]["op_name"] for each in events if each["args"]["provider"] != name}),
            "microseconds": {key: round(total / 3) for key, total in took.most_common(8)},
        }
    return found


def parity(bench: Bench) -> Found:
    """Stage 2: tokens and BLEU against float32 on the CPU step by step, both with the lexicon."""
    ids, sources = bench.bundle.manifest.ids, bench.test_set.sources
    exact = OnnxModel(**bench.bundle.graphs("float32"), pad_id=ids.pad, provider="cpu", threads=4)
    batch, found = bench.model().new_batch(), {}
    for beam in _BEAMS:
        expected = stepwise(bench, exact, sources, beam)
        made = bench.translate(batch, sources, beam, lexicon=True)
        pairs = [(one[0], two) for one, two in zip(made, expected, strict=True)]
        equal = [(one, two) for one, two in pairs if one.tokens == two.tokens]
        found[f"beam {beam}"] = {
            "with_rare_words": sum(tuple(source) in bench.rare_words for source in sources),
            "bleu": [
                round(bench.test_set.bleu([each.tokens for each in side], bench.tokenizer), 2)
                for side in zip(*pairs, strict=True)
            ],
            "equal": len(equal),
            "of": len(pairs),
            "largest_difference": max((abs(a.log_probability - b.log_probability) for a, b in equal), default=None),
            "first_differing": next((index for index, (a, b) in enumerate(pairs) if a.tokens != b.tokens), None),
        }
    return found


def stepwise(bench: Bench, model: OnnxModel, sources: Sequence[list[int]], beam: int) -> list[Hypothesis]:
    """The best translations, with Python between the steps."""
    batch, searches = BatchDecoder(model), bench.searches(sources, beam, lexicon=True)
    batch.join(searches, model.encode(sources))
    while batch.searches:
        batch.step()
    return [search.hypotheses()[0] for search in searches]


def steps(bench: Bench, *, is_captured: bool) -> Found:
    """Stages 3 and 4: speed by the steps between two looks and by the slots, launched one by one or as CUDA graphs."""
    found: Found = {}
    for slots in sorted({max(1, bench.slots // 4), bench.slots}):
        began = time.perf_counter()
        batch = bench.model(slots, is_captured=is_captured).new_batch()
        found[f"{slots} slots, seconds to make"] = round(time.perf_counter() - began, 2)
        for beam in _BEAMS:
            for most in (2, 4, 8):
                made = ours(bench, batch, bench.test_set.sources, beam, most, lexicon=True)
                found[f"beam {beam}, {slots} slots, {most} steps"] = made
    return found


def ours(
    bench: Bench, batch: Batch[Source], sources: Sequence[list[int]], beam: int, most: int = 8, *, lexicon: bool = False
) -> list[float]:
    """Tokens a second."""

    def tokens() -> int:
        made = bench.translate(batch, sources, beam, most, lexicon=lexicon)
        return sum(len(each[0].tokens) + 1 for each in made)

    return speeds(tokens, bench.rounds)


def speeds(tokens: Callable[[], int], rounds: int) -> list[float]:
    """Tokens a second of each round, after one to warm up: median, smallest, largest."""
    tokens()
    measured = []
    for _ in range(rounds):
        began = time.perf_counter()
        made = tokens()
        measured.append(made / (time.perf_counter() - began))
    return [round(value) for value in (median(measured), min(measured), max(measured))]


def simple_graphs(bench: Bench) -> Found:
    """Stage 5: the float16 graphs, which bundles without float16-cuda have: one batch of all slots."""
    sources, model = bench.test_set.sources[: bench.slots], bench.simple()
    return {
        f"beam {beam}, batch of {len(sources)}": speeds(
            partial(simple_tokens, bench, model, sources, beam), bench.rounds
        )
        for beam in _BEAMS
    }


def simple_tokens(bench: Bench, model: OnnxModel, sources: Sequence[list[int]], beam: int) -> int:
    """Target tokens of all sentences step by step, ends included."""
    return sum(len(each.tokens) + 1 for each in stepwise(bench, model, sources, beam))


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
    """Stage 7: the engine with its scheduler: 1, 32 and 256 callers, and all lines of a file in one call.

    A single caller sends sentences of about 30 pieces.
    """
    settings: dict[str, Any] = {"bundle": bench.path, "provider": bench.provider, "gpu_rows": bench.slots}
    pair = bench.bundle.manifest.pairs[0]
    texts = [text_of(bench.bundle, bench.tokenizer, source) for source in bench.test_set.sources]
    usual = sorted(range(len(texts)), key=lambda index: abs(len(bench.test_set.sources[index]) - 30))[:50]
    lines = (texts * 20)[:10_000]

    async def measure() -> Found:
        engine = Engine.from_settings(Settings.load(**settings, feature_cache_bytes=0))
        await engine.start()
        found: Found = {}
        try:
            for callers in (1, 32, 256):
                todo = iter(texts * 4 if callers > 1 else [texts[index] for index in usual])
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
            began = time.perf_counter()
            await engine.translate(lines, source=pair.source, target=pair.target, options=SearchOptions())
            found[f"{len(lines)} lines, sentences_per_s"] = round(len(lines) / (time.perf_counter() - began), 1)
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
    "0 versions": (10, versions),
    "1 nodes": (40, nodes),
    "2 parity": (120, parity),
    "3 launched": (70, lambda bench: steps(bench, is_captured=False)),
    "4 captured": (80, lambda bench: steps(bench, is_captured=bench.provider == "cuda")),
    "5 simple graphs": (20, simple_graphs),
    "6 CTranslate2": (120, ratio),
    "7 engine": (90, engine_load),
    "8 invariance": (50, invariance),
}
"""Limit in seconds, and what to do."""

PLAN = """Measure the graphs that keep their state on a GPU.

Ten minutes, by stages; each has a limit, and a stage that fails leaves the next ones their chance.

0, 10 s: the versions of everything.

1, 40 s: a profile of each graph. Nodes on the CPU forbid CUDA graphs: mend those first.

2, 120 s: tokens and BLEU beside float32 on the CPU, with rare words. Want: 99 % equal, BLEU within 0.1.

3, 70 s: tokens a second by slots and by steps between two looks, launched one by one.

4, 80 s: the same, replayed as CUDA graphs; and the time that the captures take.

5, 20 s: the float16 graphs, with Python between the steps: what float16-cuda gains.

6, 120 s: a batch and a stream beside CTranslate2 at its best batch size. Want: ratio 1.0, and 2.0 in the stream.

7, 90 s: the engine under 1, 32 and 256 callers, and lines of a file. Want: p50 of one caller at most 10 ms.

8, 50 s: sentences alone and among others. Want: no difference.

Variants are other runs: ORT_ENABLE_CUDNN_FLASH_ATTENTION=0 or other slots, and --stages 4. If stage 2 has fewer than
99 % equal, look at first_differing before any speed. --provider cpu --sentences 6 --slots 4 --rounds 1 rehearses all.
"""


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
    out: Annotated[Path, typer.Option(help="Folder for results.jsonl and the profiles.")] = Path("build/gpu"),
    provider: Annotated[Literal["cpu", "cuda"], typer.Option(help="cpu rehearses.")] = "cuda",
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of the file.")] = 512,
    slots: Annotated[int, typer.Option(min=1, help="Sentences decoded together.")] = 256,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 5,
    stages: Annotated[str, typer.Option(help="Numbers of the stages to run.")] = "012345678",
    patience: Annotated[float, typer.Option(min=0.01, help="Factor of all limits of time.")] = 1.0,
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    bundle = Bundle.open(path).models[0]
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    test_set = TestSet.read(pairs, bundle, tokenizer, sentences, unsorted=False)
    rare_words = rare_words_of(bundle, tokenizer, test_set.sources)
    bench = Bench(path, bundle, tokenizer, test_set, rare_words, provider, slots, rounds, out)
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
    main.__doc__ = PLAN
    typer.run(main)
