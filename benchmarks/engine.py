"""Speed of the engine on real sentences, against CTranslate2 with the same weights, in the same run.

    python -m benchmarks.engine artifacts/de-en data/de-en/eval/tatoeba.test.tsv data/de-en/eval/wmt19.tsv

``--provider cuda`` compares both on an NVIDIA GPU, with float16 and float32.

With ``--target-length`` every translation gets that many tokens in both engines: for the models of ``opus_size.py``,
whose random weights never end one. Like the service, our beams drop hypotheses that fall far behind, and
CTranslate2's don't; ``--beam-threshold 100`` keeps them whole.

Each round times both engines one after the other on the same batches of token ids; the table shows the median over the
rounds, with the smallest and the largest. Tokens are target tokens, ends of sentences included; the two may translate a
sentence differently, so the ratio is one of time per token. BLEU is that of the translations timed. "bound" is the
share that native operators reach of what the processor allows, see ``bounds.py``. The last line is JSON.
"""

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import ctranslate2
import onnxruntime
import sacrebleu
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from app.engine.decoding.batch_decoder import decode
from app.engine.models.bundle import Bundle
from app.engine.models.manifest import Precision
from app.engine.models.tokenizer import Tokenizer
from app.engine.onnx.native import choose_kernels
from app.engine.onnx.opening import open_model
from app.engine.options import SearchOptions
from benchmarks import bounds, ctranslate2_model
from benchmarks.ctranslate2_model import convert, piece_names
from benchmarks.figures import json_line, spread
from model.data.pairs import read_pairs

PRECISIONS = {"cpu": "int8-native,float32", "cuda": "float16,float32"}

Sources = Sequence[list[int]]
Translations = list[list[int]]
Translate = Callable[[Sources, int], Translations]
"""A batch of source ids and a beam size -> target ids, without their ends."""
Clock = Callable[[], float]
"""Seconds since any moment."""


@dataclass(frozen=True)
class TestSet:
    """Sentences in the order in which they are translated, with their reference translations."""

    name: str
    sources: Sources
    references: list[str]

    @classmethod
    def read(cls, path: Path, bundle: Bundle, tokenizer: Tokenizer, sentences: int, *, unsorted: bool) -> "TestSet":
        """The first sentences of a pair file that the model takes whole, shortest first or in the file's order."""
        manifest = bundle.manifest
        tag = manifest.pairs[0].tag
        prefix = [tokenizer.piece_id(tag)] if tag else []
        pairs = [
            ([*prefix, *tokenizer.encode(first), manifest.ids.eos], second)
            for first, second in list(read_pairs(path))[:sentences]
        ]
        kept = [(ids, second) for ids, second in pairs if len(ids) <= manifest.longest_source]
        if not unsorted:
            kept.sort(key=lambda pair: len(pair[0]))
        return cls(path.name.split(".tsv")[0], [ids for ids, _ in kept], [second for _, second in kept])

    def bleu(self, translations: Translations, tokenizer: Tokenizer) -> float:
        """The score of translations of all sources."""
        texts = [tokenizer.decode(tokens) for tokens in translations]
        return float(sacrebleu.corpus_bleu(texts, [self.references]).score)


def dragoman(
    bundle: Bundle,
    precision: Precision,
    threads: int,
    length: int | None,
    threshold: float = SearchOptions.beam_threshold,
    kernels: str = "auto",
    provider: str = "cpu",
) -> Translate:
    """Our search over our graphs, without scheduler and feature cache; ``length`` is the target's."""
    fixed: dict[str, Any] = {"beam_threshold": threshold}
    fixed |= {"max_length": length} if length else {}
    ids = bundle.manifest.ids
    kernels = kernels if precision == "int8-native" else "off"
    model = open_model(bundle, precision, provider=provider, threads=threads, kernels=kernels)

    def translate(sources: Sources, beam: int) -> Translations:
        options = SearchOptions(beam_size=beam, **fixed)
        found = decode(model, sources, start_id=ids.decoder_start, eos_id=ids.eos, options=options)
        return [list(hypotheses[0].tokens) for hypotheses in found]

    return translate


def peer(
    folder: Path, pieces: Sequence[str], precision: Precision, threads: int, length: int | None, provider: str
) -> Translate:
    """CTranslate2 on the converted weights."""
    fixed = {"min_decoding_length": length, "max_decoding_length": length} if length else {}
    compute_type = precision.partition("-")[0]
    translator = ctranslate2_model.open_model(folder, compute_type=compute_type, threads=threads, device=provider)
    ids = {piece: index for index, piece in enumerate(pieces)}

    def translate(sources: Sources, beam: int) -> Translations:
        given = [[pieces[index] for index in source] for source in sources]
        found = translator.translate_batch(given, beam_size=beam, **fixed)
        return [[ids[piece] for piece in result.hypotheses[0]] for result in found]

    return translate


def timed(translate: Translate, sources: Sources, batch: int, beam: int, clock: Clock) -> tuple[float, Translations]:
    """Seconds of translating all sources, batch by batch, and the translations."""
    began = clock()
    found = [one for start in range(0, len(sources), batch) for one in translate(sources[start : start + batch], beam)]
    return clock() - began, found


def compare(
    ours: Translate, theirs: Translate, test_set: TestSet, batch: int, beam: int, rounds: int, clock: Clock
) -> dict[str, Any]:
    """Time both engines in turns, with one more round to warm up; returns the figures of both."""
    runs = [
        [timed(engine, test_set.sources, batch, beam, clock) for engine in (ours, theirs)] for _ in range(rounds + 1)
    ][1:]
    speeds = [[sum(len(one) + 1 for one in found) / seconds for seconds, found in pair] for pair in runs]
    return {
        "tokens_per_s": [mine for mine, _ in speeds],
        "peer_tokens_per_s": [other for _, other in speeds],
        "ms_per_sentence": [1000 * pair[0][0] / len(test_set.sources) for pair in runs],
        "ratio": [mine / other for mine, other in speeds],
        "translations": [found for _, found in runs[0]],
    }


def native_peak(bundle: Bundle, kernels: str) -> bounds.Peak:
    """Measure and print what the processor can do with the native operators' kernels."""
    _, weights = bounds.weights_of(bundle.manifest.shape)
    peak = bounds.measure_peak(choose_kernels(kernels) or "", weights)
    print(f"peak: {peak.multiply_adds:.3g} multiply-adds/s, {peak.bytes_read:.3g} bytes/s of the caches")
    return peak


def bound_shares(
    ours: Translate,
    test_set: TestSet,
    batch: int,
    beam: int,
    bundle: Bundle,
    peak: bounds.Peak,
    ms_per_sentence: Sequence[float],
) -> list[float]:
    """The least time in which the processor could do the work, as a share of the time of each round."""
    with bounds.recorded(bundle.manifest.ids.eos) as work:
        timed(ours, test_set.sources, batch, beam, time.perf_counter)
    least = bounds.least_seconds(work, bundle.manifest.shape, peak)
    return [1000 * least / (ms * len(test_set.sources)) for ms in ms_per_sentence]


Provider = Annotated[Literal["cpu", "cuda"], typer.Option(help="Where both engines run.")]
Precisions = Annotated[
    str | None,
    typer.Option(
        help="Precisions to measure; one that the bundle lacks is skipped.", show_default="those of the provider"
    ),
]
Unsorted = Annotated[bool, typer.Option("--unsorted", help="Keep the files' order [default: by length].")]
ProcessorTime = Annotated[
    bool, typer.Option("--cpu-time", help="Processor time, for a machine that is shared [default: wall time].")
]
Threshold = Annotated[
    float, typer.Option(min=0, max=100, help="How far a hypothesis of ours may fall behind; 100 keeps whole beams.")
]
TargetLength = Annotated[
    int | None, typer.Option(min=1, max=512, help="Tokens of every translation [default: the model's own end].")
]
Kernels = Annotated[str, typer.Option(help="Instruction set of the native operators: auto, avx2, ...")]


def main(
    path: Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder of a bundle.")],
    pairs: Annotated[list[Path], typer.Argument(help="Pair files; their first columns are translated.")],
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of each file.")] = 128,
    batches: Annotated[str, typer.Option(help="Sentences translated together.")] = "1,8,32,64",
    beams: Annotated[str, typer.Option(help="Beam sizes.")] = "1,4",
    provider: Provider = "cpu",
    precisions: Precisions = None,
    unsorted: Unsorted = False,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that warms up.")] = 3,
    threads: Annotated[int, typer.Option(min=1, help="Threads of either engine.")] = 1,
    cpu_time: ProcessorTime = False,
    beam_threshold: Threshold = SearchOptions.beam_threshold,
    target_length: TargetLength = None,
    kernels: Kernels = "auto",
) -> None:
    """Compare tokens per second, and BLEU."""
    clock = time.process_time if cpu_time else time.perf_counter
    bundle = Bundle.open(path)
    tokenizer = Tokenizer(*bundle.tokenizer_files)
    test_sets = [TestSet.read(file, bundle, tokenizer, sentences, unsorted=unsorted) for file in pairs]
    cases = list(product(test_sets, map(int, beams.split(",")), map(int, batches.split(","))))
    results = []
    with TemporaryDirectory() as folder:
        convert(bundle, Path(folder) / "model")
        wanted = (precisions or PRECISIONS[provider]).split(",")
        for precision in [name for name in wanted if name in bundle.manifest.graphs]:
            ours = dragoman(bundle, precision, threads, target_length, beam_threshold, kernels, provider)
            peak = native_peak(bundle, kernels) if precision == "int8-native" else None
            theirs = peer(Path(folder) / "model", piece_names(bundle)[0], precision, threads, target_length, provider)
            for test_set, beam, batch in track(cases, precision, console=Console(stderr=True)):
                figures = compare(ours, theirs, test_set, batch, beam, rounds, clock)
                for name, translations in zip(("bleu", "peer_bleu"), figures.pop("translations"), strict=True):
                    figures[name] = None if target_length else test_set.bleu(translations, tokenizer)
                if peak:
                    speeds = figures["ms_per_sentence"]
                    figures["bound"] = bound_shares(ours, test_set, batch, beam, bundle, peak, speeds)
                results.append({"set": test_set.name, "precision": precision, "beam": beam, "batch": batch, **figures})
    print_table(results, title=f"{path}, sentences {'in the order of the file' if unsorted else 'sorted by length'}")
    print_versions(provider, threads, test_sets)
    print(json_line(benchmark="engine", provider=provider, threads=threads, unsorted=unsorted, results=results))


def print_versions(provider: str, threads: int, test_sets: Sequence[TestSet]) -> None:
    """Print on what was measured, and with how many sentences."""
    lengths = ", ".join(
        f"{test_set.name} {len(test_set.sources)} sentences of {mean(map(len, test_set.sources)):.1f} pieces"
        for test_set in test_sets
    )
    print(
        f"{platform.machine()}, {provider}, {threads} thread(s), ONNX Runtime {onnxruntime.__version__}, "
        f"CTranslate2 {ctranslate2.__version__}, {lengths}"
    )


def print_table(results: Sequence[dict[str, Any]], title: str) -> None:
    """One row a setting: median (smallest-largest)."""
    columns = (
        "set",
        "precision",
        "beam",
        "batch",
        "tokens/s",
        "CTranslate2",
        "ratio",
        "ms/sentence",
        "bound",
        "BLEU of both",
    )
    table = Table(*columns, title=title)
    for row in results:
        table.add_row(
            *(str(row[name]) for name in ("set", "precision", "beam", "batch")),
            spread(row["tokens_per_s"], ",.0f"),
            spread(row["peer_tokens_per_s"], ",.0f"),
            spread(row["ratio"], ".2f"),
            spread(row["ms_per_sentence"], ".1f"),
            spread(row["bound"], ".0%") if "bound" in row else "",
            f"{row['bleu']:.1f} {row['peer_bleu']:.1f}" if row["bleu"] is not None else "",
        )
    Console(width=165).print(table)


if __name__ == "__main__":
    typer.run(main)
